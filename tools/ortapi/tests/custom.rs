//! Custom operators of a library in C.

#![allow(unsafe_code, reason = "the functions of a C library are unsafe")]

#[macro_use]
mod library;

use std::mem::offset_of;
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use library::*;
use ort_sys::{OrtApi, OrtErrorCode, OrtSessionOptions};

/// Tests count the kernels, and run in sequence.
static ALONE: Mutex<()> = Mutex::new(());

/// Options of the C compiler that define positions in the table of functions.
macro_rules! positions {
    ($($name:ident)*) => {
        [$(format!("-D{}={}", stringify!($name), offset_of!(OrtApi, $name) / size_of::<usize>())),*]
    };
}

/// The library of `custom.c`.
struct Operators {
    path: PathBuf,
    loaded: libloading::Library,
    _folder: tempfile::TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Operators {
    fn build() -> Operators {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let path = folder.path().join("libcustom.so");
        let mut compiler = std::process::Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-std=c99", "-o"]).arg(&path);
        compiler.args(positions! {
            CreateStatus GetTensorMutableData GetTensorShapeElementCount GetTensorTypeAndShape GetDimensions
            GetDimensionsCount ReleaseTensorTypeAndShapeInfo CreateCustomOpDomain CustomOpDomain_Add AddCustomOpDomain
            ReleaseCustomOpDomain KernelInfoGetAttribute_float KernelContext_GetInput KernelContext_GetInputCount
            KernelContext_GetOutput ShapeInferContext_GetInputTypeShape ShapeInferContext_SetOutputTypeShape
        });
        compiler.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/custom.c"));
        assert!(compiler.status().expect("there is a C compiler").success());
        let loaded = unsafe { libloading::Library::new(&path) }.expect("it is a library");
        Operators { path, loaded, _folder: folder, _alone: alone }
    }

    /// Session options with the operators.
    fn options(&self) -> *mut OrtSessionOptions {
        let options = options();
        call!(RegisterCustomOpsLibrary_V2, options, c(self.path.to_str().expect("UTF-8")).as_ptr());
        options
    }

    fn live(&self) -> i32 {
        unsafe { self.loaded.get::<unsafe extern "C" fn() -> i32>(b"live_kernels").expect("it is defined")() }
    }
}

fn model(graph: &str) -> Vec<u8> {
    use proto::Message;
    let text = format!(r#"<ir_version: 10, opset_import: ["": 21, "test.ops": 1]> {graph}"#);
    proto::Model::from_bytes(text.as_bytes()).expect("the text is a model").proto.encode_to_vec()
}

/// The error of creating a session.
fn refusal(graph: &str, options: *mut OrtSessionOptions) -> (OrtErrorCode, String) {
    let model = model(graph);
    fail!(CreateSessionFromArray, env(), model.as_ptr().cast(), model.len(), options, &mut null_mut())
}

const MIXED: &str = "g (float[N] x, float[1] offset) => (float[M] y, float[N] s) {
    n = Neg(x)
    a = test.ops.Scale <factor = 2.0> (n, offset)
    b = test.ops.Scale <factor = 3.0> (a)
    s = Relu(b)
    y = test.ops.Positive(b)
}";

#[test]
fn custom_operators_run_between_standard_ones() {
    let operators = Operators::build();
    let options = operators.options();
    let model = model(MIXED);
    let session = get!(CreateSessionFromArray, env(), model.as_ptr().cast(), model.len(), options);
    assert_eq!(operators.live(), 3);
    unsafe { (api().ReleaseSessionOptions)(options) };
    assert_eq!(type_text(get!(SessionGetOutputTypeInfo, session, 1)), "1 [N]");
    let (mut x, mut offset) = ([1.0f32, -2.0, -3.0], [1.0f32]);
    let inputs = [("x", floats(&mut x).cast_const()), ("offset", floats(&mut offset).cast_const())];
    let outputs = run(session, &inputs, &["y", "s"]);
    // 3 * (2 * -x + 1)
    assert_eq!(elements::<f32>(outputs[1]), [0.0, 15.0, 21.0]);
    assert_eq!(elements::<f32>(outputs[0]), [15.0, 21.0]);
    unsafe { (api().ReleaseSession)(session) };
    assert_eq!(operators.live(), 0);
}

#[test]
fn the_status_of_a_kernel_is_that_of_the_run() {
    let operators = Operators::build();
    let model = model("g (float[N] x) => (float[N] y) { [fails] s = test.ops.Scale <factor = 2.0> (x)  y = Neg(s) }");
    let session = get!(CreateSessionFromArray, env(), model.as_ptr().cast(), model.len(), operators.options());
    let mut x = [13.0f32];
    let status = try_run(session, null(), &[("x", floats(&mut x))], &["y"], &mut [null_mut()]);
    let expected = (OrtErrorCode::ORT_INVALID_ARGUMENT, "fails: 13 is refused".to_string());
    assert_eq!(failure(status), Some(expected));
    x[0] = 1.0;
    assert_eq!(elements::<f32>(run(session, &[("x", floats(&mut x))], &["y"])[0]), [-2.0]);
    unsafe { (api().ReleaseSession)(session) };
    assert_eq!(operators.live(), 0);
}

#[test]
fn nodes_that_an_operator_does_not_accept_are_errors() {
    let operators = Operators::build();
    let options = operators.options();
    let (_, message) = refusal("g (float[N] x) => (float[N] y) { y = test.ops.Scale(x) }", options);
    assert_eq!(message, "Scale: attribute 'factor' does not exist");
    let (_, message) = refusal("g (int64[N] x) => (float[N] y) { y = test.ops.Scale <factor = 1.0> (x) }", options);
    assert_eq!(message, "Scale: test.ops.Scale takes float32 as input 0, not int64");
    let (_, message) = refusal("g (float[N] x) => (float[N] y) { y = test.ops.Positive(x, x) }", options);
    assert_eq!(message, "Positive: test.ops.Positive has 1 inputs, not 2");
    let (_, message) = refusal("g (float[N] x) => (float[N] y) { p = test.ops.Positive(x)  y = Neg(p) }", options);
    assert_eq!(message, "Positive: the element type of output 'p' is not known; the model must declare it");
    assert_eq!(operators.live(), 0);
}

#[test]
fn null_and_missing_libraries_are_errors() {
    assert_eq!(fail!(CreateCustomOpDomain, null(), &mut null_mut()).0, OrtErrorCode::ORT_INVALID_ARGUMENT);
    let domain = get!(CreateCustomOpDomain, c"test.ops".as_ptr());
    assert_eq!(fail!(CustomOpDomain_Add, domain, null()).1, "CustomOpDomain_Add: op is null");
    unsafe { (api().ReleaseCustomOpDomain)(domain) };
    let (code, message) = fail!(RegisterCustomOpsLibrary_V2, options(), c"missing.so".as_ptr());
    assert!(code == OrtErrorCode::ORT_FAIL && message.contains("missing.so"), "{message}");
    let (_, message) = fail!(RegisterCustomOpsUsingFunction, options(), c"missing_function".as_ptr());
    assert!(message.contains("missing_function"), "{message}");
}

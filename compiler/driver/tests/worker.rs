//! The protocol of the LLVM back end with a stand-in: this test program, started again as the worker, compiles with
//! Cranelift.

#![allow(unsafe_code, reason = "sets an environment variable before any thread starts")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use proto::Message;

use driver::{Arithmetic, Backend, Compiler, Options, Session, Tensor};

const EXPONENTIALS: &str = r#"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x37xf32>):
    %c0 = "arith.constant"() {value = 0 : index} : () -> index
    %n = "tensor.dim"(%x, %c0) : (tensor<?x37xf32>, index) -> index
    %empty = "tensor.empty"(%n) : (index) -> tensor<?x37xf32>
    %y = "linalg.generic"(%x, %empty) ({
    ^bb0(%v: f32, %old: f32):
      %e = "math.exp"(%v) : (f32) -> f32
      "linalg.yield"(%e) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<?x37xf32>, tensor<?x37xf32>) -> tensor<?x37xf32>
    "func.return"(%y) : (tensor<?x37xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x37xf32>) -> tensor<?x37xf32>} : () -> ()
}) : () -> ()
"#;

/// Two kernels that call the same function of the module under the fixed order.
const SINES: &str = r#"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<3x37xf32>):
    %empty = "tensor.empty"() : () -> tensor<3x37xf32>
    %y = "linalg.generic"(%x, %empty) ({
    ^bb0(%v: f32, %old: f32):
      %s = "math.sin"(%v) : (f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<3x37xf32>, tensor<3x37xf32>) -> tensor<3x37xf32>
    %z = "linalg.generic"(%y, %empty) ({
    ^bb0(%v: f32, %old: f32):
      %n = "arith.negf"(%v) : (f32) -> f32
      %s = "math.sin"(%n) : (f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<3x37xf32>, tensor<3x37xf32>) -> tensor<3x37xf32>
    "func.return"(%y, %z) : (tensor<3x37xf32>, tensor<3x37xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<3x37xf32>) -> (tensor<3x37xf32>, tensor<3x37xf32>)} : () -> ()
}) : () -> ()
"#;

fn main() {
    if std::env::args().any(|argument| argument == "--worker") {
        work();
    } else if std::env::args().any(|argument| argument == "--successor") {
        hang();
        let made = driver::write_successor(&mut std::io::stdin().lock(), &mut std::io::stdout().lock());
        made.unwrap_or_else(|errors| panic!("{}", errors[0]));
    } else if !std::env::args().any(|argument| argument == "--list") {
        let program = std::env::current_exe().expect("this program has a path");
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("ONNXC", program) };
        runs_what_workers_compile();
        println!("test runs_what_workers_compile ... ok");
        functions_of_several_parts_are_one();
        println!("test functions_of_several_parts_are_one ... ok");
        switches_to_optimised_code(session(Backend::Auto));
        println!("test goes_over_to_what_workers_compile ... ok");
        let file = model_file();
        switches_to_optimised_code(session_of_file(&file));
        println!("test goes_over_to_what_a_process_makes ... ok");
        // SAFETY: the threads of the previous tests have ended.
        unsafe { std::env::set_var(HANGS, "1") };
        does_not_wait_in_vain(session(Backend::Auto));
        println!("test does_not_wait_for_workers_in_vain ... ok");
        does_not_wait_in_vain(session_of_file(&file));
        println!("test does_not_wait_for_a_process_in_vain ... ok");
        std::fs::remove_file(file).expect("it is the test's own");
        // SAFETY: as above.
        unsafe {
            std::env::remove_var(HANGS);
            std::env::set_var(STOPS, "1");
        }
        abandons_a_stopped_worker();
        println!("test abandons_a_stopped_worker ... ok");
    }
}

/// The environment variable that makes the stand-in hang.
const HANGS: &str = "STAND_IN_HANGS";

/// The environment variable that makes it stop, as a signal would.
const STOPS: &str = "STAND_IN_STOPS";

fn hang() {
    if std::env::var_os(STOPS).is_some() {
        let own = std::process::id().to_string();
        let stopped = std::process::Command::new("kill").args(["-STOP", &own]).status();
        assert!(stopped.is_ok_and(|status| status.success()), "it can be stopped");
    }
    if std::env::var_os(HANGS).is_some() {
        std::thread::sleep(Duration::from_secs(600));
    }
}

fn work() {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    while let Some(text) = driver::read_framed(&mut input).expect("reads a module") {
        hang();
        let text = String::from_utf8(text).expect("a module is text");
        let module = ir::parse_module(&text, "stdin", None).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let object = codegen_cranelift::object(&module, &Default::default());
        let object = object.unwrap_or_else(|errors| panic!("{}", errors[0]));
        driver::write_framed(&mut output, &object).expect("writes the object");
    }
}

fn session(backend: Backend) -> Session {
    compiled(EXPONENTIALS, Options { backend, threads: 2, ..Options::default() })
}

/// A model in a file, whose successor a helper process compiles.
fn model_file() -> PathBuf {
    let text = "<ir_version: 10, opset_import: [\"\": 18]> g (float[N, 37] x) => (float[N, 37] y) { y = Exp (x) }";
    let model = proto::parse_model(text).unwrap_or_else(|error| panic!("{error:?}"));
    let path = std::env::temp_dir().join(format!("onnx-successor-{}.onnx", std::process::id()));
    std::fs::write(&path, model.encode_to_vec()).expect("the temporary folder takes files");
    // a change right after the file was written might go unnoticed
    std::thread::sleep(Duration::from_millis(150));
    path
}

fn session_of_file(path: &Path) -> Session {
    let compiler = Compiler::new(Options { threads: 2, ..Options::default() });
    let model = compiler.compile_file(path).unwrap_or_else(|errors| panic!("{}", errors[0]));
    Session::new(Arc::new(model))
}

fn compiled(text: &str, options: Options) -> Session {
    let module = ir::parse_module(text, "test.mlir", None).expect("parses");
    let model = Compiler::new(options).compile_structured(module).unwrap_or_else(|errors| panic!("{}", errors[0]));
    Session::new(Arc::new(model))
}

fn run(session: &mut Session) {
    let values: Vec<f32> = (0..3 * 37).map(|i| i as f32 / 16.0 - 3.0).collect();
    let outputs = session.run(&[Tensor::from_f32(&[3, 37], &values).expect("fits")]).expect("runs");
    for (found, value) in outputs[0].to_f64().expect("is numbers").into_iter().zip(values) {
        let exact = f64::from(value).exp();
        assert!((found - exact).abs() <= 1e-6 * exact, "exp({value}) is {found}");
    }
}

fn runs_what_workers_compile() {
    run(&mut session(Backend::Llvm));
}

fn functions_of_several_parts_are_one() {
    let options = Options { backend: Backend::Llvm, arithmetic: Arithmetic::Fixed, workers: 2, ..Options::default() };
    let values: Vec<f32> = (0..3 * 37).map(|i| i as f32 / 16.0 - 3.0).collect();
    let outputs = compiled(SINES, options).run(&[Tensor::from_f32(&[3, 37], &values).expect("fits")]).expect("runs");
    for (found, value) in outputs[1].to_f64().expect("is numbers").into_iter().zip(values) {
        let expected = (-f64::from(value).sin()).sin();
        assert!((found - expected).abs() <= 1e-6, "sin(-sin({value})) is {found}");
    }
}

fn switches_to_optimised_code(mut session: Session) {
    run(&mut session);
    let first = session.model().clone();
    let begin = Instant::now();
    while Arc::ptr_eq(&first, session.model()) {
        run(&mut session);
        assert!(begin.elapsed() < Duration::from_secs(100), "the session keeps its baseline code");
    }
    run(&mut session);
}

fn abandons_a_stopped_worker() {
    let begin = Instant::now();
    let options = Options { backend: Backend::Llvm, threads: 2, ..Options::default() };
    let module = ir::parse_module(EXPONENTIALS, "test", None).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let errors = Compiler::new(options).compile_structured(module).err().expect("it is not compiled");
    assert!(errors[0].message.contains("was abandoned"), "{}", errors[0]);
    assert!(begin.elapsed() < Duration::from_secs(60), "a stopped worker is waited for");
}

fn does_not_wait_in_vain(mut session: Session) {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(2) {
        run(&mut session);
    }
    drop(session);
    assert!(begin.elapsed() < Duration::from_secs(60), "the session waits for a worker that is not needed");
}

//! Runs through the table of functions.

#![allow(unsafe_code, reason = "the functions of a C library are unsafe")]

#[macro_use]
mod library;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use library::*;
use ort_sys::{ONNXTensorElementDataType, ONNXType, OrtErrorCode, OrtLoggingLevel, OrtStatusPtr, OrtValue};

const INVALID: OrtErrorCode = OrtErrorCode::ORT_INVALID_ARGUMENT;
const ADD: &str =
    "g (float[N] a, float[N] b) => (float[N] sum, float[N] difference) { sum = Add(a, b)  difference = Sub(a, b) }";

fn value_of(elements: &mut [f32]) -> *const OrtValue {
    floats(elements)
}

#[test]
fn outputs_come_in_the_order_of_their_names() {
    let session = session(ADD);
    let (mut a, mut b) = ([1.0f32, 2.0], [10.0f32, 20.0]);
    let inputs = [("b", value_of(&mut b)), ("a", value_of(&mut a))];
    let outputs = run(session, &inputs, &["difference", "sum", "difference"]);
    assert_eq!(elements::<f32>(outputs[0]), [-9.0, -18.0]);
    assert_eq!(elements::<f32>(outputs[1]), [11.0, 22.0]);
    assert_eq!(elements::<f32>(outputs[2]), [-9.0, -18.0]);
    // an output outlives the session, and the next run leaves it as it is
    run(session, &[("a", value_of(&mut b)), ("b", value_of(&mut b))], &["sum"]);
    unsafe { (api().ReleaseSession)(session) };
    assert_eq!(elements::<f32>(outputs[1]), [11.0, 22.0]);
    outputs.into_iter().for_each(|value| unsafe { (api().ReleaseValue)(value) });
}

#[test]
fn an_output_is_written_to_a_value_of_the_caller() {
    let session = session(ADD);
    let (mut a, mut b, mut sum) = ([1.0f32, 2.0], [10.0f32, 20.0], [0.0f32; 2]);
    let inputs = [("a", value_of(&mut a)), ("b", value_of(&mut b))];
    let made = floats(&mut sum);
    let mut outputs = [made, null_mut()];
    succeed("Run", try_run(session, null(), &inputs, &["sum", "difference"], &mut outputs));
    assert_eq!((outputs[0], sum), (made, [11.0, 22.0]));
    assert_eq!(elements::<f32>(outputs[1]), [-9.0, -18.0]);
    let mut wrong = [0.0f32; 3];
    let mut outputs = [floats(&mut wrong)];
    let (code, message) = failure(try_run(session, null(), &inputs, &["sum"], &mut outputs)).expect("another shape");
    assert_eq!((code, &*message), (INVALID, "output 'sum' has the shape [2], the preallocated value has [3]"));
    let mut small = [0.0f32; 1];
    let mut outputs = [floats(&mut small)];
    assert_eq!(failure(try_run(session, null(), &inputs, &["sum"], &mut outputs)).expect("too small").0, INVALID);
    let mut integers = [0i64; 2];
    let mut outputs = [borrowed(&mut integers, &[2], INT64)];
    assert_eq!(failure(try_run(session, null(), &inputs, &["sum"], &mut outputs)).expect("another type").0, INVALID);
}

#[test]
fn an_output_may_be_requested_twice() {
    let session = session(ADD);
    let (mut a, mut b) = ([1.0f32, 2.0], [10.0f32, 20.0]);
    let inputs = [("a", value_of(&mut a)), ("b", value_of(&mut b))];
    let (mut first, mut second) = ([0.0f32; 2], [0.0f32; 2]);
    let mut outputs = [floats(&mut first), floats(&mut second), null_mut()];
    succeed("Run", try_run(session, null(), &inputs, &["sum", "sum", "sum"], &mut outputs));
    assert_eq!((first, second, elements::<f32>(outputs[2])), ([11.0, 22.0], [11.0, 22.0], vec![11.0, 22.0]));
    // one value for two outputs: the last one is written
    let value = floats(&mut first);
    succeed("Run", try_run(session, null(), &inputs, &["sum", "difference"], &mut [value, value]));
    assert_eq!(first, [-9.0, -18.0]);
}

#[test]
fn an_output_may_be_written_over_an_input() {
    let session = session(
        "g (float[N] x) => (float[N] y) { axis = Constant <value_int = 0> ()  y = CumSum <reverse = 1> (x, axis) }",
    );
    let mut x = [1.0f32, 2.0, 3.0];
    let value = floats(&mut x);
    let mut outputs = [value];
    succeed("Run", try_run(session, null(), &[("x", value)], &["y"], &mut outputs));
    assert_eq!(x, [6.0, 5.0, 3.0]);
}

#[test]
fn wrong_inputs_are_errors_that_name_them() {
    let session = session(ADD);
    let (mut a, mut b) = ([1.0f32, 2.0], [10.0f32, 20.0, 30.0]);
    let [two, three] = [value_of(&mut a), value_of(&mut b)];
    let fails = |inputs: &[(&str, *const OrtValue)], output: &str| {
        failure(try_run(session, null(), inputs, &[output], &mut [null_mut()])).expect("it is wrong")
    };
    assert_eq!(fails(&[("a", two)], "sum"), (INVALID, "input 'b' is missing".into()));
    assert_eq!(
        fails(&[("a", two), ("c", two)], "sum"),
        (INVALID, "Invalid input name: c; the model's are a, b".into())
    );
    assert_eq!(
        fails(&[("a", two), ("b", two)], "x"),
        (INVALID, "Invalid output name: x; the model's are sum, difference".into())
    );
    let (code, message) = fails(&[("a", two), ("b", three)], "sum");
    assert!(code == INVALID && message.starts_with("input 'b' must be float32 [N], found float32 [3]"), "{message}");
    assert!(fails(&[("a", strings(&["a", "b"])), ("b", two)], "sum").1.contains("input 'a'"));
    let mut bools = [2u8];
    let bools = borrowed(&mut bools, &[1], ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL);
    assert_eq!(fails(&[("a", bools), ("b", two)], "sum").0, INVALID);
}

#[test]
fn a_run_that_fails_on_its_inputs_is_a_runtime_exception() {
    let session = session("g (float[N] x, int64[2] s) => (float[M, L] y) { y = Reshape(x, s) }");
    let (mut x, mut shape) = ([1.0f32, 2.0], [3i64, 2]);
    let inputs = [("x", value_of(&mut x)), ("s", borrowed(&mut shape, &[2], INT64).cast_const())];
    let (code, _) = failure(try_run(session, null(), &inputs, &["y"], &mut [null_mut()])).expect("6 of 2 elements");
    assert_eq!(code, OrtErrorCode::ORT_RUNTIME_EXCEPTION);
}

#[test]
fn a_scalar_may_have_any_rank() {
    let session = session("g (float[N] x, float factor) => (float[N] y) { y = Mul(x, factor) }");
    let (mut x, mut factor) = ([3.0f32, 4.0], [2.0f32]);
    for shape in [&[][..], &[1], &[1, 1]] {
        let inputs = [("x", value_of(&mut x)), ("factor", borrowed(&mut factor, shape, FLOAT).cast_const())];
        assert_eq!(elements::<f32>(run(session, &inputs, &["y"])[0]), [6.0, 8.0]);
    }
    let inputs = [("x", value_of(&mut x)), ("factor", value_of(&mut x))];
    assert_eq!(failure(try_run(session, null(), &inputs, &["y"], &mut [null_mut()])).expect("two elements").0, INVALID);
}

#[test]
fn initializers_may_have_other_values() {
    let session = session("g (float[N] x, float w = {2}) => (float[N] y) { y = Mul(x, w) }");
    let (mut x, mut w) = ([3.0f32], [5.0f32]);
    assert_eq!(elements::<f32>(run(session, &[("x", value_of(&mut x))], &["y"])[0]), [6.0]);
    let scalar = borrowed(&mut w, &[], FLOAT).cast_const();
    assert_eq!(elements::<f32>(run(session, &[("x", value_of(&mut x)), ("w", scalar)], &["y"])[0]), [15.0]);
}

#[test]
fn initializers_are_replaced_by_options() {
    let (options, mut w) = (options(), [7.0f32]);
    let value = borrowed(&mut w, &[], FLOAT).cast_const();
    call!(AddInitializer, options, c"w".as_ptr(), value);
    let graph = "g (float[N] x) => (float[N] y) <float w = {2}> { y = Mul(x, w) }";
    let session = session_with(graph, options);
    let mut x = [3.0f32];
    assert_eq!(elements::<f32>(run(session, &[("x", value_of(&mut x))], &["y"])[0]), [21.0]);
    call!(AddExternalInitializers, options, [c"v".as_ptr()].as_ptr(), [value].as_ptr(), 1);
    let model = source(graph);
    let fails = fail!(CreateSessionFromArray, env(), model.as_ptr().cast(), model.len(), options, &mut null_mut());
    assert_eq!(fails, (INVALID, "the model has no initializer 'v'".into()));
}

#[test]
fn named_dimensions_are_fixed_by_options() {
    let options = options();
    call!(AddFreeDimensionOverrideByName, options, c"N".as_ptr(), 2);
    let session = session_with("g (float[N] x) => (float[N] y) { y = Neg(x) }", options);
    assert_eq!(type_text(get!(SessionGetInputTypeInfo, session, 0)), "1 [2]");
}

#[test]
fn strings_go_in_and_out() {
    let session = session("g (string[N] x) => (string[M] y) { y = Concat <axis = 0> (x, x) }");
    let outputs = run(session, &[("x", strings(&["a", "ü"]))], &["y"]);
    assert_eq!(read_strings(outputs[0]), ["a", "ü", "a", "ü"]);
    let made = strings(&["", "", "", ""]);
    let mut outputs = [made];
    succeed("Run", try_run(session, null(), &[("x", strings(&["b", ""]))], &["y"], &mut outputs));
    assert_eq!(read_strings(made), ["b", "", "b", ""]);
}

#[test]
fn sequences_go_in_and_out() {
    let session = session("g (seq(float[N]) s, float[N] x) => (seq(float[N]) t) { t = SequenceInsert(s, x) }");
    let (mut a, mut x) = ([1.0f32], [2.0f32]);
    let sequence = get!(CreateValue, [value_of(&mut a)].as_ptr(), 1, ONNXType::ONNX_TYPE_SEQUENCE);
    let outputs = run(session, &[("s", sequence), ("x", value_of(&mut x))], &["t"]);
    assert_eq!(get!(GetValueCount, outputs[0]), 2);
    assert_eq!(elements::<f32>(get!(GetValue, outputs[0], 1, allocator())), [2.0]);
    let outputs = run(session, &[("s", outputs[0]), ("x", value_of(&mut x))], &["t"]);
    assert_eq!(get!(GetValueCount, outputs[0]), 3);
}

#[test]
fn a_classifier_returns_a_sequence_of_maps() {
    let session = session(
        "g (float[N, 2] x) => (seq(map(string, float)) z)
         { z = ai.onnx.ml.ZipMap <classlabels_strings = [\"cat\", \"dog\"]> (x) }",
    );
    assert_eq!(type_text(get!(SessionGetOutputTypeInfo, session, 0)).replace(" []", ""), "seq(map(8, 1))");
    let mut x = [0.25f32, 0.75, 1.0, 0.0];
    let outputs = run(session, &[("x", borrowed(&mut x, &[2, 2], FLOAT).cast_const())], &["z"]);
    assert_eq!(get!(GetValueCount, outputs[0]), 2);
    let map = get!(GetValue, outputs[0], 0, allocator());
    assert_eq!(get!(GetValueType, map), ONNXType::ONNX_TYPE_MAP);
    assert_eq!(read_strings(get!(GetValue, map, 0, allocator())), ["cat", "dog"]);
    assert_eq!(elements::<f32>(get!(GetValue, map, 1, allocator())), [0.25, 0.75]);
}

#[test]
fn optionals_hold_a_value_or_nothing() {
    let session = session(
        "g (optional(float[N]) o) => (bool has, optional(float[N]) p) { has = OptionalHasElement(o)  p = Identity(o) }",
    );
    assert!(type_text(get!(SessionGetInputTypeInfo, session, 0)).starts_with("optional(1 ["));
    let mut x = [1.0f32];
    let outputs = run(session, &[("o", value_of(&mut x))], &["has", "p"]);
    assert_eq!((elements::<u8>(outputs[0]), elements::<f32>(outputs[1])), (vec![1], vec![1.0]));
    assert_eq!(get!(HasValue, outputs[1]), 1);
    let outputs = run(session, &[("o", null())], &["has", "p"]);
    assert_eq!((elements::<u8>(outputs[0]), get!(HasValue, outputs[1])), (vec![0], 0));
    let outputs = run(session, &[("o", outputs[1])], &["has"]);
    assert_eq!(elements::<u8>(outputs[0]), [0]);
}

#[test]
fn four_bit_elements_are_packed() {
    let session = session("g (int4[N] x) => (int8[N] y, uint4[N] z) { y = Cast <to = 3> (x)  z = Cast <to = 21> (y) }");
    let mut packed = [0x21u8, 0x07];
    let int4 = ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4;
    let uint4 = ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4;
    let outputs = run(session, &[("x", borrowed(&mut packed, &[3], int4).cast_const())], &["y", "z"]);
    assert_eq!(elements::<i8>(outputs[0]), [1, 2, 7]);
    assert_eq!((element_and_shape(outputs[1]), bytes(outputs[1])), ((uint4, vec![3]), vec![0x21, 0x07]));
    let mut negative = [0xf8u8];
    let outputs = run(session, &[("x", borrowed(&mut negative, &[2], int4).cast_const())], &["y"]);
    assert_eq!(elements::<i8>(outputs[0]), [-8, -1]);
    let mut made = [0u8; 1];
    let mut outputs = [borrowed(&mut made, &[2], uint4)];
    let mut positive = [0x53u8];
    let inputs = [("x", borrowed(&mut positive, &[2], int4).cast_const())];
    succeed("Run", try_run(session, null(), &inputs, &["z"], &mut outputs));
    assert_eq!(made, [0x53]);
}

#[test]
fn what_is_bound_is_run() {
    let session = session(ADD);
    let (mut a, mut b, mut sum) = ([1.0f32, 2.0], [10.0f32, 20.0], [0.0f32; 2]);
    let binding = get!(CreateIoBinding, session);
    let bound = floats(&mut a);
    call!(BindInput, binding, c"a".as_ptr(), bound);
    call!(BindInput, binding, c"b".as_ptr(), floats(&mut b));
    call!(BindOutput, binding, c"sum".as_ptr(), floats(&mut sum));
    call!(BindOutputToDevice, binding, c"difference".as_ptr(), memory());
    assert_eq!(fail!(BindInput, binding, c"c".as_ptr(), floats(&mut [0.0])).0, INVALID);
    call!(SynchronizeBoundInputs, binding);
    call!(RunWithBinding, session, null(), binding);
    call!(SynchronizeBoundOutputs, binding);
    assert_eq!(sum, [11.0, 22.0]);
    let (mut names, mut lengths, mut count) = (null_mut(), null_mut(), 0);
    call!(GetBoundOutputNames, binding, allocator(), &mut names, &mut lengths, &mut count);
    let bytes = unsafe { std::slice::from_raw_parts(names.cast::<u8>(), 13) };
    assert_eq!(
        (bytes, unsafe { std::slice::from_raw_parts(lengths, count) }),
        (&b"sumdifference"[..], &[3usize, 10][..])
    );
    let (mut values, mut count) = (null_mut(), 0);
    call!(GetBoundOutputValues, binding, allocator(), &mut values, &mut count);
    let values = unsafe { std::slice::from_raw_parts(values, count) };
    assert_eq!(elements::<f32>(values[1]), [-9.0, -18.0]);
    set(bound, &[5.0f32, 2.0]);
    call!(RunWithBinding, session, null(), binding);
    assert_eq!((sum, elements::<f32>(values[1])), ([15.0, 22.0], vec![-9.0, -18.0]));
    unsafe { (api().ClearBoundOutputs)(binding) };
    unsafe { (api().ClearBoundInputs)(binding) };
    assert!(fail!(RunWithBinding, session, null(), binding).1.contains("is missing"));
    unsafe { (api().ReleaseIoBinding)(binding) };
}

/// A run that takes long: products of large matrices, one after the other.
fn long_model() -> String {
    let steps: String = (0..40).map(|at| format!(" x{} = MatMul(x{at}, x0)", at + 1)).collect();
    format!("g (float[N, N] x0) => (float[N, N] x40) {{{steps} }}")
}

#[test]
fn runs_are_ended_and_begin_again() {
    let session = session(&long_model());
    let (mut large, mut small) = (vec![0.0f32; 1500 * 1500], [1.0f32]);
    let long = [("x0", borrowed(&mut large, &[1500, 1500], FLOAT).cast_const())];
    let short = [("x0", borrowed(&mut small, &[1, 1], FLOAT).cast_const())];
    let options = get!(CreateRunOptions);
    let address = options.expose_provenance();
    let ender = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        call!(RunOptionsSetTerminate, std::ptr::with_exposed_provenance_mut(address));
    });
    let (code, message) = failure(try_run(session, options, &long, &["x40"], &mut [null_mut()])).expect("it is ended");
    ender.join().expect("it ends");
    assert_eq!((code, &*message), (OrtErrorCode::ORT_FAIL, "Exiting due to terminate flag being set to true."));
    assert!(failure(try_run(session, options, &short, &["x40"], &mut [null_mut()])).is_some());
    call!(RunOptionsUnsetTerminate, options);
    succeed("Run", try_run(session, options, &short, &["x40"], &mut [null_mut()]));
    call!(AddRunConfigEntry, options, c"onnxc.deadline".as_ptr(), c"0.05".as_ptr());
    assert_eq!(text(unsafe { (api().GetRunConfigEntry)(options, c"onnxc.deadline".as_ptr()) }), "0.05");
    assert!(failure(try_run(session, options, &long, &["x40"], &mut [null_mut()])).is_some());
    call!(RunOptionsSetRunTag, options, c"a tag".as_ptr());
    call!(RunOptionsSetRunLogSeverityLevel, options, 3);
    assert_eq!(text(get!(RunOptionsGetRunTag, options)), "a tag");
    assert_eq!(get!(RunOptionsGetRunLogSeverityLevel, options), 3);
    unsafe { (api().ReleaseRunOptions)(options) };
}

/// The result of a run: the elements of the first output, or the message.
type Outcome = Result<Vec<f32>, String>;

unsafe extern "C" fn complete(data: *mut c_void, outputs: *mut *mut OrtValue, count: usize, status: OrtStatusPtr) {
    let sender = unsafe { Box::from_raw(data.cast::<Sender<Outcome>>()) };
    let outcome = match failure(status) {
        Some((_, message)) => Err(message),
        None => Ok(elements::<f32>(unsafe { std::slice::from_raw_parts(outputs, count) }[0])),
    };
    sender.send(outcome).expect("the test waits");
}

#[test]
fn runs_end_on_another_thread() {
    let session = session(ADD);
    let (mut a, mut b) = ([1.0f32, 2.0], [10.0f32, 20.0]);
    let values = [value_of(&mut a), value_of(&mut b)];
    let run = |names: [&CStr; 2]| {
        let (sender, receiver) = channel::<Outcome>();
        let (names, mut outputs) = (names.map(CStr::as_ptr), [null_mut()]);
        let data = Box::into_raw(Box::new(sender)).cast::<c_void>();
        let wanted = [c"sum".as_ptr()];
        let (input, output) = (values.as_ptr(), outputs.as_mut_ptr());
        call!(RunAsync, session, null(), names.as_ptr(), input, 2, wanted.as_ptr(), 1, output, Some(complete), data);
        receiver.recv().expect("the callback is called")
    };
    assert_eq!(run([c"a", c"b"]), Ok(vec![11.0, 22.0]));
    assert_eq!(run([c"a", c"a"]), Err("input 'a' is given twice".to_string()));
    let nothing: *const *const c_char = null();
    assert_eq!(
        fail!(RunAsync, session, null(), nothing, null(), 0, nothing, 0, null_mut(), None, null_mut()).0,
        INVALID
    );
}

#[test]
fn threads_share_a_session() {
    let session = session(ADD).expose_provenance();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let session = std::ptr::with_exposed_provenance_mut(session);
                for round in 0..50 {
                    let (mut a, mut b) = ([thread as f32; 8], [round as f32; 8]);
                    let inputs = [("a", value_of(&mut a)), ("b", value_of(&mut b))];
                    assert_eq!(elements::<f32>(run(session, &inputs, &["sum"])[0]), [(thread + round) as f32; 8]);
                }
            });
        }
    });
}

unsafe extern "system" fn hear(
    heard: *mut c_void,
    _: OrtLoggingLevel,
    _: *const c_char,
    id: *const c_char,
    _: *const c_char,
    message: *const c_char,
) {
    let heard = unsafe { &*heard.cast::<std::sync::Mutex<Vec<String>>>() };
    heard.lock().expect("no holder panics").push(format!("{}: {}", text(id), text(message)));
}

#[test]
fn warnings_go_to_the_function_of_the_environment() {
    let heard = std::sync::Mutex::new(Vec::<String>::new());
    let level = OrtLoggingLevel::ORT_LOGGING_LEVEL_WARNING;
    let parameter = std::ptr::from_ref(&heard).cast_mut().cast();
    let env = get!(CreateEnvWithCustomLogger, hear, parameter, level, c"me".as_ptr());
    // a name of an extent that has two numbers in a run
    let model = source("g (float[N] x) => (float[N] y) { y = Concat <axis = 0> (x, x) }");
    let session = get!(CreateSessionFromArray, env, model.as_ptr().cast(), model.len(), options());
    let mut x = [1.0f32];
    run(session, &[("x", value_of(&mut x))], &["y"]);
    let heard = heard.lock().expect("no holder panics");
    assert!(heard.iter().any(|line| line.starts_with("me: ") && line.contains('N')), "{heard:?}");
}

#[test]
fn shared_threads_are_those_of_the_environment() {
    let threading = get!(CreateThreadingOptions);
    call!(SetGlobalIntraOpNumThreads, threading, 1);
    call!(SetGlobalSpinControl, threading, 0);
    let level = OrtLoggingLevel::ORT_LOGGING_LEVEL_ERROR;
    let env = get!(CreateEnvWithGlobalThreadPools, level, c"x".as_ptr(), threading);
    unsafe { (api().ReleaseThreadingOptions)(threading) };
    let options = get!(CreateSessionOptions);
    call!(DisablePerSessionThreads, options);
    let model = source(ADD);
    let session = get!(CreateSessionFromArray, env, model.as_ptr().cast(), model.len(), options);
    unsafe { (api().ReleaseEnv)(env) };
    let mut a = [1.0f32];
    assert_eq!(elements::<f32>(run(session, &[("a", value_of(&mut a)), ("b", value_of(&mut a))], &["sum"])[0]), [2.0]);
}

#[test]
fn the_optimised_model_is_written() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let options = options();
    let path = c(folder.path().join("simple.onnx").to_str().expect("UTF-8"));
    call!(SetOptimizedModelFilePath, options, path.as_ptr());
    call!(AddFreeDimensionOverrideByName, options, c"N".as_ptr(), 2);
    session_with("g (float[N] x) => (float[N] y) { z = Identity(x) y = Neg(z) }", options);
    let session = get!(CreateSession, env(), path.as_ptr(), null());
    assert_eq!(type_text(get!(SessionGetInputTypeInfo, session, 0)), "1 [2]");
    let mut x = [3.0f32, -1.0];
    assert_eq!(elements::<f32>(run(session, &[("x", value_of(&mut x))], &["y"])[0]), [-3.0, 1.0]);
    let missing = c(folder.path().join("none/simple.onnx").to_str().expect("UTF-8"));
    call!(SetOptimizedModelFilePath, options, missing.as_ptr());
    let model = source("g (float[N] x) => (float[N] y) { y = Neg(x) }");
    let fails = fail!(CreateSessionFromArray, env(), model.as_ptr().cast(), model.len(), options, &mut null_mut());
    assert_eq!(fails.0, OrtErrorCode::ORT_FAIL);
}

#[test]
fn profiles_are_chrome_traces() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let options = options();
    let prefix = c(folder.path().join("profile").to_str().expect("UTF-8"));
    call!(EnableProfiling, options, prefix.as_ptr());
    let session = session_with("g (float[N] x) => (float[N] y) { y = Sin(x) }", options);
    let mut x = [1.0f32; 100];
    run(session, &[("x", value_of(&mut x))], &["y"]);
    assert!(get!(SessionGetProfilingStartTimeNs, session) > 0);
    let path = taken(get!(SessionEndProfiling, session, allocator()));
    let events: serde_json::Value = serde_json::from_slice(&std::fs::read(path).expect("it is there")).expect("JSON");
    let events = events.as_array().expect("a list");
    assert!(events.iter().any(|event| event["args"]["op_name"] == "Sin" && event["ph"] == "X"), "{events:?}");
}

//! The crate `ort`, unchanged, on the library.

mod library;

use std::sync::LazyLock;

use ort::environment::Environment;
use ort::memory::{AllocationDevice, AllocatorType, MemoryInfo, MemoryType};
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{RunOptions, Session};
use ort::value::{DynSequenceValueType, Tensor, TensorRef, ValueType};

/// The one environment that `ort` allows a process.
static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
    let builder = ort::init_from(library::path()).expect("the library is there");
    builder.with_name("client").build().expect("an environment")
});

fn session(graph: &str) -> Session {
    let builder = Session::builder(&ENVIRONMENT).expect("a builder");
    let builder = builder.with_intra_threads(1).expect("threads");
    let builder = builder.with_optimization_level(GraphOptimizationLevel::All);
    builder.expect("a level").commit_from_memory(&library::source(graph)).expect("a session")
}

#[test]
fn tensors_go_in_and_out() {
    let mut session = session("g (float[N, 2] x) => (float[N, 2] y) { y = Add(x, x) }");
    assert_eq!((session.inputs()[0].name(), session.outputs()[0].name()), ("x", "y"));
    let ValueType::Tensor { shape, .. } = session.inputs()[0].dtype() else { panic!("it is a tensor") };
    assert_eq!(&shape[..], [-1, 2]);
    let x = [1.0f32, 2.0, 3.0, 4.0];
    let input = TensorRef::from_array_view(([2usize, 2], &x[..])).expect("a tensor");
    let outputs = session.run(ort::inputs!["x" => input]).expect("it runs");
    let (shape, elements) = outputs["y"].try_extract_tensor::<f32>().expect("floats");
    assert_eq!((&shape[..], elements), (&[2i64, 2][..], &[2.0f32, 4.0, 6.0, 8.0][..]));
}

#[test]
fn strings_go_in_and_out() {
    let mut session = session("g (string[N] x) => (string[M] y) { y = Concat <axis = 0> (x, x) }");
    let x = Tensor::from_string_array(([2usize], &["a", "ü"][..])).expect("strings");
    let outputs = session.run(ort::inputs![x]).expect("it runs");
    assert_eq!(outputs["y"].try_extract_strings().expect("strings").1, ["a", "ü", "a", "ü"]);
}

#[test]
fn a_classifier_returns_a_sequence_of_maps() {
    let mut session = session(
        "g (float[N, 2] x) => (seq(map(int64, float)) z) { z = ai.onnx.ml.ZipMap <classlabels_int64s = [3, 5]> (x) }",
    );
    let x = Tensor::from_array(([1usize, 2], vec![0.25f32, 0.75])).expect("a tensor");
    let outputs = session.run(ort::inputs![x]).expect("it runs");
    let maps = outputs["z"].view().downcast::<DynSequenceValueType>().expect("a sequence");
    let maps = maps.try_extract_sequence::<ort::value::MapValueType<i64, f32>>().expect("maps");
    let map = maps[0].extract_map();
    assert_eq!((map[&3], map[&5]), (0.25, 0.75));
}

#[test]
fn outputs_are_bound() {
    let mut session = session("g (float[N] x) => (float[N] y) { y = Neg(x) }");
    let mut binding = session.create_binding().expect("a binding");
    let x = Tensor::from_array(([2usize], vec![1.0f32, 2.0])).expect("a tensor");
    binding.bind_input("x", &x).expect("the input is bound");
    let place = MemoryInfo::new(AllocationDevice::CPU, 0, AllocatorType::Device, MemoryType::CPUOutput);
    binding.bind_output_to_device("y", &place.expect("memory")).expect("the output is bound");
    let outputs = session.run_binding(&binding).expect("it runs");
    assert_eq!(outputs["y"].try_extract_tensor::<f32>().expect("floats").1, [-1.0, -2.0]);
}

#[test]
fn runs_are_ended() {
    let mut session = session("g (float[N] x) => (float[N] y) { y = Neg(x) }");
    let options = RunOptions::new().expect("options");
    options.terminate().expect("it is set");
    let x = Tensor::from_array(([1usize], vec![1.0f32])).expect("a tensor");
    let error = session.run_with_options(ort::inputs![&x], &options).expect_err("it is ended");
    assert!(error.to_string().contains("Exiting due to terminate flag being set to true."), "{error}");
    options.unterminate().expect("it is unset");
    assert!(session.run_with_options(ort::inputs![&x], &options).is_ok());
}

#[test]
fn models_state_things_about_themselves() {
    let session = session("g (float[N] x, float w = {2}) => (float[N] y) { y = Mul(x, w) }");
    let metadata = session.metadata().expect("metadata");
    assert_eq!((metadata.producer().as_deref(), metadata.version()), (Some("a tool"), Some(7)));
    assert_eq!(metadata.custom("author").as_deref(), Some("an author"));
    assert_eq!(metadata.custom_keys().expect("keys"), ["author"]);
    assert_eq!(session.overridable_initializers()[0].name(), "w");
    assert_eq!(session.opset_for_domain(""), Some(21));
}

#[test]
fn errors_have_messages() {
    let mut session = session("g (float[2] x) => (float[2] y) { y = Neg(x) }");
    let x = Tensor::from_array(([3usize], vec![0.0f32; 3])).expect("a tensor");
    let error = session.run(ort::inputs![x]).expect_err("three elements");
    assert_eq!(error.code(), ort::ErrorCode::InvalidArgument);
    assert!(error.to_string().contains("input 'x' must be float32 [2], found float32 [3]"), "{error}");
}

//! The public interface: errors, limits, memory of the caller, threads.

use std::time::{Duration, Instant};

use onnxc::{
    Cancel, Compiler, Dimension, ElementType, ErrorKind, Input, Model, OutputBuffer, PortKind, RunOptions, Tensor,
    TensorView, Value, ValueType,
};

fn compiled(body: &str) -> onnxc::CompiledModel {
    let text = format!("<ir_version: 10, opset_import: [\"\": 21, \"ai.onnx.ml\": 3]>\n{body}");
    let model = Model::from_bytes(text).expect("the text is a model");
    Compiler::builder().threads(1).build().compile(&model).expect("the model compiles")
}

#[test]
fn views_are_read_in_place_or_copied_when_not_aligned() {
    let model = compiled("g (float[N] x) => (float[N] y) { y = Add(x, x) }");
    let bytes: Vec<u8> = std::iter::once(0).chain([1.0f32, 2.0].into_iter().flat_map(f32::to_le_bytes)).collect();
    for start in [0, 1] {
        let aligned: Vec<u8> = bytes[1..].to_vec();
        let bytes = if start == 0 { &aligned[..] } else { &bytes[1..] };
        let view = TensorView::from_bytes(ElementType::F32, &[2], bytes).expect("eight bytes");
        let outputs = model.session().run([("x", view)]).expect("it runs");
        assert_eq!(outputs["y"].as_slice::<f32>().expect("floats"), [2.0, 4.0]);
    }
}

#[test]
fn every_element_type_goes_in_and_out() {
    for name in ["float", "double", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"] {
        let model = compiled(&format!("g ({name}[N] x) => ({name}[N] y) {{ y = Identity(x) }}"));
        let element = model.inputs()[0].element_type().expect("a tensor");
        let width = element.byte_width().expect("values have bytes");
        let x = Tensor::from_bytes(element, &[3], &vec![1; 3 * width]).expect("three elements");
        let outputs = model.session().run([("x", &x)]).expect("it runs");
        assert_eq!(outputs["y"], Value::Tensor(x), "{name}");
    }
}

#[test]
fn strings_go_in_and_out() {
    let model = compiled("g (string[N] x) => (string[M] y) { y = Concat <axis = 0> (x, x) }");
    let x = Tensor::from_strings(&[2], &["a", "ü"]).expect("two strings");
    let outputs = model.session().run([("x", &x)]).expect("it runs");
    assert_eq!(outputs["y"].as_tensor().expect("a tensor").to_strings().expect("strings"), ["a", "ü", "a", "ü"]);
    let equal = Tensor::from_strings(&[2], &["b", "b"]).expect("two strings");
    assert_eq!(equal.to_strings().expect("strings"), ["b", "b"]);
    assert!(Tensor::from_strings(&[3], &["a"]).is_err());
}

#[test]
fn sequences_are_values() {
    let model = compiled("g (float[N] x) => (seq(float[N]) s) { s = SequenceConstruct(x, x) }");
    let x = Tensor::from_slice(&[1], &[3.0f32]).expect("one element");
    let outputs = model.session().run([("x", &x)]).expect("it runs");
    assert_eq!(outputs["s"].as_sequence().expect("a sequence").len(), 2);
    assert!(outputs["s"].as_tensor().is_err());
}

#[test]
fn ports_have_types_also_of_what_containers_hold() {
    let model = compiled(
        "g (seq(int64[2]) s, optional(float[N]) o, float[N, 2] x)
         => (seq(int64[2]) t, optional(float[N]) p, seq(map(string, float)) z)
         { t = Identity(s)  p = Identity(o)  z = ai.onnx.ml.ZipMap <classlabels_strings = [\"a\", \"b\"]> (x) }",
    );
    let tensor = |element, shape| ValueType::Tensor { element, shape };
    let ValueType::Sequence(held) = model.inputs()[0].value_type() else { panic!("a sequence") };
    assert!(matches!(**held, ValueType::Tensor { element: ElementType::I64, .. }));
    let ValueType::Optional(held) = model.inputs()[1].value_type() else { panic!("an optional") };
    assert!(matches!(**held, ValueType::Tensor { element: ElementType::F32, .. }));
    let shape = vec![Dimension::Named("N".into()), Dimension::Fixed(2)];
    assert_eq!(*model.inputs()[2].value_type(), tensor(ElementType::F32, Some(shape)));
    let ValueType::Sequence(held) = model.outputs()[2].value_type() else { panic!("a sequence") };
    let ValueType::Map { key, value } = &**held else { panic!("maps") };
    assert_eq!((*key, &**value), (ElementType::String, &tensor(ElementType::F32, None)));
    assert_eq!(model.outputs()[2].kind(), PortKind::Sequence);
}

#[test]
fn kernels_are_timed_if_asked() {
    let text = "<ir_version: 10, opset_import: [\"\": 21]> g (float[N] x) => (float[N] y) { y = Sin(x) }";
    let model = Model::from_bytes(text).expect("the text is a model");
    let model = Compiler::builder().threads(1).profile(true).build().compile(&model).expect("the model compiles");
    let mut session = model.session();
    let x = Tensor::from_slice(&[2], &[1.0f32, 2.0]).expect("two elements");
    (0..3).for_each(|_| drop(session.run([("x", &x)]).expect("it runs")));
    let kernels = session.profile();
    assert!(kernels.iter().any(|kernel| kernel.operators == ["Sin"] && kernel.calls == 3), "{kernels:?}");
    assert!(compiled("g (float[N] x) => (float[N] y) { y = Sin(x) }").session().profile().is_empty());
}

#[test]
fn wrong_inputs_are_errors_with_their_names() {
    let model = compiled("g (float[2] x, float[N] z) => (float[N] y) { y = Add(x, z) }");
    let [two, three] = [2usize, 3].map(|count| Tensor::from_slice(&[count], &vec![1.0f32; count]).expect("a tensor"));
    let mut session = model.session();
    let mut message = |inputs: Vec<(&str, &Tensor)>| {
        let error = session.run(inputs).expect_err("the inputs are wrong");
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        error.to_string()
    };
    assert_eq!(message(vec![("x", &two)]), "input 'z' is missing");
    assert_eq!(message(vec![("q", &two)]), "the model has no input 'q', its inputs are x, z");
    assert_eq!(message(vec![("x", &two), ("x", &two)]), "input 'x' is given twice");
    assert!(message(vec![("x", &three), ("z", &two)]).contains("input 'x'"));
    let integers = Tensor::from_slice(&[2], &[1i64, 2]).expect("a tensor");
    assert!(message(vec![("x", &integers), ("z", &two)]).contains("int64"));
    assert!(TensorView::from_slice(&[3], &[1.0f32]).is_err());
}

#[test]
fn outputs_are_written_to_memory_of_the_caller() {
    let model = compiled("g (float[N] x) => (float[N] y, float[N] z) { y = Neg(x)  z = Abs(x) }");
    let mut session = model.session();
    let x = Tensor::from_slice(&[3], &[1.0f32, -2.0, 3.0]).expect("a tensor");
    let mut y = [9.0f32; 4];
    let shapes = session.run_into([("x", &x)], [("y", &mut y[..])], &RunOptions::new()).expect("it runs");
    assert_eq!((y, shapes), ([-1.0, 2.0, -3.0, 9.0], vec![vec![3]]));
    let mut small = [0.0f32; 2];
    let error = session.run_into([("x", &x)], [("y", &mut small[..])], &RunOptions::new()).expect_err("too small");
    assert!(error.to_string().contains("needs 12 bytes, but the memory passed for it has 8"), "{error}");
    let mut wrong = [0i32; 3];
    assert!(session.run_into([("x", &x)], [("y", &mut wrong[..])], &RunOptions::new()).is_err());
    let mut bytes = [0; 12];
    let buffer = OutputBuffer::from_bytes(ElementType::F32, &mut bytes);
    session.run_into([("x", &x)], [("z", buffer)], &RunOptions::new()).expect("it runs");
    assert_eq!(bytes[..4], 1.0f32.to_le_bytes());
}

#[test]
fn runs_in_order_check_what_they_are_given() {
    let model = compiled("g (float[N] x) => (float[N] y, float[N] z) { y = Neg(x)  z = Abs(x) }");
    let mut session = model.session();
    let x = [1.0f32, -2.0];
    let view = || TensorView::from_slice(&[2], &x).expect("it fits");
    let (mut y, mut z, mut wrong) = ([0.0f32; 2], [0.0f32; 2], [0i32; 2]);
    let refused = |result: onnxc::Result<()>| result.expect_err("refused").to_string();
    let few = session.run_in_order(&[view().into()], &mut [y.as_mut_slice().into()]);
    assert!(refused(few).contains("the model has 2 outputs, not 1"));
    let none = session.run_in_order(&[], &mut [y.as_mut_slice().into(), z.as_mut_slice().into()]);
    assert!(refused(none).contains("the model has 1 inputs, not 0"));
    let other = session.run_in_order(&[view().into()], &mut [y.as_mut_slice().into(), wrong.as_mut_slice().into()]);
    assert!(refused(other).contains("output 'z' is float32, the buffer is for int32"));
    session.run_in_order(&[view().into()], &mut [y.as_mut_slice().into(), z.as_mut_slice().into()]).expect("it runs");
    assert_eq!((y, z), ([-1.0, 2.0], [1.0, 2.0]));
}

/// A run that takes long: a chain of products of large matrices.
fn long() -> (onnxc::CompiledModel, Tensor) {
    let steps: String = (0..40).map(|at| format!(" x{} = MatMul(x{at}, x0)", at + 1)).collect();
    let model = compiled(&format!("g (float[N, N] x0) => (float[N, N] x40) {{{steps} }}"));
    (model, Tensor::from_slice(&[1500, 1500], &vec![0.0f32; 1500 * 1500]).expect("a tensor"))
}

#[test]
fn a_run_ends_at_its_deadline_or_when_it_is_cancelled() {
    let (model, x) = long();
    let mut session = model.session();
    let begin = Instant::now();
    let limits = RunOptions::new().deadline(Duration::from_millis(100));
    let error = session.run_with([("x0", &x)], &limits).expect_err("it takes longer");
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    let cancel = Cancel::new();
    let other = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.cancel();
    });
    let error = session.run_with([("x0", &x)], &RunOptions::new().cancel(&cancel)).expect_err("it is cancelled");
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    thread.join().expect("the thread ends");
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    // the session remains usable
    let small = Tensor::from_slice(&[1, 1], &[1.0f32]).expect("a tensor");
    assert_eq!(session.run([("x0", &small)]).expect("it runs")["x40"].as_slice::<f32>().expect("floats"), [1.0]);
}

/// Single routines of the runtime, and kernels whose iterations are as long as extents that are not known.
#[test]
fn an_operator_that_takes_long_ends_at_its_deadline() {
    let floats = |shape: &[usize], of: fn(usize) -> f32| {
        let count: usize = shape.iter().product();
        Tensor::from_slice(shape, &(0..count).map(of).collect::<Vec<f32>>()).expect("a tensor")
    };
    let integers = Tensor::from_slice(&[4000, 4000], &vec![1i32; 4000 * 4000]).expect("a tensor");
    let cases = [
        ("float[N,N]", "Det (x)", floats(&[3000, 3000], |at| (at * 7919 % 10_007) as f32)),
        ("float[N]", "Unique (x)", floats(&[1 << 25], |at| (at * 7919 % 10_007) as f32)),
        ("float[N,K,1]", "DFT (x)", floats(&[1, 1 << 24, 1], |at| (at % 9) as f32)),
        ("int32[N,N]", "MatMul (x, x)", integers),
        ("float[N,K]", "MatMul (x, x)", floats(&[8000, 8000], |at| (at % 9) as f32)),
    ];
    for (r#type, call, x) in cases {
        let model = compiled(&format!("g ({type} x) => (y) {{ y = {call} }}"));
        let limits = RunOptions::new().deadline(Duration::from_millis(50));
        let begin = Instant::now();
        let error = model.session().run_with([("x", &x)], &limits).expect_err("it takes longer");
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded, "{call}: {error}");
        assert!(begin.elapsed() < Duration::from_secs(2), "{call}: {:?}", begin.elapsed());
    }
}

/// A loop of the host function, whose iterations are too short to be shared or checked by themselves.
#[test]
fn a_loop_with_a_small_body_ends_at_its_deadline() {
    let model = compiled(
        "g (int64 n, bool c, float x) => (float y) { \
         y = Loop(n, c, x) <body = b (int64 i, bool again, float a) => (bool next, float z) { \
         next = Identity(again)  z = Mul(a, a) }> }",
    );
    let scalar = |bytes: &[u8], r#type| Tensor::from_bytes(r#type, &[], bytes).expect("a tensor");
    let count = scalar(&(1i64 << 40).to_le_bytes(), ElementType::I64);
    let (again, x) = (scalar(&[1], ElementType::Bool), scalar(&1.0f32.to_le_bytes(), ElementType::F32));
    let mut session = model.session();
    let limits = RunOptions::new().deadline(Duration::from_millis(50));
    let begin = Instant::now();
    let error = session.run_with([("n", &count), ("c", &again), ("x", &x)], &limits).expect_err("it takes longer");
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
    let count = scalar(&3i64.to_le_bytes(), ElementType::I64);
    let outputs = session.run([("n", &count), ("c", &again), ("x", &x)]).expect("it remains usable");
    assert_eq!(outputs["y"].as_slice::<f32>().expect("floats"), [1.0]);
}

#[test]
fn a_model_is_shared_by_threads() {
    let model = compiled("g (float[N] x) => (float[N] y) { y = Mul(x, x) }");
    std::thread::scope(|scope| {
        for number in 0..4u8 {
            let model = model.clone();
            scope.spawn(move || {
                let mut session = model.session();
                for extent in 1..50 {
                    let x = Tensor::from_slice(&[extent], &vec![f32::from(number); extent]).expect("a tensor");
                    let outputs = session.run([("x", &x)]).expect("it runs");
                    let expected = vec![f32::from(number) * f32::from(number); extent];
                    assert_eq!(outputs["y"].as_slice::<f32>().expect("floats"), expected);
                }
            });
        }
    });
}

#[test]
fn errors_of_models_have_places_and_rules() {
    let text = "<ir_version: 10, opset_import: [\"\": 21]> g (float[N] x) => (float[N] y) { y = Nonsense(x) }";
    let error =
        Compiler::new().compile(&Model::from_bytes(text).expect("it is a model")).expect_err("no such operator");
    assert!(matches!(error.kind(), ErrorKind::InvalidModel | ErrorKind::Unsupported), "{error}");
    assert!(error.problems().iter().any(|problem| problem.message.contains("Nonsense")), "{error}");
    let source: Box<dyn std::error::Error + Send + Sync> = error.into();
    assert!(source.to_string().contains("Nonsense"));
    assert_eq!(Model::from_bytes(b"\xff\xff").expect_err("no model").kind(), ErrorKind::InvalidModel);
}

#[test]
fn options_change_the_model() {
    let text =
        "<ir_version: 10, opset_import: [\"\": 21]> g (float[N, 2] x) => (float[N, 2] y) { t = Relu(x)  y = Neg(t) }";
    let model = Model::from_bytes(text).expect("it is a model");
    let fixed = Compiler::builder().dimension("N", 4).outputs(["t"]).build().compile(&model).expect("it compiles");
    assert_eq!(fixed.inputs()[0].shape(), [Dimension::Fixed(4), Dimension::Fixed(2)]);
    assert_eq!(fixed.outputs()[0].name(), "t");
    let x: Input<'_> = Tensor::from_slice(&[4, 2], &[-1.0f32; 8]).expect("a tensor").into();
    assert_eq!(fixed.session().run([("x", x)]).expect("it runs")[0].as_slice::<f32>().expect("floats"), [0.0; 8]);
}

//! Operators that the caller implements.

#![allow(unsafe_code, reason = "a test calls a function of C")]

use onnxc::{
    CFunction, CompiledModel, Compiler, CustomCall, CustomOperator, Dimension, ElementType, Error, ErrorKind, Extents,
    Model, Result, Session, Tensor, TensorView,
};

/// y = factor * x
fn scale(call: &CustomCall<'_>) -> Result<Vec<Tensor>> {
    let x = call.input(0)?;
    let factor = call.float("factor").unwrap_or(2.0);
    let scaled: Vec<f32> = x.to_vec::<f32>()?.iter().map(|value| factor * value).collect();
    Ok(vec![Tensor::from_slice(&x.shape(), &scaled)?])
}

/// The elements above a bound, which is a second input.
fn above(call: &CustomCall<'_>) -> Result<Vec<Tensor>> {
    let bound = if call.has_input(1) { call.input(1)?.to_vec::<f32>()?[0] } else { 0.0 };
    let kept: Vec<f32> = call.input(0)?.to_vec::<f32>()?.into_iter().filter(|&value| value > bound).collect();
    Ok(vec![Tensor::from_slice(&[kept.len()], &kept)?, Tensor::scalar(i64::try_from(kept.len()).unwrap_or(0))])
}

fn operators() -> [CustomOperator; 2] {
    [
        CustomOperator::new("my.ops", "Scale", 1, scale).output(ElementType::F32, Extents::SameAs(0)),
        CustomOperator::new("my.ops", "Above", 1, above)
            .output(ElementType::F32, Extents::List(vec![Dimension::Unknown]))
            .output(ElementType::I64, Extents::List(vec![])),
    ]
}

fn compile(body: &str) -> Result<CompiledModel> {
    let text = format!(r#"<ir_version: 10, opset_import: ["": 21, "my.ops": 1]> g {body}"#);
    let builder = operators().into_iter().fold(Compiler::builder(), onnxc::Builder::custom_operator);
    builder.build().compile(&Model::from_bytes(text)?)
}

fn run(session: &mut Session, x: &[f32]) -> Result<Vec<f32>> {
    let outputs = session.run([("x", TensorView::from_slice(&[x.len()], x)?)])?;
    outputs["y"].as_tensor()?.to_vec()
}

#[test]
fn a_custom_operator_runs_between_compiled_parts() {
    // Scale is between Neg and Relu, and is bypassed by the Add
    let body = "(float[N] x) => (float[N] y) {
        n = Neg(x)  s = my.ops.Scale <factor: float = 3.0> (n)  r = Relu(s)  y = Add(r, n)
    }";
    let compiled = compile(body).expect("it is supported");
    assert_eq!(compiled.outputs()[0].shape(), [Dimension::Named("N".into())]);
    let mut session = compiled.session();
    for count in [3, 1, 5] {
        let x: Vec<f32> = (0..count).map(|at| at as f32 - 1.5).collect();
        let expected: Vec<f32> = x.iter().map(|x| (-3.0 * x).max(0.0) - x).collect();
        assert_eq!(run(&mut session, &x).expect("it runs"), expected);
    }
    compiled.wait_until_optimized().expect("the parts are compiled again");
    assert_eq!(run(&mut session, &[1.0]).expect("it runs"), [-1.0]);
}

#[test]
fn constants_missing_inputs_and_extents_that_depend_on_data() {
    let body = "(float[N] x) => (float[M] y, int64 count) <float[1] bound = {1.5}> {
        a, c = my.ops.Above(x, bound)  b, count = my.ops.Above(a)  y = Neg(b)
    }";
    let mut session = compile(body).expect("it is supported").session();
    let x = [1.0f32, 2.0, 3.0, -4.0];
    assert_eq!(run(&mut session, &x).expect("it runs"), [-2.0, -3.0]);
    let (view, mut room) = (TensorView::from_slice(&[4], &x).expect("4 elements"), [0i64]);
    let shapes = session.run_into([("x", view)], [("count", room.as_mut_slice())], &onnxc::RunOptions::new());
    assert_eq!((shapes.expect("it runs"), room), (vec![vec![]], [2]));
}

#[test]
fn the_newest_version_that_the_model_imports_is_called() {
    let one = |since: i64| {
        let constant = move |_: &CustomCall<'_>| Ok(vec![Tensor::scalar(since)]);
        CustomOperator::new("my.ops", "Version", since, constant).output(ElementType::I64, Extents::List(vec![]))
    };
    let model = r#"<ir_version: 10, opset_import: ["": 21, "my.ops": 3]> g () => (int64 y) { y = my.ops.Version() }"#;
    let model = Model::from_bytes(model).expect("it is a model");
    let compiler = [1, 2, 4].map(one).into_iter().fold(Compiler::builder(), onnxc::Builder::custom_operator).build();
    let none: [(&str, &Tensor); 0] = [];
    let outputs = compiler.compile(&model).expect("it is supported").session().run(none).expect("it runs");
    assert_eq!(outputs["y"].as_slice::<i64>().expect("it is a number"), [2]);
}

#[test]
fn errors_name_the_node() {
    let failing = CustomOperator::new("my.ops", "Fail", 1, |call| {
        let x = call.input(0)?.to_vec::<f32>()?;
        match x.len() {
            1 => call.input(1).map(|_| vec![]),
            2 => Ok(vec![Tensor::scalar(1.0f32)]),
            _ => Ok(vec![]),
        }
    });
    let failing = failing.output(ElementType::F32, Extents::SameAs(0));
    let text = r#"<ir_version: 10, opset_import: ["": 21, "my.ops": 1]>
        g (float[N] x) => (float[N] y) { [broken] f = my.ops.Fail(x)  y = Neg(f) }"#;
    let model = Model::from_bytes(text).expect("it is a model");
    let compiler = Compiler::builder().custom_operator(failing).build();
    let mut session = compiler.compile(&model).expect("it is supported").session();
    let mut message = |x: &[f32]| run(&mut session, x).expect_err("the operator fails").to_string();
    assert_eq!(message(&[1.0]), "broken: input 1 is missing");
    let shape =
        "broken: my.ops.Fail returned float32 [] as output 0, expected float32 with the extents those of input 0";
    assert_eq!(message(&[1.0, 2.0]), shape);
    assert_eq!(message(&[1.0, 2.0, 3.0]), "broken: my.ops.Fail returned 0 outputs, expected 1");
}

/// The shared library of `examples/scale.c`.
fn library() -> libloading::Library {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = std::env::temp_dir().join(format!("libscale-{}.so", std::process::id()));
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c99", "-I"]);
    compiler.arg(root.join("include")).arg("-o").arg(&library).arg(root.join("examples/scale.c"));
    assert!(compiler.status().expect("there is a C compiler").success());
    // SAFETY: the library has one function and no initialisers.
    let loaded = unsafe { libloading::Library::new(&library) }.expect("it is a library");
    std::fs::remove_file(library).expect("it is the test's own");
    loaded
}

#[test]
fn a_c_function_is_an_operator() {
    let library = library();
    // SAFETY: the function has this type and follows the header; the library is closed after the last model.
    let operator = unsafe {
        let function = *library.get::<CFunction>(b"scale").expect("the library has the function");
        let outputs = vec![(ElementType::F32, Extents::SameAs(0))];
        CustomOperator::from_c("my.ops", "Scale", 1, outputs, function, std::ptr::null_mut())
    };
    let text = r#"<ir_version: 10, opset_import: ["": 21, "my.ops": 1]>
        g (float[N] x) => (float[N] y) { n = Neg(x)  s = my.ops.Scale <factor: float = 3.0> (n)  y = Relu(s) }"#;
    let model = Model::from_bytes(text).expect("it is a model");
    let mut session =
        Compiler::builder().custom_operator(operator).build().compile(&model).expect("it is supported").session();
    assert_eq!(run(&mut session, &[-1.0, 2.0, -3.0]).expect("it runs"), [3.0, 0.0, 9.0]);
    drop((session, library));
}

#[test]
fn what_is_not_supported_is_refused() {
    let refused = |body: &str| -> Error { compile(body).expect_err("it is not supported") };
    let body = "(bool b, float[N] x) => (float[N] y) {
        y = If <then_branch = t () => (float[N] u) { u = my.ops.Scale(x) },
                else_branch = e () => (float[N] v) { v = Neg(x) }> (b)
    }";
    let error = refused(body);
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert!(error.to_string().contains("my.ops.Scale"), "{error}");
    let sequence = "(float[N] x) => (float[N] y) {
        s = my.ops.Scale(x)  q = SequenceConstruct(s)  t = my.ops.Scale(q)  y = Neg(t)
    }";
    assert!(refused(sequence).to_string().contains("is not a tensor"), "{}", refused(sequence));
    let many = "(float[N] x) => (float[N] y) { y, z = my.ops.Scale(x) }";
    assert!(refused(many).to_string().contains("my.ops.Scale has 1 outputs, not 2"));
}

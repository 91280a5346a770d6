//! Sequences and optionals: as inputs, as outputs, carried by loops, and their memory.

mod graph;

use driver::{Session, Tensor, Value};
use graph::{integers, scalar, session};

const SEQUENCE: &str = "!onnx.Seq<tensor<?xi64>>";

fn run(session: &mut Session, inputs: &[Value]) -> Result<Value, String> {
    let outputs = session.run_values(inputs).map_err(|errors| errors[0].message.to_string())?;
    Ok(outputs.into_iter().next().expect("one output"))
}

fn sequence(parts: &[&[i64]]) -> Value {
    Value::Sequence(parts.iter().map(|part| Value::Tensor(integers(part))).collect())
}

fn is(found: &Value, expected: &Value) -> bool {
    found.is_same(expected)
}

#[test]
fn elements_are_inserted_erased_and_read() {
    let before = format!(
        r#"%more = "onnx.SequenceInsert"(%s, %x, %i) : ({SEQUENCE}, tensor<?xi64>, tensor<i64>) -> {SEQUENCE}
    %none = "onnx.NoValue"() : () -> none"#
    );
    let operation = format!(r#""onnx.SequenceErase"(%more, %none) : ({SEQUENCE}, none) -> {SEQUENCE}"#);
    let arguments = format!("%s: {SEQUENCE}, %x: tensor<?xi64>, %i: tensor<i64>");
    let mut session = session(&arguments, &before, &operation, SEQUENCE);
    let given = sequence(&[&[1], &[2, 3]]);
    for (at, expected) in [(0, &[&[9][..], &[1][..]]), (1, &[&[1], &[9]]), (2, &[&[1], &[2, 3]]), (-2, &[&[9], &[1]])] {
        let found = run(&mut session, &[given.clone(), integers(&[9]).into(), scalar(at).into()]);
        assert!(is(&found.expect("runs"), &sequence(expected)), "{at}");
    }
    for at in [3, -3, i64::MIN] {
        let found = run(&mut session, &[given.clone(), integers(&[9]).into(), scalar(at).into()]);
        assert!(found.expect_err("the position does not exist").contains("the element does not exist"));
    }
    let wrong = run(&mut session, &[integers(&[1]).into(), integers(&[9]).into(), scalar(0).into()]);
    assert!(wrong.expect_err("must be a sequence").contains("found a tensor"));
}

#[test]
fn loops_carry_sequences() {
    let operation = format!(
        r#""onnx.Loop"(%m, %none, %s) ({{
    ^bb0(%i: tensor<i64>, %c: tensor<i1>, %carried: {SEQUENCE}):
      %dropped = "onnx.SequenceErase"(%carried, %zero) : ({SEQUENCE}, tensor<i64>) -> {SEQUENCE}
      %row = "onnx.Unsqueeze"(%i, %axes) : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
      %next = "onnx.SequenceInsert"(%dropped, %row, %none) : ({SEQUENCE}, tensor<1xi64>, none) -> {SEQUENCE}
      "onnx.Yield"(%c, %next) : (tensor<i1>, {SEQUENCE}) -> ()
    }}) : (tensor<i64>, none, {SEQUENCE}) -> {SEQUENCE}"#
    );
    let before = r#"%none = "onnx.NoValue"() : () -> none
    %zero = "onnx.Constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
    %axes = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>"#;
    let arguments = format!("%m: tensor<i64>, %s: {SEQUENCE}");
    let mut session = session(&arguments, before, &operation, SEQUENCE);
    let given = sequence(&[&[7], &[8, 8]]);
    for (count, expected) in [(0, &[&[7][..], &[8, 8][..]]), (1, &[&[8, 8], &[0]]), (1000, &[&[998], &[999]])] {
        let found = run(&mut session, &[scalar(count).into(), given.clone()]).expect("runs");
        assert!(is(&found, &sequence(expected)), "{count}");
    }
}

#[test]
fn an_optional_without_value_has_none_to_give() {
    let before = r#"%has = "onnx.OptionalHasElement"(%o) : (!onnx.Opt<tensor<?xi64>>) -> tensor<i1>"#;
    let arguments = "%o: !onnx.Opt<tensor<?xi64>>";
    let result = r#""onnx.OptionalGetElement"(%o) : (!onnx.Opt<tensor<?xi64>>) -> tensor<?xi64>"#;
    let mut get = session(arguments, before, result, "tensor<?xi64>");
    let some = Value::Optional(Some(Box::new(integers(&[4, 5]).into())));
    assert!(is(&run(&mut get, std::slice::from_ref(&some)).expect("runs"), &integers(&[4, 5]).into()));
    let nothing = run(&mut get, &[Value::Optional(None)]);
    assert!(nothing.expect_err("it has no value").contains("the optional has no value"));
    let operation = r#""onnx.Not"(%has) : (tensor<i1>) -> tensor<i1>"#;
    let mut lacks = session(arguments, before, operation, "tensor<i1>");
    for (optional, expected) in [(some, 0.0), (Value::Optional(None), 1.0)] {
        let found = run(&mut lacks, &[optional]).expect("runs");
        assert_eq!(found.as_tensor().and_then(Tensor::to_f64), Some(vec![expected]));
    }
}

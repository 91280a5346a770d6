//! Strings: moved as indices, read and created by routines, freed at the end of the run.

mod graph;

use driver::{DenseElements, Session, Tensor, Type};
use graph::{fails, integers, session};

fn element() -> Type {
    Type::dialect("onnx", "String", vec![])
}

fn strings(values: &[&str]) -> Tensor {
    let shape = vec![values.len() as i64];
    let elements = DenseElements::from_strings(Type::static_tensor(&shape, element()), values);
    Tensor { element: element(), shape, data: elements.data }
}

fn run(session: &mut Session, inputs: &[Tensor]) -> Vec<String> {
    let outputs = session.run(inputs).unwrap_or_else(|errors| panic!("{}", errors[0]));
    outputs[0].elements().strings().expect("strings")
}

#[test]
fn strings_move_like_numbers() {
    let before = r#"%one = "onnx.Constant"() {value = dense<["x", "b"]> : tensor<2x!onnx.String>} : () -> tensor<2x!onnx.String>
    %all = "onnx.Concat"(%x, %one) {axis = 0 : si64} : (tensor<?x!onnx.String>, tensor<2x!onnx.String>) -> tensor<?x!onnx.String>"#;
    let operation = r#""onnx.Gather"(%all, %i) {axis = 0 : si64} : (tensor<?x!onnx.String>, tensor<?xi64>) -> tensor<?x!onnx.String>"#;
    let arguments = "%x: tensor<?x!onnx.String>, %i: tensor<?xi64>";
    let mut session = session(arguments, before, operation, "tensor<?x!onnx.String>");
    for text in ["a", "ä", ""] {
        assert_eq!(run(&mut session, &[strings(&[text, "c"]), integers(&[3, 0, 2, 1])]), ["b", text, "x", "c"]);
    }
}

#[test]
fn distinct_strings_come_in_order() {
    let operation = r#""onnx.Unique"(%x) : (tensor<?x!onnx.String>) -> tensor<?x!onnx.String>"#;
    let mut session = session("%x: tensor<?x!onnx.String>", "", operation, "tensor<?x!onnx.String>");
    assert_eq!(run(&mut session, &[strings(&["z", "b", "", "z", "a", "b"])]), ["", "a", "b", "z"]);
}

#[test]
fn numbers_are_read_and_written() {
    let before = r#"%numbers = "onnx.Cast"(%x) {to = 11 : si64} : (tensor<?x!onnx.String>) -> tensor<?xf64>"#;
    let operation = r#""onnx.Cast"(%numbers) {to = 8 : si64} : (tensor<?xf64>) -> tensor<?x!onnx.String>"#;
    let mut session = session("%x: tensor<?x!onnx.String>", before, operation, "tensor<?x!onnx.String>");
    let found = run(&mut session, &[strings(&["1", "-2.50", "1e20", "NaN", " inf ", "1E-7"])]);
    assert_eq!(found, ["1.0", "-2.5", "1e+20", "nan", "inf", "1e-07"]);
    fails(&mut session, &[strings(&["1", "one"])], "a string is not a value of the type");
}

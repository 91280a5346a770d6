//! Loop and Scan: carried, stacked and captured values.

mod graph;

use driver::{Session, Tensor};
use graph::{fails, integers, scalar, session};

fn numbers(values: &[f32]) -> Tensor {
    Tensor::from_f32(&[values.len() as i64], values).expect("the number of values matches the shape")
}

fn run(session: &mut Session, inputs: &[Tensor]) -> (Vec<i64>, Vec<f64>) {
    let outputs = session.run(inputs).unwrap_or_else(|errors| panic!("{}", errors[0]));
    (outputs[0].shape.clone(), outputs[0].to_f64().expect("numbers"))
}

#[test]
fn carried_tensors_may_grow_and_run_never() {
    let operation = r#""onnx.Loop"(%m, %c, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<?xi64>):
      %next = "onnx.Concat"(%v, %x) {axis = 0 : si64} : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
      "onnx.Yield"(%go, %next) : (tensor<i1>, tensor<?xi64>) -> ()
    }) : (tensor<i64>, tensor<i1>, tensor<?xi64>) -> tensor<?xi64>"#;
    let truth = r#"%c = "onnx.Constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>"#;
    let mut session = session("%m: tensor<i64>, %x: tensor<?xi64>", truth, operation, "tensor<?xi64>");
    for (count, length) in [(0, 2), (-3, 2), (1, 4), (5, 12)] {
        let (shape, found) = run(&mut session, &[scalar(count), integers(&[7, 8])]);
        assert_eq!(shape, [length]);
        assert!(found.chunks(2).all(|pair| pair == [7.0, 8.0]));
    }
}

#[test]
fn results_are_stacked_until_the_condition_fails() {
    let operation = r#""onnx.Loop"(%none, %c, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<?xi64>):
      %two = "onnx.Constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
      %next = "onnx.Mul"(%v, %two) : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
      %sum = "onnx.ReduceSum"(%next, %none) {keepdims = 0 : si64} : (tensor<?xi64>, none) -> tensor<i64>
      %more = "onnx.Less"(%sum, %limit) : (tensor<i64>, tensor<i64>) -> tensor<i1>
      "onnx.Yield"(%more, %next, %next) : (tensor<i1>, tensor<?xi64>, tensor<?xi64>) -> ()
    }) : (none, tensor<i1>, tensor<?xi64>) -> (tensor<?xi64>, tensor<?x?xi64>)"#;
    let before = format!(
        r#"%none = "onnx.NoValue"() : () -> none
    %c = "onnx.Constant"() {{value = dense<true> : tensor<i1>}} : () -> tensor<i1>
    %r:2 = {operation}"#
    );
    let stacked = r#""onnx.Identity"(%r#1) : (tensor<?x?xi64>) -> tensor<?x?xi64>"#;
    let mut session = session("%x: tensor<?xi64>, %limit: tensor<i64>", &before, stacked, "tensor<?x?xi64>");
    let (shape, found) = run(&mut session, &[integers(&[1, 0]), scalar(100)]);
    assert_eq!(shape, [7, 2]);
    assert_eq!(found, [2, 0, 4, 0, 8, 0, 16, 0, 32, 0, 64, 0, 128, 0].map(f64::from));
}

#[test]
fn loops_nest_and_their_assertions_end_the_run() {
    let operation = r#""onnx.Loop"(%m, %none, %x) ({
    ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<?xi64>):
      %inner = "onnx.Loop"(%i, %none, %v) ({
      ^bb0(%j: tensor<i64>, %d: tensor<i1>, %w: tensor<?xi64>):
        %picked = "onnx.Gather"(%x, %j) {axis = 0 : si64} : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
        %next = "onnx.Add"(%w, %picked) : (tensor<?xi64>, tensor<i64>) -> tensor<?xi64>
        "onnx.Yield"(%d, %next) : (tensor<i1>, tensor<?xi64>) -> ()
      }) : (tensor<i64>, none, tensor<?xi64>) -> tensor<?xi64>
      "onnx.Yield"(%c, %inner) : (tensor<i1>, tensor<?xi64>) -> ()
    }) : (tensor<i64>, none, tensor<?xi64>) -> tensor<?xi64>"#;
    let none = r#"%none = "onnx.NoValue"() : () -> none"#;
    let mut session = session("%m: tensor<i64>, %x: tensor<?xi64>", none, operation, "tensor<?xi64>");
    // outer iterations 0, 1, 2 add nothing, x[0], x[0] + x[1]
    assert_eq!(run(&mut session, &[scalar(3), integers(&[10, 1])]).1, [31.0, 22.0]);
    fails(&mut session, &[scalar(4), integers(&[10, 1])], "Gather");
}

#[test]
fn scans_go_along_any_axis_in_any_direction() {
    let operation = r#""onnx.Scan"(%s, %x) ({
    ^bb0(%sum: tensor<?xf32>, %column: tensor<?xf32>):
      %next = "onnx.Add"(%sum, %column) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      "onnx.Yield"(%next, %next) : (tensor<?xf32>, tensor<?xf32>) -> ()
    }) {num_scan_inputs = 1 : si64, scan_input_axes = [1 : si64], scan_input_directions = [1 : si64], scan_output_axes = [-1 : si64], scan_output_directions = [1 : si64]} : (tensor<?xf32>, tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>)"#;
    let stacked = r#""onnx.Identity"(%r#1) : (tensor<?x?xf32>) -> tensor<?x?xf32>"#;
    let before = format!("%r:2 = {operation}");
    let mut session = session("%s: tensor<?xf32>, %x: tensor<?x?xf32>", &before, stacked, "tensor<?x?xf32>");
    let matrix = Tensor::from_f32(&[2, 3], &[1.0, 2.0, 3.0, 10.0, 20.0, 30.0]).unwrap();
    let (shape, found) = run(&mut session, &[numbers(&[0.0, 100.0]), matrix]);
    assert_eq!(shape, [2, 3]);
    assert_eq!(found, [6.0, 5.0, 3.0, 160.0, 150.0, 130.0]);
    let nothing = Tensor::from_f32(&[2, 0], &[]).unwrap();
    assert!(run(&mut session, &[numbers(&[0.0, 100.0]), nothing]).1.is_empty());
}

//! Gradient: adjoints through operators, broadcasting, data movement and compositions, for dynamic extents.

mod graph;

use driver::Tensor;
use graph::session;

/// The gradient of `y`, which `before` computes from `%x`, with respect to `x`.
fn gradient(shape: &str, before: &str, y: &str, x: &[f32], extents: &[i64]) -> Vec<f64> {
    let r#type = format!("tensor<{shape}xf32>");
    let operation = format!(
        r#""onnx.preview.training.Gradient"(%x, %x, %v) {{xs = ["x"], y = "v"}} : ({type}, {type}, {y}) -> {type}"#
    );
    let mut session = session(&format!("%x: {type}"), before, &operation, &r#type);
    let x = Tensor::from_f32(extents, x).expect("the number of values matches the shape");
    let outputs = session.run(&[x]).unwrap_or_else(|errors| panic!("{}", errors[0]));
    outputs[0].to_f64().expect("numbers")
}

fn near(found: &[f64], expected: &[f64]) {
    let close = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-5);
    assert!(found.len() == expected.len() && close, "{found:?} {expected:?}");
}

#[test]
fn paths_add_up() {
    let square = r#"%v = "onnx.Mul"(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>"#;
    near(&gradient("?", square, "tensor<?xf32>", &[1.0, -3.0], &[2]), &[2.0, -6.0]);
}

#[test]
fn gradients_of_broadcast_operands_are_summed() {
    let before = r#"%c = "onnx.Constant"() {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %v = "onnx.Mul"(%x, %c) : (tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>"#;
    near(&gradient("2x1", before, "tensor<2x2xf32>", &[5.0, 6.0], &[2, 1]), &[3.0, 7.0]);
}

#[test]
fn moved_elements_are_found_again() {
    let before = r#"%i = "onnx.Constant"() {value = dense<[2, 0, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
    %g = "onnx.Gather"(%x, %i) {axis = 0 : i64} : (tensor<?xf32>, tensor<3xi64>) -> tensor<3xf32>
    %v = "onnx.Mul"(%g, %g) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>"#;
    near(&gradient("?", before, "tensor<3xf32>", &[1.0, 7.0, 3.0], &[3]), &[2.0, 0.0, 12.0]);
}

#[test]
fn a_composition_is_differentiated_by_its_parts() {
    let before = r#"%t = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %none = "onnx.NoValue"() : () -> none
    %v, %p = "onnx.SoftmaxCrossEntropyLoss"(%x, %t, %none) {reduction = "mean"} :
        (tensor<1x2xf32>, tensor<1xi64>, none) -> (tensor<f32>, none)"#;
    // the probabilities minus the target
    let found = gradient("1x2", before, "tensor<f32>", &[0.0, 3f32.ln()], &[1, 2]);
    near(&found, &[0.25, -0.25]);
}

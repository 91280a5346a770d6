//! Tensors whose channels are blocked, read in other orders.

mod graph;

use driver::Tensor;
use graph::session;

#[test]
fn channels_of_a_pool_are_reversed() {
    let constants = r#"
    %p = "onnx.MaxPool"(%x) {kernel_shape = [1]} : (tensor<1x32x2xf32>) -> tensor<1x32x2xf32>
    %s = "onnx.Constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
    %e = "onnx.Constant"() {value = dense<-1000> : tensor<1xi64>} : () -> tensor<1xi64>
    %a = "onnx.Constant"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>"#;
    let operation = r#""onnx.Slice"(%p, %s, %e, %a, %s) : (tensor<1x32x2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x32x2xf32>"#;
    let mut session = session("%x: tensor<1x32x2xf32>", constants, operation, "tensor<1x32x2xf32>");
    let numbers: Vec<f32> = (0..64).map(|number| number as f32).collect();
    let input = Tensor::from_f32(&[1, 32, 2], &numbers).expect("as many values as the shape asks");
    let outputs = session.run(&[input]).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let expected: Vec<f64> = (0..32).rev().flat_map(|channel| [2 * channel, 2 * channel + 1]).map(f64::from).collect();
    assert_eq!(outputs[0].to_f64().expect("numbers"), expected);
}

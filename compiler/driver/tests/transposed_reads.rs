//! Transposed reads of tensors, including blocked ones.

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
    let input = Tensor::from_f32(&[1, 32, 2], &numbers).expect("the number of values matches the shape");
    let outputs = session.run(&[input]).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let expected: Vec<f64> = (0..32).rev().flat_map(|channel| [2 * channel, 2 * channel + 1]).map(f64::from).collect();
    assert_eq!(outputs[0].to_f64().expect("numbers"), expected);
}

#[test]
fn matrices_of_any_extents_are_transposed() {
    let turned = r#"%t = "onnx.Transpose"(%x) {perm = [0, 2, 1]} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>"#;
    let operation = r#""onnx.Neg"(%t) : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>"#;
    let mut session = session("%x: tensor<?x?x?xf32>", turned, operation, "tensor<?x?x?xf32>");
    // a few elements, full and partial tiles, and more than are computed sequentially
    for [planes, rows, columns] in [[2, 3, 5], [1, 128, 64], [2, 129, 67], [1, 300, 130], [3, 4, 70], [2, 257, 2]] {
        let number = |plane, row, column| ((plane * rows + row) * columns + column) as f32;
        let all = |[planes, rows, columns]: [usize; 3]| {
            let at = move |index| [index / (rows * columns), index / columns % rows, index % columns];
            (0..planes * rows * columns).map(at)
        };
        let numbers: Vec<f32> = all([planes, rows, columns]).map(|[p, r, c]| number(p, r, c)).collect();
        let extents = [planes, rows, columns].map(|extent| extent as i64);
        let input = Tensor::from_f32(&extents, &numbers).expect("the number of values matches the shape");
        let outputs = session.run(&[input]).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let expected: Vec<f64> = all([planes, columns, rows]).map(|[p, c, r]| -f64::from(number(p, r, c))).collect();
        assert!(outputs[0].to_f64().expect("numbers") == expected, "{planes}×{rows}×{columns}");
    }
}

//! Data-dependent sizes that exceed any memory: a run-time error before memory is touched.

mod graph;

use driver::{Compiler, Tensor};
use graph::{fails, integers, scalar, session};

const TOO_LARGE: &str = "result is negative";

#[test]
fn constant_of_shape() {
    let operation =
        r#""onnx.ConstantOfShape"(%x) {value = dense<1.0> : tensor<1xf32>} : (tensor<2xi64>) -> tensor<?x?xf32>"#;
    let mut session = session("%x: tensor<2xi64>", "", operation, "tensor<?x?xf32>");
    for shape in [[1 << 61, 1], [1 << 62, 4], [-1, 3], [-3, -3], [1 << 62, 0], [i64::MIN, 2]] {
        fails(&mut session, &[integers(&shape)], TOO_LARGE);
    }
    fails(&mut session, &[integers(&[1 << 31, 1 << 31])], "its result takes more than");
    assert_eq!(session.run(&[integers(&[2, 3])]).expect("is small")[0].shape, [2, 3]);
    assert_eq!(session.run(&[integers(&[0, 3])]).expect("is empty")[0].shape, [0, 3]);
}

#[test]
fn expand() {
    let operation = r#""onnx.Expand"(%x, %s) : (tensor<1xi64>, tensor<2xi64>) -> tensor<?x?xi64>"#;
    let mut session = session("%x: tensor<1xi64>, %s: tensor<2xi64>", "", operation, "tensor<?x?xi64>");
    for shape in [[1 << 61, 1], [1 << 62, 4], [-1, 3]] {
        fails(&mut session, &[integers(&[7]), integers(&shape)], "");
    }
}

#[test]
fn tile() {
    let operation = r#""onnx.Tile"(%x, %s) : (tensor<?xi64>, tensor<1xi64>) -> tensor<?xi64>"#;
    let mut session = session("%x: tensor<?xi64>, %s: tensor<1xi64>", "", operation, "tensor<?xi64>");
    for repeats in [1 << 61, 1 << 62, i64::MAX, -1] {
        fails(&mut session, &[integers(&[7, 8, 9, 10]), integers(&[repeats])], "");
    }
}

#[test]
fn range() {
    let operation = r#""onnx.Range"(%a, %b, %c) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>"#;
    let arguments = "%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>";
    let mut session = session(arguments, "", operation, "tensor<?xi64>");
    fails(&mut session, &[scalar(0), scalar(1 << 62), scalar(1)], "");
    assert_eq!(session.run(&[scalar(3), scalar(0), scalar(-1)]).expect("is small")[0].shape, [3]);
}

#[test]
fn pad() {
    let operation = r#""onnx.Pad"(%x, %p) : (tensor<?xi64>, tensor<2xi64>) -> tensor<?xi64>"#;
    let mut session = session("%x: tensor<?xi64>, %p: tensor<2xi64>", "", operation, "tensor<?xi64>");
    for pads in [[1 << 61, 0], [0, 1 << 62], [-5, 0], [i64::MAX, i64::MAX]] {
        fails(&mut session, &[integers(&[1, 2, 3]), integers(&pads)], "");
    }
    assert_eq!(session.run(&[integers(&[1, 2, 3]), integers(&[1, -1])]).expect("is small")[0].shape, [3]);
}

#[test]
fn one_hot() {
    let operation = r#""onnx.OneHot"(%x, %d, %v) : (tensor<?xi64>, tensor<i64>, tensor<2xi64>) -> tensor<?x?xi64>"#;
    let arguments = "%x: tensor<?xi64>, %d: tensor<i64>, %v: tensor<2xi64>";
    let mut session = session(arguments, "", operation, "tensor<?x?xi64>");
    for depth in [1 << 61, -2] {
        fails(&mut session, &[integers(&[1, 2]), scalar(depth), integers(&[0, 1])], "");
    }
}

#[test]
fn resize() {
    let operation = r#""onnx.Resize"(%x, %none, %none, %s) {mode = "nearest"} : (tensor<?x?xf32>, none, none, tensor<2xi64>) -> tensor<?x?xf32>"#;
    let none = r#"%none = "onnx.NoValue"() : () -> none"#;
    let mut session = session("%x: tensor<?x?xf32>, %s: tensor<2xi64>", none, operation, "tensor<?x?xf32>");
    let image = Tensor::from_f32(&[1, 2], &[1.0, 2.0]).unwrap();
    for sizes in [[1_000_000_000, 1_000_000_000], [1 << 61, 1], [-4, 2]] {
        fails(&mut session, &[image.clone(), integers(&sizes)], "");
    }
}

#[test]
fn groups_divide_the_channels() {
    let operation = r#""onnx.GroupNormalization"(%x, %p, %p) {num_groups = 2 : i64} :
        (tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?x?x?xf32>"#;
    let arguments = "%x: tensor<?x?x?xf32>, %p: tensor<?xf32>";
    let mut session = session(arguments, "", operation, "tensor<?x?x?xf32>");
    let ones = |shape: &[i64]| Tensor::from_f32(shape, &vec![1.0; shape.iter().product::<i64>() as usize]).unwrap();
    let normal = session.run(&[ones(&[1, 4, 3]), ones(&[4])]).expect("two groups of two channels");
    assert_eq!(normal[0].to_f64(), Some(vec![1.0; 12]));
    fails(&mut session, &[ones(&[1, 3, 3]), ones(&[3])], "channels for groups of one size");
}

#[test]
fn fixed_sizes_are_an_error_of_the_compilation() {
    let text = r#"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1xf32>):
    %s = "onnx.Constant"() {value = dense<[1048576, 1048576, 4]> : tensor<3xi64>} : () -> tensor<3xi64>
    %y = "onnx.Expand"(%x, %s) : (tensor<1xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
    "func.return"(%y) : (tensor<?x?x?xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1xf32>) -> tensor<?x?x?xf32>} : () -> ()
}) : () -> ()
"#;
    let module = ir::parse_module(text, "test.mlir", None).expect("parses");
    let errors = Compiler::default().compile_graph(module).map(drop).expect_err("no machine has so much memory");
    assert!(errors[0].message.contains("takes more than 1099511627776 bytes"), "{}", errors[0].message);
}

//! Values whose rank only their readers determine.

mod graph;

use driver::{Session, Tensor};
use graph::{compiled, fails, integers, session};

fn run(session: &mut Session, inputs: &[Tensor]) -> (Vec<i64>, Vec<f64>) {
    let outputs = session.run(inputs).unwrap_or_else(|errors| panic!("{}", errors[0]));
    (outputs[0].shape.clone(), outputs[0].to_f64().expect("numbers"))
}

/// The integers from 1 on.
fn counted(shape: &[i64]) -> Tensor {
    let numbers: Vec<i64> = (1..=shape.iter().product()).collect();
    Tensor { shape: shape.to_vec(), ..integers(&numbers) }
}

/// One branch returns two axes, the other three; `Transpose` reads two.
const BRANCHES: &str = r#"%axes = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %v = "onnx.If"(%c) ({
      %squeezed = "onnx.Squeeze"(%x, %axes) : (tensor<1x?x?xi64>, tensor<1xi64>) -> tensor<*xi64>
      "onnx.Yield"(%squeezed) : (tensor<*xi64>) -> ()
    }, {
      "onnx.Yield"(%x) : (tensor<1x?x?xi64>) -> ()
    }) : (tensor<i1>) -> tensor<*xi64>"#;

fn truth(value: bool) -> Tensor {
    Tensor::new(ir::Type::I1, vec![], ir::Blob::copy_of(&[value as u8])).expect("a byte is a truth value")
}

#[test]
fn a_branch_of_the_rank_that_readers_take_may_run() {
    let reader = r#""onnx.Transpose"(%v) {perm = [1, 0]} : (tensor<*xi64>) -> tensor<?x?xi64>"#;
    let mut session = session("%c: tensor<i1>, %x: tensor<1x?x?xi64>", BRANCHES, reader, "tensor<?x?xi64>");
    let x = counted(&[1, 2, 3]);
    let (shape, found) = run(&mut session, &[truth(true), x.clone()]);
    assert_eq!((shape, found), (vec![3, 2], vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    fails(&mut session, &[truth(false), x], "this branch yields a tensor of rank 3, but its consumers need rank 2");
}

/// One branch transposes three axes, the other two, whereas the operand has two.
fn exclusive(then_axes: &str, else_axes: &str) -> String {
    format!(
        r#"%v = "onnx.If"(%c) ({{
      %t = "onnx.Transpose"(%x) {{perm = [{then_axes}]}} : (tensor<2x3xi64>) -> tensor<*xi64>
      "onnx.Yield"(%t) : (tensor<*xi64>) -> ()
    }}, {{
      %e = "onnx.Transpose"(%x) {{perm = [{else_axes}]}} : (tensor<2x3xi64>) -> tensor<*xi64>
      "onnx.Yield"(%e) : (tensor<*xi64>) -> ()
    }}) : (tensor<i1>) -> tensor<*xi64>"#
    )
}

#[test]
fn a_branch_that_contradicts_the_shapes_of_its_operands_is_an_error_only_if_a_run_takes_it() {
    let reader = r#""onnx.Transpose"(%v) {perm = [1, 0]} : (tensor<*xi64>) -> tensor<?x?xi64>"#;
    for (then_axes, else_axes, taken, branch) in [("2, 1, 0", "1, 0", false, "then"), ("1, 0", "0, 2, 1", true, "else")]
    {
        let before = exclusive(then_axes, else_axes);
        let mut session = session("%c: tensor<i1>, %x: tensor<2x3xi64>", &before, reader, "tensor<?x?xi64>");
        let x = counted(&[2, 3]);
        let expected = (vec![2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(run(&mut session, &[truth(taken), x.clone()]), expected);
        let message = format!("the {branch} branch contradicts the shapes of its operands: test.mlir:");
        fails(&mut session, &[truth(!taken), x], &message);
    }
}

#[test]
fn both_branches_may_not_contradict_the_shapes_of_their_operands() {
    let before = exclusive("2, 1, 0", "0, 2, 1");
    let identity = r#""onnx.Identity"(%v) : (tensor<*xi64>) -> tensor<?x?xi64>"#;
    let errors = compiled("%c: tensor<i1>, %x: tensor<2x3xi64>", &before, identity, "tensor<?x?xi64>");
    assert_eq!(errors.err().expect("it is invalid").len(), 2);
}

#[test]
fn squeezing_without_axes_drops_as_many_as_readers_say() {
    let before = r#"%v = "onnx.Squeeze"(%x, %none) : (tensor<?x?x?xi64>, none) -> tensor<*xi64>"#;
    let before = format!("%none = \"onnx.NoValue\"() : () -> none\n    {before}");
    let reader = r#""onnx.Transpose"(%v) {perm = [1, 0]} : (tensor<*xi64>) -> tensor<?x?xi64>"#;
    let mut session = session("%x: tensor<?x?x?xi64>", &before, reader, "tensor<?x?xi64>");
    for shape in [[1, 2, 3], [2, 1, 3], [2, 3, 1]] {
        let x = counted(&shape);
        assert_eq!(run(&mut session, &[x]), (vec![3, 2], vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    }
    let x = counted(&[1, 6, 1]);
    fails(&mut session, &[x], "the number of remaining axes differs from the rank of the result");
}

#[test]
fn axes_that_data_tell_are_added_and_dropped() {
    let operation = r#""onnx.Unsqueeze"(%x, %axes) : (tensor<?x?xi64>, tensor<2xi64>) -> tensor<?x?x?x?xi64>"#;
    let mut session = session("%x: tensor<?x?xi64>, %axes: tensor<2xi64>", "", operation, "tensor<?x?x?x?xi64>");
    let x = counted(&[2, 1]);
    for (axes, shape) in [([0, 2], [1, 2, 1, 1]), ([3, 1], [2, 1, 1, 1]), ([-1, 0], [1, 2, 1, 1])] {
        assert_eq!(run(&mut session, &[x.clone(), integers(&axes)]).0, shape);
    }
    fails(&mut session, &[x, integers(&[1, 1])], "the number of new axes differs from the rank of the result");
}

#[test]
fn the_rank_of_a_result_tells_the_length_of_index_tuples() {
    let gather = r#""onnx.GatherND"(%x, %at) {batch_dims = 0 : i64} : (tensor<?x?xi64>, tensor<?x?xi64>) -> "#;
    let x = counted(&[2, 3]);
    let at = |shape: &[i64], tuples: &[i64]| Tensor { shape: shape.to_vec(), ..integers(tuples) };

    let elements = format!("{gather}tensor<?xi64>");
    let mut session = session("%x: tensor<?x?xi64>, %at: tensor<?x?xi64>", "", &elements, "tensor<?xi64>");
    let pairs = at(&[2, 2], &[1, 2, 0, -3]);
    assert_eq!(run(&mut session, &[x.clone(), pairs]), (vec![2], vec![6.0, 1.0]));
    let message = "indices in a tuple, but the rank of the result needs 2";
    fails(&mut session, &[x.clone(), at(&[2, 1], &[1, 0])], message);
    fails(&mut session, &[x.clone(), at(&[1, 3], &[1, 0, 0])], message);

    let rows = format!("{gather}tensor<?x?xi64>");
    let mut session = graph::session("%x: tensor<?x?xi64>, %at: tensor<?x?xi64>", "", &rows, "tensor<?x?xi64>");
    let single = at(&[2, 1], &[1, 0]);
    assert_eq!(run(&mut session, &[x, single]), (vec![2, 3], vec![4.0, 5.0, 6.0, 1.0, 2.0, 3.0]));
}

#[test]
fn a_rank_is_demanded_through_broadcasting() {
    let before = r#"%none = "onnx.NoValue"() : () -> none
    %two = "onnx.Constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
    %v = "onnx.Squeeze"(%x, %none) : (tensor<?x?xi64>, none) -> tensor<*xi64>"#;
    let reader = r#""onnx.Mul"(%v, %two) : (tensor<*xi64>, tensor<i64>) -> tensor<?xi64>"#;
    let mut session = session("%x: tensor<?x?xi64>", before, reader, "tensor<?xi64>");
    assert_eq!(run(&mut session, &[counted(&[3, 1])]), (vec![3], vec![2.0, 4.0, 6.0]));
    assert_eq!(run(&mut session, &[counted(&[1, 2])]), (vec![2], vec![2.0, 4.0]));
}

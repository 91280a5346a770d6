//! Operators along an axis that is not the last, for elements of several widths: ArgMax and gathers.

mod graph;

use driver::Tensor;
use graph::{integers, session};

/// Rows, positions along the axis, columns.
const SHAPE: [usize; 3] = [2, 37, 19];

/// The index of the first maximum of `[2, 37, 19]` values, for each row and column.
fn largest(numbers: &[f32]) -> Vec<f64> {
    let [rows, places, columns] = SHAPE;
    let at = |row: usize, place: usize, column: usize| numbers[(row * places + place) * columns + column];
    let of = |row: usize, column: usize| {
        (1..places).fold(0, |best, place| if at(row, place, column) > at(row, best, column) { place } else { best })
    };
    (0..rows).flat_map(|row| (0..columns).map(move |column| of(row, column) as f64)).collect()
}

#[test]
fn the_largest_of_columns() {
    let numbers: Vec<f32> =
        (0..SHAPE.iter().product()).map(|at: usize| ((at * 31 + at / 19 * 5) % 23) as f32).collect();
    for (element, number) in [("f32", 1), ("ui8", 2), ("i32", 6), ("i64", 7), ("f64", 11)] {
        let (given, result) = ("tensor<2x37x19xf32>", "tensor<2x19xi64>");
        let cast = format!(r#"%c = "onnx.Cast"(%x) {{to = {number} : si64}} : ({given}) -> tensor<2x37x19x{element}>"#);
        let operation = format!(
            r#""onnx.ArgMax"(%c) {{axis = 1 : i64, keepdims = 0 : i64}} : (tensor<2x37x19x{element}>) -> {result}"#
        );
        let mut session = session(&format!("%x: {given}"), &cast, &operation, result);
        let input = Tensor::from_f32(&SHAPE.map(|extent| extent as i64), &numbers).unwrap();
        let outputs = session.run(&[input]).unwrap_or_else(|errors| panic!("{}", errors[0]));
        assert_eq!(outputs[0].to_f64().expect("numbers"), largest(&numbers), "{element}");
    }
}

#[test]
fn one_of_a_column() {
    // out of range before, from the end, from the beginning, and out of range after
    const DEPTH: i64 = 9;
    let indices: Vec<i64> = (0..22).map(|at| at - DEPTH - 2).collect();
    for (element, number, depth) in
        [("f32", 1, "9"), ("ui8", 2, "9"), ("i64", 7, "9"), ("f16", 10, "9"), ("f32", 1, "?")]
    {
        let result = format!("tensor<2x{depth}x11x{element}>");
        let arguments = "%x: tensor<22xi64>, %n: tensor<i64>, %v: tensor<2xf32>";
        let known = if depth == "?" { "%n" } else { "%d" };
        let constants = format!(
            r#"%s = "onnx.Constant"() {{value = dense<[2, 11]> : tensor<2xi64>}} : () -> tensor<2xi64>
    %i = "onnx.Reshape"(%x, %s) : (tensor<22xi64>, tensor<2xi64>) -> tensor<2x11xi64>
    %d = "onnx.Constant"() {{value = dense<{DEPTH}> : tensor<i64>}} : () -> tensor<i64>
    %c = "onnx.Cast"(%v) {{to = {number} : si64}} : (tensor<2xf32>) -> tensor<2x{element}>"#
        );
        let operation = format!(
            r#""onnx.OneHot"(%i, {known}, %c) {{axis = 1 : i64}} : (tensor<2x11xi64>, tensor<i64>, tensor<2x{element}>) -> {result}"#
        );
        let mut session = session(arguments, &constants, &operation, &result);
        let values = Tensor::from_f32(&[2], &[3.0, 7.0]).unwrap();
        let inputs = [integers(&indices), graph::scalar(DEPTH), values];
        let outputs = session.run(&inputs).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let hit = |row: usize, place: i64, column: usize| {
            let index = indices[row * 11 + column];
            index == place || index + DEPTH == place
        };
        let places =
            (0..2).flat_map(|row| (0..DEPTH).flat_map(move |place| (0..11).map(move |column| (row, place, column))));
        let expected: Vec<f64> = places.map(|(r, p, c)| if hit(r, p, c) { 7.0 } else { 3.0 }).collect();
        assert_eq!(outputs[0].to_f64().expect("numbers"), expected, "{element} by {depth}");
    }
}

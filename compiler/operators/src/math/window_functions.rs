//! Window functions of signal processing, sums of cosines: HannWindow, HammingWindow, BlackmanWindow.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Type, Value};

use crate::graph::Emitter;
use crate::operator::Operator;
use crate::shape::{Node, Shape};
use crate::types::tensor_of;

pub(crate) const HANN_WINDOW: Operator = Operator {
    types: Some(|node, _| tensor_of(views::HannWindow::read(node).output_datatype)),
    shapes: Some(|node| Ok(window_shape(node, node.view::<views::HannWindow>().size))),
    compose: Some(|emit, op| {
        let views::HannWindow { size, output_datatype, periodic } = View::of(&emit.body, op);
        let window = WindowFunction { size, output_datatype, periodic: periodic == 1 };
        Ok(vec![Some(cosines(emit, &window, &[0.5, -0.5]))])
    }),
    ..Operator::of(OnnxOp::HannWindow)
};

pub(crate) const HAMMING_WINDOW: Operator = Operator {
    types: Some(|node, _| tensor_of(views::HammingWindow::read(node).output_datatype)),
    shapes: Some(|node| Ok(window_shape(node, node.view::<views::HammingWindow>().size))),
    compose: Some(|emit, op| {
        let views::HammingWindow { size, output_datatype, periodic } = View::of(&emit.body, op);
        let window = WindowFunction { size, output_datatype, periodic: periodic == 1 };
        Ok(vec![Some(cosines(emit, &window, &[25.0 / 46.0, -21.0 / 46.0]))])
    }),
    ..Operator::of(OnnxOp::HammingWindow)
};

pub(crate) const BLACKMAN_WINDOW: Operator = Operator {
    types: Some(|node, _| tensor_of(views::BlackmanWindow::read(node).output_datatype)),
    shapes: Some(|node| Ok(window_shape(node, node.view::<views::BlackmanWindow>().size))),
    compose: Some(|emit, op| {
        let views::BlackmanWindow { size, output_datatype, periodic } = View::of(&emit.body, op);
        let window = WindowFunction { size, output_datatype, periodic: periodic == 1 };
        Ok(vec![Some(cosines(emit, &window, &[0.42, -0.5, 0.08]))])
    }),
    ..Operator::of(OnnxOp::BlackmanWindow)
};

fn window_shape(node: &mut Node<'_, '_>, size: Value) -> Vec<Option<Shape>> {
    vec![Some(vec![node.number_of(size).unwrap_or_else(|| node.fresh(0, 0))])]
}

/// The options of all window functions.
struct WindowFunction {
    size: Value,
    output_datatype: i64,
    periodic: bool,
}

/// `Σ c[k] * cos(2 π k n / N)`, where `N` is one less than the size unless the window is periodic.
fn cosines(emit: &mut Emitter, window: &WindowFunction, coefficients: &[f64]) -> Value {
    let size = emit.convert(window.size, &Type::F32);
    let (zero, one) = (emit.number_like(0.0, size), emit.number_like(1.0, size));
    let period = if window.periodic { size } else { emit.plain("Sub", &[size, one]) };
    let turn = emit.number_like(std::f64::consts::TAU, size);
    let step = emit.plain("Div", &[turn, period]);
    let positions = emit.plain("Range", &[zero, size, one]);
    let angles = emit.plain("Mul", &[positions, step]);
    let mut sum = None;
    for (multiple, &coefficient) in coefficients.iter().enumerate() {
        let (multiple, coefficient) = (emit.number_like(multiple as f64, size), emit.number_like(coefficient, size));
        let angle = emit.plain("Mul", &[angles, multiple]);
        let cosine = emit.plain("Cos", &[angle]);
        let term = emit.plain("Mul", &[coefficient, cosine]);
        sum = Some(sum.map_or(term, |sum| emit.plain("Add", &[sum, term])));
    }
    let sum = sum.expect("a window has terms");
    emit.op("Cast", &[sum], [("to", Attribute::i64(window.output_datatype))])
}

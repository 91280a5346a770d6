//! Windows of signal processing: sums of cosines.

use ir::{Attribute, Type};

use crate::graph::Emitter;
use crate::graph::{Node, Problem};

pub(super) fn hann(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    cosines(node, emit, &[0.5, -0.5])
}

pub(super) fn hamming(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    cosines(node, emit, &[25.0 / 46.0, -21.0 / 46.0])
}

pub(super) fn blackman(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    cosines(node, emit, &[0.42, -0.5, 0.08])
}

/// `Σ c[k] * cos(2 π k n / N)`, where `N` is one less than the size unless the window is periodic.
fn cosines(node: &mut Node, emit: &mut Emitter, coefficients: &[f64]) -> Result<(), Problem> {
    let size = emit.convert(node.operands[0], &Type::F32);
    let (zero, one) = (emit.number_like(0.0, size), emit.number_like(1.0, size));
    let period = if node.integer("periodic", 1) == 1 { size } else { emit.plain("Sub", &[size, one]) };
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
    let r#type = node.integer("output_datatype", 1);
    let result = emit.op("Cast", &[sum], [("to", Attribute::i64(r#type))]);
    node.finish(&[Some(result)], emit);
    Ok(())
}

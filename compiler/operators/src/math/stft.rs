//! STFT: the Fourier transforms of frames of a signal. Since 17.
//!
//! The standard's signal is `[batch, samples, 1 or 2]`; `[batch, samples]` of real numbers is accepted, too, as by ONNX
//! Runtime.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, DimExpr, Op, Value};

use super::dft::one_sided;
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};

pub(crate) const STFT: Operator =
    Operator { shapes: Some(shapes), compose: Some(compose), ..Operator::of(OnnxOp::STFT) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let stft: views::STFT = node.view();
    let Some(signal) = node.shape_of(stft.signal) else { return Ok(vec![]) };
    let ([batch, samples] | [batch, samples, _]) = signal.as_slice() else {
        return Err(format!("the signal has rank {}, expected 3, or 2 for real numbers", signal.len()));
    };
    let window = stft.window.and_then(|window| node.shape_of(window)).and_then(|shape| shape.first().cloned());
    let frame = stft.frame_length.map_or(window, |length| node.number_of(length));
    let step = node.number_of(stft.frame_step).and_then(|step| step.as_constant()).filter(|&step| step > 0);
    let frames = match (&frame, step) {
        (Some(frame), Some(step)) => samples.sub(frame).floor_div(&DimExpr::Constant(step)).add(&DimExpr::ONE),
        _ => node.fresh(0, 1),
    };
    let bins = match frame {
        Some(frame) if stft.onesided != 0 => one_sided(&frame),
        Some(frame) => frame,
        None => node.fresh(0, 2),
    };
    Ok(vec![Some(vec![batch.clone(), frames, bins, DimExpr::Constant(2)])])
}

/// Frames are gathered, windowed and transformed.
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let stft = views::STFT::of(&emit.body, op);
    let one = emit.integers(&[1]);
    let signal = match emit.rank(stft.signal) {
        Some(2) => emit.unsqueeze(stft.signal, &[2]),
        _ => stft.signal,
    };
    let as_list = |emit: &mut Emitter, scalar: Value| {
        let scalar = emit.convert(scalar, &ir::Type::I64);
        emit.plain("Reshape", &[scalar, one])
    };
    let width = stft.window.map(|window| emit.extent(window, 0));
    let length = stft.frame_length.map(|length| as_list(emit, length)).or(width);
    let length = length.ok_or_else(|| Problem::input("has neither a window nor a frame length"))?;
    let width = width.unwrap_or(length);
    let step = as_list(emit, stft.frame_step);
    let samples = emit.extent(signal, 1);
    let room = emit.plain("Sub", &[samples, length]);
    let steps = emit.plain("Div", &[room, step]);
    let frames = emit.plain("Add", &[steps, one]);
    let frame = emit.count_up(frames);
    let start = emit.plain("Mul", &[frame, step]);
    let start = emit.unsqueeze(start, &[1]);
    let offset = emit.count_up(width);
    let places = emit.plain("Add", &[start, offset]);
    let mut framed = emit.op("Gather", &[signal, places], [("axis", Attribute::i64(1))]);
    if let Some(window) = stft.window {
        let window = emit.unsqueeze(window, &[1]);
        framed = emit.plain("Mul", &[framed, window]);
    }
    let length = emit.scalar(length);
    let axis = emit.integer(2);
    let onesided = [("onesided", Attribute::i64(stft.onesided))];
    Ok(vec![Some(emit.op("DFT", &[framed, length, axis], onesided))])
}

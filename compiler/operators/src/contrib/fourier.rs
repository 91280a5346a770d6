//! Rfft, Irfft: transforms of the last axis of real numbers, with half of the frequencies, which determine the others.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::microsoft;
use ir::{Attribute, Attributes};

use crate::graph::Problem;
use crate::operator::Operator;

pub(crate) const RFFT: Operator = Operator::read_as(OnnxOp::MicrosoftRfft, |node, emit| {
    let transform: microsoft::Rfft = node.view(emit);
    let attributes = of_one_axis(transform.signal_ndim, transform.normalized, transform.onesided)?;
    let (real, axis) = (emit.unsqueeze(transform.x, &[-1]), emit.integer(-2));
    let result = emit.op("DFT", &[real, emit.none, axis], attributes);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const IRFFT: Operator = Operator::read_as(OnnxOp::MicrosoftIrfft, |node, emit| {
    let transform: microsoft::Irfft = node.view(emit);
    let mut attributes = of_one_axis(transform.signal_ndim, transform.normalized, transform.onesided)?;
    attributes.set("inverse", Attribute::i64(1));
    let axis = emit.integer(-2);
    let real = emit.op("DFT", &[transform.x, emit.none, axis], attributes);
    let axes = emit.integers(&[-1]);
    let result = emit.plain("Squeeze", &[real, axes]);
    node.replace(result, emit);
    Ok(())
});

fn of_one_axis(axes: i64, normalized: i64, one_sided: i64) -> Result<Attributes, Problem> {
    if (axes, normalized, one_sided) != (1, 0, 1) {
        return Err(Problem::unsupported("transforms several axes, with a factor, or to all frequencies"));
    }
    Ok([("onesided", Attribute::i64(1))].into())
}

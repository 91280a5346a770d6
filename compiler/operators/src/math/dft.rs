//! DFT: the discrete Fourier transform along an axis, of real or complex numbers. Since 17.

use dialects::arith;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op, Value};

use crate::operator::Operator;
use crate::shape::{Answer, Node, normalize_axis};
use crate::structured::calls::Argument::{Index, Tensor};
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported};

pub(crate) const DFT: Operator = Operator {
    // the axis became an operand
    upgrades: &[(20, |node, emit| {
        let axis = node.attributes.remove("axis").and_then(|axis| axis.as_integer()).unwrap_or(1);
        let axis = emit.integer(axis);
        node.set_operand(2, axis, emit);
        Ok(())
    })],
    shapes: Some(shapes),
    lower: Some(lower),
    ..Operator::of(OnnxOp::DFT)
};

/// The default axis: the last one before the complex parts.
const DEFAULT_AXIS: i64 = -2;

/// The kind of a transform.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As many frequencies as samples, in either direction.
    Full,
    /// Half of the frequencies, which determine the others, of real samples.
    Halved,
    /// Real samples from half of the frequencies.
    Restored,
}

impl Form {
    fn of(dft: &views::DFT) -> Form {
        match (dft.onesided != 0, dft.inverse != 0) {
            (false, _) => Form::Full,
            (true, false) => Form::Halved,
            (true, true) => Form::Restored,
        }
    }
}

/// The number of frequencies that determine a transform of real samples: half of them, and the mean.
pub(super) fn one_sided(length: &DimExpr) -> DimExpr {
    length.floor_div(&DimExpr::Constant(2)).add(&DimExpr::ONE)
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let dft: views::DFT = node.view();
    let Some(mut shape) = node.shape_of(dft.input) else { return Ok(vec![]) };
    let form = Form::of(&dft);
    let last = shape.len().checked_sub(1).filter(|&last| last > 0).ok_or("the operand must have rank 2 or more")?;
    shape[last] = if form == Form::Restored { DimExpr::ONE } else { DimExpr::Constant(2) };
    let axis = match dft.axis {
        None => Some(DEFAULT_AXIS),
        Some(axis) => node.number_of(axis).and_then(|axis| axis.as_constant()),
    };
    let Some(axis) = axis else {
        (0..last).for_each(|axis| shape[axis] = node.fresh(0, axis));
        return Ok(vec![Some(shape)]);
    };
    let axis = normalize_axis(axis, last + 1)?;
    if axis == last {
        return Err("the last axis holds real and imaginary parts and cannot be transformed".to_string());
    }
    let length = match dft.dft_length {
        Some(length) => node.number_of(length),
        None if form == Form::Restored => Some(shape[axis].sub(&DimExpr::ONE).mul(&DimExpr::Constant(2))),
        None => Some(shape[axis].clone()),
    };
    shape[axis] = match length {
        Some(length) if form == Form::Halved => one_sided(&length),
        Some(length) => length,
        None => node.fresh(0, axis),
    };
    Ok(vec![Some(shape)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let dft = views::DFT::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let form = Form::of(&dft);
    let mut extents: Vec<Value> = lowering.shape(dft.input).iter().map(|dim| lowering.dim(dim)).collect();
    extents.pop();
    let axis = match dft.axis {
        Some(axis) => lowering.scalar_index(axis),
        None => lowering.index(DEFAULT_AXIS),
    };
    let rank = extents.len() as i64 + 1;
    let (axis, exists) = lowering.scalars(|s| from_front(s, axis, rank));
    lowering.check(exists, "the axis does not exist, or holds real and imaginary parts");
    let given = dft.dft_length.map(|length| lowering.scalar_index(length));
    let (length, bins) = lowering.scalars(|s| {
        let length = given.unwrap_or_else(|| default_length(s, &extents, axis, form));
        (length, bins(s, length, form))
    });
    let sensible = lowering.scalars(|s| {
        let one = s.like(1.0, length);
        s.compare(Comparison::GreaterOrEqual, length, one)
    });
    lowering.check(sensible, "the length of the transform is not positive");
    for (at, &extent) in extents.iter().enumerate() {
        let extent = lowering.scalars(|s| {
            let here = is_axis(s, axis, at);
            s.select(here, bins, extent)
        });
        lowering.settle(result, at, extent);
    }
    let inverse = lowering.index(dft.inverse);
    lowering.call(op, "fourier", &[Tensor(dft.input), Index(axis), Index(length), Index(inverse)])
}

/// The axis counted from the front, and whether it is valid.
fn from_front(s: &mut Scalars<'_, '_>, axis: Value, rank: i64) -> (Value, Value) {
    let (zero, ranks, last) = (s.like(0.0, axis), s.like(rank as f64, axis), s.like(rank as f64 - 1.0, axis));
    let negative = s.compare(Comparison::Less, axis, zero);
    let counted = s.add(axis, ranks);
    let axis = s.select(negative, counted, axis);
    let (above, below) = (s.compare(Comparison::GreaterOrEqual, axis, zero), s.compare(Comparison::Less, axis, last));
    (axis, s.same(arith::ANDI, &[above, below]))
}

fn is_axis(s: &mut Scalars<'_, '_>, axis: Value, at: usize) -> Value {
    let at = s.like(at as f64, axis);
    s.compare(Comparison::Equal, axis, at)
}

/// The default length.
fn default_length(s: &mut Scalars<'_, '_>, extents: &[Value], axis: Value, form: Form) -> Value {
    let mut own = extents[0];
    for (at, &extent) in extents.iter().enumerate().skip(1) {
        let here = is_axis(s, axis, at);
        own = s.select(here, extent, own);
    }
    if form != Form::Restored {
        return own;
    }
    let (one, two) = (s.like(1.0, own), s.like(2.0, own));
    let steps = s.sub(own, one);
    s.mul(steps, two)
}

/// The extent of the result along the axis.
fn bins(s: &mut Scalars<'_, '_>, length: Value, form: Form) -> Value {
    if form != Form::Halved {
        return length;
    }
    let (one, two) = (s.like(1.0, length), s.like(2.0, length));
    let half = s.div(length, two);
    s.add(half, one)
}

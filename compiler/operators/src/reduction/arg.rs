//! ArgMax and ArgMin: the index of the extreme element of an axis, the first or the last of equal ones.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::Op;

use super::{remark_empty, without};
use crate::operator::{Demand, Kind, Operator};
use crate::shape::{Answer, Node, Reading, normalize_axis};
use crate::structured::extreme::arg_extreme;
use crate::structured::reduction;
use crate::structured::scalars::Comparison;
use crate::structured::{Lowering, Unsupported};

pub(crate) const ARG_MAX: Operator = Operator {
    kind: Kind::Reduction,
    demands: Some(demand),
    shapes: Some(shapes),
    lower: Some(|lowering, op| lower(lowering, op, [Comparison::Greater, Comparison::GreaterOrEqual])),
    ..Operator::of(OnnxOp::ArgMax)
};

pub(crate) const ARG_MIN: Operator = Operator {
    kind: Kind::Reduction,
    demands: Some(demand),
    shapes: Some(shapes),
    lower: Some(|lowering, op| lower(lowering, op, [Comparison::Less, Comparison::LessOrEqual])),
    ..Operator::of(OnnxOp::ArgMin)
};

fn demand(reading: &Reading<'_>, _: usize) -> Demand {
    let extreme: views::ArgMax = reading.view();
    Demand { beyond_result: Some(isize::from(extreme.keepdims == 0)), ..Demand::with_axis(extreme.axis) }
}

/// Both operators have the same operands and attributes, so one view reads them.
fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let extreme: views::ArgMax = node.view();
    let Some(shape) = node.shape_of(extreme.data) else { return Ok(vec![]) };
    let axis = normalize_axis(extreme.axis, shape.len())?;
    let result = without(&shape, &[axis], extreme.keepdims != 0);
    remark_empty(node, &shape, &[axis], &result);
    Ok(vec![Some(result)])
}

/// `better` decides which element replaces another: a strictly better one, or one that is at least as good.
fn lower(lowering: &mut Lowering<'_>, op: Op, better: [Comparison; 2]) -> Result<(), Unsupported> {
    let extreme = views::ArgMax::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let input = lowering.shaped(extreme.data);
    let axis = reduction::normalize_axis(extreme.axis, input.shape.len())?;
    let element = lowering.element(extreme.data);
    let unsigned = lowering.is_unsigned(extreme.data);
    let better = better[usize::from(extreme.select_last_index != 0)];
    let index = arg_extreme(lowering, &input, axis, better, &element, unsigned);
    let shape = lowering.shape(result);
    let value = if extreme.keepdims != 0 { index.value } else { lowering.reshape(index.value, &shape) };
    lowering.bind(result, value);
    Ok(())
}

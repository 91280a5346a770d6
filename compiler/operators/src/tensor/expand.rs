//! Expand: broadcasting to a shape. Since 8.

use dialects::arith;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op};

use crate::operator::{Kind, Operator, Rank, Uniform};
use crate::shape::elements::repeat;
use crate::shape::{Answer, Node, extent_of};
use crate::structured::scalars::Comparison;
use crate::structured::{Lowering, Unsupported};

pub(crate) const EXPAND: Operator = Operator {
    ranks: &[(1, Rank::Exactly(1))],
    kind: Kind::Movement,
    shapes: Some(shapes),
    elements: Some(repeat),
    uniform: Some(Uniform::Kept),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Expand)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let expand: views::Expand = node.view();
    let (Some(input), Some(target)) = (node.shape_of(expand.input), node.sizes_of(expand.shape)) else {
        return Ok(vec![]);
    };
    let rank = input.len().max(target.len());
    let mut shape = vec![];
    for axis in 0..rank {
        let own = extent_of(&input, axis, rank);
        let wanted = (axis + target.len()).checked_sub(rank).map_or(Some(DimExpr::ONE), |at| target[at].clone());
        shape.push(match wanted {
            Some(wanted) => node.broadcast_extent(&own, &wanted)?,
            // an unknown extent is that of the result, which has already been broadcast
            None if own.as_constant().is_some_and(|extent| extent != 1) => own,
            None => node.fresh(0, axis),
        });
    }
    Ok(vec![Some(shape)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    settle(lowering, op)?;
    lowering.check_size(op)?;
    let views::Expand { input, .. } = View::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let (from, shape) = (lowering.shape(input), lowering.shape(result));
    let input = lowering.value(input);
    let input = lowering.broadcast_input(input, &from, &shape);
    let element = lowering.element(result);
    let value = lowering.pointwise(&[input], &shape, element, |_, e| e[0]);
    lowering.bind(result, value);
    Ok(())
}

/// Each extent is the operand's, or the target's if the operand's is 1.
fn settle(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let expand = views::Expand::of(lowering.source, op);
    let Some(target) = lowering.unknown_sizes(expand.shape) else { return Ok(()) };
    let result = lowering.source.op(op).results()[0];
    let input = lowering.shape(expand.input);
    let rank = lowering.shape(result).len();
    let count = lowering.shape(target).first().and_then(DimExpr::as_constant);
    let count = count.ok_or_else(|| Unsupported::new("the number of its sizes is not known"))? as usize;
    let one = lowering.index(1);
    for axis in 0..rank {
        let own = (axis + input.len()).checked_sub(rank).map_or(DimExpr::ONE, |axis| input[axis].clone());
        let own = lowering.dim(&own);
        let wanted = match (axis + count).checked_sub(rank) {
            Some(position) => lowering.integer(target, position),
            None => one,
        };
        let (extent, fits) = lowering.scalars(|s| {
            let repeats = s.compare(Comparison::Equal, own, one);
            let extent = s.select(repeats, wanted, own);
            let (same, single) = (s.compare(Comparison::Equal, wanted, own), s.compare(Comparison::Equal, wanted, one));
            let fits = s.same(arith::ORI, &[repeats, same]);
            (extent, s.same(arith::ORI, &[fits, single]))
        });
        lowering.check(fits, "the operand of Expand does not broadcast to the shape");
        lowering.settle(result, axis, extent);
    }
    Ok(())
}

//! Pools over all axes after batch and channels: GlobalMaxPool, GlobalAveragePool, GlobalLpPool.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op, Value};

use super::norm::{integer_power, magnitude_power, root};
use super::sliding::spatial;
use crate::operator::{Kind, Operator};
use crate::shape::{Answer, Node};
use crate::structured::reduction::{Combine, Fold, accumulator};
use crate::structured::{Lowering, Unsupported};

/// The reduction of a channel.
enum Function {
    Max,
    Average,
    /// `(Σ |x|ᵖ) ^ 1/p`
    Norm {
        power: i64,
    },
}

pub(crate) const GLOBAL_MAX_POOL: Operator = Operator {
    kind: Kind::Reduction,
    shapes: Some(|node| shapes(node, node.view::<views::GlobalMaxPool>().x)),
    lower: Some(|lowering, op| {
        let views::GlobalMaxPool { x } = View::of(lowering.source, op);
        lower(lowering, op, x, &Function::Max)
    }),
    ..Operator::of(OnnxOp::GlobalMaxPool)
};

pub(crate) const GLOBAL_AVERAGE_POOL: Operator = Operator {
    kind: Kind::Reduction,
    shapes: Some(|node| shapes(node, node.view::<views::GlobalAveragePool>().x)),
    lower: Some(|lowering, op| {
        let views::GlobalAveragePool { x } = View::of(lowering.source, op);
        lower(lowering, op, x, &Function::Average)
    }),
    ..Operator::of(OnnxOp::GlobalAveragePool)
};

pub(crate) const GLOBAL_LP_POOL: Operator = Operator {
    kind: Kind::Reduction,
    upgrades: &[(2, integer_power)],
    shapes: Some(|node| shapes(node, node.view::<views::GlobalLpPool>().x)),
    lower: Some(|lowering, op| {
        let views::GlobalLpPool { x, p } = View::of(lowering.source, op);
        lower(lowering, op, x, &Function::Norm { power: p })
    }),
    ..Operator::of(OnnxOp::GlobalLpPool)
};

fn shapes(node: &Node<'_, '_>, x: Value) -> Answer {
    let Some(mut shape) = node.shape_of(x) else { return Ok(vec![]) };
    spatial(&shape)?;
    shape[2..].fill(DimExpr::ONE);
    Ok(vec![Some(shape)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op, x: Value, function: &Function) -> Result<(), Unsupported> {
    let result = lowering.source.op(op).results()[0];
    let element = lowering.element(x);
    // in the existing layout: rows of plain tensors are read directly
    let is_blocked = lowering.is_blocked(x);
    let input = if is_blocked { lowering.blocked(x) } else { lowering.shaped(x) };
    let axes: Vec<usize> = (2..lowering.shape(x).len()).collect();
    let combine = if matches!(function, Function::Max) { Combine::Max } else { Combine::Add };
    let wide = accumulator(&element);
    let reduced = lowering.reduce(&input, &axes, true, Fold::new(combine, wide.clone(), false), |s, x| {
        let x = s.cast(x, &wide, false, false);
        match function {
            Function::Norm { power } => magnitude_power(s, x, *power),
            Function::Max | Function::Average => x,
        }
    });
    let count = lowering.count(&input.shape, &axes, &wide);
    let shape = reduced.shape.clone();
    let finished = lowering.map(&[&reduced], &shape, element.clone(), |s, x| {
        let value = match function {
            Function::Max => x[0],
            Function::Average => s.div(x[0], count),
            Function::Norm { power } => root(s, x[0], *power),
        };
        s.cast(value, &element, false, false)
    });
    match is_blocked {
        true => lowering.bind_blocked(result, finished.value),
        false => lowering.bind(result, finished.value),
    }
    Ok(())
}

//! Operators that reduce axes.

mod arg;
mod reduce;

use ir::DimExpr;

use crate::operator::Operator;
use crate::shape::Node;

pub(crate) const OPERATORS: &[&Operator] = &[
    &arg::ARG_MAX,
    &arg::ARG_MIN,
    &reduce::REDUCE_L1,
    &reduce::REDUCE_L2,
    &reduce::REDUCE_LOG_SUM,
    &reduce::REDUCE_LOG_SUM_EXP,
    &reduce::REDUCE_MAX,
    &reduce::REDUCE_MEAN,
    &reduce::REDUCE_MIN,
    &reduce::REDUCE_PROD,
    &reduce::REDUCE_SUM,
    &reduce::REDUCE_SUM_SQUARE,
];

/// `shape` without the given axes, or with extent 1 for them.
fn without(shape: &[DimExpr], axes: &[usize], keep: bool) -> Vec<DimExpr> {
    let dims = shape.iter().enumerate().filter_map(|(axis, dim)| match (axes.contains(&axis), keep) {
        (false, _) => Some(dim.clone()),
        (true, true) => Some(DimExpr::ONE),
        (true, false) => None,
    });
    dims.collect()
}

/// Remarks on a reduction whose result has elements although its operand has none.
fn remark_empty(node: &mut Node<'_, '_>, shape: &[DimExpr], axes: &[usize], result: &[DimExpr]) {
    if let Some(axis) = axes.iter().find(|&&axis| shape[axis] == DimExpr::ZERO && !result.contains(&DimExpr::ZERO)) {
        node.remark("reduction-of-nothing", format!("reduces axis {axis}, which has no elements, to a value"));
    }
}

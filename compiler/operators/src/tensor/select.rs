//! Where: selects elements of one of two tensors.

use dialects::onnx::OnnxOp;
use ir::DimExpr;

use crate::operator::Operator;
use crate::shape::elements::spread;
use crate::shape::{Elements, Node};

pub(crate) const WHERE: Operator = Operator::elementwise(OnnxOp::Where, |s, element| {
    let [condition, yes, no] = element.operands();
    s.select(condition, yes, no)
})
.differentiated(|emit, differential| {
    let ([condition, yes, no], _, adjoint) = differential.parts(emit);
    let zero = emit.number_like(0.0, adjoint);
    let by_yes = emit.plain("Where", &[condition, adjoint, zero]);
    let by_no = emit.plain("Where", &[condition, zero, adjoint]);
    Ok(vec![None, Some(emit.gathered_up(by_yes, yes)?), Some(emit.gathered_up(by_no, no)?)])
})
.knowing(select)
.costing(1.0);

fn select(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let unknown = || vec![None; extents.iter().product()];
    let conditions = spread(node, 0, extents).unwrap_or_else(unknown);
    let yes = spread(node, 1, extents).unwrap_or_else(unknown);
    let no = spread(node, 2, extents).unwrap_or_else(unknown);
    let pick = |((condition, yes), no): ((Option<DimExpr>, Option<DimExpr>), Option<DimExpr>)| match condition
        .and_then(|condition| condition.as_constant())
    {
        Some(0) => no,
        Some(_) => yes,
        None => yes.filter(|yes| no.as_ref() == Some(yes)),
    };
    Some(conditions.into_iter().zip(yes).zip(no).map(pick).collect())
}

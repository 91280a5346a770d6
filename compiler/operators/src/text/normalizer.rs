//! StringNormalizer: removes stop words, changes case. Since 10.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, CaseChange, View};
use ir::Op;

use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::structured::calls::Argument::{Index, Tensor};
use crate::structured::strings::texts;
use crate::structured::{Lowering, Unsupported};

pub(crate) const STRING_NORMALIZER: Operator =
    Operator { shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::StringNormalizer) };

/// Stop words are removed, so that the count is only known if there are none.
fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let normalizer: views::StringNormalizer = node.view();
    let Some(mut shape) = node.shape_of(normalizer.x) else { return Ok(vec![]) };
    let drops = normalizer.stopwords.is_some();
    if let (true, Some(axis)) = (drops, shape.len().checked_sub(1)) {
        shape[axis] = node.fresh(0, axis);
    }
    Ok(vec![Some(shape)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::StringNormalizer::of(lowering.source, op);
    let stopwords = lowering.vector(&texts(&node.stopwords.unwrap_or_default()));
    let case = lowering.index(match node.case_change_action {
        CaseChange::None => 0,
        CaseChange::Lower => 1,
        CaseChange::Upper => 2,
    });
    let sensitive = lowering.index(node.is_case_sensitive);
    lowering.call(op, "normalize_strings", &[Tensor(node.x), stopwords, Index(case), Index(sensitive)])
}

//! RegexFullMatch: whether whole texts match a pattern. Since 20.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::Op;

use crate::operator::Operator;
use crate::shape::like_first;
use crate::structured::calls::Argument::{Index, Tensor};
use crate::structured::{Lowering, Unsupported};

pub(crate) const REGEX_FULL_MATCH: Operator =
    Operator { shapes: Some(like_first), lower: Some(lower), ..Operator::of(OnnxOp::RegexFullMatch) };

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::RegexFullMatch::of(lowering.source, op);
    let pattern = lowering.string(&node.pattern.unwrap_or_default());
    let pattern = lowering.index(pattern);
    lowering.call(op, "match_strings", &[Tensor(node.x), Index(pattern)])
}

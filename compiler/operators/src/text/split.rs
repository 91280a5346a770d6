//! StringSplit: splits texts, and counts the parts of each. Since 20.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::Op;

use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::structured::calls::Argument::{Index, Tensor};
use crate::structured::{Lowering, Unsupported};

pub(crate) const STRING_SPLIT: Operator =
    Operator { shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::StringSplit) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape_of(node.view::<views::StringSplit>().x) else { return Ok(vec![]) };
    let parts = node.fresh(0, shape.len());
    Ok(vec![Some([shape.as_slice(), &[parts]].concat()), Some(shape)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::StringSplit::of(lowering.source, op);
    let delimiter = lowering.string(&node.delimiter.unwrap_or_default());
    let (delimiter, most) = (lowering.index(delimiter), lowering.index(node.maxsplit.unwrap_or(-1)));
    lowering.call(op, "split_strings", &[Tensor(node.x), Index(delimiter), Index(most)])
}

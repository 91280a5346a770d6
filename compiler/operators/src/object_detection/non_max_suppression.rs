//! NonMaxSuppression: the boxes with the highest scores that do not overlap much. Since 10.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, DimExpr, Op, Type, Value};

use crate::operator::Operator;
use crate::structured::calls::Argument::{Index, Real, Tensor};
use crate::structured::{Lowering, Unsupported};

pub(crate) const NON_MAX_SUPPRESSION: Operator = Operator {
    shapes: Some(|node| Ok(vec![Some(vec![node.fresh(0, 0), DimExpr::Constant(3)])])),
    lower: Some(lower),
    ..Operator::of(OnnxOp::NonMaxSuppression)
};

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::NonMaxSuppression::of(lowering.source, op);
    let most = match node.max_output_boxes_per_class {
        Some(most) => lowering.scalar_index(most),
        None => lowering.index(0),
    };
    let overlap = real(lowering, node.iou_threshold, 0.0);
    let least = real(lowering, node.score_threshold, f64::NEG_INFINITY);
    let centered = lowering.index(node.center_point_box);
    let arguments = [Tensor(node.boxes), Tensor(node.scores), Index(most), Real(overlap), Real(least), Index(centered)];
    lowering.call(op, "non_max_suppression", &arguments)
}

/// The single element of an operand as `f64`.
fn real(lowering: &mut Lowering<'_>, operand: Option<Value>, default: f64) -> Value {
    let Some(operand) = operand else {
        let default = Attribute::Float(default.to_bits(), Type::F64);
        return lowering.builder().constant(default, Type::F64);
    };
    let element = lowering.only_element(operand);
    lowering.scalars(|s| s.cast(element, &Type::F64, false, false))
}

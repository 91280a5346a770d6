//! Floor, Ceil, and Round, which rounds halves to even.

use dialects::onnx::OnnxOp;

use crate::operator::Operator;

pub(crate) const FLOOR: Operator =
    Operator::elementwise(OnnxOp::Floor, |s, element| s.same("math.floor", &element.operands::<1>()));

pub(crate) const CEIL: Operator =
    Operator::elementwise(OnnxOp::Ceil, |s, element| s.same("math.ceil", &element.operands::<1>()));

pub(crate) const ROUND: Operator =
    Operator::elementwise(OnnxOp::Round, |s, element| s.same("math.roundeven", &element.operands::<1>()));

//! Exp, Log and Erf.

use dialects::onnx::OnnxOp;

use crate::operator::Operator;

pub(crate) const EXP: Operator =
    Operator::elementwise(OnnxOp::Exp, |s, element| s.same("math.exp", &element.operands::<1>()));

pub(crate) const LOG: Operator =
    Operator::elementwise(OnnxOp::Log, |s, element| s.same("math.log", &element.operands::<1>()));

pub(crate) const ERF: Operator =
    Operator::elementwise(OnnxOp::Erf, |s, element| s.same("math.erf", &element.operands::<1>()));

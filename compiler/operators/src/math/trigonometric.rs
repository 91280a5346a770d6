//! The circular and hyperbolic functions and their inverses.

use dialects::onnx::OnnxOp;

use crate::operator::Operator;

pub(crate) const SIN: Operator =
    Operator::elementwise(OnnxOp::Sin, |s, element| s.same("math.sin", &element.operands::<1>()))
        .differentiated(|emit, differential| emit.chained(differential, |emit, x, _| emit.plain("Cos", &[x])));

pub(crate) const COS: Operator =
    Operator::elementwise(OnnxOp::Cos, |s, element| s.same("math.cos", &element.operands::<1>())).differentiated(
        |emit, differential| {
            emit.chained(differential, |emit, x, _| {
                let sine = emit.plain("Sin", &[x]);
                emit.plain("Neg", &[sine])
            })
        },
    );

pub(crate) const TAN: Operator =
    Operator::elementwise(OnnxOp::Tan, |s, element| s.same("math.tan", &element.operands::<1>()));

pub(crate) const ASIN: Operator =
    Operator::elementwise(OnnxOp::Asin, |s, element| s.same("math.asin", &element.operands::<1>()));

pub(crate) const ACOS: Operator =
    Operator::elementwise(OnnxOp::Acos, |s, element| s.same("math.acos", &element.operands::<1>()));

pub(crate) const ATAN: Operator =
    Operator::elementwise(OnnxOp::Atan, |s, element| s.same("math.atan", &element.operands::<1>()));

pub(crate) const SINH: Operator =
    Operator::elementwise(OnnxOp::Sinh, |s, element| s.same("math.sinh", &element.operands::<1>()));

pub(crate) const COSH: Operator =
    Operator::elementwise(OnnxOp::Cosh, |s, element| s.same("math.cosh", &element.operands::<1>()));

pub(crate) const TANH: Operator =
    Operator::elementwise(OnnxOp::Tanh, |s, element| s.same("math.tanh", &element.operands::<1>())).differentiated(
        |emit, differential| {
            emit.chained(differential, |emit, _, y| {
                let (one, square) = (emit.number_like(1.0, y), emit.plain("Mul", &[y, y]));
                emit.plain("Sub", &[one, square])
            })
        },
    );

pub(crate) const ASINH: Operator =
    Operator::elementwise(OnnxOp::Asinh, |s, element| s.same("math.asinh", &element.operands::<1>()));

pub(crate) const ACOSH: Operator =
    Operator::elementwise(OnnxOp::Acosh, |s, element| s.same("math.acosh", &element.operands::<1>()));

pub(crate) const ATANH: Operator =
    Operator::elementwise(OnnxOp::Atanh, |s, element| s.same("math.atanh", &element.operands::<1>()));

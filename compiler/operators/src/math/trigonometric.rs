//! The circular and hyperbolic functions and their inverses.

use dialects::math;
use dialects::onnx::OnnxOp;

use crate::operator::Operator;

pub(crate) const SIN: Operator =
    Operator::elementwise(OnnxOp::Sin, |s, element| s.same(math::SIN, &element.operands::<1>()))
        .differentiated(|emit, differential| emit.chained(differential, |emit, x, _| emit.plain("Cos", &[x])));

pub(crate) const COS: Operator =
    Operator::elementwise(OnnxOp::Cos, |s, element| s.same(math::COS, &element.operands::<1>())).differentiated(
        |emit, differential| {
            emit.chained(differential, |emit, x, _| {
                let sine = emit.plain("Sin", &[x]);
                emit.plain("Neg", &[sine])
            })
        },
    );

pub(crate) const TAN: Operator =
    Operator::elementwise(OnnxOp::Tan, |s, element| s.same(math::TAN, &element.operands::<1>()));

pub(crate) const ASIN: Operator =
    Operator::elementwise(OnnxOp::Asin, |s, element| s.same(math::ASIN, &element.operands::<1>()));

pub(crate) const ACOS: Operator =
    Operator::elementwise(OnnxOp::Acos, |s, element| s.same(math::ACOS, &element.operands::<1>()));

pub(crate) const ATAN: Operator =
    Operator::elementwise(OnnxOp::Atan, |s, element| s.same(math::ATAN, &element.operands::<1>()));

pub(crate) const SINH: Operator =
    Operator::elementwise(OnnxOp::Sinh, |s, element| s.same(math::SINH, &element.operands::<1>()));

pub(crate) const COSH: Operator =
    Operator::elementwise(OnnxOp::Cosh, |s, element| s.same(math::COSH, &element.operands::<1>()));

pub(crate) const TANH: Operator =
    Operator::elementwise(OnnxOp::Tanh, |s, element| s.same(math::TANH, &element.operands::<1>())).differentiated(
        |emit, differential| {
            emit.chained(differential, |emit, _, y| {
                let (one, square) = (emit.number_like(1.0, y), emit.plain("Mul", &[y, y]));
                emit.plain("Sub", &[one, square])
            })
        },
    );

pub(crate) const ASINH: Operator =
    Operator::elementwise(OnnxOp::Asinh, |s, element| s.same(math::ASINH, &element.operands::<1>()));

pub(crate) const ACOSH: Operator =
    Operator::elementwise(OnnxOp::Acosh, |s, element| s.same(math::ACOSH, &element.operands::<1>()));

pub(crate) const ATANH: Operator =
    Operator::elementwise(OnnxOp::Atanh, |s, element| s.same(math::ATANH, &element.operands::<1>()));

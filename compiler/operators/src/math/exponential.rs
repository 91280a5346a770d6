//! Exp, Log and Erf.

use dialects::math;
use std::f64::consts::FRAC_2_SQRT_PI;

use dialects::onnx::OnnxOp;

use crate::operator::Operator;

pub(crate) const EXP: Operator =
    Operator::elementwise(OnnxOp::Exp, |s, element| s.same(math::EXP, &element.operands::<1>()))
        .differentiated(|emit, differential| emit.chained(differential, |_, _, y| y));

pub(crate) const LOG: Operator =
    Operator::elementwise(OnnxOp::Log, |s, element| s.same(math::LOG, &element.operands::<1>()))
        .differentiated(|emit, differential| emit.chained(differential, |emit, x, _| emit.plain("Reciprocal", &[x])));

pub(crate) const ERF: Operator =
    Operator::elementwise(OnnxOp::Erf, |s, element| s.same(math::ERF, &element.operands::<1>())).differentiated(
        |emit, differential| {
            emit.chained(differential, |emit, x, _| {
                let square = emit.plain("Mul", &[x, x]);
                let opposite = emit.plain("Neg", &[square]);
                let (bell, scale) = (emit.plain("Exp", &[opposite]), emit.number_like(FRAC_2_SQRT_PI, x));
                emit.plain("Mul", &[bell, scale])
            })
        },
    );

//! Pow, Sqrt and Reciprocal.

use dialects::onnx::OnnxOp;
use dialects::onnx::views;
use ir::{DimExpr, Type};

use crate::operator::{Cost, Operator};
use crate::shape::elements::{mapped, whole_number};
use crate::shape::{Elements, Node};
use crate::upgrade::broadcast_7;

/// The result has the type of the base; integers are raised as doubles.
pub(crate) const POW: Operator = Operator {
    cost: Cost::PerElement(40.0),
    upgrades: &[(7, broadcast_7)],
    elements: Some(|node, _| powers(node)),
    derivative: Some(|emit, differential| {
        let ([base, exponent], power, adjoint) = differential.parts(emit);
        let exponent_like = emit.plain("CastLike", &[exponent, base]);
        let one = emit.number_like(1.0, base);
        let less = emit.plain("Sub", &[exponent_like, one]);
        let lower = emit.plain("Pow", &[base, less]);
        let slope = emit.plain("Mul", &[exponent_like, lower]);
        let by_base = emit.plain("Mul", &[adjoint, slope]);
        let logarithm = emit.plain("Log", &[base]);
        let slope = emit.plain("Mul", &[power, logarithm]);
        let by_exponent = emit.plain("Mul", &[adjoint, slope]);
        Ok(vec![Some(emit.gathered_up(by_base, base)?), Some(emit.gathered_up(by_exponent, exponent)?)])
    }),
    ..Operator::elementwise(OnnxOp::Pow, |s, element| {
        let [base, exponent] = element.operands();
        let unsigned = element.is_unsigned(0);
        let r#type = s.type_of(base);
        let work = if matches!(r#type, Type::Float(_)) { r#type.clone() } else { Type::F64 };
        let wide_base = s.cast(base, &work, unsigned, false);
        let wide_exponent = s.cast(exponent, &work, element.is_unsigned(1), false);
        let result = s.same("math.powf", &[wide_base, wide_exponent]);
        s.cast(result, &r#type, false, unsigned)
    })
};

pub(crate) const SQRT: Operator =
    Operator::elementwise(OnnxOp::Sqrt, |s, element| s.same("math.sqrt", &element.operands::<1>()))
        .knowing(|node, _| mapped(node, |a| whole_number((a.as_constant()? as f64).sqrt()).map(DimExpr::Constant)))
        .uniform(|numbers| numbers[0].sqrt())
        .differentiated(|emit, differential| {
            emit.chained(differential, |emit, _, y| {
                let half = emit.number_like(0.5, y);
                emit.plain("Div", &[half, y])
            })
        })
        .costing(4.0);

pub(crate) const RECIPROCAL: Operator = Operator::elementwise(OnnxOp::Reciprocal, |s, element| {
    let [x] = element.operands();
    let one = s.like(1.0, x);
    s.div(one, x)
})
.uniform(|numbers| 1.0 / numbers[0])
.differentiated(|emit, differential| {
    emit.chained(differential, |emit, _, y| {
        let square = emit.plain("Mul", &[y, y]);
        emit.plain("Neg", &[square])
    })
})
.costing(4.0);

/// Numbers raised to one power.
fn powers(node: &Node<'_, '_>) -> Option<Elements> {
    let view: views::Pow = node.view();
    let (bases, exponents) = (node.numbers_of(view.x)?, node.floats_of(view.y)?);
    let exponent = exponents.first().filter(|_| exponents.len() == 1)?;
    let power = |base: i64| whole_number((base as f64).powf(*exponent)).map(DimExpr::Constant);
    Some(bases.into_iter().map(power).collect())
}

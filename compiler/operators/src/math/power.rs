//! Pow, Sqrt and Reciprocal.

use dialects::onnx::OnnxOp;
use dialects::onnx::views;
use dialects::{arith, math};
use ir::{DimExpr, Type, Value};

use crate::operator::{Cost, Operator};
use crate::shape::elements::{mapped, whole_number};
use crate::shape::{Elements, Node};
use crate::structured::scalars::{Comparison, Scalars};
use crate::upgrade::broadcast_7;

/// The result has the type of the base. Integer powers of integers are computed by multiplication, float powers of
/// integers in f64.
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
        if [base, exponent].iter().all(|&operand| s.type_of(operand).is_integer()) {
            return integer_power(s, [base, exponent], [unsigned, element.is_unsigned(1)]);
        }
        let work = if matches!(r#type, Type::Float(_)) { r#type.clone() } else { Type::F64 };
        let wide_base = s.cast(base, &work, unsigned, false);
        let wide_exponent = s.cast(exponent, &work, element.is_unsigned(1), false);
        let result = s.same(math::POWF, &[wide_base, wide_exponent]);
        s.cast(result, &r#type, false, unsigned)
    })
};

pub(crate) const SQRT: Operator =
    Operator::elementwise(OnnxOp::Sqrt, |s, element| s.same(math::SQRT, &element.operands::<1>()))
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

/// The maximum number of squarings: more exceed 64 bits for all bases but -1, 0 and 1.
const SQUARES: i64 = 7;

/// An integer to the power of another, wrapping around. Negative powers round towards zero: only those of 1 and -1 are
/// not zero.
fn integer_power(s: &mut Scalars<'_, '_>, [base, exponent]: [Value; 2], [unsigned, counts]: [bool; 2]) -> Value {
    let exponent = s.cast(exponent, &Type::I64, counts, false);
    let (zero, one) = (s.like(0.0, exponent), s.like(1.0, exponent));
    let most = s.like(((1 << SQUARES) - 2) as f64, exponent);
    let parity = s.same(arith::ANDI, &[exponent, one]);
    // large exponents keep their parity
    let large = s.add(most, parity);
    let is_negative = s.compare(Comparison::Less, exponent, zero);
    let is_large = s.compare(Comparison::Greater, exponent, most);
    let capped = s.select(is_large, large, exponent);
    let capped = s.select(is_negative, if counts { large } else { parity }, capped);
    let mut power = s.like(1.0, base);
    let mut square = base;
    for bit in 0..SQUARES {
        let place = s.like((1i64 << bit) as f64, capped);
        let chosen = s.same(arith::ANDI, &[capped, place]);
        let is_factor = s.compare(Comparison::Equal, chosen, place);
        let product = s.mul(power, square);
        power = s.select(is_factor, product, power);
        square = s.mul(square, square);
    }
    if counts {
        return power;
    }
    let (one, none) = (s.like(1.0, base), s.like(0.0, base));
    let is_one = s.compare(Comparison::Equal, base, one);
    let minus = s.like(-1.0, base);
    let is_minus = if unsigned { is_one } else { s.compare(Comparison::Equal, base, minus) };
    let is_unit = s.same(arith::ORI, &[is_one, is_minus]);
    let of_negative = s.select(is_unit, power, none);
    s.select(is_negative, of_negative, power)
}

/// Values raised to one power.
fn powers(node: &Node<'_, '_>) -> Option<Elements> {
    let view: views::Pow = node.view();
    let (bases, exponents) = (node.numbers_of(view.x)?, node.floats_of(view.y)?);
    let exponent = exponents.first().filter(|_| exponents.len() == 1)?;
    let power = |base: i64| whole_number((base as f64).powf(*exponent)).map(DimExpr::Constant);
    Some(bases.into_iter().map(power).collect())
}

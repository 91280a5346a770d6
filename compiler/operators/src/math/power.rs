//! Pow, Sqrt and Reciprocal.

use dialects::onnx::OnnxOp;
use ir::Type;

use crate::operator::{Cost, Operator};
use crate::upgrade::broadcast_7;

/// The result has the type of the base; integers are raised as doubles.
pub(crate) const POW: Operator = Operator {
    cost: Cost::PerElement(40.0),
    upgrades: &[(7, broadcast_7)],
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
    Operator::elementwise(OnnxOp::Sqrt, |s, element| s.same("math.sqrt", &element.operands::<1>())).costing(4.0);

pub(crate) const RECIPROCAL: Operator = Operator::elementwise(OnnxOp::Reciprocal, |s, element| {
    let [x] = element.operands();
    let one = s.like(1.0, x);
    s.div(one, x)
})
.costing(4.0);

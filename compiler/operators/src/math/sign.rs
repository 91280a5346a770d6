//! Abs, Neg and Sign.

use dialects::onnx::OnnxOp;
use dialects::{arith, math};
use ir::{DimExpr, Type};

use crate::operator::Operator;
use crate::shape::elements::{difference, mapped};
use crate::structured::scalars::Comparison;

pub(crate) const ABS: Operator = Operator::elementwise(OnnxOp::Abs, |s, element| {
    let [x] = element.operands();
    match s.type_of(x) {
        Type::Float(_) => s.same(math::ABSF, &[x]),
        _ if s.unsigned => x,
        _ => s.same(math::ABSI, &[x]),
    }
})
.differentiated(|emit, differential| emit.chained(differential, |emit, x, _| emit.plain("Sign", &[x])))
.knowing(|node, _| mapped(node, |a| a.is_nonnegative().then(|| a.clone())))
.costing(1.0);

pub(crate) const NEG: Operator = Operator::elementwise(OnnxOp::Neg, |s, element| {
    let [x] = element.operands();
    match s.type_of(x) {
        Type::Float(_) => s.same(arith::NEGF, &[x]),
        _ => {
            let zero = s.like(0.0, x);
            s.sub(zero, x)
        }
    }
})
.differentiated(|emit, differential| {
    let ([_], _, adjoint) = differential.parts(emit);
    Ok(vec![Some(emit.plain("Neg", &[adjoint]))])
})
.knowing(|node, _| if node.is_whole() { mapped(node, |a| difference(&DimExpr::ZERO, a)) } else { None })
.uniform(|numbers| -numbers[0])
.costing(1.0);

pub(crate) const SIGN: Operator = Operator::elementwise(OnnxOp::Sign, |s, element| {
    let [x] = element.operands();
    let (zero, one, minus) = (s.like(0.0, x), s.like(1.0, x), s.like(-1.0, x));
    let positive = s.compare(Comparison::Greater, x, zero);
    let rest = if s.unsigned {
        zero
    } else {
        let negative = s.compare(Comparison::Less, x, zero);
        // NaN stays NaN
        let neither = if matches!(s.type_of(x), Type::Float(_)) { s.mul(x, zero) } else { zero };
        s.select(negative, minus, neither)
    };
    s.select(positive, one, rest)
});

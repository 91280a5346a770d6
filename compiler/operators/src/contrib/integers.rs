//! Integer arithmetic in wider types.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::microsoft;
use ir::{Attribute, Type, Value};

use crate::graph::Emitter;
use crate::operator::Operator;

pub(crate) const MATMUL_INTEGER16: Operator = Operator::read_as(OnnxOp::MicrosoftMatMulInteger16, |node, emit| {
    let product: microsoft::MatMulInteger16 = node.view(emit);
    let wide = wide(emit, product.a);
    let factors = [product.a, product.b].map(|factor| emit.convert(factor, &wide));
    let result = emit.plain("MatMul", &factors);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const MUL_INTEGER: Operator = Operator::read_as(OnnxOp::MicrosoftMulInteger, |node, emit| {
    let product: microsoft::MulInteger = node.view(emit);
    let factors = [(product.a, product.a_zero_point), (product.b, product.b_zero_point)].map(|(factor, zero_point)| {
        let factor = emit.convert(factor, &Type::I32);
        zero_point.map_or(factor, |zero_point| {
            let zero_point = emit.convert(zero_point, &Type::I32);
            emit.plain("Sub", &[factor, zero_point])
        })
    });
    let result = emit.plain("Mul", &factors);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const REDUCE_SUM_INTEGER: Operator = Operator::read_as(OnnxOp::MicrosoftReduceSumInteger, |node, emit| {
    let sum: microsoft::ReduceSumInteger = node.view(emit);
    let wide = wide(emit, sum.data);
    let data = emit.convert(sum.data, &wide);
    let axes = emit.integers(&sum.axes);
    let result = emit.op("ReduceSum", &[data, axes], [("keepdims", Attribute::i64(sum.keepdims))]);
    node.replace(result, emit);
    Ok(())
});

/// 32 bits with the signedness of a value's elements.
fn wide(emit: &Emitter, value: Value) -> Type {
    if emit.element(value).is_unsigned() { Type::unsigned(32) } else { Type::I32 }
}

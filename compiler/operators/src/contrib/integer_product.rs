//! Products of quantised matrices with float results: MatMulIntegerToFloat, DynamicQuantizeMatMul.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::microsoft;

use crate::operator::Operator;
use crate::quantization::IntegerProduct;

pub(crate) const MATMUL_INTEGER_TO_FLOAT: Operator =
    Operator::read_as(OnnxOp::MicrosoftMatMulIntegerToFloat, |node, emit| {
        let product: microsoft::MatMulIntegerToFloat = node.view(emit);
        let product = IntegerProduct {
            factors: [product.a, product.b],
            zero_points: [product.a_zero_point, product.b_zero_point],
            scales: [product.a_scale, product.b_scale],
            bias: product.bias,
        };
        let result = product.emit(emit);
        node.replace(result, emit);
        Ok(())
    });

/// The left factor is first quantised by the range of its elements.
pub(crate) const DYNAMIC_QUANTIZE_MATMUL: Operator =
    Operator::read_as(OnnxOp::MicrosoftDynamicQuantizeMatMul, |node, emit| {
        let product: microsoft::DynamicQuantizeMatMul = node.view(emit);
        let [a, scale, zero_point] = emit.results("DynamicQuantizeLinear", &[product.a], []);
        let product = IntegerProduct {
            factors: [a, product.b],
            zero_points: [Some(zero_point), product.b_zero_point],
            scales: [scale, product.b_scale],
            bias: product.bias,
        };
        let result = product.emit(emit);
        node.replace(result, emit);
        Ok(())
    });

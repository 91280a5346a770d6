//! Products of quantised matrices with float results: MatMulIntegerToFloat, DynamicQuantizeMatMul.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::microsoft;
use ir::Value;

use crate::graph::Emitter;
use crate::operator::Operator;

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

/// `(A - a zero point) (B - b zero point) · a scale · b scale + bias`; scales and zero points of B may be per column.
pub(super) struct IntegerProduct {
    pub(super) factors: [Value; 2],
    pub(super) zero_points: [Option<Value>; 2],
    pub(super) scales: [Value; 2],
    pub(super) bias: Option<Value>,
}

impl IntegerProduct {
    pub(super) fn emit(&self, emit: &mut Emitter) -> Value {
        let zero_points = self.zero_points.map(|zero_point| zero_point.unwrap_or(emit.none));
        let sum = emit.plain("MatMulInteger", &[self.factors, zero_points].concat());
        let element = emit.element(self.scales[1]);
        let sum = emit.convert(sum, &element);
        let scale = emit.plain("Mul", &self.scales);
        let product = emit.plain("Mul", &[sum, scale]);
        self.bias.map_or(product, |bias| emit.plain("Add", &[product, bias]))
    }
}

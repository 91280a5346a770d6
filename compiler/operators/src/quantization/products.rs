//! Products of quantised matrices with float results, by MatMulInteger.

use ir::Value;

use crate::graph::Emitter;

/// `(A - a zero point) (B - b zero point) · a scale · b scale + bias`; scales and zero points of B may be per column.
pub(crate) struct IntegerProduct {
    pub(crate) factors: [Value; 2],
    pub(crate) zero_points: [Option<Value>; 2],
    pub(crate) scales: [Value; 2],
    pub(crate) bias: Option<Value>,
}

impl IntegerProduct {
    pub(crate) fn emit(&self, emit: &mut Emitter) -> Value {
        let zero_points = self.zero_points.map(|zero_point| zero_point.unwrap_or(emit.none));
        let sum = emit.plain("MatMulInteger", &[self.factors, zero_points].concat());
        let element = emit.element(self.scales[1]);
        let sum = emit.convert(sum, &element);
        let scale = emit.plain("Mul", &self.scales);
        let product = emit.plain("Mul", &[sum, scale]);
        self.bias.map_or(product, |bias| emit.plain("Add", &[product, bias]))
    }
}

//! Piecewise linear units: Relu, LeakyRelu, PRelu, ThresholdedRelu.

use dialects::onnx::OnnxOp;
use dialects::onnx::views;
use ir::Value;

use crate::operator::Operator;
use crate::shape;
use crate::structured::scalars::{Comparison, Scalars};
use crate::upgrade::align;

pub(crate) const RELU: Operator = Operator::elementwise(OnnxOp::Relu, |s, element| {
    let [x] = element.operands();
    let zero = s.like(0.0, x);
    s.max(x, zero)
})
.differentiated(|emit, differential| {
    let ([x], _, adjoint) = differential.parts(emit);
    let zero = emit.number_like(0.0, x);
    let passes = emit.plain("Greater", &[x, zero]);
    Ok(vec![Some(emit.plain("Where", &[passes, adjoint, zero]))])
})
.costing(1.0);

pub(crate) const LEAKY_RELU: Operator = Operator::elementwise(OnnxOp::LeakyRelu, |s, element| {
    let relu: views::LeakyRelu = element.view();
    let [x] = element.operands();
    let slope = s.like(relu.alpha, x);
    leaky(s, x, slope)
})
.differentiated(|emit, differential| {
    let alpha = differential.view::<views::LeakyRelu>(emit).alpha;
    emit.chained(differential, |emit, x, _| {
        let [zero, one, slope] = [0.0, 1.0, alpha].map(|number| emit.number_like(number, x));
        let is_positive = emit.plain("Greater", &[x, zero]);
        emit.plain("Where", &[is_positive, one, slope])
    })
});

pub(crate) const PRELU: Operator = Operator {
    shapes: Some(shape_of_sloped),
    // a slope of rank 1 ran along the channels, axis 1
    upgrades: &[(7, |node, emit| {
        if emit.rank(node.operands[1]) == Some(1) {
            node.operands[1] = align(node.operands[0], node.operands[1], 1, emit)?;
        }
        Ok(())
    })],
    ..Operator::elementwise(OnnxOp::PRelu, |s, element| {
        let [x, slope] = element.operands();
        leaky(s, x, slope)
    })
};

pub(crate) const THRESHOLDED_RELU: Operator = Operator::elementwise(OnnxOp::ThresholdedRelu, |s, element| {
    let relu: views::ThresholdedRelu = element.view();
    let [x] = element.operands();
    let (alpha, zero) = (s.like(relu.alpha, x), s.like(0.0, x));
    let above = s.compare(Comparison::Greater, x, alpha);
    s.select(above, x, zero)
});

/// `x < 0 ? slope * x : x`
fn leaky(s: &mut Scalars<'_, '_>, x: Value, slope: Value) -> Value {
    let zero = s.like(0.0, x);
    let scaled = s.mul(slope, x);
    let negative = s.compare(Comparison::Less, x, zero);
    s.select(negative, scaled, x)
}

/// The slope broadcasts to the input, but not the reverse.
fn shape_of_sloped(node: &mut shape::Node<'_, '_>) -> shape::Answer {
    let prelu: views::PRelu = node.view();
    let input = node.shape_of(prelu.x);
    if let Some(input) = &input {
        node.expect_stretches(Some(prelu.slope), input, "the slope")?;
    }
    Ok(vec![input])
}

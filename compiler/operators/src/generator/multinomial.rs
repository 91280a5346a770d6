//! Multinomial: samples classes by their unnormalized log-probabilities. Since 7.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Attributes, DimExpr, Op, Type, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::types::tensor_of;

pub(crate) const MULTINOMIAL: Operator = Operator {
    types: Some(|node, _| tensor_of(views::Multinomial::read(node).dtype)),
    shapes: Some(shapes),
    compose: Some(compose),
    undetermined: Some("the classes it draws are random"),
    ..Operator::of(OnnxOp::Multinomial)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let multinomial: views::Multinomial = node.view();
    let Some(input) = node.shape_of(multinomial.input) else { return Ok(vec![]) };
    let [batch, _] = input.as_slice() else { return Err("the operand must have rank 2".to_string()) };
    Ok(vec![Some(vec![batch.clone(), DimExpr::Constant(multinomial.sample_size)])])
}

/// The class of a sample is the number of classes whose cumulative probability is at most a uniform random number.
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let multinomial = views::Multinomial::of(&emit.body, op);
    let scores = emit.convert(multinomial.input, &Type::F32);
    let probabilities = emit.op("Softmax", &[scores], [("axis", Attribute::i64(1))]);
    let axis = emit.integer(1);
    let cumulated = emit.plain("CumSum", &[probabilities, axis]);
    let (batch, classes) = (emit.extent(scores, 0), emit.extent(scores, 1));
    let samples = emit.integers(&[multinomial.sample_size]);
    let shape = emit.list(&[batch, samples]);
    let zero = emit.number_like(0.0, scores);
    let like = emit.plain("Expand", &[zero, shape]);
    let mut seed = Attributes::new();
    if let Some(number) = multinomial.seed {
        seed.set("seed", Attribute::float(number, Type::F32));
    }
    let uniform = emit.op("RandomUniformLike", &[like], seed);
    let (uniform, cumulated) = (emit.unsqueeze(uniform, &[2]), emit.unsqueeze(cumulated, &[1]));
    let passed = emit.plain("LessOrEqual", &[cumulated, uniform]);
    let passed = emit.convert(passed, &Type::I32);
    let axes = emit.integers(&[2]);
    let class = emit.op("ReduceSum", &[passed, axes], [("keepdims", Attribute::i64(0))]);
    // probabilities add up to 1 only up to rounding
    let one = emit.integers(&[1]);
    let last = emit.plain("Sub", &[classes, one]);
    let last = emit.convert(last, &Type::I32);
    let class = emit.plain("Min", &[class, last]);
    Ok(vec![Some(emit.op("Cast", &[class], [("to", Attribute::i64(multinomial.dtype))]))])
}

//! Normalization of the last axis, of a tensor or of its sum with another.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, microsoft};
use ir::{Attribute, Type, Value};

use crate::graph::{Emitter, Node};
use crate::operator::Operator;

pub(crate) const SIMPLIFIED_LAYER_NORMALIZATION: Operator =
    Operator::read_as(OnnxOp::SimplifiedLayerNormalization, |node, emit| {
        let layer: views::SimplifiedLayerNormalization = node.view(emit);
        let element = emit.element(layer.scale);
        let x = emit.convert(layer.x, &element);
        let attributes = [("axis", Attribute::i64(layer.axis)), ("epsilon", Attribute::f32(layer.epsilon as f32))];
        let result = emit.op("RMSNormalization", &[x, layer.scale], attributes);
        let mut results = vec![result];
        if is_read(node, 1) {
            results.push(reciprocal_root(emit, layer.x, layer.epsilon));
        }
        node.results = Some(padded(results, node, emit));
        Ok(())
    });

pub(crate) const SKIP_LAYER_NORMALIZATION: Operator =
    Operator::read_as(OnnxOp::MicrosoftSkipLayerNormalization, |node, emit| {
        let layer: microsoft::SkipLayerNormalization = node.view(emit);
        let sum = sum(emit, [Some(layer.input), Some(layer.skip), layer.bias]);
        let beta = layer.beta.unwrap_or(emit.none);
        let attributes = [("epsilon", Attribute::f32(layer.epsilon as f32))];
        let [result, mean, reciprocal] = emit.results("LayerNormalization", &[sum, layer.gamma, beta], attributes);
        node.results = Some(padded(vec![result, mean, reciprocal, sum], node, emit));
        Ok(())
    });

pub(crate) const SKIP_SIMPLIFIED_LAYER_NORMALIZATION: Operator =
    Operator::read_as(OnnxOp::MicrosoftSkipSimplifiedLayerNormalization, |node, emit| {
        let layer: microsoft::SkipSimplifiedLayerNormalization = node.view(emit);
        let sum = sum(emit, [Some(layer.input), Some(layer.skip), layer.bias]);
        let attributes = [("epsilon", Attribute::f32(layer.epsilon as f32))];
        let result = emit.op("RMSNormalization", &[sum, layer.gamma], attributes);
        let mean = if is_read(node, 1) { row_mean(emit, sum) } else { emit.none };
        let reciprocal = if is_read(node, 2) { reciprocal_root(emit, sum, layer.epsilon) } else { emit.none };
        node.results = Some(padded(vec![result, mean, reciprocal, sum], node, emit));
        Ok(())
    });

fn sum(emit: &mut Emitter, terms: [Option<Value>; 3]) -> Value {
    let terms = terms.into_iter().flatten();
    terms.reduce(|a, b| emit.plain("Add", &[a, b])).expect("two terms are always there")
}

fn is_read(node: &Node, output: usize) -> bool {
    node.outputs.get(output).copied().unwrap_or(false)
}

/// Pads the results to the number of outputs of the node.
fn padded(mut results: Vec<Value>, node: &Node, emit: &Emitter) -> Vec<Value> {
    results.resize(node.outputs.len(), emit.none);
    results
}

/// The means of rows, in f32 like all statistics.
fn row_mean(emit: &mut Emitter, x: Value) -> Value {
    let x = emit.convert(x, &Type::F32);
    let axes = emit.integers(&[-1]);
    emit.plain("ReduceMean", &[x, axes])
}

/// `1 / √(mean(x²) + ε)` of rows.
fn reciprocal_root(emit: &mut Emitter, x: Value, epsilon: f64) -> Value {
    let x = emit.convert(x, &Type::F32);
    let square = emit.plain("Mul", &[x, x]);
    let mean = row_mean(emit, square);
    let epsilon = emit.number_like(epsilon, mean);
    let shifted = emit.plain("Add", &[mean, epsilon]);
    let root = emit.plain("Sqrt", &[shifted]);
    emit.plain("Reciprocal", &[root])
}

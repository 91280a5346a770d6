//! Gradient: the derivatives of a value of the graph by others; all are referred to by name. Since 1.
//!
//! These values become additional operands: the computation is extracted from the graph before anything is rewritten.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::training::Gradient;
use ir::{Op, Value};

use crate::graph::derivative::differentiate;
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::types::without_shape;

pub(crate) const GRADIENT: Operator = Operator {
    names: &["xs", "zs", "y"],
    normalize: Some(|node, _| {
        node.operands.append(&mut node.named);
        Ok(())
    }),
    types: Some(|node, index| Some(without_shape(node.body.value_type(*node.operands.get(index)?)))),
    shapes: Some(|node| {
        let gradient: Gradient = node.view();
        Ok((0..node.result_count()).map(|index| node.shape_of(*gradient.inputs.get(index)?)).collect())
    }),
    compose: Some(compose),
    ..Operator::of(OnnxOp::TrainingGradient)
};

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let gradient = Gradient::of(&emit.body, op);
    let given = gradient.xs.len() + gradient.zs.map_or(0, |zs| zs.len());
    if gradient.inputs.len() != 2 * given + 1 {
        return Err(Problem::input(format!(
            "names {given} values, but has {} inputs",
            gradient.inputs.len() - given - 1
        )));
    }
    let (inputs, named) = gradient.inputs.split_at(given);
    let (sources, y) = named.split_at(given);
    let results = differentiate(emit, sources, inputs, y[0])?;
    Ok(results.into_iter().take(gradient.xs.len()).map(Some).collect())
}

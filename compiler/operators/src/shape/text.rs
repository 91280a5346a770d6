//! Operators on strings and files, and the scalars that sequences and optionals give.

use ir::{DimExpr, Type, Value};

use super::node::Node;
use super::{Answer, Rule};
use crate::types::contained;

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "RegexFullMatch" => super::math::like_first,
        "StringNormalizer" => normalize,
        "StringSplit" => split,
        "TfIdfVectorizer" => count_terms,
        "SequenceAt" => element_at,
        "ConcatFromSequence" => concat,
        "OptionalGetElement" => held,
        "SequenceLength" | "OptionalHasElement" => |_| Ok(vec![Some(vec![])]),
        _ => return None,
    })
}

/// Stop words are dropped, so the count is only known when there are none.
fn normalize(node: &mut Node<'_, '_>) -> Answer {
    let Some(mut shape) = node.shape(0) else { return Ok(vec![]) };
    let drops = node.attribute("stopwords").is_some();
    if let (true, Some(axis)) = (drops, shape.len().checked_sub(1)) {
        shape[axis] = node.fresh(0, axis);
    }
    Ok(vec![Some(shape)])
}

fn split(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let parts = node.fresh(0, shape.len());
    Ok(vec![Some([shape.as_slice(), &[parts]].concat()), Some(shape)])
}

fn count_terms(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let columns = node.integers("ngram_indexes").and_then(|columns| columns.into_iter().max());
    let columns = DimExpr::Constant(columns.ok_or("it has no ngram_indexes")? + 1);
    let rows = &shape[..shape.len().saturating_sub(1)];
    Ok(vec![Some([rows, &[columns]].concat())])
}

/// The rank of a sequence's elements, as far as its type or what it was made of tells.
pub(super) fn element_rank(node: &Node<'_, '_>, mut sequence: Value) -> Option<usize> {
    let body = node.analyser.body;
    let rank = |value: Value| node.analyser.known.shape(value).map(<[DimExpr]>::len);
    loop {
        let stated = contained(body.value_type(sequence), "Seq").and_then(Type::rank);
        if stated.is_some() {
            return stated;
        }
        let op = body.defining_op(sequence)?;
        let operands = body.op(op).operands();
        match body.name(op) {
            "onnx.SequenceErase" => sequence = operands[0],
            "onnx.SequenceInsert" => return rank(operands[1]),
            "onnx.SequenceConstruct" => {
                let first = rank(*operands.first()?)?;
                return operands.iter().all(|&operand| rank(operand) == Some(first)).then_some(first);
            }
            "onnx.SplitToSequence" => {
                let is_split = operands.get(1).is_some_and(|&split| *body.value_type(split) != Type::None);
                let keeps_axis = is_split || body.op(op).attributes.integer("keepdims") != Some(0);
                return Some(rank(operands[0])? - usize::from(!keeps_axis));
            }
            _ => return None,
        }
    }
}

fn element_at(node: &mut Node<'_, '_>) -> Answer {
    let rank = node.operand(0).and_then(|sequence| element_rank(node, sequence));
    Ok(vec![rank.map(|rank| (0..rank).map(|axis| node.fresh(0, axis)).collect())])
}

fn concat(node: &mut Node<'_, '_>) -> Answer {
    let rank = node.operand(0).and_then(|sequence| element_rank(node, sequence));
    let rank = rank.map(|rank| rank + usize::from(node.integer("new_axis", 0) != 0));
    Ok(vec![rank.map(|rank| (0..rank).map(|axis| node.fresh(0, axis)).collect())])
}

/// What an optional holds; a tensor holds itself.
fn held(node: &mut Node<'_, '_>) -> Answer {
    let Some(value) = node.operand(0) else { return Ok(vec![]) };
    let body = node.analyser.body;
    let Some(inner) = contained(body.value_type(value), "Opt") else { return Ok(vec![node.shape(0)]) };
    let made = body.defining_op(value).filter(|&op| body.name(op) == "onnx.Optional");
    let rank = match made.and_then(|op| node.analyser.known.shape(*body.op(op).operands().first()?)) {
        Some(shape) => Some(shape.len()),
        None => inner.rank(),
    };
    Ok(vec![rank.map(|rank| (0..rank).map(|axis| node.fresh(0, axis)).collect())])
}

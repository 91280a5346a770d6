//! If.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::scf;
use ir::{Block, DimExpr, Op, Type, Value};

use crate::operator::Operator;
use crate::shape::{Answer, Node, Shape};
use crate::structured::{Lowering, Unsupported};

pub(crate) const IF: Operator = Operator { shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::If) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let chosen = node
        .numbers_of(node.view::<views::If>().cond)
        .and_then(|condition| condition.first().map(|&condition| (condition == 0) as usize));
    let mut branches: Vec<Vec<Value>> = vec![];
    // a branch that is never taken may contradict itself, and stays unknown
    for index in chosen.map_or(0..2, |chosen| chosen..chosen + 1) {
        let Some(region) = node.region(index) else { return Ok(vec![]) };
        if let Some(block) = node.block(region) {
            node.analyser.block(block);
        }
        branches.push(node.yields(region));
    }
    let mut answer = vec![];
    for index in 0..node.result_count() {
        let shapes: Vec<Option<Shape>> =
            branches.iter().map(|values| values.get(index).and_then(|&value| node.shape_of(value))).collect();
        answer.push(node.join(index, &shapes));
    }
    Ok(answer)
}

/// An If with a known condition becomes its branch; any other an `scf.if`.
fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let condition = views::If::of(lowering.source, op).cond;
    if let Some([condition]) = lowering.known_integers(condition).as_deref() {
        let taken = operation.regions()[(*condition == 0) as usize];
        inline_branch(lowering, op, lowering.source.blocks(taken)[0]);
        return Ok(());
    }
    let condition = lowering.only_element(condition);
    let types: Vec<Type> = operation.results().iter().map(|&result| lowering.lowered_type(result)).collect();
    let new = lowering.emit(scf::IF, &[condition], &types, []);
    for &region in operation.regions() {
        let new_region = lowering.body.add_region(new);
        let block = lowering.source.blocks(region)[0];
        let new_block = lowering.body.add_block(new_region, &[]);
        lowering.nested(new_block, |lowering| {
            lowering.block(block);
            let end = lowering.source.terminator(block).expect("a branch yields");
            let yields = lowering.source.op(end).operands();
            if !yields.iter().any(|&value| lowering.is_lost(value)) {
                let yields: Vec<Value> = (yields.iter().zip(operation.results()))
                    .map(|(&value, &result)| yielded(lowering, value, result))
                    .collect();
                lowering.emit(scf::YIELD, &yields, &[], []);
            }
        });
    }
    for (index, &result) in operation.results().iter().enumerate() {
        let value = lowering.body.result(new, index);
        lowering.bind(result, value);
    }
    Ok(())
}

/// The yielded value of a branch. Readers demand one rank; a run that takes a branch with another rank ends with an
/// error.
fn yielded(lowering: &mut Lowering<'_>, value: Value, result: Value) -> Value {
    let (found, expected) = (lowering.shape(value).len(), lowering.shape(result).len());
    let is_tensor = lowering.source.value_type(result).as_tensor().is_some();
    if !is_tensor || found == expected {
        let value = lowering.value(value);
        return lowering.cast_like(value, result);
    }
    let never = lowering.number(0.0, &Type::I1);
    lowering
        .check(never, format!("this branch yields a tensor of rank {found}, but its consumers need rank {expected}"));
    let element = lowering.element(result);
    let nothing = lowering.filled(&vec![DimExpr::ZERO; expected], element, 0.0);
    lowering.cast_like(nothing, result)
}

/// Lowers the only branch that can be taken in place of the operation.
fn inline_branch(lowering: &mut Lowering<'_>, op: Op, branch: Block) {
    lowering.block(branch);
    let end = lowering.source.terminator(branch).expect("a branch yields");
    let yields = lowering.source.op(end).operands().to_vec();
    for (&result, yielded) in lowering.source.op(op).results().iter().zip(yields) {
        if !lowering.is_lost(yielded) {
            let value = lowering.value(yielded);
            lowering.bind(result, value);
        }
    }
}

//! If.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::scf;
use ir::{Block, DimExpr, Op, Type, Value};

use crate::operator::Operator;
use crate::shape::{Answer, ImpossibleBranch, Node, Shape};
use crate::structured::scalars::Comparison;
use crate::structured::{Lowering, Unsupported};

pub(crate) const IF: Operator = Operator { shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::If) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let chosen = node
        .numbers_of(node.view::<views::If>().cond)
        .and_then(|condition| condition.first().map(|&condition| (condition == 0) as usize));
    // a branch that is never taken may contradict itself, and stays unknown
    let taken = match chosen {
        Some(region) => vec![region],
        None => possible(node),
    };
    let mut branches: Vec<Vec<Value>> = vec![];
    for region in taken {
        let Some(region) = node.region(region) else { return Ok(vec![]) };
        if chosen.is_some()
            && let Some(block) = node.block(region)
        {
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

/// Infers both branches, and returns those that a valid run can take: exporters keep branches for inputs that the
/// model also takes, and the shapes that a user states may exclude them. If both branches are invalid, so is the model.
fn possible(node: &mut Node<'_, '_>) -> Vec<usize> {
    let mut contradictions = [0, 1].map(|region| {
        let block = node.region(region).and_then(|region| node.block(region));
        block.map_or_else(Vec::new, |block| node.analyser.attempt(block))
    });
    let invalid: Vec<usize> = (0..2).filter(|&region| !contradictions[region].is_empty()).collect();
    let [region] = invalid[..] else {
        contradictions.into_iter().for_each(|found| node.analyser.report(found));
        return vec![0, 1];
    };
    let contradiction = contradictions[region].swap_remove(0);
    let branch = ImpossibleBranch { region, contradiction };
    node.remark("operator-shapes", branch.statement());
    node.analyser.exclude(node.op, branch);
    vec![1 - region]
}

/// An If with a known condition or an impossible branch becomes the other one; any other an `scf.if`.
fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let condition = views::If::of(lowering.source, op).cond;
    if let Some([condition]) = lowering.known_integers(condition).as_deref() {
        let taken = operation.regions()[(*condition == 0) as usize];
        inline_branch(lowering, op, lowering.source.blocks(taken)[0]);
        return Ok(());
    }
    let condition = lowering.only_element(condition);
    if let Some(branch) = lowering.shapes.impossible_branch(op) {
        let taken = 1 - branch.region;
        let expected = lowering.number((taken == 0) as u8 as f64, &Type::I1);
        let fits = lowering.scalars(|s| s.compare(Comparison::Equal, condition, expected));
        lowering.check(fits, branch.statement());
        inline_branch(lowering, op, lowering.source.blocks(operation.regions()[taken])[0]);
        return Ok(());
    }
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

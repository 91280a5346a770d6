//! Specialises the code after a branch for each rank that the branch may give.
//!
//! If the branches of an If give tensors of different ranks and readers accept several of them, the readers move into
//! the branches, where the rank is known. An If with a known condition is replaced by its branch.

use dialects::onnx::views::{self, View};
use dialects::onnx::{OnnxOp, YIELD};
use ir::clone::{Mapping, clone_op};
use ir::{Attributes, Block, Body, DimExpr, IndexMap, IndexSet, Module, Op, Value};

use crate::shape::{self, ShapeAnalysis};

/// The maximum number of changes to one function; each may double the code after the branch.
const MOST: usize = 4;

/// Specializes function `name`. Values whose rank remains unknown are reported by later code that needs it.
pub fn specialize(module: &mut Module, name: &str) -> ir::Result<()> {
    let Some((function, mut body)) = module.take_function(name) else { return Ok(()) };
    let attributes = module.body.op(function).attributes.clone();
    let mut outcome = Ok(());
    for _ in 0..MOST {
        if !body.walk_all().into_iter().any(|op| is_branch(&body, op)) {
            break;
        }
        match shape::analyse(&body, &attributes, &IndexMap::default()) {
            Ok(shapes) if change(&mut body, &shapes) => {}
            Ok(_) => break,
            Err(errors) => {
                outcome = Err(errors);
                break;
            }
        }
    }
    module.body.set_isolated(function, body);
    module.update_function_type(function);
    outcome
}

fn is_branch(body: &Body, op: Op) -> bool {
    OnnxOp::of(body, op) == Some(OnnxOp::If)
}

/// Makes one change; returns whether there was one to make.
fn change(body: &mut Body, shapes: &ShapeAnalysis) -> bool {
    let branches: Vec<Op> = body.walk_all().into_iter().filter(|&op| is_branch(body, op)).collect();
    let Some(op) = branches.into_iter().find(|&op| gives_several_ranks(body, shapes, op)) else { return false };
    match decided_around(body, shapes, op) {
        Some((outer, taken)) => inline(body, outer, taken),
        None => sink(body, op),
    }
    true
}

/// Whether a result has no rank although each branch has one.
fn gives_several_ranks(body: &Body, shapes: &ShapeAnalysis, op: Op) -> bool {
    let yields: Vec<Vec<Value>> = body.op(op).regions().iter().map(|&region| yielded(body, region)).collect();
    let is_open = |(index, &result): (usize, &Value)| {
        let known = |values: &Vec<Value>| values.get(index).is_some_and(|&value| shapes.shape(value).is_some());
        body.value_type(result).as_tensor().is_some() && shapes.shape(result).is_none() && yields.iter().all(known)
    };
    body.op(op).results().iter().enumerate().any(is_open)
}

fn yielded(body: &Body, region: ir::Region) -> Vec<Value> {
    let end = body.terminator(body.blocks(region)[0]).expect("a branch yields");
    body.op(end).operands().to_vec()
}

/// The outermost If around an operation whose condition is known, and the block that it takes.
fn decided_around(body: &Body, shapes: &ShapeAnalysis, op: Op) -> Option<(Op, Block)> {
    let around = std::iter::successors(body.parent_op(op), |&outer| body.parent_op(outer));
    let decided = around.filter(|&outer| is_branch(body, outer)).filter_map(|outer| {
        let Some(&[DimExpr::Constant(condition)]) = shapes.known_value(views::If::of(body, outer).cond) else {
            return None;
        };
        let region = *body.op(outer).regions().get(usize::from(condition == 0))?;
        Some((outer, body.blocks(region)[0]))
    });
    decided.last()
}

/// Replaces an If by the operations of a branch.
fn inline(body: &mut Body, op: Op, taken: Block) {
    let end = body.terminator(taken).expect("a branch yields");
    let values = body.op(end).operands().to_vec();
    body.erase(end);
    body.ops(taken).to_vec().into_iter().for_each(|inner| body.move_before(inner, op));
    body.replace(op, &values);
}

/// Moves all operations that depend on an If into its branches.
fn sink(body: &mut Body, op: Op) {
    let source = body.clone();
    let block = source.op(op).parent().expect("it is inside a block");
    let end = source.terminator(block).expect("a block of the graph level ends");
    let dependents = dependents(&source, op, end);
    let moved: IndexSet<Value> =
        std::iter::once(&op).chain(&dependents).flat_map(|&op| source.op(op).results().to_vec()).collect();
    let read: IndexSet<Value> =
        source.op(end).operands().iter().copied().filter(|value| moved.contains(value)).collect();
    let types: Vec<_> = read.iter().map(|&value| source.value_type(value).clone()).collect();
    let old = source.op(op);
    let new = body.create_op(old.name.clone(), old.operands(), &types, old.attributes.clone(), old.location.clone());
    for &region in old.regions() {
        let region_of_new = body.add_region(new);
        let target = body.add_block(region_of_new, &[]);
        let mut mapping = Mapping::default();
        let copy = |body: &mut Body, op: Op, mapping: &mut Mapping| {
            clone_op(&source, op, body, target, mapping, &mut |_, value| value);
        };
        let (_, operations) = source.ops(source.blocks(region)[0]).split_last().expect("a branch yields");
        operations.for_each(|inner| copy(body, inner, &mut mapping));
        for (&result, value) in old.results().iter().zip(yielded(&source, region)) {
            let value = mapping.get(&value).copied().unwrap_or(value);
            mapping.insert(result, value);
        }
        dependents.iter().for_each(|&dependent| copy(body, dependent, &mut mapping));
        let values: Vec<Value> = read.iter().map(|value| mapping[value]).collect();
        let r#yield = body.create_op(YIELD, &values, &[], Attributes::new(), old.location.clone());
        body.append(target, r#yield);
    }
    body.insert_before(new, end);
    for (index, &value) in read.iter().enumerate() {
        let result = body.result(new, index);
        body.replace_all_uses(value, result);
    }
    body.erase_all(&[&[op], dependents.as_slice()].concat());
}

/// The operations after `op` in its block, in order, that depend on it; without the terminator.
fn dependents(body: &Body, op: Op, end: Op) -> Vec<Op> {
    let block = body.op(op).parent().expect("it is inside a block");
    let mut values: IndexSet<Value> = body.op(op).results().iter().copied().collect();
    let mut found = Vec::new();
    for later in body.ops_after(block, Some(op)) {
        let inner = body.op(later).regions().iter().flat_map(|&region| body.walk(region));
        let reads = |op: Op| body.op(op).operands().iter().any(|operand| values.contains(operand));
        if later != end && (reads(later) || inner.into_iter().any(reads)) {
            values.extend(body.op(later).results().iter().copied());
            found.push(later);
        }
    }
    found
}

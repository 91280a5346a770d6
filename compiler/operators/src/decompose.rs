//! Decomposes operators that are compositions of others.
//!
//! Compositions stay whole on the graph level, where rewrites see them. This pass runs after the rewrites, for
//! operators without a lowering. Each composition follows its definition, in terms of operators in their newest form;
//! if it depends on a rank, that must be known. Rewrites only know the operators of ONNX; those of other domains are
//! decomposed before them.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::rt::attributes::CONDITIONS;
use ir::{Attribute, Attributes, Block, Body, Diagnostic, DimExpr, IndexMap, Module, Op, Value};

use crate::graph::{Emitter, remove_dead};
use crate::operator::Compose;
use crate::shape::{ShapeAnalysis, Stated, remarked, warn};
use crate::{shape, table};

/// The maximum number of rounds for compositions of compositions.
const ROUNDS: usize = 8;

/// The compositions that are decomposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Operators of other domains, and those that depend on the structure of the graph, which rewrites change.
    Foreign,
    /// The same, including those of them with a lowering.
    ForeignLowered,
    /// All operators.
    All,
}

/// Decomposes the operations of function `name`.
pub fn decompose(module: &mut Module, name: &str, which: Which) -> ir::Result<()> {
    let Some((function, mut body)) = module.take_function(name) else { return Ok(()) };
    let attributes = module.body.op(function).attributes.clone();
    let mut outcome = Ok(());
    for _ in 0..ROUNDS {
        if outcome.is_err() || !body.walk_all().into_iter().any(|op| composition(&body, op, which).is_some()) {
            break;
        }
        outcome = match shape::analyse(&body, &attributes, &IndexMap::default()) {
            Ok(shapes) => {
                if which != Which::All {
                    warn(&mut module.attributes, &remarked(&attributes, &body, &shapes));
                }
                shapes.write_types(&mut body);
                let blocks = blocks_with_compositions(&body, &shapes, which);
                if blocks.is_empty() {
                    break;
                }
                keep_conditions(&mut module.attributes, &body, &shapes, which);
                let mut emit = Emitter::inside(body, shapes);
                blocks.into_iter().for_each(|block| decompose_block(&mut emit, block, which));
                body = emit.body;
                remove_dead(&mut body);
                if emit.errors.is_empty() { Ok(()) } else { Err(emit.errors) }
            }
            Err(errors) => Err(errors),
        };
    }
    module.body.set_isolated(function, body);
    module.update_function_type(function);
    outcome
}

/// Records the conditions of compositions on the extents of inputs, so that a run that breaks one hears of the operator,
/// and not of one in its composition. Those in branches do not hold in every run.
fn keep_conditions(attributes: &mut Attributes, body: &Body, shapes: &ShapeAnalysis, which: Which) {
    let Some(entry) = body.entry() else { return };
    let mut kept = attributes.get(CONDITIONS).and_then(Attribute::as_array).unwrap_or_default().to_vec();
    for op in body.ops(entry).filter(|&op| composition(body, op, which).is_some()) {
        let place = body.op(op).location.place();
        let operator = body.name(op).strip_prefix("onnx.").unwrap_or(body.name(op));
        for requirement in shapes.requirements(op) {
            if requirement.condition.dims().iter().all(|dim| shapes.only_inputs(dim)) {
                let (operator, requirement) = (operator.to_string(), requirement.clone());
                kept.push(Stated { place: place.clone(), operator, requirement }.to_attribute());
            }
        }
    }
    if !kept.is_empty() {
        attributes.set(CONDITIONS, Attribute::Array(kept.into()));
    }
}

fn composition(body: &Body, op: Op, which: Which) -> Option<Compose> {
    let row = table::row_of(body.name(op))?;
    let is_picked = which == Which::All || row.is_foreign() || !row.names.is_empty();
    row.compose.filter(|_| is_picked && (which == Which::ForeignLowered || !row.lowers(body, op)))
}

/// The blocks to rebuild, without branches that are never taken, about which too little is known.
fn blocks_with_compositions(body: &Body, shapes: &ShapeAnalysis, which: Which) -> Vec<Block> {
    let composed = body.walk_all().into_iter().filter(|&op| composition(body, op, which).is_some());
    let mut blocks: Vec<Block> = composed.filter_map(|op| body.op(op).parent()).collect();
    blocks.sort();
    blocks.dedup();
    blocks.retain(|&block| !is_never_run(body, shapes, block));
    blocks
}

/// Whether a block is, or is inside, a branch that a known condition or the known shapes exclude.
fn is_never_run(body: &Body, shapes: &ShapeAnalysis, mut block: Block) -> bool {
    while let Some(region) = body.block_region(block)
        && let Some(op) = body.region_parent(region)
        && let Some(outer) = body.op(op).parent()
    {
        if shapes.impossible_branch(op).is_some_and(|branch| body.op(op).regions().get(branch.region) == Some(&region))
        {
            return true;
        }
        if OnnxOp::of(body, op) == Some(OnnxOp::If)
            && let Some(&[DimExpr::Constant(condition)]) = shapes.known_value(views::If::of(body, op).cond)
            && body.op(op).regions().get(usize::from(condition == 0)) != Some(&region)
        {
            return true;
        }
        block = outer;
    }
    false
}

/// Rebuilds the block, with each composition before the operation that it replaces.
fn decompose_block(emit: &mut Emitter, block: Block, which: Which) {
    let mut composed: Vec<Op> =
        emit.body.ops(block).filter(|&op| composition(&emit.body, op, which).is_some()).collect();
    // the operations after each composition, the last piece first
    let pieces: Vec<Block> = composed
        .iter()
        .rev()
        .map(|&op| {
            let piece = emit.body.create_block(&[]);
            emit.body.move_ops_after(block, Some(op), piece);
            piece
        })
        .collect();
    emit.block = block;
    let mut pieces = pieces.into_iter().rev();
    composed.retain(|&op| {
        let is_replaced = compose(emit, op, which);
        emit.body.move_ops_after(pieces.next().expect("a composition has a piece"), None, block);
        is_replaced
    });
    emit.body.erase_all(&composed);
}

/// Builds the composition of an operation and replaces its results; returns whether this was possible.
fn compose(emit: &mut Emitter, op: Op, which: Which) -> bool {
    let Some(compose) = composition(&emit.body, op, which) else { return false };
    emit.location = emit.body.op(op).location.clone();
    match compose(emit, op) {
        Ok(values) => {
            let results = emit.body.op(op).results().to_vec();
            for (index, result) in results.into_iter().enumerate() {
                let value: Value = values.get(index).copied().flatten().unwrap_or(emit.none);
                emit.body.replace_all_uses(result, value);
            }
            true
        }
        Err(problem) => {
            let message = format!("{} {}", emit.body.name(op), problem.message);
            emit.errors.push(Diagnostic::error(problem.class, emit.location.clone(), message));
            false
        }
    }
}

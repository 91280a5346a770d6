//! Operators that are compositions of others become what they are composed of.
//!
//! Compositions stay whole on the graph level, where rewrites see them. This pass runs behind the rewrites, for those
//! that have no lowering of their own. Each is what its definition in the standard says, in terms of operators in their
//! newest form; where a rank decides, it has to be known.

use ir::{Block, Body, Diagnostic, IndexMap, Module, Op, Value};

use crate::graph::{Emitter, remove_dead};
use crate::operator::{Compose, Operator};
use crate::{shape, table};

/// Compositions of compositions end after so many rounds.
const ROUNDS: usize = 8;

/// What an operator is composed of, as far as this pass asks.
type Choice = fn(&Operator) -> Option<Compose>;

/// Decomposes the operations of function `name`.
pub fn decompose(module: &mut Module, name: &str) -> ir::Result<()> {
    compose_all(module, name, |row| row.compose)
}

/// Builds what has to be built before any rewrite, in function `name`.
pub fn expand(module: &mut Module, name: &str) -> ir::Result<()> {
    compose_all(module, name, |row| row.expand)
}

fn compose_all(module: &mut Module, name: &str, choice: Choice) -> ir::Result<()> {
    let Some(function) = module.symbol(name) else { return Ok(()) };
    let attributes = module.body.op(function).attributes.clone();
    let mut body = module.body.take_isolated(function).expect("a function owns its body");
    let mut outcome = Ok(());
    for _ in 0..ROUNDS {
        if outcome.is_err() || !body.walk_all().into_iter().any(|op| composition(&body, op, choice).is_some()) {
            break;
        }
        outcome = match shape::analyse(&body, &attributes, &IndexMap::default()) {
            Ok(shapes) => {
                shapes.write_types(&mut body);
                let mut emit = Emitter::inside(body, shapes);
                let blocks = blocks_with_compositions(&emit.body, choice);
                blocks.into_iter().for_each(|block| decompose_block(&mut emit, block, choice));
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

fn composition(body: &Body, op: Op, choice: Choice) -> Option<Compose> {
    table::row_of(body.name(op)).and_then(choice)
}

fn blocks_with_compositions(body: &Body, choice: Choice) -> Vec<Block> {
    let composed = body.walk_all().into_iter().filter(|&op| composition(body, op, choice).is_some());
    let mut blocks: Vec<Block> = composed.filter_map(|op| body.op(op).parent()).collect();
    blocks.sort();
    blocks.dedup();
    blocks
}

/// Builds the block anew, each composition in front of the operation it stands for.
fn decompose_block(emit: &mut Emitter, block: Block, choice: Choice) {
    let places: Vec<usize> = (0..emit.body.ops(block).len())
        .filter(|&place| composition(&emit.body, emit.body.ops(block)[place], choice).is_some())
        .collect();
    // what stands behind each composition, the last piece first
    let pieces: Vec<Block> = places
        .iter()
        .rev()
        .map(|&place| {
            let piece = emit.body.create_block(&[]);
            emit.body.move_ops(block, place + 1, piece);
            piece
        })
        .collect();
    let mut composed = Vec::new();
    emit.block = block;
    for piece in pieces.into_iter().rev() {
        let op = *emit.body.ops(block).last().expect("a composition stands in front of its piece");
        if compose(emit, op, choice) {
            composed.push(op);
        }
        emit.body.move_ops(piece, 0, block);
    }
    emit.body.erase_all(&composed);
}

/// Builds what an operation is composed of and lets its readers read that; whether this could be done.
fn compose(emit: &mut Emitter, op: Op, choice: Choice) -> bool {
    let Some(compose) = composition(&emit.body, op, choice) else { return false };
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

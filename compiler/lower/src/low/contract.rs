//! `rt.contract` and `rt.depthwise` to calls of the runtime's micro-kernels, with their descriptors on the stack.

use ir::{Attribute, Body, Builder, Module, Op, Result, Value};

use super::scope::{definitions, stack_table, with_body};

/// Operands in front of the descriptor's words: the addresses of A, B, the start values and C, rows and columns.
pub(super) const PLAIN_OPERANDS: usize = 6;

/// The micro-kernel behind an operation on a tile.
fn micro_kernel(name: &str) -> Option<&'static str> {
    match name {
        "rt.contract" => Some("rt_contract_f32"),
        "rt.depthwise" => Some("rt_depthwise_f32"),
        _ => None,
    }
}

/// Calls a micro-kernel for every tile.
pub(super) fn call_contractions(module: &mut Module) -> Result<()> {
    for op in definitions(module) {
        with_body(module, op, |_, body| {
            let tiles: Vec<Op> =
                body.walk_all().into_iter().filter(|&op| micro_kernel(body.name(op)).is_some()).collect();
            tiles.into_iter().for_each(|tile| call_tile(body, tile));
        });
    }
    Ok(())
}

fn call_tile(body: &mut Body, op: Op) {
    let callee = micro_kernel(body.name(op)).expect("the caller found a tile");
    let operands = body.op(op).operands().to_vec();
    let (plain, words) = operands.split_at(PLAIN_OPERANDS);
    let table = descriptor(body, op, words);
    let mut builder = Builder::before(body, op);
    let arguments: Vec<Value> = std::iter::once(table).chain(plain.iter().copied()).collect();
    builder.create("func.call", &arguments, &[], [("callee", Attribute::symbol(callee))]);
    body.erase(op);
}

/// A table of words: written in front of the outermost loop that none of the words changes in.
fn descriptor(body: &mut Body, op: Op, words: &[Value]) -> Value {
    let mut place = op;
    let mut loops = std::iter::successors(body.parent_op(op), |&around| body.parent_op(around));
    while let Some(around) = loops.next().filter(|&around| words.iter().all(|&word| is_outside(body, word, around))) {
        place = around;
    }
    let home = body.op(place).parent().expect("the tile is attached");
    // stack memory belongs to the function that uses it, so to the loop body if that becomes a function
    let top = enclosing_parallel_block(body, place).unwrap_or(home);
    let table = stack_table(&mut Builder::at_start(body, top), words.len());
    let mut builder = Builder::before(body, place);
    for (at, &word) in words.iter().enumerate() {
        let at = builder.constant_index(at as i64);
        let word = builder.value("arith.index_cast", &[word], ir::Type::I64, []);
        builder.create("memref.store", &[word, table, at], &[], []);
    }
    table
}

/// Whether a value is not made within an operation's regions.
fn is_outside(body: &Body, value: Value, around: Op) -> bool {
    let block = match body.definition(value) {
        ir::ValueDefinition::Result { op, .. } => body.op(op).parent(),
        ir::ValueDefinition::Argument { block, .. } => Some(block),
    };
    let parent = |block: ir::Block| body.block_region(block).and_then(|region| body.region_parent(region));
    let around_value = block.and_then(parent);
    !std::iter::successors(around_value, |&op| body.parent_op(op)).any(|op| op == around)
}

/// The block of the innermost parallel loop around an operation.
fn enclosing_parallel_block(body: &Body, op: Op) -> Option<ir::Block> {
    let mut at = op;
    loop {
        let parent = body.parent_op(at)?;
        if body.name(parent) == "scf.parallel" {
            return body.op(at).parent();
        }
        at = parent;
    }
}

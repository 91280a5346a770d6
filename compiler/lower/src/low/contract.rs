//! `rt.contract` and `rt.depthwise` to calls of the runtime's micro-kernels, with their descriptors on the stack.

use ir::{Attribute, Body, Builder, Module, Op, Result, Value};

use super::scope::{definitions, stack_table, with_body};

/// Operands in front of the descriptor's words: the addresses of A, B, the start values and C, rows and columns.
const PLAIN_OPERANDS: usize = 6;

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
    let home = body.op(op).parent().expect("the tile is attached");
    // stack memory belongs to the function that uses it, so to the loop body if that becomes a function
    let top = enclosing_parallel_block(body, op).unwrap_or(home);
    let table = stack_table(&mut Builder::at_start(body, top), words.len());
    let mut builder = Builder::before(body, op);
    for (at, &word) in words.iter().enumerate() {
        let at = builder.constant_index(at as i64);
        let word = builder.value("arith.index_cast", &[word], ir::Type::I64, []);
        builder.create("memref.store", &[word, table, at], &[], []);
    }
    let arguments: Vec<Value> = std::iter::once(table).chain(plain.iter().copied()).collect();
    builder.create("func.call", &arguments, &[], [("callee", Attribute::symbol(callee))]);
    body.erase(op);
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

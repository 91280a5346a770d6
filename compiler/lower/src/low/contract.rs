//! `rt.contract` and `rt.depthwise` become calls of the runtime's micro-kernels, with descriptors on the stack.

use dialects::func;
use dialects::rt::tile::{Kind, Tile, Walk};
use dialects::rt::words::pack;
use ir::{Attribute, Body, Builder, Module, Op, Result, Value};

use super::scope::{definitions, enclosing_parallel_block, stack_table, with_body};

/// The micro-kernel for a tile.
fn micro_kernel(tile: &Tile) -> &'static str {
    match tile.walk {
        Walk::Product { kind: Kind::F32, .. } => "rt_contract_f32",
        Walk::Product { kind: Kind::F32Transposed, .. } => "rt_contract_f32_transposed",
        Walk::Product { kind: Kind::F32F16, .. } => "rt_contract_f32_f16",
        Walk::Product { kind: Kind::F32BF16, .. } => "rt_contract_f32_bf16",
        Walk::Product { kind: Kind::F64, .. } => "rt_contract_f64",
        Walk::Product { kind: Kind::U8I8, .. } => "rt_contract_u8_i8",
        Walk::Blocks(_) => "rt_contract_blocks",
        Walk::Depthwise(_) => "rt_depthwise_f32",
        Walk::Winograd(_) => "rt_winograd_f32",
    }
}

/// Calls a micro-kernel for every tile.
pub(super) fn call_contractions(module: &mut Module) -> Result<()> {
    for op in definitions(module) {
        with_body(module, op, |_, body| {
            for op in body.walk_all() {
                if let Some(tile) = Tile::of(body, op) {
                    call_tile(body, op, &tile);
                }
            }
        });
    }
    Ok(())
}

fn call_tile(body: &mut Body, op: Op, tile: &Tile) {
    let table = descriptor(body, op, tile);
    let mut builder = Builder::before(body, op);
    let arguments = [table, tile.left, tile.right, tile.from, tile.out, tile.rows, tile.columns];
    builder.create(func::CALL, &arguments, &[], [("callee", Attribute::symbol(micro_kernel(tile)))]);
    body.erase(op);
}

/// An [`abi::Descriptor`], written before the outermost loop in which it is invariant.
fn descriptor(body: &mut Body, op: Op, tile: &Tile) -> Value {
    let words = tile.walk.words();
    let mut place = op;
    let mut loops = std::iter::successors(body.parent_op(op), |&around| body.parent_op(around));
    while let Some(around) = loops.next().filter(|&around| words.iter().all(|&word| is_outside(body, word, around))) {
        place = around;
    }
    let home = body.op(place).parent().expect("the tile is attached");
    // stack memory belongs to the function that uses it, so to the loop body if that becomes a function
    let top = enclosing_parallel_block(body, place).unwrap_or(home);
    let table = stack_table(&mut Builder::at_start(body, top), words.len() + 2);
    let mut builder = Builder::before(body, place);
    let right_padded = matches!(tile.walk, Walk::Product { right_padded: true, .. });
    let fixed = [tile.start as i64, i64::from(right_padded)].map(|number| builder.constant_index(number));
    let words: Vec<(i64, Value)> = (0..).zip(words.into_iter().chain(fixed)).collect();
    pack(&mut builder, table, &words);
    table
}

/// Whether a value is not defined within an operation's regions.
fn is_outside(body: &Body, value: Value, around: Op) -> bool {
    let block = match body.definition(value) {
        ir::ValueDefinition::Result { op, .. } => body.op(op).parent(),
        ir::ValueDefinition::Argument { block, .. } => Some(block),
    };
    let parent = |block: ir::Block| body.block_region(block).and_then(|region| body.region_parent(region));
    let around_value = block.and_then(parent);
    !std::iter::successors(around_value, |&op| body.parent_op(op)).any(|op| op == around)
}

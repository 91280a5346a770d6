//! Cache blocking over K: all rows of a tile are multiplied by a K block of a panel before the next one is read, so
//! that the block comes from the L2 cache for all rows but the first.
//!
//! The runtime's micro-kernels do the same themselves (`runtime/src/kernels/converted_operands.rs`).

use abi::Product;
use ir::Value;

use super::emit::Emitter;
use super::loops::delinearize;
use super::products::ContractionKernel;
use dialects::rt::tile::{Kind, Tile, Walk};

/// The maximum number of steps of a K block: with a panel of four vectors of columns they fill a quarter of the L2
/// cache.
const STEPS: i64 = 1024;
/// Up to this many rows are multiplied together anyway.
const FEW_ROWS: i64 = 8;

/// The K blocks of reduction loops with static extents.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    extents: [i64; 4],
    /// Steps of each loop in a block.
    by: [i64; 4],
}

impl Parts {
    /// As many complete loops as fit, if there are at least two blocks.
    pub(super) fn of(emitter: &Emitter<'_>, kernel: &ContractionKernel<'_>, walk: &Walk) -> Option<Parts> {
        let Walk::Product { kind: Kind::F32 | Kind::F64, walk, .. } = walk else { return None };
        // the runtime's micro-kernels block themselves
        if !emitter.target.flexible_vectors {
            return None;
        }
        let [e0, e1, e2, e3] = walk.reduction.map(|extent| emitter.constant_value(extent));
        let extents = [e0?, e1?, e2?, e3?];
        let rows = kernel.roles.known_rows(emitter.source, kernel.generic);
        let is_deep = extents.iter().product::<i64>() >= 2 * STEPS && rows.is_none_or(|rows| rows > FEW_ROWS);
        let is_ragged = emitter.constant_value(walk.last_block) != Some(extents[3]);
        if !is_deep || (is_ragged && extents[3] > STEPS) {
            return None;
        }
        Some(Parts { extents, by: abi::steps_of_part(extents, STEPS) })
    }

    /// Adds the products of all K blocks to the sums of a tile.
    pub(super) fn emit(self, emitter: &mut Emitter<'_>, tile: &Tile) {
        let Walk::Product { kind, right_padded, walk } = tile.walk else { unreachable!("only products are cut") };
        let [element, ..] = kind.elements();
        let bytes = element.byte_width().expect("these elements are numbers") as i64;
        let counts: Vec<Value> =
            self.extents.iter().zip(self.by).map(|(e, by)| emitter.index((e + by - 1) / by)).collect();
        let total = emitter.product(&counts);
        let zero = emitter.index(0);
        emitter.for_loop(zero, total, 1, &[], |emitter, part, _| {
            let at = delinearize(emitter, part, &counts);
            let first: Vec<Value> = at.into_iter().zip(self.by).map(|(at, by)| scaled(emitter, at, by)).collect();
            let reduction = std::array::from_fn(|axis| {
                let (whole, by) = (walk.reduction[axis], emitter.index(self.by[axis]));
                if self.extents[axis] % self.by[axis] == 0 {
                    return by;
                }
                let left_over = emitter.sub(whole, first[axis]);
                emitter.min(left_over, by)
            });
            let moved = |emitter: &mut Emitter<'_>, address: Value, strides: &[Value; 4]| {
                first.iter().zip(strides).fold(address, |address, (&first, &stride)| {
                    let elements = emitter.mul(first, stride);
                    let step = scaled(emitter, elements, bytes);
                    emitter.add(address, step)
                })
            };
            let left = moved(emitter, tile.left, &walk.left);
            let right = moved(emitter, tile.right, &walk.right);
            let last_block = last_block(emitter, &walk, (first[0], reduction));
            let walk = Walk::Product { kind, right_padded, walk: Product { reduction, last_block, ..walk } };
            let tile = Tile { left, right, walk, ..*tile };
            emitter.effect(tile.code(), &tile.operands(), &[], tile.attributes());
            vec![]
        });
    }
}

fn scaled(emitter: &mut Emitter<'_>, value: Value, factor: i64) -> Value {
    let factor = emitter.index(factor);
    emitter.mul(value, factor)
}

/// The steps of the innermost loop in the last step of the outermost one of a block: fewer in the last block, if the
/// loops are ragged.
fn last_block(emitter: &mut Emitter<'_>, walk: &Product<Value>, (first, reduction): (Value, [Value; 4])) -> Value {
    if emitter.constant_value(walk.last_block) == emitter.constant_value(walk.reduction[3]) {
        return reduction[3];
    }
    // the steps of all iterations of the outermost loop, minus those before the block's last
    let (one, depth) = (emitter.index(1), walk.reduction[3]);
    let before = emitter.sub(walk.reduction[0], one);
    let all = emitter.mul(before, depth);
    let all = emitter.add(all, walk.last_block);
    let end = emitter.add(first, reduction[0]);
    let last = emitter.sub(end, one);
    let gone = emitter.mul(last, depth);
    let left_over = emitter.sub(all, gone);
    emitter.min(left_over, depth)
}

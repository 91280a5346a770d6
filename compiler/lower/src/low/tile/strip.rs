//! The tiles of one height of a block of columns, one below the other.

use abi::{Depthwise, Product, Start};
use dialects::linalg::GROUP;
use ir::Value;

use super::VectorRegisters;
use super::code::Code;
use super::cover::each;
use super::registers::{Rows, Tile, Vectors};

/// Such tiles. `V` is [`Value`], or what is known of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strip<V> {
    pub(super) sum: Sum<V>,
    pub(super) walk: Rows<V>,
    /// The addresses of the left and the right operand, the start values and the result.
    pub(super) buffers: [V; 4],
    /// The first row, and the one after the last.
    pub(super) rows: (V, V),
    /// Rows of a tile.
    pub(super) height: i64,
    pub(super) columns: Columns<V>,
}

/// A block of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns<V> {
    pub(super) first: V,
    pub(super) vectors: i64,
    /// The number of columns in the last vector, or more; all lanes if absent.
    pub(super) rest: Option<V>,
}

impl<V: Copy> Strip<V> {
    /// The same with other values, in the same order each time.
    pub(super) fn map<W>(&self, change: &mut impl FnMut(V) -> W) -> Strip<W> {
        let Strip { height, columns: Columns { vectors, .. }, .. } = *self;
        Strip {
            sum: self.sum.map(change),
            walk: self.walk.map(change),
            buffers: self.buffers.map(&mut *change),
            rows: (change(self.rows.0), change(self.rows.1)),
            height,
            columns: Columns { first: change(self.columns.first), vectors, rest: self.columns.rest.map(change) },
        }
    }
}

impl Strip<Value> {
    /// The loop over the tiles.
    pub(super) fn emit(&self, code: &mut Code<'_>, registers: VectorRegisters) {
        let [left, right, start, out] = self.buffers.map(|address| code.buffer(address));
        let mask = self.columns.rest.map(|rest| code.mask(rest));
        let vectors = Vectors { count: self.columns.vectors, mask };
        let tile = Tile { sum: &self.sum, left, right, start, out, registers };
        each(code, self.rows, self.height, |code, row| {
            tile.emit(code, &self.walk, (row, self.height), (self.columns.first, &vectors));
        });
    }
}

/// The loops of a contraction over its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sum<V> {
    /// Extents of the reduction loops, outermost first.
    pub(super) reduction: [V; 4],
    /// Strides of each reduction loop in the operands.
    pub(super) left: [V; 4],
    pub(super) right: [V; 4],
    pub(super) start: Start,
    /// Whether the right operand may be read up to the next full group of columns.
    pub(super) right_padded: bool,
    /// The innermost extent in the last step of the outermost reduction loop.
    pub(super) last_block: V,
    /// Stride between groups of columns.
    pub(super) right_group: V,
    pub(super) out_group: V,
    /// Whether the left operand varies along the columns too, instead of being broadcast.
    pub(super) depthwise: bool,
}

impl<V: Copy> Sum<V> {
    fn map<W>(&self, change: &mut impl FnMut(V) -> W) -> Sum<W> {
        let Sum { start, right_padded, depthwise, .. } = *self;
        Sum {
            reduction: self.reduction.map(&mut *change),
            left: self.left.map(&mut *change),
            right: self.right.map(&mut *change),
            start,
            right_padded,
            last_block: change(self.last_block),
            right_group: change(self.right_group),
            out_group: change(self.out_group),
            depthwise,
        }
    }
}

impl Sum<Value> {
    pub(super) fn product(start: Start, right_padded: bool, walk: &Product<Value>) -> Sum<Value> {
        Sum {
            reduction: walk.reduction,
            left: walk.left,
            right: walk.right,
            start,
            right_padded,
            last_block: walk.last_block,
            right_group: walk.right_group,
            out_group: walk.out_group,
            depthwise: false,
        }
    }

    /// The kernel's loops are the outermost and the innermost reduction loop.
    pub(super) fn depthwise(code: &mut Code<'_>, start: Start, walk: &Depthwise<Value>) -> Sum<Value> {
        let (zero, one, group) = (code.index(0), code.index(1), code.index(GROUP));
        let four = |[outer, inner]: [Value; 2], filler: Value| [outer, filler, filler, inner];
        Sum {
            reduction: four(walk.window, one),
            left: four(walk.left, zero),
            right: four(walk.right, zero),
            start,
            right_padded: false,
            last_block: walk.window[1],
            right_group: group,
            out_group: group,
            depthwise: true,
        }
    }
}

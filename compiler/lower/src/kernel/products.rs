//! The tiles of a contraction: addresses, strides, and the calls of micro-kernels.

use abi::Start;
use dialects::{OpCodes, arith, rt};
use ir::{Body, Type, Value};

use super::emit::Emitter;
use super::k_blocks::Parts;
use super::walk::{at_columns, walk_of};
use crate::contraction::{Columns, Contraction, Shape};
use dialects::linalg::GROUP;
use dialects::linalg::generic::Generic;
use dialects::rt::tile::{Kind, Tile, Walk};

/// Columns of one tile: four vectors.
pub(super) const PANEL: i64 = 4 * GROUP;
/// Columns of one tile for which rows are converted again per tile.
const WIDE_PANEL: i64 = 32 * GROUP;
/// The target number of rows of a tile: with a full panel its results fill half of the L1 cache.
pub(super) const TILE_ROWS: i64 = 64;
/// The maximum number of consecutive inner rows, and of all rows, of one tile.
const INNER_ROWS: i64 = 128;
/// Rows of a tile with the most columns.
const FEW_ROWS: i64 = 16;

/// A kernel of one contraction.
pub(super) struct ContractionKernel<'g> {
    /// The contraction's generic operation.
    pub(super) generic: &'g Generic,
    /// Its loops by role.
    pub(super) roles: &'g Contraction,
    /// The kernel's result: the contraction itself or an elementwise function of it.
    pub(super) result: Value,
    /// For each dimension of the contraction's result the dimension of `result` that it becomes.
    pub(super) permutation: &'g [usize],
    /// Added to the subscripts of `result` to give those in its buffer; empty for none.
    pub(super) offsets: &'g [Value],
}

/// The common data of all tiles of a contraction.
pub(super) struct Tiles<'k> {
    pub(super) kernel: &'k ContractionKernel<'k>,
    /// Extents of the contraction's loops.
    pub(super) extents: Vec<Value>,
    /// Extents of the row loops, the outer one first; 1 if there is none.
    pub(super) rows: [Value; 2],
    pub(super) columns: Value,
    column_groups: bool,
    pub(super) most: TileExtents,
    pub(super) strides: Strides,
    pub(super) walk: Walk,
    /// The K blocks of a deep reduction, if sums start from values.
    pub(super) parts: Option<Parts>,
}

impl<'k> Tiles<'k> {
    /// The tiles of a contraction with the given strides of operands.
    pub(super) fn of(emitter: &mut Emitter<'_>, kernel: &'k ContractionKernel<'k>, strides: Strides) -> Tiles<'k> {
        let ContractionKernel { generic, roles, .. } = *kernel;
        let extents: Vec<Value> = (0..generic.rank()).map(|dim| emitter.loop_extent(generic, dim)).collect();
        let (columns, column_groups) = column_count(emitter, roles, &extents);
        let rows = [1, 0].map(|index| roles.rows.get(index).map_or_else(|| emitter.index(1), |&dim| extents[dim]));
        let walk = walk_of(emitter, kernel, &extents, &strides, rows[1]);
        let parts = Parts::of(emitter, kernel, &walk);
        Tiles { kernel, extents, rows, columns, column_groups, most: TileExtents::of(roles), strides, walk, parts }
    }

    /// The number of panels.
    pub(super) fn panels(&self, emitter: &mut Emitter<'_>) -> Value {
        let panel = emitter.index(self.most.columns);
        ceil_div(emitter, self.columns, panel)
    }

    /// The tile of some rows and a panel.
    pub(super) fn place<'t>(&self, emitter: &mut Emitter<'_>, rows: &Rows<'t>, panel: Value) -> Place<'t> {
        let width = emitter.index(self.most.columns);
        let column = emitter.mul(panel, width);
        let remaining = emitter.sub(self.columns, column);
        let tile_columns = emitter.min(remaining, width);
        Place { column_groups: self.column_groups, rows: *rows, column, tile_columns }
    }

    /// The offset of a tile, for these strides of loops, and `group` between groups of columns.
    fn moved(&self, emitter: &mut Emitter<'_>, place: &Place<'_>, strides: &[Value], group: Value) -> Value {
        let (roles, rows) = (self.kernel.roles, &place.rows);
        let of_rows = roles.rows.iter().copied().zip([rows.inner, rows.outer]);
        let of_batch = roles.batch.iter().copied().zip(rows.batch.iter().copied());
        let mut sum = emitter.index(0);
        for (dim, at) in of_rows.chain(of_batch) {
            let step = emitter.mul(at, strides[dim]);
            sum = emitter.add(sum, step);
        }
        let width = emitter.index(GROUP);
        let groups = emitter.div(place.column, width);
        let step = emitter.mul(groups, group);
        emitter.add(sum, step)
    }

    /// The address of a tile in `out`, the buffer of the kernel's result.
    pub(super) fn address_in(&self, emitter: &mut Emitter<'_>, place: &Place<'_>, out: Value) -> Value {
        let first = out_origin(emitter, self.kernel, out);
        let offset = self.moved(emitter, place, &self.strides.out, self.strides.out_group);
        let offset = emitter.add(first, offset);
        address(emitter, out, offset)
    }

    /// Emits the call that computes the sums of a tile to an address.
    pub(super) fn call(&self, emitter: &mut Emitter<'_>, place: &Place<'_>, first: &First, out: Value) {
        let Tiles { kernel, ref strides, walk, .. } = *self;
        let ContractionKernel { generic, roles, .. } = *kernel;
        let rows = &place.rows;
        let zero = emitter.index(0);
        let operand = |emitter: &mut Emitter<'_>, input: usize, offset: [Value; 2]| {
            let buffer = emitter.buffer(generic.inputs[input]).expect("operands of contractions are in memory");
            let offset = emitter.add(offset[0], offset[1]);
            address(emitter, buffer, offset)
        };
        let moved = self.moved(emitter, place, &strides.left, zero);
        let left = operand(emitter, roles.left, [strides.left_offset, moved]);
        let moved = self.moved(emitter, place, &strides.right, strides.right_group);
        let right = operand(emitter, roles.right, [strides.right_offset, moved]);
        let (start, from) = match first {
            First::Columns(tensor, batch) => {
                let buffer = emitter.buffer(*tensor).expect("a start vector is a kernel argument");
                let strides = dense_strides(emitter, *tensor);
                let mut offset = place.column;
                for (dim, &stride) in batch.iter().zip(&strides) {
                    let position = roles.batch.iter().position(|d| d == dim).expect("a batch loop");
                    let step = emitter.mul(rows.batch[position], stride);
                    offset = emitter.add(offset, step);
                }
                (Start::Columns, address(emitter, buffer, offset))
            }
            First::Zero => (Start::Zero, out),
            First::Values => (Start::Values, out),
        };
        let count = emitter.mul(rows.outer_count, rows.inner_count);
        let width = emitter.index(GROUP);
        let group = emitter.div(place.column, width);
        let walk = at_columns(emitter, kernel, walk, group);
        let tile = Tile { left, right, from, out, rows: count, columns: place.tile_columns, start, walk };
        if let (Some(parts), First::Values) = (self.parts, first) {
            parts.emit(emitter, &tile);
        } else {
            emitter.effect(tile.code(), &tile.operands(), &[], tile.attributes());
        }
    }
}

/// The rows of a tile.
#[derive(Clone, Copy)]
pub(super) struct Rows<'t> {
    /// Indices of the batch loops.
    pub(super) batch: &'t [Value],
    /// The first indices of the row loops.
    pub(super) outer: Value,
    pub(super) inner: Value,
    /// The number of iterations of each.
    pub(super) outer_count: Value,
    pub(super) inner_count: Value,
}

/// The position and size of a tile.
pub(super) struct Place<'t> {
    pub(super) column_groups: bool,
    pub(super) rows: Rows<'t>,
    pub(super) column: Value,
    pub(super) tile_columns: Value,
}

/// The initial value of a tile's sums.
pub(crate) enum First {
    Zero,
    /// One value per column, read from a tensor indexed by these batch loops and then the columns.
    Columns(Value, Vec<usize>),
    /// Anything else: written to the tile first.
    Values,
}

/// The initial value of a contraction's sums.
pub(crate) fn start_of(source: &Body, generic: &Generic, roles: &Contraction) -> First {
    let Some(init) = Generic::defining(source, generic.inits[0]) else { return First::Values };
    let yielded = init.yields(source)[0];
    if let Some(op) = source.defining_op(yielded) {
        let attributes = &source.op(op).attributes;
        // sums that begin with -0 may be -0
        let zero = attributes.float("value").is_some_and(|value| value.to_bits() == 0)
            || attributes.integer("value") == Some(0);
        return if source.is(op, arith::CONSTANT) && zero { First::Zero } else { First::Values };
    }
    // a body that yields one input unchanged, indexed by the column loops alone
    let arguments = source.arguments(init.block);
    let Some(input) = arguments.iter().position(|&argument| argument == yielded) else { return First::Values };
    let Some(picks) = init.maps[input].as_projected_permutation() else { return First::Values };
    let out = generic.output_map(0).as_projected_permutation().unwrap_or_default();
    let loops: Vec<usize> = picks.iter().filter_map(|&position| out.get(position).copied()).collect();
    let expected = match roles.columns {
        Columns::Single { dim, .. } => vec![dim],
        Columns::Blocked { group, column } => vec![group, column],
    };
    let Some(batch) = loops.strip_suffix(&expected[..]) else { return First::Values };
    let plain = init.inputs.len() == 1 && init.output_map(0).is_identity();
    let by_batch = loops.len() == picks.len() && batch.iter().all(|dim| roles.batch.contains(dim));
    // uniform vectors and values that the kernel computes itself are not in a buffer
    let in_kernel = |op| Generic::of(source, op).is_some() || source.is(op, arith::CONSTANT);
    match plain && by_batch && !source.defining_op(init.inputs[input]).is_some_and(in_kernel) {
        true => First::Columns(init.inputs[input], batch.to_vec()),
        false => First::Values,
    }
}

/// Element strides of every loop in the three buffers.
pub(super) struct Strides {
    pub(super) left: Vec<Value>,
    left_offset: Value,
    pub(super) right: Vec<Value>,
    right_offset: Value,
    pub(super) right_group: Value,
    pub(super) out: Vec<Value>,
    pub(super) out_group: Value,
}

impl Strides {
    /// For a contraction that writes `out`.
    pub(super) fn of(emitter: &mut Emitter<'_>, kernel: &ContractionKernel<'_>, out: Value) -> Strides {
        let strides = buffer_strides(emitter, out);
        let result: Vec<Value> = kernel.permutation.iter().map(|&axis| strides[axis]).collect();
        Strides::with_result(emitter, kernel, &result)
    }

    /// For a contraction whose result's axes have these strides.
    pub(super) fn with_result(emitter: &mut Emitter<'_>, kernel: &ContractionKernel<'_>, result: &[Value]) -> Strides {
        let ContractionKernel { generic, roles, .. } = *kernel;
        let (left, left_offset) = operand_strides(emitter, generic, roles.left);
        let (mut right, right_offset) = operand_strides(emitter, generic, roles.right);
        if roles.kind == Kind::U8I8 {
            // columns are contiguous for QUAD steps of the innermost loop
            right[*roles.reduction.last().expect("a contraction reduces")] = emitter.index(GROUP);
        }
        let right_group = match roles.columns {
            Columns::Single { dim, packed: false } if roles.kind == Kind::F32Transposed => {
                let width = emitter.index(GROUP);
                emitter.mul(width, right[dim])
            }
            Columns::Single { packed: false, .. } => emitter.index(GROUP),
            Columns::Single { dim, packed: true } => {
                let buffer = dense_strides(emitter, generic.inputs[roles.right]);
                let group = ir::AffineExpr::Dim(dim as u32).floor_div(GROUP);
                let position = generic.maps[roles.right].results.iter().position(|e| *e == group);
                right[dim] = emitter.index(1);
                buffer[position.expect("packed columns have a group subscript")]
            }
            Columns::Blocked { group, .. } => right[group],
        };
        let mut out_strides = vec![emitter.index(0); generic.rank()];
        let picks = generic.output_map(0).as_projected_permutation().expect("recognised");
        for (dim, &stride) in picks.into_iter().zip(result) {
            out_strides[dim] = stride;
        }
        let out_group = match roles.columns {
            Columns::Single { .. } => emitter.index(GROUP),
            Columns::Blocked { group, .. } => out_strides[group],
        };
        Strides { left, left_offset, right, right_offset, right_group, out: out_strides, out_group }
    }
}

/// Strides of a dense tensor with the extents of a source tensor.
pub(super) fn dense_strides(emitter: &mut Emitter<'_>, tensor: Value) -> Vec<Value> {
    let rank = emitter.source.value_type(tensor).rank().expect("kernel tensors are ranked");
    let mut strides = vec![emitter.index(1); rank];
    for axis in (0..rank.saturating_sub(1)).rev() {
        let extent = emitter.extent(tensor, axis + 1);
        strides[axis] = emitter.mul(strides[axis + 1], extent);
    }
    strides
}

pub(super) fn buffer_strides(emitter: &mut Emitter<'_>, buffer: Value) -> Vec<Value> {
    let shape = emitter.body.value_type(buffer).shape().expect("buffers are ranked");
    let mut strides = vec![emitter.index(1); shape.len()];
    for axis in (0..shape.len().saturating_sub(1)).rev() {
        let extent = emitter.buffer_extent(buffer, axis + 1);
        strides[axis] = emitter.mul(strides[axis + 1], extent);
    }
    strides
}

/// The stride of each loop in an input's buffer, and the offset of the first element. Subscripts that are not linear
/// (the group and column of packed columns) are skipped.
pub(super) fn operand_strides(emitter: &mut Emitter<'_>, generic: &Generic, operand: usize) -> (Vec<Value>, Value) {
    let buffer = dense_strides(emitter, generic.inputs[operand]);
    let rank = generic.rank() as u32;
    let mut strides = vec![emitter.index(0); generic.rank()];
    let mut offset = emitter.index(0);
    for (expression, &stride) in generic.maps[operand].results.iter().zip(&buffer) {
        let Some((coefficients, constant)) = expression.as_linear(rank) else { continue };
        for (dim, coefficient) in coefficients.into_iter().enumerate() {
            if coefficient != 0 {
                let coefficient = emitter.index(coefficient);
                let step = emitter.mul(coefficient, stride);
                strides[dim] = emitter.add(strides[dim], step);
            }
        }
        let constant = emitter.index(constant);
        let shift = emitter.mul(constant, stride);
        offset = emitter.add(offset, shift);
    }
    (strides, offset)
}

fn column_count(emitter: &mut Emitter<'_>, roles: &Contraction, extents: &[Value]) -> (Value, bool) {
    match roles.columns {
        Columns::Single { dim, .. } => (extents[dim], false),
        Columns::Blocked { group, .. } => {
            let width = emitter.index(GROUP);
            (emitter.mul(extents[group], width), true)
        }
    }
}

/// The maximum number of rows and columns of a tile.
pub(super) struct TileExtents {
    /// The target number of rows.
    pub(super) rows: i64,
    pub(super) inner_rows: i64,
    pub(super) columns: i64,
}

impl TileExtents {
    /// Elements of one group of columns, if those of all rows are contiguous.
    pub(super) fn line(&self) -> i64 {
        self.inner_rows * GROUP
    }

    pub(super) fn of(roles: &Contraction) -> TileExtents {
        let (rows, inner_rows, columns) = match (roles.shape, roles.kind) {
            // each row is converted for all columns of the tile
            (Shape::Blocks { .. }, _) => (FEW_ROWS, FEW_ROWS, WIDE_PANEL),
            // the right operand is converted for all rows of the tile
            (Shape::Product, Kind::F32Transposed | Kind::F32F16 | Kind::F32BF16) => (INNER_ROWS, INNER_ROWS, PANEL),
            (Shape::Product | Shape::Depthwise, _) => (TILE_ROWS, INNER_ROWS, PANEL),
        };
        TileExtents { rows, inner_rows, columns }
    }
}

/// The address of an element: the buffer's plus `offset` elements.
pub(super) fn address(emitter: &mut Emitter<'_>, buffer: Value, offset: Value) -> Value {
    let base = emitter.pure(rt::ADDRESS, &[buffer], Type::Index, []);
    let width = emitter.body.value_type(buffer).element().byte_width().expect("elements of contractions are numbers");
    let width = emitter.index(width as i64);
    let bytes = emitter.mul(offset, width);
    emitter.add(base, bytes)
}

/// The offset of the result's first element in its buffer.
pub(super) fn out_origin(emitter: &mut Emitter<'_>, kernel: &ContractionKernel<'_>, out: Value) -> Value {
    let strides = buffer_strides(emitter, out);
    kernel.offsets.iter().zip(&strides).fold(emitter.index(0), |sum, (&offset, &stride)| {
        let step = emitter.mul(offset, stride);
        emitter.add(sum, step)
    })
}

/// The beginning of a block of a loop, and its number of iterations.
pub(super) fn share(emitter: &mut Emitter<'_>, block: Value, length: Value, extent: Value) -> (Value, Value) {
    let first = emitter.mul(block, length);
    let left_over = emitter.sub(extent, first);
    (first, emitter.min(left_over, length))
}

/// `max(1, rows / max(1, inner))`
pub(super) fn outer_rows(emitter: &mut Emitter<'_>, inner: Value, rows: Value) -> Value {
    let one = emitter.index(1);
    match (emitter.constant_value(inner), emitter.constant_value(rows)) {
        (Some(inner), Some(rows)) => emitter.index((rows / inner.max(1)).max(1)),
        _ => {
            let safe = emitter.pure(arith::MAXSI, &[inner, one], Type::Index, []);
            let count = emitter.div(rows, safe);
            emitter.pure(arith::MAXSI, &[count, one], Type::Index, [])
        }
    }
}

/// `ceil(a / max(b, 1))`
pub(super) fn ceil_div(emitter: &mut Emitter<'_>, a: Value, b: Value) -> Value {
    let one = emitter.index(1);
    let divisor = match emitter.constant_value(b) {
        Some(value) => emitter.index(value.max(1)),
        None => emitter.pure(arith::MAXSI, &[b, one], Type::Index, []),
    };
    let less = emitter.sub(divisor, one);
    let sum = emitter.add(a, less);
    emitter.div(sum, divisor)
}

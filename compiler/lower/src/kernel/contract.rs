//! The loop nest of a contraction kernel: tiles of rows and columns computed by a micro-kernel, then the elementwise
//! consumers of the contraction applied to the tile while it is in the first-level cache.

use abi::Start;
use ir::{Attribute, Body, Type, Value};

use super::emit::Emitter;
use super::lane::Lane;
use super::lines;
use super::loops::{delinearize, shift};
use super::walk::{at_columns, walk_of};
use crate::contraction::{Columns, Contraction, Shape};
use dialects::linalg::GROUP;
use dialects::linalg::generic::Generic;
use dialects::rt::tile::{Kind, Tile, Walk};

/// Columns of one tile: four vectors.
const PANEL: i64 = 4 * GROUP;
/// Columns of one tile whose rows are prepared anew for each.
const WIDE_PANEL: i64 = 32 * GROUP;
/// Rows a tile aims at: with a full panel its results fill half a first-level cache.
const TILE_ROWS: i64 = 64;
/// Consecutive inner rows, and all rows, at most in one tile.
const INNER_ROWS: i64 = 128;
/// Rows of a tile of the most columns.
const FEW_ROWS: i64 = 16;

/// A kernel around one contraction.
pub struct ContractionKernel<'g> {
    /// The contraction's generic operation.
    pub generic: &'g Generic,
    /// Its loops by role.
    pub roles: &'g Contraction,
    /// The kernel's result: the contraction itself or an elementwise function of it.
    pub result: Value,
    /// For each dimension of the contraction's result the dimension of `result` it becomes.
    pub permutation: &'g [usize],
    /// Added to the subscripts of `result` to give those in its buffer; empty for none.
    pub offsets: &'g [Value],
}

/// Emits a contraction kernel that writes `out`.
pub fn emit_contraction(emitter: &mut Emitter<'_>, kernel: &ContractionKernel<'_>, out: Value) {
    let ContractionKernel { generic, roles, result, permutation, .. } = *kernel;
    let source = emitter.source;
    let contraction = source.op(generic.op).results()[0];
    let extents: Vec<Value> = (0..generic.rank()).map(|dim| emitter.loop_extent(generic, dim)).collect();
    let strides = Strides::of(emitter, generic, out, permutation);
    let (columns, column_groups) = column_count(emitter, roles, &extents);
    let inner = roles.rows.first().map_or_else(|| emitter.index(1), |&dim| extents[dim]);
    let outer = roles.rows.get(1).map_or_else(|| emitter.index(1), |&dim| extents[dim]);
    let tile = TileExtents::of(roles);
    let limit = emitter.index(tile.inner_rows);
    let inner_tile = emitter.min(inner, limit);
    let inner_tiles = ceil_div(emitter, inner, inner_tile);
    let outer_tile = outer_rows(emitter, inner, tile.rows);
    let outer_tiles = ceil_div(emitter, outer, outer_tile);
    let panel = emitter.index(tile.columns);
    let panels = ceil_div(emitter, columns, panel);

    let first = start_of(source, generic, roles);
    let mut walk = walk_of(emitter, kernel, &extents, &strides, inner);
    let [.., sum] = roles.kind.elements();
    let is_direct = *emitter.body.value_type(out).element() == sum;
    let in_lines = (is_direct || !matches!(first, First::Values)) && lines::fit(emitter, kernel, out);
    if !is_direct {
        keep_apart(emitter, &mut walk, &tile, in_lines);
    }
    let batch: Vec<Value> = roles.batch.iter().map(|&dim| extents[dim]).collect();
    let counts: Vec<Value> = batch.iter().copied().chain([panels, outer_tiles, inner_tiles]).collect();
    let total = counts.iter().fold(emitter.index(1), |product, &count| emitter.mul(product, count));
    let work = tile_work(emitter, roles, &extents);
    let trivial = result == contraction;
    emitter.parallel_loop(total, work, |emitter, linear| {
        let position = delinearize(emitter, linear, &counts);
        let (batch_indices, rest) = position.split_at(batch.len());
        let column = emitter.mul(rest[0], panel);
        let remaining = emitter.sub(columns, column);
        let tile_columns = emitter.min(remaining, panel);
        let row_outer = emitter.mul(rest[1], outer_tile);
        let left_over = emitter.sub(outer, row_outer);
        let outer_count = emitter.min(left_over, outer_tile);
        let row_inner = emitter.mul(rest[2], inner_tile);
        let left_over = emitter.sub(inner, row_inner);
        let inner_count = emitter.min(left_over, inner_tile);
        let origin = Origin { batch: batch_indices, column, row_outer, row_inner };
        let place = Place { column_groups, origin: &origin, outer_count, inner_count, tile_columns };
        let sums = match is_direct {
            true => Sums::Result,
            false => Sums::Apart(scratch(emitter, &tile, sum.clone())),
        };
        let sum_place = |emitter: &mut Emitter<'_>, point: &Point<'_>| match sums {
            Sums::Result => (out, shift_all(emitter, &point.subscripts, kernel.offsets)),
            Sums::Apart(buffer) => (buffer, vec![Lane::Uniform(point.row), point.column.clone()]),
        };
        if let First::Values = first {
            tile_points(emitter, kernel, &place, |emitter, point| {
                let map = generic.output_map(0).clone();
                let at: Vec<Lane> = map.results.iter().map(|e| emitter.affine(e, point.loops)).collect();
                let value = emitter.evaluate(generic.inits[0], &at);
                let (buffer, place) = sum_place(emitter, point);
                emitter.store(&value, buffer, &place);
            });
        }
        call(emitter, kernel, (&strides, &walk), &place, &first, (out, &sums));
        if !trivial && in_lines {
            lines::visit(emitter, kernel, &strides, &place, (out, &sums), |emitter, point, line, at| {
                let accumulated = emitter.load(line.sums, &[Lane::Iota(at)]);
                emitter.remember_point(generic, point.loops.to_vec(), vec![accumulated]);
                let value = emitter.evaluate(result, &point.subscripts);
                emitter.store(&value, line.out, &[Lane::Iota(at)]);
            });
        } else if !trivial {
            tile_points(emitter, kernel, &place, |emitter, point| {
                let (buffer, place) = sum_place(emitter, point);
                let accumulated = emitter.load(buffer, &place);
                emitter.remember_point(generic, point.loops.to_vec(), vec![accumulated]);
                let value = emitter.evaluate(result, &point.subscripts);
                let place = shift_all(emitter, &point.subscripts, kernel.offsets);
                emitter.store(&value, out, &place);
            });
        }
    });
}

/// Where the sums of a tile lie until the result is made of them.
pub(super) enum Sums {
    /// Where the result will be.
    Result,
    /// In a buffer of the tile's, because the result has other elements: row by row, or line by line.
    Apart(Value),
}

/// Room for the sums of one tile.
fn scratch(emitter: &mut Emitter<'_>, tile: &TileExtents, element: Type) -> Value {
    let r#type = Type::memref([Some(tile.inner_rows), Some(tile.columns)], element);
    let sizes = [("operandSegmentSizes", Attribute::i32_dense_array(&[0, 0]))];
    let op = emitter.effect("memref.alloca", &[], &[r#type], sizes);
    emitter.body.result(op, 0)
}

/// Lets the sums of a tile go to [`scratch`]: all columns of one row side by side, or all rows of one group of columns.
fn keep_apart(emitter: &mut Emitter<'_>, walk: &mut Walk, tile: &TileExtents, in_lines: bool) {
    let group = emitter.index(GROUP);
    let [row, out_group] = match in_lines {
        true => [group, emitter.index(tile.line())],
        false => [emitter.index(tile.columns), group],
    };
    match walk {
        Walk::Product { walk, .. } => {
            walk.out_rows = [row, emitter.mul(walk.row_inner, row)];
            walk.out_group = out_group;
        }
        Walk::Blocks(walk) => {
            walk.out_rows = [row, emitter.mul(walk.row_inner, row)];
            walk.out_group = out_group;
        }
        Walk::Depthwise(walk) => walk.out_pixel = row,
        Walk::Winograd(_) => unreachable!("these sums lie where the result will be"),
    }
}

/// Where a tile begins, in loop indices.
pub(super) struct Origin<'t> {
    pub(super) batch: &'t [Value],
    pub(super) column: Value,
    pub(super) row_outer: Value,
    pub(super) row_inner: Value,
}

/// Where a tile lies and how large it is.
pub(super) struct Place<'t> {
    column_groups: bool,
    pub(super) origin: &'t Origin<'t>,
    pub(super) outer_count: Value,
    pub(super) inner_count: Value,
    pub(super) tile_columns: Value,
}

/// What a tile's sums start from.
enum First {
    Zero,
    /// One value a column, read from a tensor indexed by these batch loops and then the columns.
    Columns(Value, Vec<usize>),
    /// Anything else: written to the tile first.
    Values,
}

fn start_of(source: &Body, generic: &Generic, roles: &Contraction) -> First {
    let Some(init) = Generic::defining(source, generic.inits[0]) else { return First::Values };
    let yielded = init.yields(source)[0];
    if let Some(op) = source.defining_op(yielded) {
        let attributes = &source.op(op).attributes;
        let zero = attributes.float("value") == Some(0.0) || attributes.integer("value") == Some(0);
        return if source.name(op) == "arith.constant" && zero { First::Zero } else { First::Values };
    }
    // a body that yields one input untouched, indexed by the column loops alone
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
    // a kernel holds vectors whose elements are all the same, and what it computes itself, in no buffer
    let in_kernel = |op| Generic::of(source, op).is_some() || source.name(op) == "arith.constant";
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
    fn of(emitter: &mut Emitter<'_>, generic: &Generic, out: Value, permutation: &[usize]) -> Strides {
        let roles = Contraction::of(emitter.source, generic).expect("the caller recognised a contraction");
        let (left, left_offset) = operand_strides(emitter, generic, roles.left);
        let (mut right, right_offset) = operand_strides(emitter, generic, roles.right);
        if roles.kind == Kind::U8I8 {
            // columns lie side by side for QUAD steps of the innermost loop
            right[*roles.reduction.last().expect("a contraction reduces")] = emitter.index(GROUP);
        }
        let right_group = match roles.columns {
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
        let result_strides = buffer_strides(emitter, out);
        let mut out_strides = vec![emitter.index(0); generic.rank()];
        let picks = generic.output_map(0).as_projected_permutation().expect("recognised");
        for (position, &dim) in picks.iter().enumerate() {
            out_strides[dim] = result_strides[permutation[position]];
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

/// How far each loop moves in an input's buffer, and the offset of the first element. Subscripts that are not linear
/// (the group and column of packed columns) are left out.
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

/// How many rows and columns a tile has at most.
pub(super) struct TileExtents {
    /// Rows it aims at.
    rows: i64,
    inner_rows: i64,
    columns: i64,
}

impl TileExtents {
    /// Elements of one group of columns, where those of all rows lie side by side.
    pub(super) fn line(&self) -> i64 {
        self.inner_rows * GROUP
    }

    pub(super) fn of(roles: &Contraction) -> TileExtents {
        let (rows, inner_rows, columns) = match (roles.shape, roles.kind) {
            // each row is prepared for all columns of the tile
            (Shape::Blocks { .. }, _) => (FEW_ROWS, FEW_ROWS, WIDE_PANEL),
            // the right operand is widened for all rows of the tile
            (Shape::Product, Kind::F32F16 | Kind::F32BF16) => (INNER_ROWS, INNER_ROWS, PANEL),
            (Shape::Product | Shape::Depthwise, _) => (TILE_ROWS, INNER_ROWS, PANEL),
        };
        TileExtents { rows, inner_rows, columns }
    }
}

/// `max(1, rows / inner)`
fn outer_rows(emitter: &mut Emitter<'_>, inner: Value, rows: i64) -> Value {
    let (all, one) = (emitter.index(rows), emitter.index(1));
    match emitter.constant_value(inner) {
        Some(inner) => emitter.index((rows / inner.max(1)).max(1)),
        None => {
            let safe = emitter.pure("arith.maxsi", &[inner, one], Type::Index, []);
            let count = emitter.div(all, safe);
            emitter.pure("arith.maxsi", &[count, one], Type::Index, [])
        }
    }
}

/// `ceil(a / max(b, 1))`
pub(super) fn ceil_div(emitter: &mut Emitter<'_>, a: Value, b: Value) -> Value {
    let one = emitter.index(1);
    let divisor = match emitter.constant_value(b) {
        Some(value) => emitter.index(value.max(1)),
        None => emitter.pure("arith.maxsi", &[b, one], Type::Index, []),
    };
    let less = emitter.sub(divisor, one);
    let sum = emitter.add(a, less);
    emitter.div(sum, divisor)
}

/// Subscripts in the result's buffer.
fn shift_all(emitter: &mut Emitter<'_>, subscripts: &[Lane], offsets: &[Value]) -> Vec<Lane> {
    match offsets {
        [] => subscripts.to_vec(),
        offsets => subscripts.iter().zip(offsets).map(|(lane, &offset)| shift(emitter, lane, offset)).collect(),
    }
}

/// The subscripts of the kernel's result at a point of the contraction's loops.
pub(super) fn subscripts_of(kernel: &ContractionKernel<'_>, point: &[Option<Lane>]) -> Vec<Lane> {
    let picks = kernel.generic.output_map(0).as_projected_permutation().expect("recognised");
    let mut subscripts = vec![None; picks.len()];
    for (position, &dim) in picks.iter().enumerate() {
        subscripts[kernel.permutation[position]] = point[dim].clone();
    }
    subscripts.into_iter().map(|lane| lane.expect("every parallel loop is open")).collect()
}

/// Where the result's element at a point lies in its buffer.
pub(super) fn origin_offset(
    emitter: &mut Emitter<'_>,
    kernel: &ContractionKernel<'_>,
    strides: &Strides,
    out: Value,
    point: &[Option<Lane>],
) -> Value {
    let first = out_origin(emitter, kernel, out);
    point.iter().zip(&strides.out).fold(first, |sum, (lane, &stride)| {
        let Some(index) = lane.as_ref().and_then(Lane::uniform) else { return sum };
        let step = emitter.mul(index, stride);
        emitter.add(sum, step)
    })
}

/// Where the result's first element lies in its buffer.
fn out_origin(emitter: &mut Emitter<'_>, kernel: &ContractionKernel<'_>, out: Value) -> Value {
    let strides = buffer_strides(emitter, out);
    kernel.offsets.iter().zip(&strides).fold(emitter.index(0), |sum, (&offset, &stride)| {
        let step = emitter.mul(offset, stride);
        emitter.add(sum, step)
    })
}

/// The address of an element: the buffer's plus `offset` elements.
pub(super) fn address(emitter: &mut Emitter<'_>, buffer: Value, offset: Value) -> Value {
    let base = emitter.pure("rt.address", &[buffer], Type::Index, []);
    let width = emitter.body.value_type(buffer).element().byte_width().expect("elements of contractions are numbers");
    let width = emitter.index(width as i64);
    let bytes = emitter.mul(offset, width);
    emitter.add(base, bytes)
}

fn call(
    emitter: &mut Emitter<'_>,
    kernel: &ContractionKernel<'_>,
    (strides, walk): (&Strides, &Walk),
    place: &Place<'_>,
    first: &First,
    (out, sums): (Value, &Sums),
) {
    let ContractionKernel { generic, roles, .. } = *kernel;
    let origin = place.origin;
    let (zero, group_width) = (emitter.index(0), emitter.index(GROUP));
    let column_group = emitter.div(origin.column, group_width);
    let moved = |emitter: &mut Emitter<'_>, strides: &[Value], offset: Value, group: Value| {
        let mut sum = offset;
        let rows = [(0, origin.row_inner), (1, origin.row_outer)];
        let row_terms = rows.iter().filter_map(|&(index, at)| roles.rows.get(index).map(|&dim| (dim, at)));
        let batch_terms = roles.batch.iter().copied().zip(origin.batch.iter().copied());
        for (dim, at) in row_terms.chain(batch_terms).collect::<Vec<_>>() {
            let step = emitter.mul(at, strides[dim]);
            sum = emitter.add(sum, step);
        }
        let step = emitter.mul(column_group, group);
        emitter.add(sum, step)
    };
    let left_offset = moved(emitter, &strides.left, strides.left_offset, zero);
    let right_offset = moved(emitter, &strides.right, strides.right_offset, strides.right_group);
    let out_first = out_origin(emitter, kernel, out);
    let out_offset = moved(emitter, &strides.out, out_first, strides.out_group);
    let left_buffer = emitter.buffer(generic.inputs[roles.left]).expect("contraction operands are kernel arguments");
    let right_buffer = emitter.buffer(generic.inputs[roles.right]).expect("contraction operands are kernel arguments");
    let left = address(emitter, left_buffer, left_offset);
    let right = address(emitter, right_buffer, right_offset);
    let out = match *sums {
        Sums::Result => address(emitter, out, out_offset),
        Sums::Apart(buffer) => address(emitter, buffer, zero),
    };
    let (start, from) = match first {
        First::Columns(tensor, batch) => {
            let buffer = emitter.buffer(*tensor).expect("a start vector is a kernel argument");
            let strides = dense_strides(emitter, *tensor);
            let mut offset = origin.column;
            for (dim, &stride) in batch.iter().zip(&strides) {
                let position = roles.batch.iter().position(|d| d == dim).expect("a batch loop");
                let step = emitter.mul(origin.batch[position], stride);
                offset = emitter.add(offset, step);
            }
            (Start::Columns, address(emitter, buffer, offset))
        }
        First::Zero => (Start::Zero, out),
        First::Values => (Start::Values, out),
    };
    let rows = emitter.mul(place.outer_count, place.inner_count);
    let walk = at_columns(emitter, kernel, *walk, column_group);
    let tile = Tile { left, right, from, out, rows, columns: place.tile_columns, start, walk };
    emitter.effect(tile.name(), &tile.operands(), &[], tile.attributes());
}

/// A point of a tile: one element, or a vector of them along the columns.
pub(super) struct Point<'p> {
    /// The contraction's loop indices.
    pub(super) loops: &'p [Option<Lane>],
    /// The subscripts of the kernel's result.
    pub(super) subscripts: Vec<Lane>,
    /// The row within the tile.
    pub(super) row: Value,
    /// The column within the tile.
    pub(super) column: Lane,
}

/// Visits the points of a tile.
fn tile_points(
    emitter: &mut Emitter<'_>,
    kernel: &ContractionKernel<'_>,
    place: &Place<'_>,
    mut visit: impl FnMut(&mut Emitter<'_>, &Point<'_>),
) {
    let ContractionKernel { generic, roles, .. } = *kernel;
    let origin = place.origin;
    let zero = emitter.index(0);
    let mut point: Vec<Option<Lane>> = vec![None; generic.rank()];
    for (&dim, &index) in roles.batch.iter().zip(origin.batch) {
        point[dim] = Some(Lane::Uniform(index));
    }
    emitter.for_loop(zero, place.outer_count, 1, &[], |emitter, outer, _| {
        emitter.for_loop(zero, place.inner_count, 1, &[], |emitter, inner, _| {
            for (index, (base, step)) in [(origin.row_inner, inner), (origin.row_outer, outer)].into_iter().enumerate()
            {
                if let Some(&dim) = roles.rows.get(index) {
                    point[dim] = Some(Lane::Uniform(emitter.add(base, step)));
                }
            }
            let line = emitter.mul(outer, place.inner_count);
            let row = emitter.add(line, inner);
            tile_columns(emitter, roles, place, &mut |emitter, open, column| {
                let mut loops = point.clone();
                for (dim, lane) in open {
                    loops[*dim] = Some(lane.clone());
                }
                let subscripts = subscripts_of(kernel, &loops);
                visit(emitter, &Point { loops: &loops, subscripts, row, column });
            });
            vec![]
        });
        vec![]
    });
}

/// What is done at some columns: it gets the column loops with their indices, and the column within the tile.
type ColumnVisitor<'v> = dyn FnMut(&mut Emitter<'_>, &[(usize, Lane)], Lane) + 'v;

/// Visits the columns of a tile: whole vectors, then single columns.
fn tile_columns(emitter: &mut Emitter<'_>, roles: &Contraction, place: &Place<'_>, visit: &mut ColumnVisitor<'_>) {
    let lanes = emitter.lanes as i64;
    let zero = emitter.index(0);
    let first = place.origin.column;
    match roles.columns {
        Columns::Single { dim, .. } => {
            let width = emitter.index(lanes);
            let tail = emitter.rem(place.tile_columns, width);
            let main = emitter.sub(place.tile_columns, tail);
            emitter.for_loop(zero, main, lanes, &[], |emitter, at, _| {
                let column = emitter.add(first, at);
                visit(emitter, &[(dim, Lane::Iota(column))], Lane::Iota(at));
                vec![]
            });
            if emitter.constant_value(tail) != Some(0) {
                emitter.for_loop(main, place.tile_columns, 1, &[], |emitter, at, _| {
                    let column = emitter.add(first, at);
                    visit(emitter, &[(dim, Lane::Uniform(column))], Lane::Uniform(at));
                    vec![]
                });
            }
        }
        Columns::Blocked { group, column } => {
            debug_assert!(place.column_groups);
            let width = emitter.index(GROUP);
            let low = emitter.div(first, width);
            let count = emitter.div(place.tile_columns, width);
            emitter.for_loop(zero, count, 1, &[], |emitter, block, _| {
                let (begin, block) = (emitter.mul(block, width), emitter.add(low, block));
                emitter.for_loop(zero, width, lanes, &[], |emitter, lane, _| {
                    let at = Lane::Iota(emitter.add(begin, lane));
                    visit(emitter, &[(group, Lane::Uniform(block)), (column, Lane::Iota(lane))], at);
                    vec![]
                });
                vec![]
            });
        }
    }
}

/// Estimated operations of one tile.
fn tile_work(emitter: &Emitter<'_>, roles: &Contraction, extents: &[Value]) -> i64 {
    let extent = |dim: usize| emitter.constant_value(extents[dim]).unwrap_or(TILE_ROWS);
    let product = |dims: &[usize]| dims.iter().map(|&dim| extent(dim)).fold(1, i64::saturating_mul);
    let rows = product(&roles.rows).clamp(1, TILE_ROWS);
    // a micro-kernel retires about sixteen multiply-adds where scalar code retires one operation
    (rows * PANEL / 16).saturating_mul(product(&roles.reduction))
}

//! The loop nest of a kernel that computes its results element by element.
//!
//! The outer loops of the result are one parallel loop over rows, or over chunks of long rows; the last dimension runs
//! in vectors with a tail of shorter ones and scalars. If elements are reductions of contiguous operands, vectors run
//! along the reductions instead. Reductions whose subscripts do not depend on the last dimension are evaluated once per
//! row, before it.

use crate::fuse::is_elementary;
use dialects::{OpCodes, linalg, memref};
use ir::{AffineExpr, AffineMap, Attribute, Body, IndexMap, IndexSet, Op, Type, Value};

use super::chosen::{chosen, emit_chosen};
use super::column_tables::{columns, emit_with_tables};
use super::converted::{converted, emit_converted};
use super::emit::Emitter;
use super::gathered::{emit_gathered, gathered};
use super::lane::Lane;
use super::lines;
use super::moves::{emit_move, moved};
use super::pooling::{emit_windows, sliding_windows};
use super::products::ceil_div;
use super::transposed_tiles::{crossed_dim, emit_tiles};
use dialects::linalg::GROUP;
use dialects::linalg::generic::{Generic, Iterator};

/// Elements of a long row that a thread computes at a time.
pub(super) const CHUNK: i64 = 4096;
/// Rows up to this length are combined, so that their indices are computed less often.
const SHORT_ROW: i64 = 16;
/// The same if there are many rows, enough for all threads.
const SHORT_ROW_OF_MANY: i64 = 64;
/// The number of groups of rows that count as many.
const MANY: i64 = 64;
/// The estimate of a dynamic extent.
pub(super) const ASSUMED_EXTENT: i64 = 64;

/// A value that is computed into a part of a result.
pub struct Piece<'p> {
    /// The value to evaluate.
    pub value: Value,
    /// The buffer to write.
    pub buffer: Value,
    /// Added to the subscripts of `value` to give those in `buffer`; empty for none.
    pub offsets: &'p [Value],
}

/// Emits the loops that compute `pieces`, which all have the shape of the first one's value.
pub fn emit_elementwise(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>]) {
    let shape = emitter.source.value_type(pieces[0].value).shape().expect("kernel tensors are ranked");
    let extents: Vec<Value> = (0..shape.len()).map(|axis| emitter.extent(pieces[0].value, axis)).collect();
    let values: Vec<Value> = pieces.iter().map(|piece| piece.value).collect();
    let reductions = settled_reductions(emitter.source, &values, shape.len(), shape.len().saturating_sub(1) as u32);
    let work = element_work(emitter.source, &values);
    let Some((&last, outer)) = extents.split_last() else {
        evaluate_settled(emitter, &reductions, &[]);
        store_point(emitter, pieces, &[]);
        return;
    };
    if reductions.is_empty() {
        if let [piece] = pieces
            && emitter.target.calls_moves
            && let Some(moved) = moved(emitter, piece)
        {
            return emit_move(emitter, piece, &moved, &extents);
        }
        if let [piece] = pieces
            && let Some(converted) = converted(emitter, piece)
        {
            return emit_converted(emitter, piece, &converted, &extents);
        }
        if values.iter().any(|&value| is_reduced_along_memory(emitter, value)) {
            return emit_points(emitter, pieces, &extents, work);
        }
        if let Some(dim) = crossed_dim(emitter, pieces[0].value, shape.len()) {
            return emit_tiles(emitter, pieces, &extents, dim, work);
        }
        if let [piece] = pieces
            && let Some(gathered) = gathered(emitter, piece)
        {
            return emit_gathered(emitter, piece, &gathered, &extents, work);
        }
        if let Some(columns) = columns(emitter, pieces) {
            return emit_with_tables(emitter, pieces, &columns, &extents, work);
        }
        if let Some(windows) = sliding_windows(emitter, pieces) {
            return emit_windows(emitter, &pieces[0], &windows, &extents, work);
        }
        if outer.is_empty() || emitter.constant_value(last).is_some_and(|last| last > CHUNK) {
            return emit_chunks(emitter, pieces, (outer, last), work);
        }
    }
    // short rows are combined: one iteration runs over the last two dimensions
    let groups = shape.iter().rev().skip(2).fold(1, |count: i64, extent| count.saturating_mul(extent.unwrap_or(1)));
    let longest = if groups >= MANY { SHORT_ROW_OF_MANY } else { SHORT_ROW };
    let short = shape[shape.len() - 1].is_some_and(|extent| extent <= longest);
    let (outer, middle) = match outer.split_last() {
        Some((&middle, outer)) if short && reductions.is_empty() => (outer, Some(middle)),
        _ => (outer, None),
    };
    let in_lines = shape[shape.len() - 1] == Some(GROUP) && pieces.iter().any(|piece| lines::pay(emitter, piece.value));
    let known = |axis: usize| shape[axis].unwrap_or(ASSUMED_EXTENT);
    let row_work = (outer.len()..shape.len()).map(known).fold(work, i64::saturating_mul);
    each_index(emitter, outer, row_work, |emitter, indices| {
        let row_point: Vec<Lane> = indices.iter().map(|&index| Lane::Uniform(index)).collect();
        let zero = emitter.index(0);
        if let Some(middle) = middle {
            if in_lines {
                return emit_line(emitter, pieces, &row_point, middle);
            }
            emitter.for_loop(zero, middle, 1, &[], |emitter, index, _| {
                let row: Vec<Lane> = row_point.iter().cloned().chain([Lane::Uniform(index)]).collect();
                emit_row(emitter, pieces, &row, zero, last);
                vec![]
            });
            return;
        }
        emit_settled_row(emitter, pieces, &reductions, &row_point, last, None);
    });
}

/// Whether an element is reduced from contiguous elements, while neighbouring results read elements that are apart:
/// then vectors run along the reduction.
fn is_reduced_along_memory(emitter: &mut Emitter<'_>, value: Value) -> bool {
    let reduction = reduction_below(emitter.source, value);
    reduction.is_some_and(|generic| {
        let inputs = &generic.maps[..generic.inputs.len()];
        emitter.combines_lanes(&generic) && !inputs.iter().any(|map| is_parallel(&generic, map))
    })
}

/// The first reduction that the elements of a value are computed from.
fn reduction_below(source: &Body, value: Value) -> Option<Generic> {
    let mut pending = vec![value];
    let mut seen: IndexSet<Value> = IndexSet::default();
    while let Some(value) = pending.pop() {
        let Some(generic) = Generic::defining(source, value).filter(|_| seen.insert(value)) else { continue };
        if generic.is_reduction() {
            return Some(generic);
        }
        pending.extend(&generic.inputs);
    }
    None
}

/// Whether a reduced operand is contiguous along a loop of the result.
fn is_parallel(generic: &Generic, map: &AffineMap) -> bool {
    let is_reduced = |dim: usize| generic.iterators[dim] == Iterator::Reduction;
    let is_folded =
        (0..generic.rank()).any(|dim| is_reduced(dim) && map.results.iter().any(|e| e.uses_dim(dim as u32)));
    is_folded && matches!(map.results.last(), Some(AffineExpr::Dim(dim)) if !is_reduced(*dim as usize))
}

/// One element at a time.
fn emit_points(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>], extents: &[Value], work: i64) {
    let values: Vec<Value> = pieces.iter().map(|piece| piece.value).collect();
    // reductions in the operands of reductions at the same point are evaluated before their loops
    let reductions = settled_reductions(emitter.source, &values, extents.len(), extents.len() as u32);
    each_index(emitter, extents, work, |emitter, indices| {
        let point: Vec<Lane> = indices.into_iter().map(Lane::Uniform).collect();
        evaluate_settled(emitter, &reductions, &point);
        store_point(emitter, pieces, &point);
    });
}

/// Long rows: chunks of them in parallel, vectors inside.
fn emit_chunks(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>], (outer, extent): (&[Value], Value), work: i64) {
    if outer.is_empty() && emitter.constant_value(extent).is_some_and(|extent| extent <= CHUNK) {
        let zero = emitter.index(0);
        emit_row(emitter, pieces, &[], zero, extent);
        return;
    }
    let chunk = emitter.index(CHUNK);
    let chunks = ceil_div(emitter, extent, chunk);
    let extents: Vec<Value> = outer.iter().copied().chain([chunks]).collect();
    each_index(emitter, &extents, work.saturating_mul(CHUNK), |emitter, mut row| {
        let index = row.pop().expect("the last index counts chunks");
        let row: Vec<Lane> = row.into_iter().map(Lane::Uniform).collect();
        let low = emitter.mul(index, chunk);
        let end = emitter.add(low, chunk);
        let high = emitter.min(end, extent);
        emit_row(emitter, pieces, &row, low, high);
    });
}

/// The last two dimensions as one; the last one is a channel block.
fn emit_line(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>], row: &[Lane], extent: Value) {
    let (zero, width) = (emitter.index(0), emitter.index(GROUP));
    let length = emitter.mul(extent, width);
    emitter.for_loop(zero, length, emitter.lanes as i64, &[], |emitter, at, _| {
        let (place, channel) = (emitter.div(at, width), emitter.rem(at, width));
        let point: Vec<Lane> = row.iter().cloned().chain([Lane::Uniform(place), Lane::Iota(channel)]).collect();
        store_point(emitter, pieces, &point);
        vec![]
    });
}

/// The last dimension from `low` to `high`.
pub fn emit_row(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>], row: &[Lane], low: Value, high: Value) {
    match chosen(emitter, pieces) {
        Some(chosen) => emit_chosen(emitter, pieces, &chosen, row, [low, high]),
        None => emit_span(emitter, pieces, row, [low, high]),
    }
}

/// Part of a row: vectors, with decreasing widths if the number of elements is static, then single elements.
pub(super) fn emit_span(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>], row: &[Lane], [low, high]: [Value; 2]) {
    let lanes = emitter.lanes;
    let point = |lane: Lane| row.iter().cloned().chain(std::iter::once(lane)).collect::<Vec<_>>();
    let mut done = low;
    for width in row_widths(emitter, pieces, low, high) {
        emitter.lanes = width;
        let length = emitter.sub(high, done);
        let step = emitter.index(width as i64);
        let tail = emitter.rem(length, step);
        let end = emitter.sub(high, tail);
        match emitter.constant_value(length) {
            Some(length) if length < width as i64 => continue,
            Some(length) if length < 2 * width as i64 => store_point(emitter, pieces, &point(Lane::Iota(done))),
            _ => {
                emitter.for_loop(done, end, width as i64, &[], |emitter, index, _| {
                    store_point(emitter, pieces, &point(Lane::Iota(index)));
                    vec![]
                });
            }
        }
        done = end;
    }
    emitter.lanes = lanes;
    let rest = emitter.sub(high, done);
    match emitter.constant_value(rest) {
        Some(0) => {}
        Some(1) => store_point(emitter, pieces, &point(Lane::Uniform(done))),
        _ => {
            emitter.for_loop(done, high, 1, &[], |emitter, index, _| {
                store_point(emitter, pieces, &point(Lane::Uniform(index)));
                vec![]
            });
        }
    }
}

/// The numbers of elements that vectors of a row cover, in decreasing order.
fn row_widths(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>], low: Value, high: Value) -> Vec<usize> {
    /// Independent accumulators, which hide the latency of a sum.
    const VECTORS: usize = 4;
    let lanes = emitter.lanes;
    let length = emitter.sub(high, low);
    let known = emitter.constant_value(length).filter(|_| emitter.target.flexible_vectors);
    let Some(known) = known else { return vec![lanes] };
    let waits = pieces.iter().any(|piece| sums_across(emitter, piece.value));
    let widest = if waits && known >= (VECTORS * lanes) as i64 { VECTORS * lanes } else { lanes };
    [widest, lanes, lanes / 2, lanes / 4].into_iter().filter(|&width| width > 1).collect()
}

/// Whether an element takes many steps, in each of which neighbouring elements read contiguous operands.
fn sums_across(emitter: &mut Emitter<'_>, value: Value) -> bool {
    let reduction = reduction_below(emitter.source, value);
    reduction.is_some_and(|generic| {
        let inputs = &generic.maps[..generic.inputs.len()];
        !emitter.is_unrolled(&generic) && inputs.iter().any(|map| is_parallel(&generic, map))
    })
}

pub(super) fn store_point(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>], point: &[Lane]) {
    let values: Vec<Lane> = pieces.iter().map(|piece| emitter.evaluate(piece.value, point)).collect();
    for (piece, value) in pieces.iter().zip(values) {
        let subscripts: Vec<Lane> = match piece.offsets {
            [] => point.to_vec(),
            offsets => point.iter().zip(offsets).map(|(lane, &offset)| shift(emitter, lane, offset)).collect(),
        };
        emitter.store(&value, piece.buffer, &subscripts);
    }
}

/// A loop index plus an offset.
pub(super) fn shift(emitter: &mut Emitter<'_>, lane: &Lane, offset: Value) -> Lane {
    match lane {
        Lane::Uniform(index) => Lane::Uniform(emitter.add(*index, offset)),
        Lane::Iota(base) => Lane::Iota(emitter.add(*base, offset)),
        Lane::EveryOther(_) | Lane::Vector(_) | Lane::Scalars(_) => {
            unreachable!("loop indices are uniform or consecutive")
        }
    }
}

/// A parallel loop over all indices below `extents`; `work` is the cost of an iteration.
pub(super) fn each_index(
    emitter: &mut Emitter<'_>,
    extents: &[Value],
    work: i64,
    build: impl FnOnce(&mut Emitter<'_>, Vec<Value>),
) {
    let count = emitter.product(extents);
    emitter.parallel_loop(count, work, |emitter, linear| {
        let indices = delinearize(emitter, linear, extents);
        build(emitter, indices);
    });
}

/// The indices for a row-major linear index, outermost first, with one division each.
pub fn delinearize(emitter: &mut Emitter<'_>, linear: Value, extents: &[Value]) -> Vec<Value> {
    let mut rest = linear;
    let mut indices = Vec::new();
    let outermost = extents.iter().position(|&extent| emitter.constant_value(extent) != Some(1)).unwrap_or(0);
    for (axis, &extent) in extents.iter().enumerate().rev() {
        if axis < outermost {
            indices.push(emitter.index(0));
        } else if axis == outermost {
            indices.push(rest);
        } else {
            let quotient = emitter.div(rest, extent);
            let whole = emitter.mul(quotient, extent);
            indices.push(emitter.sub(rest, whole));
            rest = quotient;
        }
    }
    indices.reverse();
    indices
}

/// A row from its first element to `last`, after the reductions that it needs. `room` is the buffer for a row that
/// several readers share; without it nothing is shared.
pub(super) fn emit_settled_row(
    emitter: &mut Emitter<'_>,
    pieces: &[Piece<'_>],
    reductions: &[(Value, Vec<AffineExpr>)],
    row: &[Lane],
    last: Value,
    room: Option<Value>,
) {
    let staged = stage_shared(emitter, pieces, reductions, row, last, room);
    evaluate_settled(emitter, reductions, row);
    let zero = emitter.index(0);
    emit_row(emitter, pieces, row, zero, last);
    if let Some(value) = staged {
        emitter.unbind_buffer(value);
    }
}

/// Evaluates reductions at the known indices, for later use at more of them.
fn evaluate_settled(emitter: &mut Emitter<'_>, reductions: &[(Value, Vec<AffineExpr>)], known: &[Lane]) {
    for (value, map) in reductions {
        let point: Vec<Option<Lane>> = known.iter().cloned().map(Some).chain([None]).collect();
        let subscripts: Vec<Lane> = map.iter().map(|e| emitter.affine(e, &point)).collect();
        emitter.evaluate(*value, &subscripts);
    }
}

/// Reductions in the producers of `roots` that do not depend on the dimension `open`, which also represents every loop
/// of a reduction: the last dimension of the roots, or one after it. With their subscripts as expressions over the
/// dimensions of the roots, producers before consumers.
pub(super) fn settled_reductions(
    source: &Body,
    roots: &[Value],
    rank: usize,
    open: u32,
) -> Vec<(Value, Vec<AffineExpr>)> {
    let identity: Vec<AffineExpr> = (0..rank as u32).map(AffineExpr::Dim).collect();
    let mut pending: Vec<Visit> = roots.iter().rev().map(|&root| Visit::Enter(root, identity.clone())).collect();
    let mut seen: IndexSet<(Value, Vec<AffineExpr>)> = IndexSet::default();
    let mut found: IndexMap<Value, Vec<AffineExpr>> = IndexMap::default();
    while let Some(visit) = pending.pop() {
        let (value, subscripts) = match visit {
            Visit::Enter(value, subscripts) => (value, subscripts),
            Visit::Leave(value, subscripts) => {
                found.entry(value).or_insert(subscripts);
                continue;
            }
        };
        let Some(generic) = Generic::defining(source, value) else { continue };
        if !seen.insert((value, subscripts.clone())) {
            continue;
        }
        if generic.is_reduction() {
            let independent = subscripts.iter().all(|e| !e.uses_dim(open));
            if found.contains_key(&value) {
                continue;
            }
            // the operands of the reduction may contain further reductions of the same row
            if independent {
                pending.push(Visit::Leave(value, subscripts.clone()));
            }
        }
        pending.extend(inputs_at(&generic, &subscripts, open).into_iter().rev());
    }
    found.into_iter().collect()
}

/// A step of the search for row reductions.
enum Visit {
    /// Visit the operands of a value at these subscripts.
    Enter(Value, Vec<AffineExpr>),
    /// The operands of the reduction have been visited.
    Leave(Value, Vec<AffineExpr>),
}

/// The inputs of an operation whose result is read at `subscripts`, with their subscripts.
fn inputs_at(generic: &Generic, subscripts: &[AffineExpr], open: u32) -> Vec<Visit> {
    let mut dims: Vec<Option<AffineExpr>> = vec![None; generic.rank()];
    for (expression, subscript) in generic.output_map(0).results.iter().zip(subscripts) {
        if let AffineExpr::Dim(dim) = expression {
            dims[*dim as usize] = Some(subscript.clone());
        }
    }
    let filled: Vec<AffineExpr> = dims.into_iter().map(|d| d.unwrap_or(AffineExpr::Dim(open))).collect();
    let inputs = generic.inputs.iter().zip(&generic.maps);
    inputs
        .map(|(input, map)| Visit::Enter(*input, map.results.iter().map(|e| e.substitute(&filled, &[])).collect()))
        .collect()
}

/// A costly elementwise value that both a row reduction and the result read is computed once, into a row buffer.
fn stage_shared(
    emitter: &mut Emitter<'_>,
    pieces: &[Piece<'_>],
    reductions: &[(Value, Vec<AffineExpr>)],
    row: &[Lane],
    last: Value,
    room: Option<Value>,
) -> Option<Value> {
    let [piece] = pieces else { return None };
    let source = emitter.source;
    let settled = |value: Value| reductions.iter().any(|(settled, _)| *settled == value);
    let elements = elements_below(source, piece.value, |value| settled(value) || emitter.buffer(value).is_some())?;
    let direct = |generic: &Generic, value: Value| {
        generic.inputs.iter().zip(&generic.maps).any(|(&input, map)| input == value && map.is_identity())
    };
    let (reduction, shared) = reductions.iter().find_map(|(value, _)| {
        let reduction = Generic::defining(source, *value)?;
        let shared = reduction.inputs.iter().copied().find(|&input| {
            emitter.buffer(input).is_none()
                && elements.contains(&input)
                && direct(&reduction, input)
                && Generic::defining(source, input).is_some_and(|generic| is_costly(source, &generic))
        })?;
        Some((*value, shared))
    })?;
    let room = room.filter(|&room| emitter.body.value_type(room).element() == source.value_type(shared).element());
    let buffer = room.or_else(|| row_buffer(emitter, piece, shared))?;
    let in_front = reductions.iter().position(|(value, _)| *value == reduction).expect("one of the reductions");
    evaluate_settled(emitter, &reductions[..in_front], row);
    let zero = emitter.index(0);
    let stage = [Piece { value: shared, buffer, offsets: &[] }];
    emit_row(emitter, &stage, row, zero, last);
    emitter.bind_row_buffer(shared, buffer);
    Some(shared)
}

/// The values of which an element of the result only needs the one at its own indices, up to known values. They have
/// the result's extents, because only identity maps of operations that read all of their operands lead to them.
fn elements_below(source: &Body, result: Value, is_known: impl Fn(Value) -> bool) -> Option<IndexSet<Value>> {
    let mut elements: IndexSet<Value> = IndexSet::default();
    let mut others: IndexSet<Value> = IndexSet::default();
    let mut pending = vec![(result, true)];
    while let Some((value, is_own)) = pending.pop() {
        if is_known(value) || !(if is_own { &mut elements } else { &mut others }).insert(value) {
            continue;
        }
        let Some(generic) = Generic::defining(source, value) else { continue };
        if generic.is_reduction() {
            return None;
        }
        let is_own = is_own && generic.output_map(0).is_identity() && !generic.is_partial;
        let inputs = generic.inputs.iter().zip(&generic.maps);
        pending.extend(inputs.map(|(&input, map)| (input, is_own && map.is_identity())));
    }
    elements.retain(|value| !others.contains(value));
    Some(elements)
}

/// The buffer for a row of a value: the result's own, if the result overwrites it later element by element, or one on
/// the stack, if it has another element type and is short.
fn row_buffer(emitter: &mut Emitter<'_>, piece: &Piece<'_>, value: Value) -> Option<Value> {
    /// The maximum size of a row on the stack: well within the L1 cache.
    const LONGEST: usize = 1 << 14;
    let r#type = emitter.source.value_type(value);
    if r#type.element() == emitter.source.value_type(piece.value).element() && piece.offsets.is_empty() {
        return Some(piece.buffer);
    }
    let (extent, element) = ((*r#type.shape()?.last()?)?, r#type.element().clone());
    let bytes = usize::try_from(extent).ok()?.checked_mul(element.byte_width()?)?;
    if bytes > LONGEST {
        return None;
    }
    let sizes = [("operandSegmentSizes", Attribute::i32_dense_array(&[0, 0]))];
    let row = emitter.effect(memref::ALLOCA, &[], &[Type::memref([Some(extent)], element)], sizes);
    Some(emitter.body.result(row, 0))
}

pub(super) fn is_costly(source: &Body, generic: &Generic) -> bool {
    source.ops(generic.block).any(|op| op_work(source, op) >= 8)
}

/// Estimated scalar operations per element of the results.
fn element_work(source: &Body, roots: &[Value]) -> i64 {
    let mut seen: IndexSet<Op> = IndexSet::default();
    let mut pending: Vec<Value> = roots.to_vec();
    let mut work = 1;
    while let Some(value) = pending.pop() {
        let Some(generic) = Generic::defining(source, value) else { continue };
        if !seen.insert(generic.op) {
            continue;
        }
        let body: i64 = source.ops(generic.block).map(|op| op_work(source, op)).sum();
        let iterations: i64 = generic
            .extents(source)
            .iter()
            .zip(&generic.iterators)
            .filter(|(_, kind)| **kind == Iterator::Reduction)
            .map(|(extent, _)| extent.unwrap_or(ASSUMED_EXTENT))
            .fold(1, i64::saturating_mul);
        work = body.saturating_mul(iterations).saturating_add(work);
        pending.extend(&generic.inputs);
    }
    work
}

fn op_work(source: &Body, op: Op) -> i64 {
    match source.code(op) {
        Some(linalg::YIELD | linalg::INDEX) => 0,
        Some(code) if is_elementary(code) => 10,
        _ => match source.op(op).results().first().map(|&r| source.value_type(r)) {
            Some(Type::Float(_) | Type::Integer(_) | Type::Index) => 1,
            _ => 0,
        },
    }
}

//! The loop nest of a kernel that computes its results element by element.
//!
//! The outer loops of the result are one parallel loop over rows; the last dimension runs in vectors with a scalar
//! tail. Reductions whose subscripts do not depend on the last dimension are evaluated once a row, in front of it.

use ir::{AffineExpr, AffineMap, Body, IndexMap, IndexSet, Op, Type, Value};

use super::emit::Emitter;
use super::lane::Lane;
use super::tile::{crossed_dim, emit_tiles};
use dialects::linalg::generic::Generic;

/// Elements of a one-dimensional result that make one row.
const CHUNK: i64 = 4096;
/// Rows of at most this many elements are gathered, so that finding their indices is paid for less often.
const SHORT_ROW: i64 = 16;
/// The extent assumed for a dynamic dimension when work is estimated.
const ASSUMED_EXTENT: i64 = 64;

/// What an element of a result is made from, and where its rows go.
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
    let reductions = row_reductions(emitter.source, &values, shape.len());
    let work = element_work(emitter.source, &values);
    let Some((&last, outer)) = extents.split_last() else {
        store_point(emitter, pieces, &[]);
        return;
    };
    if outer.is_empty() && reductions.is_empty() {
        emit_chunks(emitter, pieces, last, work);
        return;
    }
    if reductions.is_empty()
        && let Some(dim) = crossed_dim(emitter, pieces[0].value, shape.len())
    {
        emit_tiles(emitter, pieces, &extents, dim, work);
        return;
    }
    // short rows are gathered: one iteration runs over the last two dimensions
    let short = shape[shape.len() - 1].is_some_and(|extent| extent <= SHORT_ROW);
    let (outer, middle) = match outer.split_last() {
        Some((&middle, outer)) if short && reductions.is_empty() => (outer, Some(middle)),
        _ => (outer, None),
    };
    let rows = outer.iter().fold(emitter.index(1), |product, &extent| emitter.mul(product, extent));
    let known = |axis: usize| shape[axis].unwrap_or(ASSUMED_EXTENT);
    let row_work = (outer.len()..shape.len()).map(known).fold(work, i64::saturating_mul);
    emitter.parallel_loop(rows, row_work, |emitter, row| {
        let indices = delinearize(emitter, row, outer);
        let row_point: Vec<Lane> = indices.iter().map(|&index| Lane::Uniform(index)).collect();
        let zero = emitter.index(0);
        if let Some(middle) = middle {
            emitter.for_loop(zero, middle, 1, &[], |emitter, index, _| {
                let row: Vec<Lane> = row_point.iter().cloned().chain([Lane::Uniform(index)]).collect();
                emit_row(emitter, pieces, &row, zero, last);
                vec![]
            });
            return;
        }
        let staged = stage_shared(emitter, pieces, &reductions, &row_point, last);
        for (value, map) in &reductions {
            let mut point: Vec<Option<Lane>> = row_point.iter().cloned().map(Some).collect();
            point.push(None);
            let subscripts: Vec<Lane> = map.iter().map(|e| emitter.affine(e, &point)).collect();
            emitter.evaluate(*value, &subscripts);
        }
        emit_row(emitter, pieces, &row_point, zero, last);
        if let Some(value) = staged {
            emitter.unbind_buffer(value);
        }
    });
}

/// A one-dimensional result: chunks in parallel, vectors inside.
fn emit_chunks(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>], extent: Value, work: i64) {
    if emitter.constant_value(extent).is_some_and(|extent| extent <= CHUNK) {
        let zero = emitter.index(0);
        emit_row(emitter, pieces, &[], zero, extent);
        return;
    }
    let chunk = emitter.index(CHUNK);
    let round = emitter.index(CHUNK - 1);
    let padded = emitter.add(extent, round);
    let chunks = emitter.div(padded, chunk);
    emitter.parallel_loop(chunks, work.saturating_mul(CHUNK), |emitter, index| {
        let low = emitter.mul(index, chunk);
        let end = emitter.add(low, chunk);
        let high = emitter.min(end, extent);
        emit_row(emitter, pieces, &[], low, high);
    });
}

/// The last dimension from `low` to `high`: vectors, then single elements.
pub fn emit_row(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>], row: &[Lane], low: Value, high: Value) {
    let lanes = emitter.lanes as i64;
    let point = |lane: Lane| row.iter().cloned().chain(std::iter::once(lane)).collect::<Vec<_>>();
    let length = emitter.sub(high, low);
    let step = emitter.index(lanes);
    let tail = emitter.rem(length, step);
    let main = emitter.sub(high, tail);
    if emitter.constant_value(length).is_none_or(|length| length >= lanes) {
        emitter.for_loop(low, main, lanes, &[], |emitter, index, _| {
            store_point(emitter, pieces, &point(Lane::Iota(index)));
            vec![]
        });
    }
    match emitter.constant_value(tail) {
        Some(0) => {}
        Some(1) => store_point(emitter, pieces, &point(Lane::Uniform(main))),
        _ => {
            emitter.for_loop(main, high, 1, &[], |emitter, index, _| {
                store_point(emitter, pieces, &point(Lane::Uniform(index)));
                vec![]
            });
        }
    }
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
        Lane::Vector(_) | Lane::Scalars(_) => unreachable!("loop indices are uniform or consecutive"),
    }
}

/// The indices of a row-major linear index, outermost first.
pub fn delinearize(emitter: &mut Emitter<'_>, linear: Value, extents: &[Value]) -> Vec<Value> {
    let mut rest = linear;
    let mut indices = Vec::new();
    for (axis, &extent) in extents.iter().enumerate().rev() {
        if axis == 0 {
            indices.push(rest);
        } else {
            indices.push(emitter.rem(rest, extent));
            rest = emitter.div(rest, extent);
        }
    }
    indices.reverse();
    indices
}

/// Reductions below `roots` that do not depend on the last dimension, with their subscripts as expressions over the
/// dimensions of the roots, producers before consumers.
fn row_reductions(source: &Body, roots: &[Value], rank: usize) -> Vec<(Value, Vec<AffineExpr>)> {
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
            let last = rank.checked_sub(1).map(|last| last as u32);
            let independent = last.is_some_and(|last| subscripts.iter().all(|e| !e.uses_dim(last)));
            if !independent || found.contains_key(&value) {
                continue;
            }
            // what the reduction itself reads may hold further reductions of the same row
            pending.push(Visit::Leave(value, subscripts.clone()));
        }
        pending.extend(row_inputs(&generic, &subscripts, rank).into_iter().rev());
    }
    found.into_iter().collect()
}

/// A step of the search for row reductions.
enum Visit {
    /// Look at what a value at these subscripts reads.
    Enter(Value, Vec<AffineExpr>),
    /// What the reduction reads has been looked at.
    Leave(Value, Vec<AffineExpr>),
}

/// The inputs of an operation whose result is read at `subscripts`, with theirs.
fn row_inputs(generic: &Generic, subscripts: &[AffineExpr], rank: usize) -> Vec<Visit> {
    let mut dims: Vec<Option<AffineExpr>> = vec![None; generic.rank()];
    for (expression, subscript) in generic.output_map(0).results.iter().zip(subscripts) {
        if let AffineExpr::Dim(dim) = expression {
            dims[*dim as usize] = Some(subscript.clone());
        }
    }
    // an open reduction loop stands for the last dimension: both run over the row
    let last = AffineExpr::Dim(rank.saturating_sub(1) as u32);
    let filled: Vec<AffineExpr> = dims.iter().map(|d| d.clone().unwrap_or_else(|| last.clone())).collect();
    let is_open = |map: &AffineMap| {
        (0..generic.rank()).any(|d| dims[d].is_none() && map.results.iter().any(|e| e.uses_dim(d as u32)))
    };
    let inputs = generic.inputs.iter().zip(&generic.maps).filter(|(_, map)| rank > 0 || !is_open(map));
    inputs
        .map(|(input, map)| Visit::Enter(*input, map.results.iter().map(|e| e.substitute(&filled, &[])).collect()))
        .collect()
}

/// A costly elementwise value that both a row reduction and the result read is computed once, into the row of the
/// result's own buffer, where the result replaces it later element by element.
fn stage_shared(
    emitter: &mut Emitter<'_>,
    pieces: &[Piece<'_>],
    reductions: &[(Value, Vec<AffineExpr>)],
    row: &[Lane],
    last: Value,
) -> Option<Value> {
    let [piece] = pieces else { return None };
    if !piece.offsets.is_empty() {
        return None;
    }
    let source = emitter.source;
    let result_type = source.value_type(piece.value);
    let result = Generic::defining(source, piece.value)?;
    let direct = |generic: &Generic, value: Value| {
        generic.inputs.iter().zip(&generic.maps).any(|(&input, map)| input == value && map.is_identity())
    };
    let (reduction, shared) = reductions.iter().find_map(|(value, _)| {
        let reduction = Generic::defining(source, *value)?;
        let shared = reduction.inputs.iter().copied().find(|&input| {
            source.value_type(input) == result_type
                && emitter.buffer(input).is_none()
                && direct(&result, input)
                && direct(&reduction, input)
                && Generic::defining(source, input).is_some_and(|generic| is_costly(source, &generic))
        })?;
        Some((*value, shared))
    })?;
    if result.is_reduction() || !result.output_map(0).is_identity() {
        return None;
    }
    for (value, map) in reductions.iter().take_while(|(value, _)| *value != reduction) {
        let mut point: Vec<Option<Lane>> = row.iter().cloned().map(Some).collect();
        point.push(None);
        let subscripts: Vec<Lane> = map.iter().map(|e| emitter.affine(e, &point)).collect();
        emitter.evaluate(*value, &subscripts);
    }
    let zero = emitter.index(0);
    let stage = [Piece { value: shared, buffer: piece.buffer, offsets: &[] }];
    emit_row(emitter, &stage, row, zero, last);
    emitter.bind_row_buffer(shared, piece.buffer);
    Some(shared)
}

fn is_costly(source: &Body, generic: &Generic) -> bool {
    source.ops(generic.block).iter().any(|&op| op_work(source, op) >= 8)
}

/// Estimated scalar operations for one element of the results.
fn element_work(source: &Body, roots: &[Value]) -> i64 {
    let mut seen: IndexSet<Op> = IndexSet::default();
    let mut pending: Vec<Value> = roots.to_vec();
    let mut work = 1;
    while let Some(value) = pending.pop() {
        let Some(generic) = Generic::defining(source, value) else { continue };
        if !seen.insert(generic.op) {
            continue;
        }
        let body: i64 = source.ops(generic.block).iter().map(|&op| op_work(source, op)).sum();
        let iterations: i64 = generic
            .extents(source)
            .iter()
            .zip(&generic.iterators)
            .filter(|(_, kind)| **kind == dialects::linalg::generic::Iterator::Reduction)
            .map(|(extent, _)| extent.unwrap_or(ASSUMED_EXTENT))
            .fold(1, i64::saturating_mul);
        work = body.saturating_mul(iterations).saturating_add(work);
        pending.extend(&generic.inputs);
    }
    work
}

fn op_work(source: &Body, op: Op) -> i64 {
    let name = source.name(op);
    match name {
        "linalg.yield" | "linalg.index" => 0,
        _ if name.starts_with("math.") && !matches!(name, "math.absf" | "math.fma" | "math.floor" | "math.ceil") => 10,
        _ => match source.op(op).results().first().map(|&r| source.value_type(r)) {
            Some(Type::Float(_) | Type::Integer(_) | Type::Index) => 1,
            _ => 0,
        },
    }
}

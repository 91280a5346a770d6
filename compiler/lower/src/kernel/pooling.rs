//! Pooling windows along rows of floats: the runtime reduces the windows of several rows in one call, if its vectors
//! are wider than those of the generated code.

use abi::RowFold;
use dialects::{func, rt};
use ir::{AffineExpr, Attribute, IndexSet, Type, Value};

use super::emit::Emitter;
use super::lane::Lane;
use super::loops::{Piece, each_index, emit_row, shift};
use super::products::{address, buffer_strides, operand_strides};
use dialects::linalg::generic::{Generic, Iterator};

/// The maximum number of loops of a window in a call.
const LOOPS: usize = 3;
/// Shorter rows are left to generated code.
const SHORTEST: i64 = 8;
/// Rows that one call reduces: few enough to stay in the L1 cache for their consumers.
const LINES: i64 = 32;
/// The estimate of a row's length.
const ASSUMED_ROW: i64 = 64;

/// A reduction whose windows slide along the rows of a result.
pub(super) struct Windows {
    /// Its result.
    pub(super) value: Value,
    generic: Generic,
    input: usize,
    fold: RowFold,
}

/// The windows that a result is computed from, element by element.
pub(super) fn sliding_windows(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>]) -> Option<Windows> {
    let [piece] = pieces else { return None };
    if !emitter.target.narrow || emitter.source.value_type(piece.value).shape()?.last()?.is_some_and(|e| e < SHORTEST) {
        return None;
    }
    let mut pending = vec![piece.value];
    let mut seen: IndexSet<Value> = IndexSet::default();
    while let Some(value) = pending.pop() {
        let Some(generic) = Generic::defining(emitter.source, value).filter(|_| seen.insert(value)) else { continue };
        if generic.is_reduction() {
            // a row of it is stored in the result
            if emitter.source.value_type(value).element() == emitter.source.value_type(piece.value).element()
                && let Some(windows) = windows_of(emitter, value, &generic)
            {
                return Some(windows);
            }
        } else if generic.output_map(0).is_identity() {
            let maps = generic.maps.iter().zip(&generic.inputs);
            pending.extend(maps.filter(|(map, _)| map.is_identity()).map(|(_, &input)| input));
        }
    }
    None
}

fn windows_of(emitter: &mut Emitter<'_>, value: Value, generic: &Generic) -> Option<Windows> {
    let source = emitter.source;
    let parallel = generic.iterators.iter().filter(|kind| **kind == Iterator::Parallel).count();
    let is_leading =
        generic.output_map(0).results.iter().eq((0..parallel as u32).map(AffineExpr::Dim).collect::<Vec<_>>().iter());
    let loops = generic.rank() - parallel;
    if !is_leading || parallel == 0 || loops > LOOPS || *source.value_type(value).element() != Type::F32 {
        return None;
    }
    let fold = emitter.combiner(generic)?.fold?;
    // only elements of one input, from a constant start
    let arguments = source.arguments(generic.block);
    let [term, accumulator] = *source.op(source.defining_op(generic.yields(source)[0])?).operands() else {
        return None;
    };
    let term = if term == arguments[generic.inputs.len()] { accumulator } else { term };
    let input = arguments[..generic.inputs.len()].iter().position(|&argument| argument == term)?;
    let start = Generic::defining(source, generic.inits[0])?;
    if source.ops(generic.block).count() != 2 || source.ops(start.block).count() != 1 || !start.inputs.is_empty() {
        return None;
    }
    emitter.buffer(generic.inputs[input])?;
    // neighbouring results start near each other in a row of the input
    let rank = generic.rank() as u32;
    let along = parallel as u32 - 1;
    let (inner, outer) = generic.maps[input].results.split_last()?;
    let slides = inner.uses_dim(along) && outer.iter().all(|subscript| !subscript.uses_dim(along));
    let is_linear = generic.maps[input].results.iter().all(|subscript| subscript.as_linear(rank).is_some());
    (slides && is_linear).then(|| Windows { value, generic: generic.clone(), input, fold })
}

/// Emits the loops that compute a result from windows, one group of rows after the other.
pub(super) fn emit_windows(
    emitter: &mut Emitter<'_>,
    piece: &Piece<'_>,
    windows: &Windows,
    extents: &[Value],
    work: i64,
) {
    let (&last, outer) = extents.split_last().expect("there is a last dimension");
    let (lines, planes) = match outer.split_last() {
        Some((&lines, planes)) => (lines, planes),
        None => (emitter.index(1), outer),
    };
    let (group, round) = (emitter.index(LINES), emitter.index(LINES - 1));
    let padded = emitter.add(lines, round);
    let groups: Vec<Value> = planes.iter().copied().chain([emitter.div(padded, group)]).collect();
    each_index(emitter, &groups, work.saturating_mul(LINES * ASSUMED_ROW), |emitter, mut plane| {
        let begin = plane.pop().expect("the last index counts groups");
        let begin = emitter.mul(begin, group);
        let end = emitter.add(begin, group);
        let end = emitter.min(end, lines);
        let row_of = |line: Value| -> Vec<Lane> {
            let line = outer.last().map(|_| line);
            plane.iter().copied().chain(line).map(Lane::Uniform).collect()
        };
        let row = row_of(begin);
        let count = emitter.sub(end, begin);
        fold_windows(emitter, piece, windows, &row, [count, last]);
        // if the result is the reduction itself, it is finished
        if windows.value == piece.value {
            return;
        }
        emitter.for_loop(begin, end, 1, &[], |emitter, line, _| {
            let row = row_of(line);
            let folded = row_start(emitter, piece, &row);
            let folded = emitter.pure(rt::BUFFER, &[folded], Type::memref(vec![None], Type::F32), []);
            emitter.bind_row_buffer(windows.value, folded);
            let zero = emitter.index(0);
            emit_row(emitter, std::slice::from_ref(piece), &row, zero, last);
            emitter.unbind_buffer(windows.value);
            vec![]
        });
    });
}

/// Reduces the windows of some rows of the result from `row` on.
fn fold_windows(
    emitter: &mut Emitter<'_>,
    piece: &Piece<'_>,
    windows: &Windows,
    row: &[Lane],
    [lines, extent]: [Value; 2],
) {
    let Windows { generic, input, fold, .. } = windows;
    let zero = emitter.index(0);
    let (strides, mut offset) = operand_strides(emitter, generic, *input);
    for (lane, &stride) in row.iter().zip(&strides) {
        let along = emitter.mul(lane.uniform().expect("rows are visited one by one"), stride);
        offset = emitter.add(offset, along);
    }
    let buffer = emitter.buffer(generic.inputs[*input]).expect("known to be in memory");
    let from = address(emitter, buffer, offset);
    let to = row_start(emitter, piece, row);
    let mut point: Vec<Option<Lane>> = row.iter().cloned().chain([Lane::Uniform(zero)]).map(Some).collect();
    point.resize(generic.rank(), None);
    let start = emitter.start(generic, 0, &point).uniform().expect("windows start from a constant");
    let kind = emitter.index(*fold as i64);
    let line = row.len().checked_sub(1);
    let apart = line.map_or(zero, |line| buffer_strides(emitter, piece.buffer)[line]);
    let mut operands = vec![kind, start, from, to, lines, line.map_or(zero, |line| strides[line]), apart];
    operands.extend([extent, strides[row.len()]]);
    let loops = emitter.reduction_loops(generic);
    let missing = LOOPS - loops.len();
    for _ in 0..missing {
        operands.extend([emitter.index(1), zero]);
    }
    operands.extend(loops.into_iter().flat_map(|(dim, extent)| [extent, strides[dim]]));
    let callee = [("callee", Attribute::symbol("rt_fold_windows"))];
    emitter.effect(func::CALL, &operands, &[], callee);
}

/// The address of the first element of a row of a result.
pub(super) fn row_start(emitter: &mut Emitter<'_>, piece: &Piece<'_>, row: &[Lane]) -> Value {
    let zero = emitter.index(0);
    let point: Vec<Lane> = row.iter().cloned().chain([Lane::Uniform(zero)]).collect();
    let subscripts: Vec<Lane> = match piece.offsets {
        [] => point,
        offsets => point.iter().zip(offsets).map(|(lane, &offset)| shift(emitter, lane, offset)).collect(),
    };
    emitter.element_address(piece.buffer, &subscripts)
}

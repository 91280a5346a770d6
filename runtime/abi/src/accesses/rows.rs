//! Accesses of the micro-kernels for rows.

use super::{BUFFERS, Call, Offsets, Span, spans};
use crate::{COLUMN_GROUP, RowFunction};

/// Bytes of an f32.
const FLOAT: i64 = 4;

pub(super) fn mapped(call: &Call<'_>) -> [Span; BUFFERS] {
    let &[function, count] = call.numbers else { return spans([]) };
    let function = usize::try_from(function).ok().and_then(|at| RowFunction::ALL.get(at));
    let count = Offsets::of(count, 1);
    spans(function.map_or([Span::NONE; 2], |function| function.widths().map(|width| count.bytes(width))))
}

pub(super) fn added_bytes(call: &Call<'_>) -> [Span; BUFFERS] {
    spans([Offsets::of(call.numbers[2], 1).bytes(1); 3])
}

/// Addends and factors may be null.
pub(super) fn requantized(call: &Call<'_>) -> [Span; BUFFERS] {
    let count = Offsets::of(call.numbers[1], 1);
    let channels = |buffer: usize| Offsets::of(COLUMN_GROUP, 1).only_if(call.buffers[buffer] != 0).bytes(FLOAT);
    [count.bytes(FLOAT), count.bytes(1), channels(2), channels(3)]
}

/// What is read from the table depends on the source's bytes, which the runtime reads.
pub(super) fn looked_up(call: &Call<'_>) -> [Span; BUFFERS] {
    let &[width, count] = call.numbers else { return spans([]) };
    let count = Offsets::of(count, 1);
    spans([Span::NONE, count.bytes(1), count.bytes(width)])
}

pub(super) fn folded(call: &Call<'_>) -> [Span; BUFFERS] {
    spans([Offsets::of(call.numbers[1], 1).bytes(FLOAT)])
}

/// Negative numbers are taken as zero.
pub(super) fn folded_windows(call: &Call<'_>) -> [Span; BUFFERS] {
    let mut numbers = [0; 12];
    for (number, &passed) in numbers.iter_mut().zip(call.numbers) {
        *number = passed.max(0);
    }
    let [_, lines, source_line, line, count, step, planes, plane, rows, row, columns, column] = numbers;
    let source = [(lines, source_line), (count, step), (planes, plane), (rows, row), (columns, column)];
    spans([Offsets::nested(source).bytes(FLOAT), Offsets::nested([(lines, line), (count, 1)]).bytes(FLOAT)])
}

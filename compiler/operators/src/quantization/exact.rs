//! Sums of products of bytes in f32, whose products are fast. They are exact in pieces short enough to stay below 2²⁴.

use ir::{Type, Value};

use crate::graph::Emitter;

/// Products of two centred bytes, each of magnitude 255 at most, whose sum f32 holds exactly.
const TERMS: i64 = (1 << 24) / (255 * 255);
/// Pieces keep to whole groups of channels where they have that many.
const GROUP: i64 = 16;

/// Parts of `[0, extent)` in each of which a sum of `terms` products an index is exact; `None` where one index has too
/// many.
pub(super) fn pieces(extent: i64, terms: i64) -> Option<Vec<(i64, i64)>> {
    let most = TERMS / terms.max(1);
    let length = if most >= GROUP { most - most % GROUP } else { most };
    if extent <= most {
        return Some(vec![(0, extent)]);
    }
    let ends = |first: i64| (first, (first + length).min(extent));
    (length > 0).then(|| (0..extent).step_by(length as usize).map(ends).collect())
}

/// A part of a tensor along an axis.
pub(super) fn part(emit: &mut Emitter, value: Value, (first, end): (i64, i64), extent: i64, axis: i64) -> Value {
    if (first, end) == (0, extent) {
        return value;
    }
    let (first, end) = (emit.integers(&[first]), emit.integers(&[end]));
    emit.slice(value, first, end, axis)
}

/// The sum of exact sums, in i32.
pub(super) fn total(emit: &mut Emitter, sums: Vec<Value>) -> Value {
    let sums: Vec<Value> = sums.into_iter().map(|sum| emit.convert(sum, &Type::I32)).collect();
    sums.into_iter().reduce(|a, b| emit.plain("Add", &[a, b])).expect("a sum has pieces")
}

//! TopK and Unique.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::element::{Element, Generic, Kind};
use super::{Call, Failure, Outcome, Output, Tensor, around};
use crate::stop::{Looks, looking};

/// Columns that are transposed together, so that each cache line is read once.
const COLUMNS: usize = 16;
/// Elements that are compared with a bound together.
const CHUNK: usize = 32;
/// Up to this many elements an insertion sort is used.
const FEW: usize = 16;
/// From this many items on, a sort looks whether its run is to end: shorter ones take milliseconds.
const LONG: usize = 1 << 18;
/// Scalar operations of a comparison and the move that follows.
const COMPARISON: usize = 8;

struct TopK<'s, 'c> {
    tensor: &'s Tensor<'c>,
    values: &'s mut Output<'c>,
    places: &'s mut Output<'c>,
    axis: usize,
    largest: bool,
}

impl Generic for TopK<'_, '_> {
    type Result = ();

    fn run<T: Element>(self) {
        let [outer, extent, inner] = around(&self.tensor.extents, self.axis);
        let count = self.values.extents[self.axis];
        let elements = self.tensor.elements::<T>();
        let (values, places) = (self.values.elements::<T>(), self.places.elements::<i64>());
        let first = if self.largest { first::<T, true> } else { first::<T, false> };
        let mut best: Vec<(u64, usize)> = Vec::new();
        let mut looks = Looks::new();
        let mut keep = |line: &[T], row: usize, column: usize| {
            first(line, count, &mut best, &mut looks);
            for (rank, &(_, place)) in best.iter().enumerate() {
                let to = (row * count + rank) * inner + column;
                (values[to], places[to]) = (line[place], place as i64);
            }
        };
        if inner == 1 {
            (0..outer).for_each(|row| keep(&elements[row * extent..(row + 1) * extent], row, 0));
            return;
        }
        let mut columns = vec![T::ZERO; extent * COLUMNS.min(inner)];
        for row in 0..outer {
            let elements = &elements[row * extent * inner..(row + 1) * extent * inner];
            for from in (0..inner).step_by(COLUMNS) {
                let width = COLUMNS.min(inner - from);
                for place in 0..extent {
                    for column in 0..width {
                        columns[column * extent + place] = elements[place * inner + from + column];
                    }
                }
                for column in 0..width {
                    keep(&columns[column * extent..(column + 1) * extent], row, from + column);
                }
            }
        }
    }
}

pub(super) fn top_k(call: &mut Call<'_>) -> Outcome {
    let (tensor, axis, largest) = (call.tensor(), call.index() as usize, call.flag());
    let (mut values, mut places) = (call.output(), call.output());
    if values.extents[axis] > tensor.extents[axis] {
        return Err(Failure::Reason(1));
    }
    tensor.kind.dispatch(TopK { tensor: &tensor, values: &mut values, places: &mut places, axis, largest });
    Ok(())
}

/// The `count` largest or smallest elements in order, ties by index: their keys and indices. Each element is visited
/// once and mostly only compared with the last of the best; at most twice `count` elements are sorted.
fn first<T: Element, const LARGEST: bool>(line: &[T], count: usize, best: &mut Vec<(u64, usize)>, looks: &mut Looks) {
    best.clear();
    if count == 0 {
        return;
    }
    let flip = if LARGEST { u64::MAX } else { 0 };
    let most = 2 * count.max(4);
    let mut last: Option<(u64, usize)> = None;
    for (number, chunk) in line.chunks(CHUNK).enumerate() {
        looks.pass(CHUNK);
        let bound = last.map(|(_, place)| line[place]);
        let after = |x: &T, bound: T| if LARGEST { x.at_most(bound) } else { bound.at_most(*x) };
        if bound.is_some_and(|bound| chunk.iter().fold(true, |all, x| all & after(x, bound))) {
            continue;
        }
        for (place, element) in (number * CHUNK..).zip(chunk) {
            if last.is_some_and(|(_, place)| after(element, line[place])) {
                continue;
            }
            let candidate = (element.key() ^ flip, place);
            if last.is_none_or(|last| candidate < last) {
                best.push(candidate);
                if count <= FEW {
                    let rank = best.iter().rposition(|better| *better < candidate).map_or(0, |rank| rank + 1);
                    best[rank..].rotate_right(1);
                    best.truncate(count);
                    last = best.get(count - 1).copied();
                } else if best.len() == most {
                    last = Some(select(best, count - 1, looks));
                    best.truncate(count);
                }
            }
        }
    }
    if best.len() > count {
        select(best, count - 1, looks);
        best.truncate(count);
    }
    match best.len() > LONG {
        true => best.sort_unstable_by(|a, b| ordered(a, b, looks)),
        false => best.sort_unstable(),
    }
}

/// The item of a rank, between those before and those after it.
fn select<T: Ord + Copy>(items: &mut [T], rank: usize, looks: &mut Looks) -> T {
    match items.len() > LONG {
        true => *items.select_nth_unstable_by(rank, |a, b| ordered(a, b, looks)).1,
        false => *items.select_nth_unstable(rank).1,
    }
}

/// The order of two items of a sort that looks whether its run is to end.
fn ordered<T: Ord>(a: &T, b: &T, looks: &mut Looks) -> Ordering {
    looks.pass(COMPARISON);
    a.cmp(b)
}

/// The rank of each string among all of them.
fn text_ranks(call: &mut Call<'_>, tensor: &Tensor<'_>) -> Vec<u64> {
    let numbers = tensor.elements::<i64>();
    let mut distinct = numbers.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.sort_by_key(|&number| call.context.strings().text(number));
    let ranks: HashMap<i64, u64> = distinct.into_iter().zip(0..).collect();
    numbers.iter().map(|number| ranks[number]).collect()
}

pub(super) fn unique(call: &mut Call<'_>) -> Outcome {
    let (tensor, axis, sorted) = (call.tensor(), call.index(), call.flag());
    let flat = axis < 0;
    let [outer, extent, inner] = match flat {
        true => [1, tensor.extents.iter().product(), 1],
        false => around(&tensor.extents, axis as usize),
    };
    let mut keys = tensor.keys();
    if tensor.kind == Kind::Text {
        keys = text_ranks(call, &tensor);
    }
    let compare = |a: usize, b: usize| -> Ordering {
        let slice = |place: usize, row: usize| &keys[(row * extent + place) * inner..][..inner];
        (0..outer).map(|row| slice(a, row).cmp(slice(b, row))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let mut order: Vec<usize> = (0..extent).collect();
    let mut looks = Looks::new();
    let mut look_and_compare = |a: usize, b: usize| {
        looks.pass(COMPARISON);
        compare(a, b)
    };
    match extent > LONG {
        true => order.sort_by(|&a, &b| look_and_compare(a, b)),
        false => order.sort_by(|&a, &b| compare(a, b)),
    }
    // equal ones are consecutive, the first occurrence first
    let mut groups: Vec<&[usize]> = order.chunk_by(|&a, &b| look_and_compare(a, b).is_eq()).collect();
    if !sorted {
        groups.sort_by(|a, b| ordered(&a[0], &b[0], &mut looks));
    }
    let mut extents = if flat { vec![0] } else { tensor.extents.clone() };
    extents[axis.max(0) as usize] = groups.len();
    let values = call.returned(&extents)?;
    let slice = inner * tensor.kind.width();
    for row in 0..outer {
        for (at, group) in groups.iter().enumerate() {
            looks.pass(COMPARISON + inner);
            let (from, to) = ((row * extent + group[0]) * slice, (row * groups.len() + at) * slice);
            values.bytes[to..to + slice].copy_from_slice(&tensor.bytes[from..from + slice]);
        }
    }
    let mut first = call.returned(&[groups.len()])?;
    let mut inverse = call.returned(&[extent])?;
    let mut counts = call.returned(&[groups.len()])?;
    let (first, inverse, counts) = (first.elements::<i64>(), inverse.elements::<i64>(), counts.elements::<i64>());
    for (at, group) in groups.iter().enumerate().inspect(looking(COMPARISON)) {
        first[at] = group[0] as i64;
        counts[at] = group.len() as i64;
        for &place in *group {
            inverse[place] = at as i64;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_come_in_order_and_of_equals_the_first() {
        let mut numbers: Vec<f32> = (0..1000u32).map(|i| (i * 7919 % 101) as f32 - 50.0).collect();
        (numbers[700], numbers[900]) = (f32::NAN, f32::NAN);
        let (mut best, mut looks) = (Vec::new(), Looks::new());
        for flip in [0, u64::MAX] {
            let mut all: Vec<(u64, usize)> = numbers.iter().map(|number| number.key() ^ flip).zip(0..).collect();
            all.sort();
            for count in [0, 1, 5, FEW, FEW + 1, 63, 64, 65, 999, 1000] {
                match flip {
                    0 => first::<f32, false>(&numbers, count, &mut best, &mut looks),
                    _ => first::<f32, true>(&numbers, count, &mut best, &mut looks),
                }
                assert_eq!(best, all[..count]);
            }
        }
    }
}

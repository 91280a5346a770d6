//! TopK and Unique: elements in order.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::element::{Element, Generic, Kind};
use super::{Call, Failure, Outcome, Tensor, around};

/// The keys of all elements.
struct Keys<'t, 'c>(&'t Tensor<'c>);

impl Generic for Keys<'_, '_> {
    type Result = Vec<u64>;

    fn run<T: Element>(self) -> Vec<u64> {
        self.0.elements::<T>().iter().map(|element| element.key()).collect()
    }
}

pub(super) fn top_k(call: &mut Call<'_>) -> Outcome {
    let (tensor, axis, largest) = (call.tensor(), call.index() as usize, call.flag());
    let (values, mut places) = (call.output(), call.output());
    let [outer, extent, inner] = around(&tensor.extents, axis);
    let count = values.extents[axis];
    if count > extent {
        return Err(Failure::Reason(1));
    }
    let (width, places) = (tensor.kind.width(), places.elements::<i64>());
    let flip = if largest { u64::MAX } else { 0 };
    let keys = tensor.kind.dispatch(Keys(&tensor));
    let mut best: Vec<(u64, usize)> = Vec::new();
    for row in 0..outer {
        for column in 0..inner {
            let at = |place: usize| (row * extent + place) * inner + column;
            smallest((0..extent).map(|place| (keys[at(place)] ^ flip, place)), count, &mut best);
            for (rank, &(_, place)) in best.iter().enumerate() {
                let to = (row * count + rank) * inner + column;
                let (from, start) = (at(place) * width, to * width);
                values.bytes[start..start + width].copy_from_slice(&tensor.bytes[from..from + width]);
                places[to] = place as i64;
            }
        }
    }
    Ok(())
}

/// The `count` smallest candidates, in order. Looks at each once, and sorts no more than twice as many as are wanted.
fn smallest(candidates: impl Iterator<Item = (u64, usize)>, count: usize, best: &mut Vec<(u64, usize)>) {
    best.clear();
    if count == 0 {
        return;
    }
    let most = 2 * count.max(32);
    let mut worst = (u64::MAX, usize::MAX);
    for candidate in candidates {
        if candidate < worst {
            best.push(candidate);
            if best.len() == most {
                worst = *best.select_nth_unstable(count - 1).1;
                best.truncate(count);
            }
        }
    }
    if best.len() > count {
        best.select_nth_unstable(count - 1);
        best.truncate(count);
    }
    best.sort_unstable();
}

/// For each string its place among all in order.
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
    let mut keys = tensor.kind.dispatch(Keys(&tensor));
    if tensor.kind == Kind::Text {
        keys = text_ranks(call, &tensor);
    }
    let compare = |a: usize, b: usize| -> Ordering {
        let slice = |place: usize, row: usize| &keys[(row * extent + place) * inner..][..inner];
        (0..outer).map(|row| slice(a, row).cmp(slice(b, row))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let mut order: Vec<usize> = (0..extent).collect();
    order.sort_by(|&a, &b| compare(a, b));
    // equal ones stand side by side, the first to occur in front
    let mut groups: Vec<&[usize]> = order.chunk_by(|&a, &b| compare(a, b).is_eq()).collect();
    if !sorted {
        groups.sort_by_key(|group| group[0]);
    }
    let mut extents = if flat { vec![0] } else { tensor.extents.clone() };
    extents[axis.max(0) as usize] = groups.len();
    let values = call.returned(&extents)?;
    let slice = inner * tensor.kind.width();
    for row in 0..outer {
        for (at, group) in groups.iter().enumerate() {
            let (from, to) = ((row * extent + group[0]) * slice, (row * groups.len() + at) * slice);
            values.bytes[to..to + slice].copy_from_slice(&tensor.bytes[from..from + slice]);
        }
    }
    let mut first = call.returned(&[groups.len()])?;
    let mut inverse = call.returned(&[extent])?;
    let mut counts = call.returned(&[groups.len()])?;
    let (first, inverse, counts) = (first.elements::<i64>(), inverse.elements::<i64>(), counts.elements::<i64>());
    for (at, group) in groups.iter().enumerate() {
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
    fn the_smallest_come_in_order_and_the_first_of_equals_first() {
        let numbers: Vec<u64> = (0..1000u64).map(|i| i * 7919 % 101).collect();
        let mut all: Vec<(u64, usize)> = numbers.iter().copied().zip(0..).collect();
        all.sort();
        let mut best = Vec::new();
        for count in [0, 1, 5, 63, 64, 65, 999, 1000] {
            smallest(numbers.iter().copied().zip(0..), count, &mut best);
            assert_eq!(best, all[..count]);
        }
    }
}

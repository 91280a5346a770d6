//! Lookups by key: LabelEncoder and TfIdfVectorizer.

use std::collections::{BTreeMap, HashMap};

use super::{Call, Failure, Outcome, Tensor};
use crate::stop::{Looks, looking};

/// Scalar operations of a look-up in a map.
const LOOK_UP: usize = 64;

pub(super) fn look_up(call: &mut Call<'_>) -> Outcome {
    let (tensor, keys, values, default) = (call.tensor(), call.tensor(), call.tensor(), call.tensor());
    let output = call.output();
    let width = values.kind.width();
    let mut places: HashMap<u64, usize> = HashMap::new();
    for (place, key) in keys.keys().into_iter().enumerate() {
        places.entry(key).or_insert(place);
    }
    if values.bytes.len() < places.len() * width || default.bytes.len() != width {
        return Err(Failure::Reason(1));
    }
    let elements = tensor.keys();
    for (target, key) in output.bytes.chunks_exact_mut(width).zip(elements).inspect(looking(LOOK_UP)) {
        target
            .copy_from_slice(places.get(&key).map_or(default.bytes, |&place| &values.bytes[place * width..][..width]));
    }
    Ok(())
}

/// The elements of a tensor of integers.
fn integers(tensor: &Tensor<'_>) -> Vec<i64> {
    match tensor.kind.width() {
        4 => tensor.elements::<i32>().iter().map(|&integer| integer as i64).collect(),
        _ => tensor.elements::<i64>().to_vec(),
    }
}

pub(super) fn count_terms(call: &mut Call<'_>) -> Outcome {
    let [tensor, pool, starts, columns] = [call.tensor(), call.tensor(), call.tensor(), call.tensor()];
    let weights = call.tensor();
    let [shortest, longest, skips, mode] = [call.index(), call.index(), call.index(), call.index()];
    let mut output = call.output();
    let (pool, starts, columns) = (integers(&pool), integers(&starts), integers(&columns));
    let terms = terms(&pool, &starts, &columns).ok_or(Failure::Reason(1))?;
    let mut places: Vec<(usize, usize)> = terms.values().copied().collect();
    places.sort_unstable();
    let weights = weights.elements::<f32>();
    let elements = integers(&tensor);
    let (&length, width) = (tensor.extents.last().unwrap_or(&1), *output.extents.last().unwrap_or(&0));
    if width == 0 || length == 0 {
        return Ok(());
    }
    let counts = output.elements::<f32>();
    counts.fill(0.0);
    let mut looks = Looks::new();
    for (row, counts) in elements.chunks_exact(length).zip(counts.chunks_exact_mut(width)) {
        // no n-gram is longer than the row or the longest of the pool
        let longest = longest.clamp(0, starts.len().min(length) as i64) as usize;
        for size in shortest.max(1) as usize..=longest {
            // skips do not matter for a unigram; longer n-grams end within the row
            let most = match size {
                1 => 1,
                _ => (skips.max(0) as usize).saturating_add(1).min((length - 1) / (size - 1)),
            };
            for step in 1..=most {
                let reach = (size - 1) * step;
                for start in 0..length - reach {
                    looks.pass(LOOK_UP);
                    let term: Vec<i64> = (0..size).map(|at| row[start + at * step]).collect();
                    if let Some(&(column, _)) = terms.get(&term) {
                        *counts.get_mut(column).ok_or(Failure::Reason(1))? += 1.0;
                    }
                }
            }
        }
        for &(column, place) in &places {
            let weight = weights.get(place).copied().unwrap_or(1.0);
            let count = counts.get_mut(column).ok_or(Failure::Reason(1))?;
            *count = match mode {
                0 => *count,
                1 if *count > 0.0 => weight,
                1 => 0.0,
                _ => *count * weight,
            };
        }
    }
    Ok(())
}

/// The n-grams of a pool, each with its column and its index. `starts` contains the first index of each length.
fn terms(pool: &[i64], starts: &[i64], columns: &[i64]) -> Option<BTreeMap<Vec<i64>, (usize, usize)>> {
    let mut terms = BTreeMap::new();
    let mut place = 0;
    for (at, &start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(pool.len() as i64, |&end| end);
        let slice = pool.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
        for term in slice.chunks_exact(at + 1) {
            terms.insert(term.to_vec(), (usize::try_from(*columns.get(place)?).ok()?, place));
            place += 1;
        }
    }
    Some(terms)
}

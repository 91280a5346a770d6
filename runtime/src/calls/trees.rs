//! Tree ensembles, as flat arrays.
//!
//! Forests larger than the caches are walked in groups of trees whose results are combined in order: each group is
//! loaded from memory once for many rows, and groups are the unit of parallelism. Groups depend on the forest alone, so
//! that results do not depend on the number of threads. Code without a runtime has the same ones
//! (`compiler/lower/src/routines/trees.mlir`), so that its bits are the same.

use std::borrow::Cow;
use std::ops::Range;

use half::f16;

use super::element::{Element, Generic, Kind};
use super::parallel::for_each_chunk;
use super::tree_walk::{LANES, Threshold, Trees};
use super::{Call, Failure, Outcome, Output, Tensor};
use crate::elementary::nearest_f16;
use crate::pool::threads;

/// The maximum number of rows that walk the trees together: one tree at a time, while its nodes are in the cache.
const ROWS: usize = 64;
/// Approximate size of the nodes of a group of trees, in bytes.
const GROUP: usize = 1 << 20;
/// The maximum number of groups.
const GROUPS: usize = 64;
/// The maximum number of rows whose results per group are kept at once.
const BLOCK: usize = 2048;

/// A floating-point type of results.
pub(super) trait Number: Element + PartialOrd {
    fn of(real: f64) -> Self;
}

impl Number for f16 {
    fn of(real: f64) -> f16 {
        nearest_f16(real)
    }
}

impl Number for f32 {
    fn of(real: f64) -> f32 {
        real as f32
    }
}

impl Number for f64 {
    fn of(real: f64) -> f64 {
        real
    }
}

/// How weights are aggregated; numbered as the compiler does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aggregate {
    Average,
    Sum,
    Min,
    Max,
}

impl Aggregate {
    fn of(number: i64) -> Aggregate {
        match number {
            0 => Aggregate::Average,
            1 => Aggregate::Sum,
            2 => Aggregate::Min,
            _ => Aggregate::Max,
        }
    }
}

/// What holds for all trees.
#[derive(Clone, Copy)]
struct Options {
    /// The number of trees.
    count: usize,
    aggregate: Aggregate,
}

/// The arrays of a forest.
struct Forest<'t, T: Threshold> {
    trees: Trees<'t, T>,
    /// The index of each leaf's first weight; empty if each leaf has one weight, or one for each target in order.
    leaves: &'t [i32],
    /// The target of each weight; empty if each leaf has a weight for each target in order.
    targets: &'t [i32],
    weights: &'t [T],
    base: &'t [T],
    options: Options,
}

impl<T: Threshold> Forest<'_, T> {
    /// Aggregates the trees of a range for a few rows.
    fn walk(&self, trees: Range<usize>, rows: &[T], columns: usize, results: &mut [T]) {
        let count = self.base.len();
        // a target without a weight is NaN for minimum and maximum, so that any weight replaces it
        let start = match self.options.aggregate {
            Aggregate::Average | Aggregate::Sum => T::ZERO,
            Aggregate::Min | Aggregate::Max => T::of(f64::NAN),
        };
        results.fill(start);
        let whole = results.len() / count / LANES * LANES;
        let (together, apart) = results.split_at_mut(whole * count);
        for root in trees.clone() {
            for (group, results) in together.chunks_exact_mut(LANES * count).enumerate() {
                let rows = &rows[group * LANES * columns..][..LANES * columns];
                let leaves = self.trees.leaves([root as i32; LANES], rows, columns);
                match self.has_one_weight() {
                    true => results.iter_mut().zip(leaves).for_each(|(result, leaf)| {
                        *result = result.add(self.weights[leaf]);
                    }),
                    false => {
                        results.chunks_exact_mut(count).zip(leaves).for_each(|(results, leaf)| self.add(leaf, results))
                    }
                }
            }
        }
        for (row, results) in apart.chunks_exact_mut(count).enumerate() {
            let row = &rows[(whole + row) * columns..][..columns];
            for first in trees.clone().step_by(LANES) {
                let there = (trees.end - first).min(LANES);
                let roots = std::array::from_fn(|lane| (first + lane.min(there - 1)) as i32);
                let leaves = self.trees.leaves(roots, row, 0);
                leaves[..there].iter().for_each(|&leaf| self.add(leaf, results));
            }
        }
    }

    /// Whether results are sums of one weight for each leaf.
    fn has_one_weight(&self) -> bool {
        let is_sum = matches!(self.options.aggregate, Aggregate::Average | Aggregate::Sum);
        is_sum && self.base.len() == 1 && self.leaves.is_empty()
    }

    /// Finishes the results of a few rows after all trees are aggregated.
    fn finish<R: Number>(&self, joined: &mut [T], results: &mut [R]) {
        for results in joined.chunks_exact_mut(self.base.len()) {
            for (result, &base) in results.iter_mut().zip(self.base) {
                let joined = match self.options.aggregate {
                    Aggregate::Average => T::of(result.real() / self.options.count.max(1) as f64),
                    _ if result.is_nan() => T::ZERO,
                    _ => *result,
                };
                *result = joined.add(base);
            }
        }
        results.iter_mut().zip(joined).for_each(|(result, joined)| *result = R::of(joined.real()));
    }

    /// Adds the weights of a leaf to the results of a row.
    #[inline(always)]
    fn add(&self, leaf: usize, results: &mut [T]) {
        let weights = match (self.leaves, self.targets) {
            ([], []) => {
                let weights = &self.weights[leaf * results.len()..][..results.len()];
                results.iter_mut().zip(weights).for_each(|(result, &weight)| *result = self.both(*result, weight));
                return;
            }
            ([], _) => leaf..leaf + 1,
            (leaves, _) => leaves[leaf] as usize..leaves[leaf + 1] as usize,
        };
        let weights = self.targets[weights.clone()].iter().zip(&self.weights[weights]);
        for (&target, &weight) in weights {
            let result = &mut results[target as usize];
            *result = self.both(*result, weight);
        }
    }

    /// Combines a result with a weight or with the result of other trees.
    fn both(&self, result: T, other: T) -> T {
        let is_nearer = match self.options.aggregate {
            Aggregate::Average | Aggregate::Sum => return result.add(other),
            Aggregate::Min => result < other,
            Aggregate::Max => result > other,
        };
        if is_nearer || other.is_nan() { result } else { other }
    }

    /// The results of all rows.
    fn predict_all<R: Number>(&self, rows: &[T], columns: usize, results: &mut [R]) {
        let groups = (self.trees.bytes() / GROUP).min(GROUPS).min(self.options.count);
        if groups < 2 || results.is_empty() {
            return self.predict_by_rows(rows, columns, results);
        }
        for (rows, results) in rows.chunks(BLOCK * columns).zip(results.chunks_mut(BLOCK * self.base.len())) {
            self.predict_by_groups(groups, rows, columns, results);
        }
    }

    /// The results of all rows, parallel over rows.
    fn predict_by_rows<R: Number>(&self, rows: &[T], columns: usize, results: &mut [R]) {
        let count = self.base.len();
        let share = (results.len() / count.max(1)).div_ceil(threads());
        let together = share.next_multiple_of(LANES).min(ROWS);
        for_each_chunk(results, together * count, |chunk, results| {
            let mut joined = vec![T::ZERO; results.len()];
            self.walk(0..self.options.count, &rows[chunk * together * columns..], columns, &mut joined);
            self.finish(&mut joined, results);
        });
    }

    /// The results of all rows, parallel over groups of trees.
    fn predict_by_groups<R: Number>(&self, groups: usize, rows: &[T], columns: usize, results: &mut [R]) {
        let length = ROWS * self.base.len();
        let chunks = results.len().div_ceil(length);
        // indexed by group, chunk of rows, row and target; the last chunk may be partial
        let count = groups * chunks * length;
        limits::ask_for(count, size_of::<T>()).unwrap_or_else(|shortage| limits::give_up(shortage));
        let mut said = vec![T::ZERO; count];
        let first = |group: usize| group * self.options.count / groups;
        for_each_chunk(&mut said, length, |part, said| {
            let (group, chunk) = (part / chunks, part % chunks);
            let there = (results.len() - chunk * length).min(length);
            let trees = first(group)..first(group + 1);
            self.walk(trees, &rows[chunk * ROWS * columns..], columns, &mut said[..there]);
        });
        for_each_chunk(results, length, |chunk, results| {
            let mut groups = said.chunks(length).skip(chunk).step_by(chunks);
            let mut joined = groups.next().expect("there is a group")[..results.len()].to_vec();
            for said in groups {
                joined.iter_mut().zip(said).for_each(|(joined, &said)| *joined = self.both(*joined, said));
            }
            self.finish(&mut joined, results);
        });
    }
}

/// A tensor's elements as numbers of another type.
struct Convert<'s, 'c, T> {
    tensor: &'s Tensor<'c>,
    converted: Vec<T>,
}

impl<T: Number> Generic for Convert<'_, '_, T> {
    type Result = Vec<T>;

    fn run<E: Element>(mut self) -> Vec<T> {
        self.converted.extend(self.tensor.elements::<E>().iter().map(|element| T::of(element.real())));
        self.converted
    }
}

/// Elements as type `kind`, which is `T`, converted only if they have another type.
fn elements_of<'c, T: Number>(tensor: &Tensor<'c>, kind: Kind) -> Cow<'c, [T]> {
    match tensor.kind == kind {
        true => tensor.elements(),
        false => Cow::Owned(tensor.kind.dispatch(Convert { tensor, converted: vec![] })),
    }
}

pub(super) fn trees(call: &mut Call<'_>) -> Outcome {
    let rows = call.tensor();
    let tables = std::array::from_fn(|_| call.tensor());
    let (count, features) = (call.index() as usize, call.index() as usize);
    let (orders, aggregate) = (call.index(), Aggregate::of(call.index()));
    let mut output = call.output();
    if rows.extents.last().is_none_or(|&columns| columns < features) {
        return Err(Failure::Reason(1));
    }
    // the sums of all trees are kept for some rows before they become results
    limits::ask_for(output.bytes.len(), 2)?;
    let forest = (features, orders, Options { count, aggregate });
    match tables[4].kind {
        Kind::F64 => run::<f64>(&rows, &tables, forest, &mut output),
        _ => run::<f32>(&rows, &tables, forest, &mut output),
    }
    Ok(())
}

fn run<T: Threshold>(
    rows: &Tensor<'_>,
    tables: &[Tensor<'_>; 5],
    (features, orders, options): (usize, i64, Options),
    output: &mut Output<'_>,
) {
    let [nodes, leaves, targets, weights, base] = tables;
    let (nodes, leaves, targets) = (nodes.elements::<i32>(), leaves.elements::<i32>(), targets.elements::<i32>());
    let (weights, base) = (weights.elements::<T>(), base.elements::<T>());
    let mut elements = elements_of::<T>(rows, tables[4].kind);
    let mut columns = *rows.extents.last().expect("rows have columns");
    if columns == 0 {
        // leaves look at a feature, too
        columns = 1;
        elements = Cow::Owned(vec![T::ZERO; output.extents.iter().product::<usize>() / base.len()]);
    }
    // SAFETY: the compiler has checked the nodes, and counted their features.
    let trees = unsafe { Trees::new(T::nodes(&nodes), orders, features.max(1)) };
    let forest = Forest { trees, leaves: &leaves, targets: &targets, weights: &weights, base: &base, options };
    match output.kind {
        Kind::F16 => forest.predict_all::<f16>(&elements, columns, output.elements()),
        Kind::F64 => forest.predict_all::<f64>(&elements, columns, output.elements()),
        _ => forest.predict_all::<f32>(&elements, columns, output.elements()),
    }
}

#[cfg(test)]
mod tests {
    use abi::TreeNode;

    use super::*;

    /// Trees with one node each, which leave some rows without a weight for one of two targets.
    #[test]
    fn groups_of_trees_say_what_all_trees_say() {
        let trees = 21;
        let root = |tree: i32| TreeNode::branch(tree % 3, trees + 2 * tree, 1, f64::from(tree));
        let leaf = |number: i32| TreeNode::leaf(number, trees + number);
        let nodes = (0..trees).map(root).chain((0..2 * trees).map(leaf));
        let nodes: Vec<[i32; 4]> = nodes.map(|node| node.narrow().words()).collect();
        // the second leaf of a tree has no weights
        let leaves: Vec<i32> = (0..=2 * trees).map(|leaf| (leaf + 1) / 2).collect();
        let targets: Vec<i32> = (0..trees).map(|tree| i32::from(tree > 15)).collect();
        let weights: Vec<f32> = (0..trees).map(|tree| ((tree * 7) % 11 - 5) as f32).collect();
        let count = if cfg!(miri) { 10 } else { 150 };
        let rows: Vec<f32> = (0..3 * count).map(|at| ((at * 13) % 29) as f32 - 3.0).collect();
        for aggregate in [Aggregate::Average, Aggregate::Sum, Aggregate::Min, Aggregate::Max] {
            let forest = Forest {
                // SAFETY: the nodes are those of trees of three features.
                trees: unsafe { Trees::new(&nodes, 1, 3) },
                leaves: &leaves,
                targets: &targets,
                weights: &weights,
                base: &[0.5, -0.5],
                options: Options { count: trees as usize, aggregate },
            };
            let (mut by_rows, mut by_groups) = (vec![f32::NAN; 2 * count], vec![f32::NAN; 2 * count]);
            forest.predict_by_rows(&rows, 3, &mut by_rows);
            forest.predict_by_groups(4, &rows, 3, &mut by_groups);
            assert_eq!(by_rows, by_groups);
            for (row, expected) in rows.chunks(3).zip(by_rows.chunks(2)) {
                let mut alone = [f32::NAN; 2];
                forest.predict_by_rows(row, 3, &mut alone);
                assert_eq!(alone, expected);
            }
        }
    }
}

//! Tree ensembles, as flat arrays.
//!
//! A reference is the index of an inner node, or the complement of the index of a leaf. Forests larger than the caches
//! are walked in groups of trees whose results are combined in order: each group is loaded from memory once for many
//! rows, and groups are the unit of parallelism. Groups depend on the forest alone, so that results do not depend on
//! the number of threads.

use std::borrow::Cow;

use half::f16;

use super::element::{Element, Generic, Kind};
use super::parallel::for_each_chunk;
use super::{Call, Failure, Outcome, Output, Tensor};
use crate::pool::threads;

/// The maximum number of rows that walk the trees together: one tree at a time, while its nodes are in the cache.
const ROWS: usize = 64;
/// Approximate size of the nodes of a group of trees, in bytes.
const GROUP: usize = 1 << 20;
/// The maximum number of groups.
const GROUPS: usize = 64;
/// The maximum number of rows whose results per group are kept at once.
const BLOCK: usize = 2048;
/// Walks that advance together, of rows through one tree or of one row through several trees, to hide the latency of
/// loading nodes.
const LANES: usize = 8;

/// A floating-point type of results.
trait Number: Element + PartialOrd {
    fn of(real: f64) -> Self;
}

impl Number for f16 {
    fn of(real: f64) -> f16 {
        f16::from_f64(real)
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

/// The arrays of a forest.
struct Forest<'t, T> {
    /// Feature, the orders for which the comparison is true, the successor if it is true, and the successor otherwise.
    nodes: &'t [[i32; 4]],
    values: &'t [T],
    roots: &'t [i32],
    /// The index of each leaf's first weight; empty if each leaf has one.
    leaves: &'t [i32],
    targets: &'t [i32],
    weights: &'t [T],
    base: &'t [T],
    /// The orders of all nodes; 0 if they differ.
    orders: i64,
    aggregate: Aggregate,
    transform: i64,
    /// Whether results are sums with one weight per leaf.
    has_one_weight: bool,
}

impl<T: Number> Forest<'_, T> {
    /// The numbers of the leaves that rows end in, each from a root. Inlined: trees are so small that a call would show.
    #[inline(always)]
    fn leaves(&self, roots: [i32; LANES], rows: &[&[T]; LANES]) -> [usize; LANES] {
        match self.orders {
            1 => self.leaves_where(roots, rows, |_, feature, value| feature < value),
            3 => self.leaves_where(roots, rows, |_, feature, value| feature <= value),
            _ => self.leaves_where(roots, rows, holds),
        }
    }

    /// Steps are branch-free, because the branches are unpredictable.
    fn leaves_where(
        &self,
        roots: [i32; LANES],
        rows: &[&[T]; LANES],
        holds: impl Fn(i32, T, T) -> bool,
    ) -> [usize; LANES] {
        let mut at = roots;
        while at.iter().any(|&at| at >= 0) {
            for (at, row) in at.iter_mut().zip(rows) {
                // a row that has reached its leaf reads some node and ignores it
                let number = (*at).max(0) as usize;
                let node = &self.nodes[number];
                let next = node[2 + usize::from(!holds(node[1], row[node[0] as usize], self.values[number]))];
                *at = if *at < 0 { *at } else { next };
            }
        }
        at.map(|at| !at as usize)
    }

    /// Aggregates trees for a few rows.
    fn walk(&self, roots: &[i32], rows: &[T], columns: usize, results: &mut [T]) {
        let count = self.base.len();
        // a target without a weight is NaN for minimum and maximum, so that any weight replaces it
        let start = match self.aggregate {
            Aggregate::Average | Aggregate::Sum => T::ZERO,
            Aggregate::Min | Aggregate::Max => T::of(f64::NAN),
        };
        results.fill(start);
        let whole = results.len() / count / LANES * LANES;
        let (together, apart) = results.split_at_mut(whole * count);
        for &root in roots {
            for (group, results) in together.chunks_exact_mut(LANES * count).enumerate() {
                let rows = &rows[group * LANES * columns..];
                let lanes = std::array::from_fn(|lane| &rows[lane * columns..][..columns]);
                let leaves = self.leaves([root; LANES], &lanes);
                match self.has_one_weight {
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
            let lanes = [&rows[(whole + row) * columns..][..columns]; LANES];
            for roots in roots.chunks(LANES) {
                let leaves = self.leaves(std::array::from_fn(|lane| roots[lane.min(roots.len() - 1)]), &lanes);
                let leaves = &leaves[..roots.len()];
                match self.has_one_weight {
                    true => leaves.iter().for_each(|&leaf| results[0] = results[0].add(self.weights[leaf])),
                    false => leaves.iter().for_each(|&leaf| self.add(leaf, results)),
                }
            }
        }
    }

    /// Finishes the results of a few rows after all trees are aggregated.
    fn finish<R: Number>(&self, joined: &mut [T], results: &mut [R]) {
        for results in joined.chunks_exact_mut(self.base.len()) {
            for (result, &base) in results.iter_mut().zip(self.base) {
                let joined = match self.aggregate {
                    Aggregate::Average => T::of(result.real() / self.roots.len().max(1) as f64),
                    _ if result.is_nan() => T::ZERO,
                    _ => *result,
                };
                *result = joined.add(base);
            }
            transform(results, self.transform);
        }
        results.iter_mut().zip(joined).for_each(|(result, joined)| *result = R::of(joined.real()));
    }

    /// Adds the weights of a leaf to the results of a row.
    fn add(&self, leaf: usize, results: &mut [T]) {
        let weights = match self.leaves {
            [] => leaf..leaf + 1,
            leaves => leaves[leaf] as usize..leaves[leaf + 1] as usize,
        };
        let weights = self.targets[weights.clone()].iter().zip(&self.weights[weights]);
        for (&target, &weight) in weights {
            let result = &mut results[target as usize];
            *result = self.both(*result, weight);
        }
    }

    /// Combines a result with a weight or with the result of other trees.
    fn both(&self, result: T, other: T) -> T {
        let is_nearer = match self.aggregate {
            Aggregate::Average | Aggregate::Sum => return result.add(other),
            Aggregate::Min => result < other,
            Aggregate::Max => result > other,
        };
        if is_nearer || other.is_nan() { result } else { other }
    }

    /// The results of all rows.
    fn predict_all<R: Number>(&self, rows: &[T], columns: usize, results: &mut [R]) {
        let groups = (size_of_val(self.nodes) / GROUP).min(GROUPS).min(self.roots.len());
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
            self.walk(self.roots, &rows[chunk * together * columns..], columns, &mut joined);
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
        let first = |group: usize| group * self.roots.len() / groups;
        for_each_chunk(&mut said, length, |part, said| {
            let (group, chunk) = (part / chunks, part % chunks);
            let there = (results.len() - chunk * length).min(length);
            let roots = &self.roots[first(group)..first(group + 1)];
            self.walk(roots, &rows[chunk * ROWS * columns..], columns, &mut said[..there]);
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

/// Whether the order of two numbers is in a set of orders.
fn holds<T: Number>(orders: i32, feature: T, value: T) -> bool {
    let (less, greater, unordered) = (feature < value, feature > value, feature.is_nan() | value.is_nan());
    let order = 1 - i32::from(less) + i32::from(greater) + 2 * i32::from(unordered);
    (orders >> order) & 1 != 0
}

/// Applies the post-transform, numbered as the compiler does.
fn transform<T: Number>(scores: &mut [T], number: i64) {
    let each =
        |scores: &mut [T], to: fn(f64) -> f64| scores.iter_mut().for_each(|score| *score = T::of(to(score.real())));
    match number {
        1 => softmax(scores, |_| false),
        2 => each(scores, |score| 1.0 / (1.0 + (-score).exp())),
        3 => softmax(scores, |score| score.abs() <= 1e-7),
        4 => each(scores, probit),
        _ => {}
    }
}

/// Softmax. Scores for which `out` is true are only scaled, so that zeros stay zeros.
fn softmax<T: Number>(scores: &mut [T], out: fn(f64) -> bool) {
    let most = scores.iter().map(|score| score.real()).fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        let real = score.real();
        let power = if out(real) { real * (-most).exp() } else { (real - most).exp() };
        sum += power;
        *score = T::of(power);
    }
    scores.iter_mut().for_each(|score| *score = T::of(score.real() / sum));
}

/// The quantile of the normal distribution, by Winitzki's approximation of the inverse error function.
fn probit(score: f64) -> f64 {
    const A: f64 = 0.147;
    let x = 2.0 * score - 1.0;
    let logarithm = ((1.0 - x) * (1.0 + x)).ln();
    let half = 2.0 / (std::f64::consts::PI * A) + 0.5 * logarithm;
    let root = ((half * half - logarithm / A).sqrt() - half).sqrt();
    std::f64::consts::SQRT_2 * root.copysign(x)
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
    let features = call.tensor();
    let tables = std::array::from_fn(|_| call.tensor());
    let (least, orders, aggregate, transform) = (call.index(), call.index(), Aggregate::of(call.index()), call.index());
    let mut output = call.output();
    if features.extents.last().is_none_or(|&columns| (columns as i64) < least) {
        return Err(Failure::Reason(1));
    }
    // the sums of all trees are kept for some rows before they become results
    limits::ask_for(output.bytes.len(), 2)?;
    match tables[1].kind {
        Kind::F64 => run::<f64>(&features, &tables, orders, aggregate, transform, &mut output),
        _ => run::<f32>(&features, &tables, orders, aggregate, transform, &mut output),
    }
    Ok(())
}

fn run<T: Number>(
    features: &Tensor<'_>,
    tables: &[Tensor<'_>; 7],
    orders: i64,
    aggregate: Aggregate,
    transform: i64,
    output: &mut Output<'_>,
) {
    let [nodes, values, roots, leaves, targets, weights, base] = tables;
    let (nodes, roots, leaves, targets) =
        (nodes.elements::<i32>(), roots.elements::<i32>(), leaves.elements::<i32>(), targets.elements::<i32>());
    let (values, weights, base) = (values.elements::<T>(), weights.elements::<T>(), base.elements::<T>());
    let is_sum = base.len() == 1 && matches!(aggregate, Aggregate::Average | Aggregate::Sum);
    let has_one_weight = is_sum && leaves.is_empty();
    let forest = Forest {
        nodes: nodes.as_chunks().0,
        values: &values,
        roots: &roots,
        leaves: &leaves,
        targets: &targets,
        weights: &weights,
        base: &base,
        orders,
        aggregate,
        transform,
        has_one_weight,
    };
    let features_of = elements_of::<T>(features, tables[1].kind);
    let columns = *features.extents.last().expect("features have columns");
    match output.kind {
        Kind::F16 => forest.predict_all::<f16>(&features_of, columns, output.elements()),
        Kind::F64 => forest.predict_all::<f64>(&features_of, columns, output.elements()),
        _ => forest.predict_all::<f32>(&features_of, columns, output.elements()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trees with one node each, which leave some rows without a weight for one of two targets.
    #[test]
    fn groups_of_trees_say_what_all_trees_say() {
        let number = 21;
        let nodes: Vec<[i32; 4]> = (0..number).map(|tree| [tree % 3, 1, !(2 * tree), !(2 * tree + 1)]).collect();
        let values: Vec<f32> = (0..number).map(|tree| tree as f32).collect();
        let roots: Vec<i32> = (0..number).collect();
        // the second leaf of a tree has no weights
        let leaves: Vec<i32> = (0..=2 * number).map(|leaf| (leaf + 1) / 2).collect();
        let targets: Vec<i32> = (0..number).map(|tree| i32::from(tree > 15)).collect();
        let weights: Vec<f32> = (0..number).map(|tree| ((tree * 7) % 11 - 5) as f32).collect();
        let rows: Vec<f32> = (0..3 * 150).map(|at| ((at * 13) % 29) as f32 - 3.0).collect();
        for aggregate in [Aggregate::Average, Aggregate::Sum, Aggregate::Min, Aggregate::Max] {
            let forest = Forest {
                nodes: &nodes,
                values: &values,
                roots: &roots,
                leaves: &leaves,
                targets: &targets,
                weights: &weights,
                base: &[0.5, -0.5],
                orders: 1,
                aggregate,
                transform: 0,
                has_one_weight: false,
            };
            let (mut by_rows, mut by_groups) = ([f32::NAN; 300], [f32::NAN; 300]);
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

    #[test]
    fn scores_are_transformed() {
        let transformed = |scores: [f32; 3], number| {
            let mut scores = scores;
            transform(&mut scores, number);
            scores.map(|score| (score * 1000.0).round() / 1000.0)
        };
        assert_eq!(transformed([0.0, 0.0, 0.0], 1), [0.333; 3]);
        assert_eq!(transformed([0.0, 30.0, -30.0], 2), [0.5, 1.0, 0.0]);
        assert_eq!(transformed([0.0, 1.0, 1.0], 3), [0.0, 0.5, 0.5]);
        assert_eq!(transformed([0.5, 0.975, 0.025], 4), [0.0, 1.959, -1.959]);
    }
}

//! `cse`: common subexpression elimination.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::body::{Block, Body, Op, Region};
use crate::diagnostics::Result;
use crate::dominance::Dominators;
use crate::effects::is_mergeable;
use crate::pass::{PassContext, PassDefinition, Statistic};
use crate::registry::Registry;

use super::remove_dead;

pub(super) static PASS: PassDefinition = PassDefinition::on_functions(
    "cse",
    "Replaces a side-effect-free operation by an equal one that dominates it, and removes unused operations.",
    |body, context: &PassContext<'_>| -> Result<()> {
        context.statistics.add(MERGED, merge_equal(body, context.registry));
        context.statistics.add(REMOVED, remove_dead(body, context.registry));
        Ok(())
    },
)
.with_statistics(&[
    Statistic { name: MERGED, summary: "Number of operations CSE'd" },
    Statistic { name: REMOVED, summary: "Number of operations DCE'd" },
]);

// as upstream calls them
const MERGED: &str = "num-cse'd";
const REMOVED: &str = "num-dce'd";

/// A hash that is the same for equal operations.
fn hash_of(body: &Body, op: Op) -> u64 {
    let operation = body.op(op);
    let mut state = FxHasher::default();
    operation.name.hash(&mut state);
    operation.operands().hash(&mut state);
    operation.attributes.hash(&mut state);
    operation.results().iter().for_each(|&result| body.value_type(result).hash(&mut state));
    state.finish()
}

/// Whether two operations have the same results.
fn are_equal(body: &Body, a: Op, b: Op) -> bool {
    let types = |op: Op| body.op(op).results().iter().map(|&result| body.value_type(result));
    let (a_op, b_op) = (body.op(a), body.op(b));
    a_op.name == b_op.name
        && a_op.operands() == b_op.operands()
        && a_op.attributes == b_op.attributes
        && types(a).eq(types(b))
}

/// Replaces operations without effect by equal ones that dominate them; returns their number.
///
/// Operations with regions are not merged.
pub fn merge_equal(body: &mut Body, registry: &Registry) -> usize {
    let mut known: FxHashMap<u64, SmallVec<[Op; 2]>> = FxHashMap::default();
    let mut dominators: FxHashMap<Region, Dominators> = FxHashMap::default();
    let mut merged = Vec::new();
    // outer before inner and in textual order, so that dominating operations come first
    for op in body.walk_all() {
        let operation = body.op(op);
        let has_regions = !operation.regions().is_empty() || operation.isolated().is_some();
        if has_regions || operation.results().is_empty() || !is_mergeable(registry, body, op) {
            continue;
        }
        let equal = known.entry(hash_of(body, op)).or_default();
        let mut is_known = |&other: &Op| are_equal(body, other, op) && dominates(body, &mut dominators, other, op);
        match equal.iter().copied().find(&mut is_known) {
            Some(other) => {
                for (index, old) in body.op(op).results().to_vec().into_iter().enumerate() {
                    body.replace_all_uses(old, body.result(other, index));
                }
                merged.push(op);
            }
            None => equal.push(op),
        }
    }
    body.erase_all(&merged);
    merged.len()
}

/// Whether `first`, which comes earlier in textual order, always runs before `second`.
fn dominates(body: &Body, known: &mut FxHashMap<Region, Dominators>, first: Op, second: Op) -> bool {
    let home = home_of(body, first);
    let region = body.block_region(home).expect("attached operations are in a region");
    let Some(block) = block_in(body, region, second) else { return false };
    home == block || known.entry(region).or_insert_with(|| Dominators::of_region(body, region)).dominates(home, block)
}

/// The block of `region` that contains `op` or an operation around it.
fn block_in(body: &Body, region: Region, op: Op) -> Option<Block> {
    let mut block = home_of(body, op);
    loop {
        let around = body.block_region(block)?;
        if around == region {
            return Some(block);
        }
        block = home_of(body, body.region_parent(around)?);
    }
}

fn home_of(body: &Body, op: Op) -> Block {
    body.op(op).parent().expect("the operation is attached")
}

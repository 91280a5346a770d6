//! Dead code elimination.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::{Block, Body, Op, Use, Value};
use crate::effects::is_removable;
use crate::registry::Registry;

/// Erases unused operations without effect or regions, and operations that only they use; returns their number.
pub fn remove_dead(body: &mut Body, registry: &Registry) -> usize {
    // for each value, the number of its dead readers
    let mut readers: FxHashMap<Value, usize> = FxHashMap::default();
    let mut dead = Vec::new();
    let mut pending = body.walk_all();
    let mut seen = FxHashSet::default();
    while let Some(op) = pending.pop() {
        if seen.contains(&op) {
            continue;
        }
        let unused = |value: &Value| body.uses(*value).len() == readers.get(value).copied().unwrap_or(0);
        let plain = body.op(op).regions().is_empty();
        if plain && body.op(op).results().iter().all(unused) && is_removable(registry, body, op) {
            seen.insert(op);
            dead.push(op);
            for &operand in body.op(op).operands() {
                *readers.entry(operand).or_default() += 1;
                pending.extend(body.defining_op(operand));
            }
        }
    }
    body.erase_all(&dead);
    dead.len()
}

/// Erases the unused operations of a block for which `may_go` is true, and operations that only they use.
pub fn remove_unread(body: &mut Body, block: Block, may_go: impl Fn(&Body, Op) -> bool) {
    let mut dead: FxHashSet<Op> = FxHashSet::default();
    let mut order = Vec::new();
    for op in body.ops(block).rev() {
        let mut uses = body.op(op).results().iter().flat_map(|&result| body.uses(result));
        // operands of a dead operation's regions die with it
        let is_gone = |reader: &Use| {
            std::iter::successors(Some(reader.op), |&op| body.parent_op(op)).any(|outer| dead.contains(&outer))
        };
        if may_go(body, op) && uses.all(is_gone) {
            dead.insert(op);
            order.push(op);
        }
    }
    body.erase_all(&order);
}

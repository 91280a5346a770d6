//! The greedy rewriter: folds, canonicalisation hooks and patterns, applied until nothing changes or the fuel is used
//! up.
//!
//! Nothing here recurses over the nesting or the length of the program; a pattern is a plain function.

use std::collections::VecDeque;

use crate::IndexMap;

use crate::attributes::{Attribute, Attributes};
use crate::body::{Body, Op, Value};
use crate::builder::Builder;
use crate::effects::{constant_value, is_removable};
use crate::op_name::OpName;
use crate::registry::{Folded, Registry, Trait};
use crate::types::Type;

/// Examines an operation and changes the program through the rewriter; returns `false` if nothing was changed.
pub type RewriteFunction = fn(&mut Rewriter<'_>, Op) -> bool;

/// A rewrite of the operations of one name.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// For reports.
    pub name: &'static str,
    /// The name of the operations that it matches.
    pub root: &'static str,
    /// Patterns with more benefit are tried first.
    pub benefit: u16,
    /// The rewrite.
    pub apply: RewriteFunction,
}

/// Patterns by root, by decreasing benefit.
#[derive(Clone, Debug, Default)]
pub struct PatternSet {
    by_root: IndexMap<&'static str, Vec<Pattern>>,
}

impl PatternSet {
    /// The set of these patterns.
    pub fn new(patterns: impl IntoIterator<Item = Pattern>) -> PatternSet {
        let mut set = PatternSet::default();
        for pattern in patterns {
            set.by_root.entry(pattern.root).or_default().push(pattern);
        }
        for patterns in set.by_root.values_mut() {
            patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.benefit));
        }
        set
    }

    /// The patterns for operations of this name, in the order in which they are tried.
    pub fn of(&self, root: &str) -> &[Pattern] {
        self.by_root.get(root).map_or(&[], Vec::as_slice)
    }
}

/// The result of the greedy rewriter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How many operations were folded, rewritten or removed.
    pub changes: usize,
    /// Whether nothing is left to do; `false` if the fuel was used up.
    pub converged: bool,
}

/// How many changes are allowed per operation before the rewriter gives up.
pub const FUEL_PER_OPERATION: usize = 32;

/// Folds, canonicalises and removes dead operations, and applies `patterns`, in the whole body.
///
/// `fuel` bounds the number of changes; the result is valid in any case.
pub fn rewrite_greedily(body: &mut Body, registry: &Registry, patterns: &PatternSet, fuel: usize) -> Outcome {
    let mut rewriter = Rewriter { body, work: Worklist::default() };
    let all = rewriter.body.walk_all();
    all.into_iter().for_each(|op| rewriter.work.push(op));
    let mut changes = 0;
    while let Some(op) = rewriter.work.pop() {
        if rewriter.body.op(op).parent().is_none() {
            continue;
        }
        if changes == fuel {
            return Outcome { changes, converged: false };
        }
        changes += usize::from(rewriter.visit(op, registry, patterns));
    }
    Outcome { changes, converged: true }
}

/// Operations that remain to be visited, each at most once, in order.
#[derive(Default)]
struct Worklist {
    queue: VecDeque<Op>,
    /// By operation number.
    is_queued: Vec<bool>,
}

impl Worklist {
    fn push(&mut self, op: Op) {
        let at = op.as_u32() as usize;
        if self.is_queued.len() <= at {
            self.is_queued.resize(at + 1, false);
        }
        if !std::mem::replace(&mut self.is_queued[at], true) {
            self.queue.push_back(op);
        }
    }

    fn pop(&mut self) -> Option<Op> {
        let op = self.queue.pop_front()?;
        self.is_queued[op.as_u32() as usize] = false;
        Some(op)
    }
}

/// Changes a body and records which operations are to be visited again.
pub struct Rewriter<'a> {
    body: &'a mut Body,
    work: Worklist,
}

impl Rewriter<'_> {
    /// The body, to read.
    pub fn body(&self) -> &Body {
        self.body
    }

    /// Builds new operations before `op`, at its location.
    pub fn build_before<T>(&mut self, op: Op, build: impl FnOnce(&mut Builder<'_>) -> T) -> T {
        let first = self.body.next_op();
        let built = build(&mut Builder::before(self.body, op));
        self.revisit_since(first);
        built
    }

    /// Creates an operation with one result before `op`.
    pub fn value_before(
        &mut self,
        op: Op,
        name: impl Into<OpName>,
        operands: &[Value],
        r#type: Type,
        attributes: impl Into<Attributes>,
    ) -> Value {
        self.build_before(op, |builder| builder.value(name, operands, r#type, attributes))
    }

    /// Replaces an operation's results by values and erases it.
    pub fn replace(&mut self, op: Op, values: &[Value]) {
        self.revisit_users(op);
        self.revisit_operands(op);
        self.body.replace(op, values);
    }

    /// Removes an operation whose results are unused.
    pub fn erase(&mut self, op: Op) {
        self.revisit_operands(op);
        self.body.erase(op);
    }

    /// Changes an operation in place: operands, attributes, successors, regions.
    pub fn modify<T>(&mut self, op: Op, change: impl FnOnce(&mut Body, Op) -> T) -> T {
        let first = self.body.next_op();
        self.revisit_operands(op);
        let result = change(self.body, op);
        self.revisit_since(first);
        self.revisit_users(op);
        self.work.push(op);
        result
    }

    /// Sets an attribute of an operation.
    pub fn set_attribute(&mut self, op: Op, name: &'static str, value: Attribute) {
        self.modify(op, |body, op| body.op_mut(op).attributes.set(name, value));
    }

    /// Moves the operations of an operation's single-block region before it, except the terminator, with `arguments`
    /// for the block's arguments. Returns the terminator's operands.
    pub fn inline_block_before(&mut self, op: Op, region: usize, arguments: &[Value]) -> Vec<Value> {
        let block = self.body.blocks(self.body.op(op).regions()[region])[0];
        for (old, &new) in self.body.arguments(block).to_vec().into_iter().zip(arguments) {
            self.body.uses(old).to_vec().into_iter().for_each(|used| self.work.push(used.op));
            self.body.replace_all_uses(old, new);
        }
        let end = self.body.terminator(block).expect("the block ends in a terminator");
        let yielded = self.body.op(end).operands().to_vec();
        for inner in self.body.ops(block).to_vec() {
            if inner != end {
                self.body.move_before(inner, op);
                self.work.push(inner);
            }
        }
        yielded
    }

    /// Visits an operation; returns whether something changed.
    fn visit(&mut self, op: Op, registry: &Registry, patterns: &PatternSet) -> bool {
        let operation = self.body.op(op);
        let is_unused = operation.results().iter().all(|&result| self.body.uses(result).is_empty());
        if is_unused && is_removable(registry, self.body, op) {
            self.erase(op);
            return true;
        }
        if self.fold(op, registry) || self.constant_to_the_right(op, registry) {
            return true;
        }
        let name = self.body.op(op).name.clone();
        let canonicalize = registry.get(name.as_str()).and_then(|definition| definition.canonicalize);
        if canonicalize.is_some_and(|canonicalize| canonicalize(self, op)) {
            return true;
        }
        patterns.of(name.as_str()).iter().any(|pattern| (pattern.apply)(self, op))
    }

    fn fold(&mut self, op: Op, registry: &Registry) -> bool {
        let Some(fold) = registry.get(self.body.name(op)).and_then(|definition| definition.fold) else { return false };
        let Some(folded) = fold(self.body, op) else { return false };
        // in an unreachable block, an operation may use its own result
        if folded.iter().any(|f| matches!(f, Folded::Value(value) if self.body.defining_op(*value) == Some(op))) {
            return false;
        }
        let types: Vec<Type> = self.body.op(op).results().iter().map(|&v| self.body.value_type(v).clone()).collect();
        let values: Vec<Value> = self.build_before(op, |builder| {
            let value = |(folded, r#type)| match folded {
                Folded::Value(value) => value,
                Folded::Constant(value) => builder.constant(value, r#type),
            };
            folded.into_iter().zip(types).map(value).collect()
        });
        self.replace(op, &values);
        true
    }

    /// Moves a constant operand of a commutative operation to the right.
    fn constant_to_the_right(&mut self, op: Op, registry: &Registry) -> bool {
        let &[left, right] = self.body.op(op).operands() else { return false };
        let swaps = registry.has_trait(self.body.name(op), Trait::Commutative)
            && constant_value(self.body, left).is_some()
            && constant_value(self.body, right).is_none();
        if swaps {
            self.modify(op, |body, op| body.set_operands(op, &[right, left]));
        }
        swaps
    }

    fn revisit_since(&mut self, first: Op) {
        for number in first.as_u32()..self.body.next_op().as_u32() {
            self.work.push(Op::from_u32(number));
        }
    }

    fn revisit_users(&mut self, op: Op) {
        for &result in self.body.op(op).results() {
            self.body.uses(result).iter().for_each(|used| self.work.push(used.op));
        }
    }

    /// The definitions of the operands may become dead, and so may the enclosing operation.
    fn revisit_operands(&mut self, op: Op) {
        for &operand in self.body.op(op).operands() {
            self.body.defining_op(operand).into_iter().for_each(|definition| self.work.push(definition));
        }
        self.body.parent_op(op).into_iter().for_each(|parent| self.work.push(parent));
    }
}

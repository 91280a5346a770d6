//! What keeps the error of rules that round differently within bounds.
//!
//! Such a rule computes the same function of real numbers from constants it combines ahead of the run. For finite inputs each
//! of its results then differs from what the graph says by at most [`LOSS`] roundings of the largest term that either side
//! adds up, as long as
//! - a sum of constants is not much smaller than they are: `(x + 1e8) - 1e8` rounds on purpose, and stays;
//! - a product or quotient of constants neither overflows nor is subnormal.
//!
//! The rules ask here; what is not known is not combined.

use std::rc::Rc;

use egg::Id;
use ir::{DimExpr, FloatType, Type};
use operators::{Uniform, row_of};

use super::Match;
use crate::graph::Graph;
use crate::language::Node;

/// How many times larger than their sum constants may be that are added ahead of the run.
const LOSS: f64 = 256.0;
/// Elements of a constant that are looked at, at most.
const ELEMENTS: usize = 1 << 13;
/// Operations between a constant and the literals it is made of, at most.
const DEPTH: usize = 8;

impl Match<'_, '_> {
    /// Whether `b + sign c` may stand for the two constants.
    pub(super) fn may_add(&self, b: &str, sign: f64, c: &str) -> bool {
        let (Some(b), Some(c)) = (self.numbers(b), self.numbers(c)) else { return false };
        let Some(sums) = pairwise(&b, &c, |b, c| b + sign * c) else { return false };
        largest(&b).max(largest(&c)) <= LOSS * largest(&sums)
    }

    /// Whether a constant may become a factor of another one, or of what stands beside it.
    pub(super) fn may_multiply(&self, name: &str) -> bool {
        let exponent = match self.element(name) {
            Type::Float(FloatType::F16) => 7,
            _ => 60,
        };
        let (small, large) = (2f64.powi(-exponent), 2f64.powi(exponent));
        let fits = |number: &f64| *number == 0.0 || (small..=large).contains(&number.abs());
        self.numbers(name).is_some_and(|numbers| numbers.iter().all(fits))
    }

    fn numbers(&self, name: &str) -> Option<Rc<[f64]>> {
        self.graph.numbers(self.get(name), DEPTH)
    }
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest, number| largest.max(number.abs()))
}

/// A function of each two elements; one element stands beside all.
fn pairwise(a: &[f64], b: &[f64], of: impl Fn(f64, f64) -> f64) -> Option<Vec<f64>> {
    let count = a.len().max(b.len());
    let at = |numbers: &[f64], index: usize| numbers.get(if numbers.len() == 1 { 0 } else { index }).copied();
    (0..count).map(|index| Some(of(at(a, index)?, at(b, index)?))).collect()
}

impl Graph<'_> {
    /// Whether a constant made by a rule is known to be of no use: infinite, or no number.
    pub(super) fn overflows(&self, class: Id) -> bool {
        self.numbers(class, DEPTH).is_some_and(|numbers| numbers.iter().any(|number| !number.is_finite()))
    }

    /// The elements of a small constant of floats, one for all where they are the same, computed from literals at most
    /// `depth` operations away.
    fn numbers(&self, class: Id, depth: usize) -> Option<Rc<[f64]>> {
        let fact = self.data(class);
        if let Some(known) = fact.numbers.get() {
            return Some(known.clone());
        }
        if !fact.constant || !fact.shape.as_deref().is_some_and(is_small) {
            return None;
        }
        if let Some(number) = fact.scalar {
            return Some([number].into());
        }
        let numbers = self.egraph[class].nodes.iter().find_map(|node| self.numbers_of(node, depth))?;
        Some(fact.numbers.get_or_init(|| numbers).clone())
    }

    /// The same of one node of a class.
    fn numbers_of(&self, node: &Node, depth: usize) -> Option<Rc<[f64]>> {
        let op = node.op()?;
        if let Some(dense) = self.body.op(op).attributes.get("value").and_then(ir::Attribute::as_dense) {
            return if dense.is_splat() { Some([dense.float(0)?].into()) } else { dense.floats().map(Rc::from) };
        }
        let row = row_of(self.body.name(op))?;
        let operand = |at: usize| self.numbers(node.children[at], depth.checked_sub(1)?);
        match row.uniform? {
            Uniform::Kept => operand(0),
            Uniform::Computed(compute) => match node.children.len() {
                1 => Some(operand(0)?.iter().map(|&number| compute(&[number])).collect()),
                2 => pairwise(&operand(0)?, &operand(1)?, |a, b| compute(&[a, b])).map(Rc::from),
                _ => None,
            },
        }
    }
}

/// Whether a tensor of this shape has few elements.
fn is_small(shape: &[DimExpr]) -> bool {
    let count =
        shape.iter().try_fold(1usize, |count, extent| count.checked_mul(usize::try_from(extent.as_constant()?).ok()?));
    count.is_some_and(|count| count <= ELEMENTS)
}

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

use ir::{FloatType, Type};
use operators::literal::pairwise;

use super::Match;
use crate::constants::Term;

/// How many times larger than their sum constants may be that are added ahead of the run.
const LOSS: f64 = 256.0;

impl Match<'_, '_> {
    /// Whether `b + sign c` may stand for the two constants.
    pub(super) fn may_add(&self, b: &str, sign: f64, c: &str) -> bool {
        let (Some(b), Some(c)) = (self.numbers(b), self.numbers(c)) else { return false };
        keeps_sum(&b, sign, &c)
    }

    /// Whether the sum of two terms may stand for them.
    pub(super) fn may_add_terms(&self, b: &Term, c: &Term) -> bool {
        let [Some(b), Some(c)] = [b, c].map(|term| self.graph.numbers_of_term(term)) else { return false };
        keeps_sum(&b, 1.0, &c)
    }

    /// Whether a constant may become a factor of another one, or of what stands beside it.
    pub(super) fn may_multiply(&self, name: &str) -> bool {
        self.numbers(name).is_some_and(|numbers| are_factors(&numbers, &self.element(name)))
    }

    /// The same of a term that has the elements of a variable.
    pub(super) fn may_multiply_term(&self, term: &Term, like: &str) -> bool {
        self.graph.numbers_of_term(term).is_some_and(|numbers| are_factors(&numbers, &self.element(like)))
    }

    fn numbers(&self, name: &str) -> Option<Rc<[f64]>> {
        self.graph.numbers(self.get(name))
    }
}

/// Whether no sum of two constants is much smaller than they are.
fn keeps_sum(b: &[f64], sign: f64, c: &[f64]) -> bool {
    let sums = pairwise(b, c, |b, c| b + sign * c);
    sums.is_some_and(|sums| largest(b).max(largest(c)) <= LOSS * largest(&sums))
}

/// Whether products with constants of an element type neither overflow nor are subnormal.
fn are_factors(numbers: &[f64], element: &Type) -> bool {
    let exponent = match element {
        Type::Float(FloatType::F16) => 7,
        _ => 60,
    };
    let (small, large) = (2f64.powi(-exponent), 2f64.powi(exponent));
    numbers.iter().all(|&number| number == 0.0 || (small..=large).contains(&number.abs()))
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest, number| largest.max(number.abs()))
}

//! Error bounds of rules that round differently.
//!
//! Such a rule computes the same function of real numbers, with constants that it combines at compile time. For finite
//! inputs each of its results then differs from that of the graph by at most [`LOSS`] roundings of the largest term of
//! either sum, provided that
//! - a sum of constants is not much smaller than the constants: `(x + 1e8) - 1e8` rounds on purpose, and is kept;
//! - a product or quotient of constants neither overflows nor is subnormal.
//!
//! Rules check these conditions; unknown constants are not combined.

use std::rc::Rc;

use ir::{FloatType, Type};
use operators::literal::pairwise;

use super::Match;
use crate::constants::Term;

/// The maximum ratio of constants to their sum, if they are added at compile time.
const LOSS: f64 = 256.0;

impl Match<'_, '_> {
    /// Whether `b + sign c` may replace the two constants.
    pub(super) fn may_add(&self, b: &str, sign: f64, c: &str) -> bool {
        let (Some(b), Some(c)) = (self.numbers(b), self.numbers(c)) else { return false };
        keeps_sum(&b, sign, &c)
    }

    /// Whether the sum of two terms may replace them.
    pub(super) fn may_add_terms(&self, b: &Term, c: &Term) -> bool {
        let [Some(b), Some(c)] = [b, c].map(|term| self.graph.numbers_of_term(term)) else { return false };
        keeps_sum(&b, 1.0, &c)
    }

    /// Whether a constant may be multiplied with another one, or moved into another factor.
    pub(super) fn may_multiply(&self, name: &str) -> bool {
        self.numbers(name).is_some_and(|numbers| are_factors(&numbers, &self.element(name)))
    }

    /// The same for a term with the elements of a variable.
    pub(super) fn may_multiply_term(&self, term: &Term, like: &str) -> bool {
        self.graph.numbers_of_term(term).is_some_and(|numbers| are_factors(&numbers, &self.element(like)))
    }

    fn numbers(&self, name: &str) -> Option<Rc<[f64]>> {
        self.graph.numbers(self.get(name))
    }
}

/// Whether no sum of two constants is much smaller than the constants.
fn keeps_sum(b: &[f64], sign: f64, c: &[f64]) -> bool {
    let sums = pairwise(b, c, |b, c| b + sign * c);
    sums.is_some_and(|sums| largest(b).max(largest(c)) <= LOSS * largest(&sums))
}

/// Whether products with constants of an element type neither overflow nor become subnormal.
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

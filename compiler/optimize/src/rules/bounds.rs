//! Error bounds of rules that round differently.
//!
//! Such a rule computes the same function of real numbers, with constants that it combines at compile time. For finite
//! inputs each of its results then differs from that of the graph by at most [`LOSS`] roundings of the largest term of
//! either sum, provided that
//! - a sum of constants is not much smaller than the constants: `(x + 1e8) - 1e8` rounds on purpose, and is kept;
//! - a product or quotient of constants neither overflows nor is subnormal.
//!
//! Rules check these conditions; unknown constants are not combined. They do not check that no other intermediate result
//! of the graph overflows or is subnormal: `Log(Exp(x))` becomes `x`, which is finite where `Exp(x)` is not.

use std::rc::Rc;

use egg::Id;
use ir::{FloatType, Type};
use operators::literal::pairwise;

use super::Match;
use crate::constants::Term;
use crate::graph::Graph;
use crate::language::{Node, short_name};

/// The maximum number of operations between a value and those that its sign follows from.
const DEPTH: usize = 6;

/// The maximum ratio of constants to their sum, if they are added at compile time.
const LOSS: f64 = 256.0;

impl Match<'_, '_> {
    /// Whether the sum of two constants may replace them.
    pub(super) fn may_add(&self, b: &str, c: &str) -> bool {
        let (Some(b), Some(c)) = (self.numbers(b), self.numbers(c)) else { return false };
        keeps_sum(&b, &c)
    }

    /// Whether the sum of two terms may replace them.
    pub(super) fn may_add_terms(&self, b: &Term, c: &Term) -> bool {
        let [Some(b), Some(c)] = [b, c].map(|term| self.graph.numbers_of_term(term)) else { return false };
        keeps_sum(&b, &c)
    }

    /// Whether a constant may be multiplied with another one, or moved into another factor.
    pub(super) fn may_multiply(&self, name: &str) -> bool {
        self.numbers(name).is_some_and(|numbers| are_factors(&numbers, &self.element(name)))
    }

    /// The same for a term with the elements of a variable.
    pub(super) fn may_multiply_term(&self, term: &Term, like: &str) -> bool {
        self.graph.numbers_of_term(term).is_some_and(|numbers| are_factors(&numbers, &self.element(like)))
    }

    /// Whether no element of a variable is less than zero: each is at least zero, or NaN.
    pub(super) fn is_never_negative(&self, name: &str) -> bool {
        is_never_negative(self.graph, self.get(name), DEPTH)
    }

    fn numbers(&self, name: &str) -> Option<Rc<[f64]>> {
        self.graph.numbers(self.get(name))
    }
}

fn is_never_negative(graph: &Graph<'_>, class: Id, depth: usize) -> bool {
    if let Some(numbers) = graph.numbers(class) {
        return numbers.iter().all(|&number| number >= 0.0);
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    graph.egraph[class].nodes.iter().any(|node| gives_no_negative(graph, node, depth))
}

/// The same for the result of one node of a class.
fn gives_no_negative(graph: &Graph<'_>, node: &Node, depth: usize) -> bool {
    let Some(op) = node.op() else { return false };
    let operands = &node.children;
    let holds = |at: usize| operands.get(at).is_some_and(|&operand| is_never_negative(graph, operand, depth));
    match short_name(graph.body, op) {
        "Abs" | "Exp" | "ReduceL1" | "ReduceL2" | "ReduceSumSquare" | "Relu" | "Sigmoid" | "Softmax" | "Softplus" => {
            true
        }
        "Mul" if graph.egraph.find(operands[0]) == graph.egraph.find(operands[1]) => true,
        "Add" | "Div" | "Mul" => holds(0) && holds(1),
        "Max" => (0..operands.len()).any(holds),
        "Expand" | "Identity" | "ReduceMax" | "ReduceMean" | "ReduceSum" | "Reshape" | "Squeeze" | "Transpose"
        | "Unsqueeze" => holds(0),
        _ => false,
    }
}

/// Whether no sum of two constants is much smaller than the constants.
fn keeps_sum(b: &[f64], c: &[f64]) -> bool {
    let sums = pairwise(b, c, |b, c| b + c);
    sums.is_some_and(|sums| largest(b).max(largest(c)) <= LOSS * largest(&sums))
}

/// Whether products with constants of an element type neither overflow nor become subnormal.
fn are_factors(numbers: &[f64], element: &Type) -> bool {
    let exponent = match element {
        Type::Float(FloatType::F16) => 7,
        _ => 60,
    };
    let (small, large) = (ir::floats::power_of_two(-exponent), ir::floats::power_of_two(exponent));
    numbers.iter().all(|&number| number == 0.0 || (small..=large).contains(&number.abs()))
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest, number| largest.max(number.abs()))
}

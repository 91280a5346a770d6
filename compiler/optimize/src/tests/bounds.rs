//! Tests the error bound of rules that combine constants, against computations with twice the digits.

use driver::Tensor;
use ir::{Blob, Type};

use super::elementwise::{COUNT, is_elementwise, left_side, right_side, run};
use crate::pattern::Pattern;
use crate::rules::{Compiled, Kind, RULES};

/// The number of constants that each rule is tried with.
const TRIALS: usize = 40;
/// The maximum error of a rule, in roundings of half a unit in the last place.
pub(super) const ROUNDINGS: f64 = 256.0;
pub(super) const ROUNDING: f64 = 1.0 / (1u64 << 24) as f64;

pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A float of any sign, with a magnitude between 2^-range and 2^range.
    pub(super) fn float(&mut self, range: i32) -> f32 {
        let exponent = (self.next() % (2 * range as u64)) as i32 - range;
        let size = (1.0 + self.next() as f64 / (1u64 << 31) as f64) * 2f64.powi(exponent);
        (if self.next().is_multiple_of(2) { size } else { -size }) as f32
    }

    /// A float close to another one, or to its negative.
    fn near(&mut self, other: f32) -> f32 {
        let share = 1.0 + 2f32.powi(-((self.next() % 16) as i32));
        if self.next().is_multiple_of(2) { other * share } else { -other * share }
    }
}

fn operators(pattern: &Pattern) -> Vec<&str> {
    match pattern {
        Pattern::Variable(_) | Pattern::Number(_) | Pattern::Absent => vec![],
        Pattern::Named(_, inner) => operators(inner),
        Pattern::Op { operator, operands, .. } => {
            let own = RULES.operators[*operator].as_str();
            std::iter::once(own).chain(operands.iter().flat_map(operators)).collect()
        }
    }
}

/// Rules that combine a value and constants, by sums alone or by products alone.
fn combines(rule: &Compiled) -> bool {
    let operators = operators(&rule.from);
    rule.rule.kind != Kind::Exact
        && is_elementwise(&rule.from)
        && operators.len() > 1
        && [["Add", "Sub"], ["Mul", "Div"]].iter().any(|kind| operators.iter().all(|name| kind.contains(name)))
}

fn tensor(numbers: &[f32], element: &Type) -> Tensor {
    let bytes = numbers.iter().flat_map(|&number| match element {
        Type::Float(ir::FloatType::F64) => f64::from(number).to_le_bytes().to_vec(),
        _ => number.to_le_bytes().to_vec(),
    });
    let bytes: Vec<u8> = bytes.collect();
    Tensor::new(element.clone(), vec![COUNT as i64], Blob::copy_of(&bytes))
        .expect("the number of bytes matches the shape")
}

/// The difference between the two sides of a rule, in roundings of the largest term; `None` if it does not apply.
fn roundings(rule: &Compiled, constants: &[f32], x: &[f32]) -> Option<f64> {
    let text = |number: &f32| -> &'static str { Box::leak(format!("{:?}", f64::from(*number)).into_boxed_str()) };
    let chosen: Vec<&'static str> = std::iter::once("argument").chain(constants.iter().map(text)).collect();
    let right = right_side(rule, left_side(rule, "f32", &chosen)?)?;
    let left = left_side(rule, "f32", &chosen)?;
    let exact = left_side(rule, "f64", &chosen)?;
    let numbers = |module, element: &Type| run(module, &[tensor(x, element)]).to_f64().expect("they are floats");
    let [left, right] = [left, right].map(|module| numbers(module, &Type::F32));
    let exact = numbers(exact, &Type::F64);
    let is_sum = operators(&rule.from).iter().all(|name| ["Add", "Sub"].contains(name));
    let known = constants.iter().fold(0.0, |largest, &number| f64::from(number).abs().max(largest));
    let apart = (0..COUNT).map(|at| {
        let terms = if is_sum { known.max(f64::from(x[at]).abs()) } else { exact[at].abs() };
        // either the difference of the sides or the distance to the exact value, whichever is larger
        (left[at] - right[at]).abs().max((right[at] - exact[at]).abs()) / (terms * ROUNDING)
    });
    Some(apart.fold(0.0, f64::max))
}

#[test]
fn combined_constants_lose_little() {
    let mut numbers = Numbers(5);
    let (mut applied, mut refused) = (0, 0);
    for rule in RULES.all.iter().filter(|rule| combines(rule)) {
        for _ in 0..TRIALS {
            let first = numbers.float(20);
            let others = rule.names().variables().len() - 1;
            let constants: Vec<f32> = (0..others).map(|at| if at == 0 { first } else { numbers.near(first) }).collect();
            let x: Vec<f32> = (0..COUNT).map(|_| numbers.float(20)).collect();
            match roundings(rule, &constants, &x) {
                Some(lost) => {
                    assert!(lost <= ROUNDINGS, "{} with {constants:?}: {lost} roundings", rule.rule.name);
                    applied += 1;
                }
                None => refused += 1,
            }
        }
    }
    assert!(applied > TRIALS && refused > 0, "{applied} applied, {refused} refused");
}

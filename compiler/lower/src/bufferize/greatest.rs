//! The greatest values of sizes, from bounds of the arguments' extents: how much static memory is enough for every run.

use dialects::{OpCodes, arith};
use ir::Value;

use super::Host;

/// The least and the greatest value that a number can have.
pub(super) type Range = (i64, i64);

impl Host<'_> {
    /// The values that an index can have, if extents of arguments are within their bounds.
    pub(super) fn range(&self, value: Value) -> Option<Range> {
        let constant = ir::constant_integer(&self.body, value).map(|number| (number, number));
        constant.or_else(|| self.ranges.get(&value).copied())
    }

    /// Records the range of a new value.
    pub(super) fn record_range(&mut self, value: Value) {
        if self.has_bounds()
            && let Some(range) = self.range_of_result(value)
        {
            self.ranges.insert(value, range);
        }
    }

    /// Records the ranges of words that are those of one of the branches.
    pub(super) fn record_either(&mut self, words: &[Value], branches: &[Vec<Value>]) {
        if !self.has_bounds() {
            return;
        }
        for (at, &word) in words.iter().enumerate() {
            let ranges: Option<Vec<Range>> = branches.iter().map(|branch| self.range(branch[at])).collect();
            if let Some(range) = ranges.and_then(|ranges| ranges.into_iter().reduce(either)) {
                self.ranges.insert(word, range);
            }
        }
    }

    /// Whether extents of arguments have bounds; otherwise constants alone have a range.
    fn has_bounds(&self) -> bool {
        !self.greatest.is_empty()
    }

    fn range_of_result(&self, value: Value) -> Option<Range> {
        let op = self.body.defining_op(value)?;
        let operands = self.body.op(op).operands();
        let at = |index: usize| self.range(operands[index]);
        match self.body.code(op)? {
            arith::INDEX_CAST => at(0),
            arith::ADDI => corners(at(0)?, at(1)?, i64::checked_add),
            arith::SUBI => corners(at(0)?, at(1)?, i64::checked_sub),
            arith::MULI => corners(at(0)?, at(1)?, i64::checked_mul),
            arith::MAXSI => corners(at(0)?, at(1)?, |a, b| Some(a.max(b))),
            arith::MINSI => corners(at(0)?, at(1)?, |a, b| Some(a.min(b))),
            arith::SELECT => Some(either(at(1)?, at(2)?)),
            arith::DIVSI => corners(at(0)?, positive(at(1)?)?, i64::checked_div),
            arith::FLOORDIVSI => corners(at(0)?, positive(at(1)?)?, i64::checked_div_euclid),
            // -floor(-a / b)
            arith::CEILDIVSI => {
                corners(at(0)?, positive(at(1)?)?, |a, b| a.checked_neg()?.checked_div_euclid(b)?.checked_neg())
            }
            // rounding down to a multiple of a power of two
            arith::ANDI => {
                let (least, greatest) = at(0)?;
                let mask = ir::constant_integer(&self.body, operands[1])?;
                let rounds = least >= 0 && mask < 0 && mask.unsigned_abs().is_power_of_two();
                rounds.then_some((least & mask, greatest & mask))
            }
            _ => None,
        }
    }
}

/// The range of a function that is monotonic in each operand while the other one is fixed.
fn corners(a: Range, b: Range, compute: impl Fn(i64, i64) -> Option<i64>) -> Option<Range> {
    let values = [compute(a.0, b.0)?, compute(a.0, b.1)?, compute(a.1, b.0)?, compute(a.1, b.1)?];
    Some((*values.iter().min()?, *values.iter().max()?))
}

fn either(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

fn positive(range: Range) -> Option<Range> {
    (range.0 > 0).then_some(range)
}

//! Integers: numbers of at most 64 bits, computed in 128 bits, of which the low ones are the result.

use std::cmp::Ordering;

use dialects::arith::CmpIPredicate;
use dialects::{OpCode, arith, math};

/// The low bits.
pub(crate) fn low(bits: u128, width: u32) -> u128 {
    bits & u128::MAX >> (u128::BITS - width)
}

/// The value of a signed integer given by its bits; an `i1` is 0 or -1.
pub(crate) fn signed(bits: u128, width: u32) -> i128 {
    let unused = u128::BITS - width;
    (bits << unused) as i128 >> unused
}

/// An operation on integers of one width, given by their bits; `None` for other operations.
pub(crate) fn compute(code: OpCode, width: u32, x: &[u128]) -> Option<u128> {
    let first = signed(x[0], width);
    let bits = match (code, x) {
        (math::ABSI, _) => first.unsigned_abs(),
        (math::CTLZ, &[x]) => (x.leading_zeros() + width - u128::BITS).into(),
        (math::CTPOP, &[x]) => x.count_ones().into(),
        (_, &[x, y]) => {
            let second = signed(y, width);
            // a width is a power of two
            let amount = (y as u32) & (width - 1);
            match code {
                arith::ADDI => x.wrapping_add(y),
                arith::SUBI => x.wrapping_sub(y),
                arith::MULI => x.wrapping_mul(y),
                arith::ANDI => x & y,
                arith::ORI => x | y,
                arith::XORI => x ^ y,
                arith::SHLI => x << amount,
                arith::SHRSI => (first >> amount) as u128,
                arith::SHRUI => x >> amount,
                arith::DIVSI => first.checked_div(second).unwrap_or(0) as u128,
                arith::DIVUI => x.checked_div(y).unwrap_or(0),
                arith::REMSI => first.checked_rem(second).unwrap_or(0) as u128,
                arith::REMUI => x.checked_rem(y).unwrap_or(0),
                arith::MINSI => first.min(second) as u128,
                arith::MAXSI => first.max(second) as u128,
                arith::MINUI => x.min(y),
                arith::MAXUI => x.max(y),
                _ => return None,
            }
        }
        _ => return None,
    };
    (width <= u64::BITS).then(|| low(bits, width))
}

/// Whether two integers, given by their bits, satisfy a predicate.
pub(crate) fn compare(predicate: CmpIPredicate, width: u32, x: u128, y: u128) -> bool {
    let order = match predicate.is_unsigned() {
        true => x.cmp(&y),
        false => signed(x, width).cmp(&signed(y, width)),
    };
    match predicate {
        CmpIPredicate::Eq => order == Ordering::Equal,
        CmpIPredicate::Ne => order != Ordering::Equal,
        CmpIPredicate::Slt | CmpIPredicate::Ult => order == Ordering::Less,
        CmpIPredicate::Sle | CmpIPredicate::Ule => order != Ordering::Greater,
        CmpIPredicate::Sgt | CmpIPredicate::Ugt => order == Ordering::Greater,
        CmpIPredicate::Sge | CmpIPredicate::Uge => order != Ordering::Less,
    }
}

//! The predicates of `arith.cmpi` and `arith.cmpf`, with upstream's names and numbers.

use ir::{Attribute, Body, Op, Operation};

use crate::OpCode;

/// The attribute's name.
const NAME: &str = "predicate";

macro_rules! predicates {
    ($(#[$doc:meta])* $name:ident: $($(#[$case_doc:meta])* $case:ident = $number:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$case_doc])* $case = $number,)*
        }

        impl $name {
            /// Every predicate, by number.
            pub const ALL: &[$name] = &[$($name::$case,)*];
        }
    };
}

predicates! {
    /// A predicate of `arith.cmpi`.
    CmpIPredicate:
    /// `=`
    Eq = 0,
    /// `≠`
    Ne = 1,
    /// `<`, signed
    Slt = 2,
    /// `≤`, signed
    Sle = 3,
    /// `>`, signed
    Sgt = 4,
    /// `≥`, signed
    Sge = 5,
    /// `<`, unsigned
    Ult = 6,
    /// `≤`, unsigned
    Ule = 7,
    /// `>`, unsigned
    Ugt = 8,
    /// `≥`, unsigned
    Uge = 9,
}

predicates! {
    /// A predicate of `arith.cmpf`. Ordered predicates are false if an operand is NaN, unordered ones true.
    CmpFPredicate:
    /// Never
    AlwaysFalse = 0,
    /// `=`, ordered
    Oeq = 1,
    /// `>`, ordered
    Ogt = 2,
    /// `≥`, ordered
    Oge = 3,
    /// `<`, ordered
    Olt = 4,
    /// `≤`, ordered
    Ole = 5,
    /// `≠`, ordered
    One = 6,
    /// No operand is NaN
    Ord = 7,
    /// `=`, unordered
    Ueq = 8,
    /// `>`, unordered
    Ugt = 9,
    /// `≥`, unordered
    Uge = 10,
    /// `<`, unordered
    Ult = 11,
    /// `≤`, unordered
    Ule = 12,
    /// `≠`, unordered
    Une = 13,
    /// An operand is NaN
    Uno = 14,
    /// Always
    AlwaysTrue = 15,
}

impl CmpIPredicate {
    /// The predicate of an `arith.cmpi`; `None` for other operations.
    pub fn of(body: &Body, op: Op) -> Option<CmpIPredicate> {
        CmpIPredicate::of_operation(body.op(op))
    }

    /// The predicate of an `arith.cmpi`; `None` for other operations.
    pub fn of_operation(operation: &Operation) -> Option<CmpIPredicate> {
        CmpIPredicate::ALL.get(number(operation, super::CMPI)?).copied()
    }

    /// The attribute for it.
    pub fn attribute(self) -> (&'static str, Attribute) {
        (NAME, Attribute::i64(self as i64))
    }

    /// Whether it treats its operands as unsigned.
    pub fn is_unsigned(self) -> bool {
        self >= CmpIPredicate::Ult
    }

    /// Whether equal operands satisfy it.
    pub fn holds_for_equal(self) -> bool {
        use CmpIPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        match self {
            Eq | Sle | Sge | Ule | Uge => true,
            Ne | Slt | Sgt | Ult | Ugt => false,
        }
    }
}

impl CmpFPredicate {
    /// The predicate of an `arith.cmpf`; `None` for other operations.
    pub fn of(body: &Body, op: Op) -> Option<CmpFPredicate> {
        CmpFPredicate::ALL.get(number(body.op(op), super::CMPF)?).copied()
    }

    /// The attribute for it.
    pub fn attribute(self) -> (&'static str, Attribute) {
        (NAME, Attribute::i64(self as i64))
    }
}

fn number(operation: &Operation, code: OpCode) -> Option<usize> {
    let number = operation.attributes.integer(NAME).filter(|_| operation.name == code)?;
    usize::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predicates_are_in_the_order_of_their_numbers() {
        assert!(CmpIPredicate::ALL.iter().enumerate().all(|(at, &predicate)| predicate as usize == at));
        assert!(CmpFPredicate::ALL.iter().enumerate().all(|(at, &predicate)| predicate as usize == at));
    }
}

//! Operators with bodies: If, Loop, Scan.

mod batched_scan;
mod conditional;
mod repeat;
mod scan;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[&conditional::IF, &repeat::LOOP, &scan::SCAN];

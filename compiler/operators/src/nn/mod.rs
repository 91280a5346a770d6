//! Operators of neural networks.

mod dropout;
mod shrink;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[&dropout::DROPOUT, &shrink::SHRINK];

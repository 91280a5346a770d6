//! Operators of object detection.

mod non_max_suppression;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[&non_max_suppression::NON_MAX_SUPPRESSION];

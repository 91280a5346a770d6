//! Operators of object detection.

mod max_roi_pool;
mod non_max_suppression;
mod roi_align;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] =
    &[&max_roi_pool::MAX_ROI_POOL, &non_max_suppression::NON_MAX_SUPPRESSION, &roi_align::ROI_ALIGN];

//! Operators on encoded images.

mod image_decoder;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[&image_decoder::IMAGE_DECODER];

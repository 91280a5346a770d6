//! Operators that place elements.

use super::Rule;

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "TensorScatter" => super::math::like_first,
        _ => return None,
    })
}

//! Operators that rearrange tensors.

use super::Rule;

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "ReverseSequence" => super::math::like_first,
        _ => return None,
    })
}

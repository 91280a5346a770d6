//! Cumulative sums.

use super::Rule;

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "CumSum" | "CumProd" => super::math::like_first,
        _ => return None,
    })
}

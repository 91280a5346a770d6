//! Pooling.

use ir::Attribute;

use crate::graph::Emitter;
use crate::graph::{Node, Problem};

/// `p` became an integer.
pub(super) fn integer_p_2(node: &mut Node, _: &mut Emitter) -> Result<(), Problem> {
    let Some(p) = node.attributes.float("p") else { return Ok(()) };
    if p.fract() != 0.0 {
        return Err(Problem::unsupported(format!("has p = {p}, which is not an integer")));
    }
    node.attributes.set("p", Attribute::i64(p as i64));
    Ok(())
}

//! The p-norm of pools.

use dialects::math;
use ir::{Attribute, Value};

use crate::graph::{self, Emitter, Problem};
use crate::structured::scalars::Scalars;

/// Until opset 2, `p` was a float.
pub(super) fn integer_power(node: &mut graph::Node, _: &mut Emitter) -> Result<(), Problem> {
    let Some(p) = node.attributes.float("p") else { return Ok(()) };
    if p.fract() != 0.0 {
        return Err(Problem::unsupported(format!("has p = {p}, which is not an integer")));
    }
    node.attributes.set("p", Attribute::i64(p as i64));
    Ok(())
}

/// `|x| ^ power`
pub(super) fn magnitude_power(s: &mut Scalars<'_, '_>, x: Value, power: i64) -> Value {
    match power {
        1 => s.same(math::ABSF, &[x]),
        2 => s.mul(x, x),
        _ => {
            let magnitude = s.same(math::ABSF, &[x]);
            let exponent = s.like(power as f64, x);
            s.same(math::POWF, &[magnitude, exponent])
        }
    }
}

/// `x ^ (1 / power)`
pub(super) fn root(s: &mut Scalars<'_, '_>, x: Value, power: i64) -> Value {
    match power {
        1 => x,
        2 => s.same(math::SQRT, &[x]),
        _ => {
            let exponent = s.like(1.0 / power as f64, x);
            s.same(math::POWF, &[x, exponent])
        }
    }
}

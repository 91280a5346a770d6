//! Uniform values, propagated through arithmetic so that patterns can match them.

use dialects::onnx::CONSTANT;
use ir::{Attribute, Attributes, Type, floats};

use operators::Uniform;

use crate::language::Fact;

/// The uniform value of an operation's result, if it follows from its operands.
///
/// Arithmetic is done in `f64` and rounded once: for `f32` and narrower this equals the operation's result.
pub(crate) fn evaluate(name: &str, attributes: &Attributes, operands: &[&Fact]) -> Option<f64> {
    if name == CONSTANT {
        return uniform(attributes.get("value")?);
    }
    let first = operands.first()?;
    let compute = match operators::row_of(name)?.uniform? {
        Uniform::Kept => return first.scalar,
        Uniform::Computed(_) if !first.element.is_float() || first.element == Type::F64 => return None,
        Uniform::Computed(compute) => compute,
    };
    let numbers: Option<Vec<f64>> = operands.iter().map(|operand| operand.scalar).collect();
    let value = compute(&numbers?);
    let Type::Float(format) = &first.element else { return None };
    Some(floats::decode(floats::encode(value, *format), *format))
}

/// The single value in a constant.
fn uniform(value: &Attribute) -> Option<f64> {
    let dense = value.as_dense()?;
    if !dense.is_splat() || !dense.is_available() || dense.element_count() == 0 {
        return None;
    }
    dense
        .float(0)
        .or_else(|| dense.integer(0).filter(|number| number.unsigned_abs() < 1 << 53).map(|number| number as f64))
}

//! Activation functions of fused operators.

use dialects::onnx::schema;
use ir::{Attribute, Attributes, Value};

use crate::graph::{Emitter, Problem};

/// Functions of one element, with numbers as attributes.
const FUNCTIONS: [&str; 12] = [
    "Elu",
    "HardSigmoid",
    "HardSwish",
    "LeakyRelu",
    "Relu",
    "Selu",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "ThresholdedRelu",
];

/// A function of a value, with the attributes that it uses, by name.
pub(super) fn activated(
    emit: &mut Emitter,
    value: Value,
    function: &str,
    numbers: &[(&'static str, Option<Attribute>)],
) -> Result<Value, Problem> {
    if !FUNCTIONS.contains(&function) {
        return Err(Problem::unsupported(format!("has activation \"{function}\"")));
    }
    let schema = schema::newest("", function).expect("the functions are operators");
    let mut attributes = Attributes::new();
    for (name, number) in numbers {
        if let (Some(number), true) = (number, schema.attribute(name).is_some()) {
            attributes.set(*name, number.clone());
        }
    }
    Ok(emit.op(function, &[value], attributes))
}

//! The activation functions of recurrent layers, by the standard's names.

use std::sync::Arc;

use ir::{Attribute, Type, Value};

use crate::graph::{Emitter, Node, Problem};

/// An entry of `activations`, with its parameters.
#[derive(Clone, Debug)]
pub(super) struct Activation {
    name: String,
    alpha: Option<f64>,
    beta: Option<f64>,
}

/// Refuses a node with an unknown activation, or with other than `count` of them per direction.
pub(super) fn check(node: &Node, count: usize) -> Result<(), Problem> {
    let Some(names) = node.attributes.get("activations").and_then(Attribute::as_array) else { return Ok(()) };
    names.iter().try_for_each(|name| parameters(name.as_str().unwrap_or_default()).map(drop))?;
    let directions = if node.attributes.str("direction") == Some("bidirectional") { 2 } else { 1 };
    let expected = count * directions;
    // the default of a layer with one gate has an entry for both directions
    let is_right = names.len() == expected || (count == 1 && names.len() == 2);
    match is_right {
        true => Ok(()),
        false => Err(wrong_count(names.len(), expected)),
    }
}

fn wrong_count(found: usize, expected: usize) -> Problem {
    Problem::broken("activation-count", format!("has {found} activations, but it takes {expected}"))
}

/// The functions of all directions, `count` of `defaults` for each; `alpha` and `beta` are for those that take one.
pub(super) fn activations(
    names: Option<&[Arc<str>]>,
    (alphas, betas): (Option<&[f32]>, Option<&[f32]>),
    directions: usize,
    defaults: &[&str],
) -> Result<Vec<Vec<Activation>>, Problem> {
    let mut alphas = alphas.unwrap_or_default().iter().map(|&alpha| f64::from(alpha));
    let mut betas = betas.unwrap_or_default().iter().map(|&beta| f64::from(beta));
    let all: Vec<&str> = match names {
        Some(names) => names.iter().map(AsRef::as_ref).collect(),
        None => defaults.repeat(directions),
    };
    if all.len() != directions * defaults.len() {
        return Err(wrong_count(all.len(), directions * defaults.len()));
    }
    let mut read = |name: &&str| {
        let (alpha, beta) = parameters(name)?;
        Ok(Activation {
            name: name.to_lowercase(),
            alpha: alpha.map(|default| alphas.next().unwrap_or(default)),
            beta: beta.map(|default| betas.next().unwrap_or(default)),
        })
    };
    let all = all.iter().map(&mut read).collect::<Result<Vec<Activation>, Problem>>()?;
    Ok(all.chunks(defaults.len()).map(<[_]>::to_vec).collect())
}

/// The defaults of a function's `alpha` and `beta`, for the parameters that it has.
fn parameters(name: &str) -> Result<(Option<f64>, Option<f64>), Problem> {
    Ok(match &*name.to_lowercase() {
        "relu" | "tanh" | "sigmoid" | "softsign" | "softplus" => (None, None),
        "affine" => (Some(1.0), Some(0.0)),
        "leakyrelu" => (Some(0.01), None),
        "thresholdedrelu" | "elu" => (Some(1.0), None),
        "scaledtanh" => (Some(1.0), Some(1.0)),
        "hardsigmoid" => (Some(0.2), Some(0.5)),
        _ => {
            return Err(Problem::broken(
                "activation-known",
                format!("has activation \"{name}\", which is not a known one"),
            ));
        }
    })
}

impl Activation {
    /// The function of a tensor.
    pub(super) fn apply(&self, emit: &mut Emitter, x: Value) -> Value {
        let number = |value: Option<f64>| Attribute::float(value.unwrap_or(0.0), Type::F32);
        let alpha = || [("alpha", number(self.alpha))];
        match &*self.name {
            "relu" => emit.plain("Relu", &[x]),
            "tanh" => emit.plain("Tanh", &[x]),
            "sigmoid" => emit.plain("Sigmoid", &[x]),
            "softsign" => emit.plain("Softsign", &[x]),
            "softplus" => emit.plain("Softplus", &[x]),
            "leakyrelu" => emit.op("LeakyRelu", &[x], alpha()),
            "thresholdedrelu" => emit.op("ThresholdedRelu", &[x], alpha()),
            "elu" => emit.op("Elu", &[x], alpha()),
            "hardsigmoid" => emit.op("HardSigmoid", &[x], [("alpha", number(self.alpha)), ("beta", number(self.beta))]),
            "affine" => {
                let (alpha, beta) = self.numbers(emit, x);
                let scaled = emit.plain("Mul", &[alpha, x]);
                emit.plain("Add", &[scaled, beta])
            }
            _ => {
                let (alpha, beta) = self.numbers(emit, x);
                let scaled = emit.plain("Mul", &[beta, x]);
                let bounded = emit.plain("Tanh", &[scaled]);
                emit.plain("Mul", &[alpha, bounded])
            }
        }
    }

    fn numbers(&self, emit: &mut Emitter, like: Value) -> (Value, Value) {
        (emit.number_like(self.alpha.unwrap_or(1.0), like), emit.number_like(self.beta.unwrap_or(0.0), like))
    }
}

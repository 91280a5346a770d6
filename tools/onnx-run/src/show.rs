//! Prints values.

use driver::{Tensor, Value, element_text, type_name};

/// The number of elements of a tensor, and of values of a sequence, that are shown.
const SHOWN: usize = 8;

/// A value's name, type, shape and first elements.
pub(crate) fn value(name: &str, value: &Value) -> String {
    indented(name, value, 0)
}

fn indented(name: &str, value: &Value, depth: usize) -> String {
    let indentation = "  ".repeat(depth);
    match value {
        Value::Tensor(tensor) => format!("{indentation}{name}: {}", describe(tensor)),
        Value::Optional(None) => format!("{indentation}{name}: none"),
        Value::Optional(Some(value)) => indented(name, value, depth),
        Value::Sequence(values) => {
            let mut lines = vec![format!("{indentation}{name}: sequence of {}", values.len())];
            let shown = values.iter().take(SHOWN).enumerate();
            lines.extend(shown.map(|(at, value)| indented(&at.to_string(), value, depth + 1)));
            if values.len() > SHOWN {
                lines.push(format!("{indentation}  …"));
            }
            lines.join("\n")
        }
        Value::Map { keys, values } => {
            let pairs = first(keys).into_iter().zip(first(values)).map(|(key, value)| format!("{key}: {value}"));
            let (pairs, more) = (pairs.collect::<Vec<_>>().join(", "), more(keys));
            format!("{indentation}{name}: map of {} {{{pairs}{more}}}", keys.element_count())
        }
    }
}

fn describe(tensor: &Tensor) -> String {
    let (first, more) = (first(tensor).join(", "), more(tensor));
    format!("{} {:?} [{first}{more}]", type_name(&tensor.element), tensor.shape)
}

/// The first elements.
fn first(tensor: &Tensor) -> Vec<String> {
    let elements = tensor.elements();
    match elements.strings() {
        Some(strings) => strings.iter().take(SHOWN).map(|text| format!("{text:?}")).collect(),
        None => (0..tensor.element_count().min(SHOWN)).filter_map(|at| element_text(&elements, at)).collect(),
    }
}

/// The text after the first elements.
fn more(tensor: &Tensor) -> &'static str {
    if tensor.element_count() > SHOWN { ", …" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_and_optionals_are_shown() {
        let tensor = || Value::Tensor(Tensor::from_f32(&[2], &[0.5, 1e-40]).expect("two values"));
        assert_eq!(value("x", &tensor()), "x: float32 [2] [0.5, 1e-40]");
        assert_eq!(value("x", &Value::Optional(None)), "x: none");
        let sequence = Value::Sequence(vec![tensor(), Value::Optional(Some(Box::new(tensor())))]);
        let lines = "x: sequence of 2\n  0: float32 [2] [0.5, 1e-40]\n  1: float32 [2] [0.5, 1e-40]";
        assert_eq!(value("x", &sequence), lines);
        let list = |values: &[f32]| Tensor::from_f32(&[2], values).expect("two values");
        let map = Value::Map { keys: list(&[1.0, 2.0]), values: list(&[0.5, 0.25]) };
        assert_eq!(value("x", &map), "x: map of 2 {1.0: 0.5, 2.0: 0.25}");
    }
}

//! Values as people read them.

use driver::{Tensor, Value, element_text, type_name};

/// So many elements of a tensor, and so many values of a sequence, are shown.
const SHOWN: usize = 8;

/// What a value is and how it begins: name, type, shape and first elements.
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
    }
}

fn describe(tensor: &Tensor) -> String {
    let elements = tensor.elements();
    let count = tensor.element_count();
    let first: Vec<String> = match elements.strings() {
        Some(strings) => strings.iter().take(SHOWN).map(|text| format!("{text:?}")).collect(),
        None => (0..count.min(SHOWN)).filter_map(|at| element_text(&elements, at)).collect(),
    };
    let more = if count > SHOWN { ", …" } else { "" };
    format!("{} {:?} [{}{more}]", type_name(&tensor.element), tensor.shape, first.join(", "))
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
    }
}

//! All rows.

use std::sync::LazyLock;

use dialects::onnx::OnnxOp;

use crate::operator::Operator;
use crate::{
    contrib, control_flow, generator, image, logical, math, ml, nn, object_detection, optional, quantization,
    recurrent, reduction, sequence, tensor, text, training,
};

/// The rows by folder.
const FOLDERS: &[&[&Operator]] = &[
    contrib::OPERATORS,
    control_flow::OPERATORS,
    generator::OPERATORS,
    image::OPERATORS,
    logical::OPERATORS,
    math::OPERATORS,
    ml::OPERATORS,
    nn::OPERATORS,
    object_detection::OPERATORS,
    optional::OPERATORS,
    quantization::OPERATORS,
    recurrent::OPERATORS,
    reduction::OPERATORS,
    sequence::OPERATORS,
    tensor::OPERATORS,
    text::OPERATORS,
    training::OPERATORS,
];

/// The rows by operator.
static ROWS: LazyLock<Vec<Option<&'static Operator>>> = LazyLock::new(|| {
    let mut rows = vec![None; OnnxOp::all().count()];
    for row in all() {
        rows[row.operator as usize] = Some(row);
    }
    rows
});

/// Every row.
pub fn all() -> impl Iterator<Item = &'static Operator> {
    FOLDERS.iter().copied().flatten().copied()
}

/// The row of an operator.
pub fn row(operator: OnnxOp) -> Option<&'static Operator> {
    ROWS[operator as usize]
}

/// The row of the operations with a name: `onnx.Add`.
pub fn row_of(name: &str) -> Option<&'static Operator> {
    row(OnnxOp::from_name(name)?)
}

/// The row of an operator by its former name.
pub fn former(name: &str) -> Option<&'static Operator> {
    all().find(|row| row.formerly.is_some_and(|(former, _)| former == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_has_one_row() {
        let mut seen = vec![0; OnnxOp::all().count()];
        all().for_each(|row| seen[row.operator as usize] += 1);
        let twice: Vec<&str> =
            OnnxOp::all().filter(|&operator| seen[operator as usize] > 1).map(OnnxOp::name).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn undetermined_operators_are_never_shared() {
        for row in all() {
            let name = row.operator.name();
            assert_eq!(row.undetermined.is_some(), dialects::onnx::is_random(name), "{name}");
        }
    }
}

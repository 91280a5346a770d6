//! Strings: below the graph level an element is the index of a string in the table of the run, so that moving and
//! comparing elements needs no special code. Routines read and create texts.

use std::sync::Arc;

use ir::{Attribute, Blob, DenseElements, Op, Type, Value};

use super::calls::Argument::{self, Lowered, Tensor};
use super::{Lowering, Unsupported, is_string, signless};
use crate::types::element_number;

impl Lowering<'_> {
    /// The index of a string of the model.
    pub(crate) fn string(&mut self, text: &str) -> i64 {
        self.strings.insert_full(text.to_string()).0 as i64
    }

    /// A constant tensor of strings.
    pub(crate) fn string_tensor(&mut self, texts: &[String], shape: &[i64]) -> Value {
        let numbers: Vec<i64> = texts.iter().map(|text| self.string(text)).collect();
        let count = shape.iter().product::<i64>() as usize;
        // a splat is given once
        let bytes: Vec<u8> = numbers.iter().cycle().take(count).flat_map(|number| number.to_le_bytes()).collect();
        self.dense(DenseElements::new(Type::static_tensor(shape, Type::I64), Blob::copy_of(&bytes)))
    }

    fn dense(&mut self, elements: DenseElements) -> Value {
        let r#type = elements.r#type.clone();
        self.builder().constant(Attribute::dense(elements), r#type)
    }

    /// A constant vector as an operand of a routine; its elements have types of the graph level.
    pub(crate) fn vector(&mut self, elements: &DenseElements) -> Argument {
        let element = elements.r#type.element();
        let kind = element_number(element).unwrap_or(0);
        let count = elements.element_count() as i64;
        let tensor = match elements.strings() {
            Some(texts) => self.string_tensor(&texts, &[count]),
            None => {
                let r#type = Type::static_tensor(&[count], signless(element));
                self.dense(DenseElements { r#type, ..elements.clone() })
            }
        };
        Lowered(tensor, kind)
    }
}

/// A constant vector of integers.
pub(crate) fn integers(values: &[i64]) -> DenseElements {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    DenseElements::new(Type::static_tensor(&[values.len() as i64], Type::I64), Blob::copy_of(&bytes))
}

/// A constant vector of floats.
pub(crate) fn floats(values: &[f32]) -> DenseElements {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    DenseElements::new(Type::static_tensor(&[values.len() as i64], Type::F32), Blob::copy_of(&bytes))
}

/// A constant vector of strings.
pub(crate) fn texts(values: &[Arc<str>]) -> DenseElements {
    let r#type = Type::static_tensor(&[values.len() as i64], Type::dialect("onnx", "String", vec![]));
    DenseElements::from_strings(r#type, values)
}

/// Casts between strings and numbers; false for any other cast.
pub(crate) fn cast(lowering: &mut Lowering<'_>, op: Op, operand: Value) -> Result<bool, Unsupported> {
    let result = lowering.source.op(op).results()[0];
    let [from, to] = [operand, result].map(|value| is_string(lowering.source.value_type(value).element()));
    match (from, to) {
        (false, false) => return Ok(false),
        (true, true) => {
            let value = lowering.value(operand);
            lowering.bind(result, value);
        }
        (false, true) => lowering.call(op, "format_numbers", &[Tensor(operand)])?,
        (true, false) => lowering.call(op, "parse_numbers", &[Tensor(operand)])?,
    }
    Ok(true)
}

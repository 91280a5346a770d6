//! Typed views of the onnx dialect's operations: operands and attributes by name, with the schema's defaults.
//!
//! A view is read from an operation that verifies: required operands and attributes are present, attributes have their
//! types, and texts with an enumeration are members of it. The structs are generated from the schemas, by the test in
//! `generate.rs`; other code does not access operands by position or attributes by a string.

#[cfg(test)]
mod generate;

#[rustfmt::skip]
mod enumerations;
#[rustfmt::skip]
pub mod microsoft;
#[rustfmt::skip]
pub mod ml;
#[rustfmt::skip]
pub mod nchwc;
#[rustfmt::skip]
mod onnx;
#[rustfmt::skip]
pub mod preview;
#[rustfmt::skip]
pub mod training;

use std::sync::Arc;

use ir::{Attribute, Attributes, Body, DenseElements, Op, Type, Value};

use super::OnnxOp;

pub use enumerations::*;
pub use onnx::*;

/// A typed view of one operator's operations.
pub trait View: Sized {
    /// The operator.
    const OPERATOR: OnnxOp;

    /// Reads operands and attributes.
    fn read(node: &Reader<'_>) -> Self;

    /// The view of an operation of this operator.
    fn of(body: &Body, op: Op) -> Self {
        let operation = body.op(op);
        Self::read(&Reader { body, operands: operation.operands(), attributes: &operation.attributes })
    }
}

/// An attribute with an enumeration.
pub trait Enumeration: Sized + Copy {
    /// The member with a text.
    fn parse(text: &str) -> Option<Self>;
}

/// The source of a view: an operation, or a node that is to become one.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// The body that contains the operands.
    pub body: &'a Body,
    /// Operands; an omitted one has type `none`.
    pub operands: &'a [Value],
    /// Attributes by their names in the schema.
    pub attributes: &'a Attributes,
}

impl Reader<'_> {
    fn operand(&self, index: usize) -> Value {
        *self.operands.get(index).expect("a verified operation has its required operands")
    }

    fn optional(&self, index: usize) -> Option<Value> {
        self.operands.get(index).copied().filter(|&value| *self.body.value_type(value) != Type::None)
    }

    fn variadic(&self, first: usize) -> Vec<Value> {
        self.operands.get(first..).unwrap_or_default().to_vec()
    }

    fn integer(&self, name: &str) -> Option<i64> {
        self.attributes.integer(name)
    }

    fn float(&self, name: &str) -> Option<f64> {
        self.attributes.float(name)
    }

    fn integers(&self, name: &str) -> Option<Arc<[i64]>> {
        self.attributes.integers(name)
    }

    fn floats(&self, name: &str) -> Option<Vec<f32>> {
        Some(self.attributes.get(name)?.as_floats()?.into_iter().map(|value| value as f32).collect())
    }

    fn string(&self, name: &str) -> Option<String> {
        self.attributes.str(name).map(str::to_string)
    }

    fn strings(&self, name: &str) -> Option<Vec<Arc<str>>> {
        let text = |value: &Attribute| if let Attribute::String(text) = value { Some(text.clone()) } else { None };
        self.attributes.get(name)?.as_array()?.iter().map(text).collect()
    }

    fn tensor(&self, name: &str) -> Option<Arc<DenseElements>> {
        self.attributes.get(name).and_then(Attribute::as_dense).cloned()
    }

    fn element_type(&self, name: &str) -> Option<Type> {
        self.attributes.get(name).and_then(Attribute::as_type).cloned()
    }

    fn choice<T: Enumeration>(&self, name: &str) -> Option<T> {
        self.attributes.str(name).and_then(T::parse)
    }
}

/// An attribute the schema requires, in an operation that verifies.
fn required<T>(value: Option<T>) -> T {
    value.expect("a verified operation has its required attributes")
}

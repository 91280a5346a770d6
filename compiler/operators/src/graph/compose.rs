//! Shorthands for building compositions. Extents are computed with `Shape`, so that they may be dynamic.

use ir::{Attribute, Attributes, Type, Value};

use super::{Emitter, Problem};
use crate::types::{computed_in, type_number};

impl Emitter {
    /// An operator without attributes.
    pub(crate) fn plain(&mut self, name: &str, operands: &[Value]) -> Value {
        self.op(name, operands, [])
    }

    /// The extent of an axis as a list of one; negative axes count from the back.
    pub(crate) fn extent(&mut self, value: Value, axis: i64) -> Value {
        let mut bounds = Attributes::from([("start", Attribute::i64(axis))]);
        if axis != -1 {
            bounds.set("end", Attribute::i64(axis + 1));
        }
        self.op("Shape", &[value], bounds)
    }

    /// Concatenates lists.
    pub(crate) fn list(&mut self, parts: &[Value]) -> Value {
        self.op("Concat", parts, [("axis", Attribute::i64(0))])
    }

    /// A list of one as a scalar.
    pub(crate) fn scalar(&mut self, list: Value) -> Value {
        let axes = self.integers(&[0]);
        self.plain("Squeeze", &[list, axes])
    }

    pub(crate) fn unsqueeze(&mut self, value: Value, axes: &[i64]) -> Value {
        let axes = self.integers(axes);
        self.plain("Unsqueeze", &[value, axes])
    }

    pub(crate) fn transpose(&mut self, value: Value, order: &[i64]) -> Value {
        self.op("Transpose", &[value], [("perm", Attribute::i64_array(order))])
    }

    /// `0, 1, …` up to a limit, which is a list of one.
    pub(crate) fn count_up(&mut self, limit: Value) -> Value {
        let (zero, one) = (self.integer(0), self.integer(1));
        let limit = self.scalar(limit);
        self.plain("Range", &[zero, limit, one])
    }

    /// Elements from `start` to `end`, lists of one, along an axis.
    pub(crate) fn slice(&mut self, value: Value, start: Value, end: Value, axis: i64) -> Value {
        let axes = self.integers(&[axis]);
        self.plain("Slice", &[value, start, end, axes])
    }

    pub(crate) fn element(&self, value: Value) -> Type {
        self.body.value_type(value).element().clone()
    }

    /// A scalar of another value's float type.
    pub(crate) fn number_like(&mut self, number: f64, other: Value) -> Value {
        let element = self.element(other);
        match self.float(number, &element) {
            Some(value) => value,
            None => {
                let value = self.integer(number as i64);
                self.plain("CastLike", &[value, other])
            }
        }
    }

    /// A conversion to another element type.
    pub(crate) fn convert(&mut self, value: Value, element: &Type) -> Value {
        if self.element(value) == *element {
            return value;
        }
        self.op("Cast", &[value], [("to", Attribute::i64(type_number(element)))])
    }

    /// A value in the type that it is computed in: f16 and bf16 in f32.
    pub(crate) fn widened(&mut self, value: Value) -> Value {
        let element = computed_in(&self.element(value));
        self.convert(value, &element)
    }

    /// The rank of a value, without which the node cannot be built.
    pub(crate) fn known_rank(&self, value: Value) -> Result<i64, Problem> {
        let rank = self.rank(value).ok_or_else(|| Problem::unsupported("has an operand of unknown rank"))?;
        Ok(rank as i64)
    }
}

//! Elementwise operators: one scalar expression each, with broadcasting.

use dialects::onnx::views::{Reader, View};
use ir::{FloatType, Op, Type, Value};

use super::scalars::Scalars;
use super::{Lowering, signless};
use crate::operator::{Kind, ScalarBody};
use crate::table;

/// An elementwise operation as seen by its scalar body: one element of each operand.
pub struct Element<'a> {
    reader: Reader<'a>,
    /// `None` for an omitted operand.
    operands: &'a [Option<Value>],
    result: &'a Type,
}

impl Element<'_> {
    /// The view of the operation.
    pub fn view<V: View>(&self) -> V {
        V::read(&self.reader)
    }

    /// The elements of the first, required operands.
    pub fn operands<const N: usize>(&self) -> [Value; N] {
        std::array::from_fn(|index| self.get(index).expect("a verified operation has its required operands"))
    }

    /// The element of operand `index`, unless it is omitted.
    pub fn get(&self, index: usize) -> Option<Value> {
        self.operands.get(index).copied().flatten()
    }

    /// The elements of all operands that are present.
    pub fn all(&self) -> impl Iterator<Item = Value> {
        self.operands.iter().flatten().copied()
    }

    /// The element type of the result, without signedness.
    pub fn result_type(&self) -> Type {
        signless(self.result)
    }

    /// Whether the result's elements are unsigned integers.
    pub fn is_result_unsigned(&self) -> bool {
        self.result.is_unsigned()
    }

    /// Whether the elements of operand `index` are unsigned integers.
    pub fn is_unsigned(&self, index: usize) -> bool {
        let operand = self.reader.operands.get(index);
        operand.is_some_and(|&operand| self.reader.body.value_type(operand).element().is_unsigned())
    }
}

/// Lowers an elementwise operation on all its operands.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op) {
    let operands = lowering.source.op(op).operands().to_vec();
    lower_on(lowering, op, &operands);
}

/// Lowers an elementwise operation of which only the first operands are read. f16 and bf16 are computed in f32 and
/// rounded once.
pub(crate) fn lower_on(lowering: &mut Lowering<'_>, op: Op, operands: &[Value]) {
    let source = lowering.source;
    let operation = source.op(op);
    let row = table::row_of(source.name(op)).expect("an elementwise operation is an operator");
    let body: ScalarBody = row.scalar.expect("an elementwise operator has a scalar body");
    let reader = Reader { body: source, operands: operation.operands(), attributes: &operation.attributes };
    let result = operation.results()[0];
    let result_type = source.value_type(result).element();
    let element = lowering.element(result);
    let is_half = |r#type: &Type| matches!(r#type, Type::Float(FloatType::F16 | FloatType::BF16));
    let widened = is_half(&element) && row.kind == Kind::Elementwise;
    // the signedness is that of the data, not of a condition before them
    let unsigned =
        operands.iter().map(|&operand| source.value_type(operand).element()).find(|&r#type| *r#type != Type::I1);
    let unsigned = unsigned.is_some_and(Type::is_unsigned);
    lowering.broadcast(operands, result, |builder, elements| {
        let mut scalars = Scalars { builder, unsigned };
        let mut widen = |value: Value| match widened && is_half(&scalars.type_of(value)) {
            true => scalars.cast(value, &Type::F32, false, false),
            false => value,
        };
        let elements: Vec<Option<Value>> = elements.iter().map(|element| element.map(&mut widen)).collect();
        let value = body(&mut scalars, &Element { reader, operands: &elements, result: result_type });
        if widened { scalars.cast(value, &element, false, false) } else { value }
    });
}

//! Calls of the runtime's routines, for operators that are not loop-shaped.

use dialects::linalg::generic::Generic;
use dialects::rt;
use dialects::rt::routines::{Extents, Routine, handle_type};
use ir::{Attribute, Attributes, DimExpr, Op, Type, Value, ValueDefinition};

use super::{Lowering, Unsupported, is_string};
use crate::types::{element_by_name, element_number};

/// An operand of a routine.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    /// A tensor of the graph level whose elements the routine computes with.
    Tensor(Value),
    /// A tensor of the graph level whose elements the routine only moves.
    Moved(Value),
    /// A tensor of the structured level, and its element type number.
    Lowered(Value, i64),
    /// An `index` value.
    Index(Value),
    /// An `f64` value.
    Real(Value),
    /// A sequence, an optional or a map of the graph level.
    Handle(Value),
}

impl Lowering<'_> {
    /// Binds the results of an operation to those of a routine.
    pub(crate) fn call(&mut self, op: Op, name: &str, arguments: &[Argument]) -> Result<(), Unsupported> {
        let routine = Routine::named(name).expect("lowerings name known routines");
        let mut kinds = Vec::new();
        let mut operands = Vec::new();
        for &argument in arguments {
            operands.push(match argument {
                Argument::Tensor(tensor) => {
                    kinds.push(self.kind(tensor)?);
                    self.value(tensor)
                }
                Argument::Moved(tensor) => {
                    kinds.push(self.storage_kind(tensor)?);
                    self.value(tensor)
                }
                Argument::Lowered(tensor, kind) => {
                    kinds.push(kind);
                    tensor
                }
                Argument::Index(value) | Argument::Real(value) => value,
                Argument::Handle(handle) => self.value(handle),
            });
        }
        let moved = arguments.iter().any(|argument| matches!(argument, Argument::Moved(_)));
        let mut types = Vec::new();
        let results = self.source.op(op).results().to_vec();
        for (index, extents) in routine.results.iter().enumerate() {
            if *extents == Extents::Handle {
                types.push(handle_type());
                continue;
            }
            let present = results.get(index).copied().filter(|&result| self.is_present(result));
            let Some(result) = present else {
                // omitted operands are lists of positions and counts
                kinds.push(element_number(&Type::I64).expect("int64 is an element type"));
                if *extents == Extents::Given {
                    let shape = self.shape(results[0]);
                    operands.push(self.empty(&shape, Type::I64));
                    types.push(self.tensor(&shape, Type::I64));
                } else {
                    types.push(Type::tensor(vec![None], Type::I64));
                }
                continue;
            };
            kinds.push(if moved { self.storage_kind(result)? } else { self.kind(result)? });
            let shape = self.shape(result);
            types.push(self.tensor(&shape, self.element(result)));
            if *extents == Extents::Given {
                operands.push(self.empty(&shape, self.element(result)));
            }
        }
        let values = self.call_lowered(name, &operands, &kinds, &types);
        for (result, value) in results.into_iter().zip(values) {
            if self.is_present(result) {
                self.bind(result, value);
            }
        }
        Ok(())
    }

    /// Calls a routine with values of the structured level, including destinations.
    pub(crate) fn call_lowered(&mut self, name: &str, operands: &[Value], kinds: &[i64], types: &[Type]) -> Vec<Value> {
        let attributes =
            Attributes::from([("routine", Attribute::string(name)), ("kinds", Attribute::i64_dense_array(kinds))]);
        let call = self.emit(rt::CALL, operands, types, attributes);
        self.body.op(call).results().to_vec()
    }

    /// A tensor of one element, if all elements of a lowered tensor are copies of it.
    pub(crate) fn repeated_element(&mut self, tensor: Value) -> Option<Value> {
        let element = self.element(tensor);
        let value = self.value(tensor);
        let generic = Generic::defining(&self.body, value).filter(|generic| !generic.is_reduction())?;
        let &[yielded] = generic.yields(&self.body) else { return None };
        match self.body.definition(yielded) {
            ValueDefinition::Argument { block, index } if block == generic.block => {
                let input = *generic.inputs.get(index as usize)?;
                let shape = self.body.value_type(input).static_shape()?;
                (shape.iter().product::<i64>() == 1).then_some(input)
            }
            ValueDefinition::Result { op, .. } if self.body.op(op).parent() == Some(generic.block) => None,
            ValueDefinition::Argument { .. } | ValueDefinition::Result { .. } => {
                Some(self.pointwise(&[], &[DimExpr::ONE], element, |_, _| yielded))
            }
        }
    }

    /// The element type number of a tensor for routines.
    pub(crate) fn kind(&self, tensor: Value) -> Result<i64, Unsupported> {
        let element = self.source.value_type(tensor).element();
        let whole = element.bit_width().is_some_and(|width| width == 1 || (width >= 8 && width.is_power_of_two()));
        let narrow = matches!(element, Type::Float(float) if float.width() < 16);
        let number = element_number(element).filter(|_| (whole && !narrow) || is_string(element));
        number.ok_or_else(|| Unsupported::new(format!("elements of type {element} are not computed with")))
    }

    /// The number of an unsigned type of the same size as a tensor's element type.
    pub(crate) fn storage_kind(&self, tensor: Value) -> Result<i64, Unsupported> {
        let element = self.element(tensor);
        let number = match element.byte_width() {
            Some(1) => Some("uint8"),
            Some(2) => Some("uint16"),
            Some(4) => Some("uint32"),
            Some(8) => Some("uint64"),
            Some(16) => Some("complex128"),
            _ => None,
        };
        let number = number.and_then(element_by_name).and_then(|element| element_number(&element));
        number.ok_or_else(|| Unsupported::new(format!("elements of type {element} are not moved")))
    }
}

//! Extents of structured tensors as `index` values.

use dialects::{OpCode, OpCodes, arith, func, linalg, rt, tensor};
use ir::{Attribute, Attributes, Body, Builder, Op, Type, Value, ValueDefinition};

use dialects::linalg::generic::Generic;
use dialects::rt::routines;
use dialects::rt::winograd::DESTINATION;

/// The extent of dimension `axis` of `value`, available at `before`. New operations, if any, are inserted before
/// `before`.
pub fn extent_of(body: &mut Body, value: Value, axis: usize, before: Op) -> Value {
    let shape = body.value_type(value).shape().expect("structured tensors are ranked");
    if let Some(extent) = shape[axis] {
        return Builder::before(body, before).constant_index(extent);
    }
    let ValueDefinition::Result { op, index } = body.definition(value) else {
        return dim(body, value, axis, before);
    };
    let position = shape[..axis].iter().filter(|extent| extent.is_none()).count();
    match body.code(op) {
        Some(tensor::EMPTY) => body.operand(op, position),
        Some(linalg::GENERIC) => {
            let generic = Generic::of(body, op).expect("a generic decodes");
            extent_of(body, generic.inits[index as usize], axis, before)
        }
        Some(func::CALL | rt::CALL | rt::WINOGRAD) => match destination(body, op, index as usize) {
            Some(destination) => extent_of(body, destination, axis, before),
            None => dim(body, value, axis, before),
        },
        Some(tensor::RESHAPE) => {
            let shape = tensor::Reshape::of(body, op).shape;
            let elements = body.defining_op(shape).expect("a reshape's shape is built from elements");
            body.operand(elements, axis)
        }
        Some(tensor::CAST) => extent_of(body, body.sole_operand(op), axis, before),
        Some(tensor::CONCAT) => concat_extent(body, op, axis, before),
        Some(tensor::PAD) => {
            let pad = |body: &Body, name: &str| body.op(op).attributes.integers(name).map_or(0, |pads| pads[axis]);
            let total = pad(body, "static_low") + pad(body, "static_high");
            let inner = extent_of(body, tensor::Pad::of(body, op).source, axis, before);
            let mut builder = Builder::before(body, before);
            let total = builder.constant_index(total);
            builder.value(arith::ADDI, &[inner, total], Type::Index, Attributes::new())
        }
        _ => dim(body, value, axis, before),
    }
}

/// An empty tensor with the type and the extents of `value`, before `before`.
pub fn empty_like(body: &mut Body, value: Value, before: Op) -> Value {
    let r#type = body.value_type(value).clone();
    let shape = r#type.shape().expect("structured tensors are ranked");
    let dynamic = (0..shape.len()).filter(|&axis| shape[axis].is_none());
    let sizes: Vec<Value> = dynamic.map(|axis| extent_of(body, value, axis, before)).collect();
    Builder::before(body, before).value_from(tensor::Empty { sizes: &sizes }, r#type, [])
}

/// The operand of an operation with the size and memory of a result: for calls of kernels and routines, and operations
/// that become calls.
pub fn destination(body: &Body, op: Op, result: usize) -> Option<Value> {
    let operation = body.op(op);
    match OpCode::of_name(&operation.name) {
        Some(func::CALL) => Some(operation.operands()[operation.operands().len() - operation.results().len() + result]),
        Some(rt::WINOGRAD) => Some(body.operand(op, DESTINATION)),
        _ => routines::destination(body, op, result),
    }
}

fn dim(body: &mut Body, value: Value, axis: usize, before: Op) -> Value {
    let mut builder = Builder::before(body, before);
    let index = builder.constant(Attribute::index(axis as i64), Type::Index);
    builder.value_from(tensor::Dim { source: value, index }, Type::Index, [])
}

fn concat_extent(body: &mut Body, op: Op, axis: usize, before: Op) -> Value {
    let operands = body.op(op).operands().to_vec();
    if body.op(op).attributes.integer("dim") != Some(axis as i64) {
        return extent_of(body, operands[0], axis, before);
    }
    let extents: Vec<Value> = operands.into_iter().map(|operand| extent_of(body, operand, axis, before)).collect();
    let mut builder = Builder::before(body, before);
    extents
        .into_iter()
        .reduce(|sum, extent| builder.value(arith::ADDI, &[sum, extent], Type::Index, Attributes::new()))
        .expect("a concatenation has operands")
}

//! Sequences and optionals: numbers of values that the run keeps. What looks into them is a routine.

use dialects::onnx::views::{self, View};
use dialects::rt::routines::handle_type;
use ir::{Op, Type, Value};

use super::calls::Argument::{self, Handle, Index, Lowered, Tensor};
use super::reduction::normalize_axis;
use super::scalars::Comparison;
use super::{Lowering, Unsupported, is_container};
use crate::types::element_number;

/// Lowers an operator that makes or reads a sequence.
pub(super) fn lower_sequence(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let source = lowering.source;
    match name {
        "SequenceEmpty" => lowering.call(op, "sequence_empty", &[]),
        "SequenceConstruct" => {
            let node = views::SequenceConstruct::of(source, op);
            let mut sequence = lowering.call_lowered("sequence_empty", &[], &[], &[handle_type()])[0];
            for tensor in node.inputs {
                let (kind, tensor) = (lowering.kind(tensor)?, lowering.value(tensor));
                sequence = append(lowering, sequence, tensor, kind);
            }
            lowering.bind(source.op(op).results()[0], sequence);
            Ok(())
        }
        "SequenceInsert" => {
            let node = views::SequenceInsert::of(source, op);
            let [position, given] = position(lowering, node.position);
            lowering.call(op, "sequence_insert", &[Handle(node.input_sequence), Tensor(node.tensor), position, given])
        }
        "SequenceErase" => {
            let node = views::SequenceErase::of(source, op);
            let [position, given] = position(lowering, node.position);
            lowering.call(op, "sequence_erase", &[Handle(node.input_sequence), position, given])
        }
        "SequenceAt" => {
            let node = views::SequenceAt::of(source, op);
            let [position, _] = position(lowering, Some(node.position));
            lowering.call(op, "sequence_at", &[Handle(node.input_sequence), position])
        }
        "SequenceLength" => {
            let node = views::SequenceLength::of(source, op);
            lowering.call(op, "sequence_length", &[Handle(node.input_sequence)])
        }
        "SplitToSequence" => split(lowering, op),
        _ => {
            let node = views::ConcatFromSequence::of(source, op);
            let rank = lowering.shape(source.op(op).results()[0]).len();
            let axis = normalize_axis(node.axis, rank)?;
            let (axis, is_new) = (lowering.index(axis as i64), lowering.index(node.new_axis));
            lowering.call(op, "sequence_concat", &[Handle(node.input_sequence), Index(axis), Index(is_new)])
        }
    }
}

/// A sequence with one more element at its end.
fn append(lowering: &mut Lowering<'_>, sequence: Value, tensor: Value, kind: i64) -> Value {
    let zero = lowering.index(0);
    lowering.call_lowered("sequence_insert", &[sequence, tensor, zero, zero], &[kind], &[handle_type()])[0]
}

/// A position, and whether it is given.
fn position(lowering: &mut Lowering<'_>, position: Option<Value>) -> [Argument; 2] {
    let value = match position {
        Some(position) => lowering.scalar_index(position),
        None => lowering.index(0),
    };
    [Index(value), Index(lowering.index(position.is_some() as i64))]
}

fn split(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::SplitToSequence::of(lowering.source, op);
    let axis = normalize_axis(node.axis, lowering.shape(node.input).len())?;
    let axis = lowering.index(axis as i64);
    let (lengths, keeps_axis) = match node.split {
        Some(lengths) => (Tensor(lengths), 1),
        None => {
            let one = lowering.filled(&[], Type::I64, 1.0);
            (Lowered(one, element_number(&Type::I64).expect("int64 is an element type")), node.keepdims)
        }
    };
    let keeps_axis = lowering.index(keeps_axis);
    lowering.call(op, "sequence_split", &[Tensor(node.input), lengths, Index(axis), Index(keeps_axis)])
}

/// Lowers an operator that makes or reads an optional. A value of another type counts as an optional that has it.
pub(super) fn lower_optional(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let source = lowering.source;
    let result = source.op(op).results()[0];
    let is_optional =
        |value: Value| matches!(source.value_type(value), Type::Dialect(dialect) if &*dialect.name == "Opt");
    match name {
        "Optional" => match views::Optional::of(source, op).input {
            None => lowering.call(op, "optional_none", &[]),
            Some(value) if is_container(source.value_type(value)) => {
                lowering.call(op, "optional_of_value", &[Handle(value)])
            }
            Some(tensor) => lowering.call(op, "optional_of_tensor", &[Tensor(tensor)]),
        },
        "OptionalHasElement" => match views::OptionalHasElement::of(source, op).input {
            Some(value) if is_optional(value) => lowering.call(op, "optional_has_value", &[Handle(value)]),
            value => {
                lowering.fill(result, value.is_some() as i64 as f64);
                Ok(())
            }
        },
        _ => {
            let value = views::OptionalGetElement::of(source, op).input;
            if !is_optional(value) {
                let value = lowering.value(value);
                lowering.bind(result, value);
                return Ok(());
            }
            let routine = match is_container(source.value_type(result)) {
                true => "optional_value",
                false => "optional_tensor",
            };
            lowering.call(op, routine, &[Handle(value)])
        }
    }
}

/// Lowers `SequenceMap`: a loop over the elements of its sequences.
pub(super) fn lower_map(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let source = lowering.source;
    let operands = source.op(op).operands().to_vec();
    let results = source.op(op).results().to_vec();
    let body = source.blocks(source.op(op).regions()[0])[0];
    let arguments = source.arguments(body).to_vec();
    if arguments.iter().any(|&argument| lowering.shapes.shape(argument).is_none()) {
        return Err(Unsupported::new("the rank of an element is not known"));
    }
    let sequence = lowering.value(operands[0]);
    let length = lowering.empty(&[], Type::I64);
    let kind = element_number(&Type::I64).expect("int64 is an element type");
    let length_type = Type::static_tensor(&[], Type::I64);
    let length = lowering.call_lowered("sequence_length", &[sequence, length], &[kind], &[length_type])[0];
    let length = lowering.builder().value("tensor.extract", &[length], Type::I64, []);
    let length = lowering.builder().value("arith.index_cast", &[length], Type::Index, []);
    let mut start = vec![lowering.index(0)];
    for _ in &results {
        start.extend(lowering.call_lowered("sequence_empty", &[], &[], &[handle_type()]));
    }
    let types: Vec<Type> = start.iter().map(|&value| lowering.body.value_type(value).clone()).collect();
    let new = lowering.emit("scf.while", &start, &types, []);
    let [before, after] = [0, 1].map(|_| {
        let region = lowering.body.add_region(new);
        lowering.body.add_block(region, &types)
    });
    lowering.nested(before, |lowering| {
        let values = lowering.body.arguments(before).to_vec();
        let goes_on = lowering.scalars(|s| s.compare(Comparison::Less, values[0], length));
        let operands: Vec<Value> = std::iter::once(goes_on).chain(values).collect();
        lowering.emit("scf.condition", &operands, &[], []);
    });
    lowering.nested(after, |lowering| -> Result<(), Unsupported> {
        let values = lowering.body.arguments(after).to_vec();
        for (&argument, &operand) in arguments.iter().zip(&operands) {
            let mut value = lowering.value(operand);
            if is_container(source.value_type(operand)) {
                let (kind, r#type) = (lowering.kind(argument)?, lowering.lowered_type(argument));
                value = lowering.call_lowered("sequence_at", &[value, values[0]], &[kind], &[r#type])[0];
            }
            lowering.bind(argument, value);
        }
        lowering.block(body);
        let end = source.terminator(body).expect("a body yields");
        let yields = source.op(end).operands().to_vec();
        if yields.iter().any(|&value| lowering.is_lost(value)) {
            return Ok(());
        }
        let next = lowering.scalars(|s| {
            let one = s.number(1.0, &Type::Index);
            s.add(values[0], one)
        });
        let mut passed = vec![next];
        for (&sequence, &element) in values[1..].iter().zip(&yields) {
            let (kind, element) = (lowering.kind(element)?, lowering.value(element));
            passed.push(append(lowering, sequence, element, kind));
        }
        lowering.emit("scf.yield", &passed, &[], []);
        Ok(())
    })?;
    for (index, &result) in results.iter().enumerate() {
        let value = lowering.body.result(new, index + 1);
        lowering.bind(result, value);
    }
    Ok(())
}

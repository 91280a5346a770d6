//! SequenceMap: a body over the elements of sequences. Since 17.

use dialects::onnx::OnnxOp;
use dialects::rt::routines::handle_type;
use dialects::{arith, scf, tensor};
use ir::{Op, Type};

use super::{append, element_rank, sequence_of};
use crate::operator::{Bodies, Operator};
use crate::shape::{Answer, Node};
use crate::structured::scalars::Comparison;
use crate::structured::{Lowering, Unsupported, is_container};
use crate::types::{contained, element_number};

/// The body takes elements where the operator takes sequences.
pub(crate) const SEQUENCE_MAP: Operator = Operator {
    shapes: Some(shapes),
    bodies: Bodies {
        arguments: |operands| {
            operands.iter().map(|r#type| contained(r#type, "Seq").unwrap_or(r#type).clone()).collect()
        },
        result: |yields, index| Some(sequence_of(yields.get(index)?.clone())),
    },
    lower: Some(lower),
    ..Operator::of(OnnxOp::SequenceMap)
};

/// The body takes one element of each sequence, and tensors unchanged.
fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let Some(block) = node.region(0).and_then(|region| node.block(region)) else { return Ok(vec![]) };
    let body = node.analyser.body;
    let operands = body.op(node.op).operands().to_vec();
    for (&argument, &operand) in body.arguments(block).iter().zip(&operands) {
        let shape = match contained(body.value_type(operand), "Seq") {
            None => node.shape_of(operand),
            Some(_) => {
                let stated = body.value_type(argument).rank().or_else(|| element_rank(node, operand));
                let known = &mut node.analyser.known;
                stated.map(|rank| (0..rank).map(|axis| known.fresh(body, argument, axis)).collect())
            }
        };
        node.analyser.set_shape(argument, shape);
    }
    node.analyser.block(block);
    Ok(vec![])
}

/// A loop over the elements of its sequences.
fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
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
    let length = lowering.builder().value_from(tensor::Extract { tensor: length, indices: &[] }, Type::I64, []);
    let length = lowering.builder().value(arith::INDEX_CAST, &[length], Type::Index, []);
    let mut start = vec![lowering.index(0)];
    for _ in &results {
        start.extend(lowering.call_lowered("sequence_empty", &[], &[], &[handle_type()]));
    }
    let types: Vec<Type> = start.iter().map(|&value| lowering.body.value_type(value).clone()).collect();
    let new = lowering.emit(scf::WHILE, &start, &types, []);
    let [before, after] = [0, 1].map(|_| {
        let region = lowering.body.add_region(new);
        lowering.body.add_block(region, &types)
    });
    lowering.nested(before, |lowering| {
        let values = lowering.body.arguments(before).to_vec();
        let condition = lowering.scalars(|s| s.compare(Comparison::Less, values[0], length));
        lowering.builder().create_from(scf::Condition { condition, args: &values }, &[], []);
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
        lowering.emit(scf::YIELD, &passed, &[], []);
        Ok(())
    })?;
    for (index, &result) in results.iter().enumerate() {
        let value = lowering.body.result(new, index + 1);
        lowering.bind(result, value);
    }
    Ok(())
}

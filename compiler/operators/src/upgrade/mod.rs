//! Upgrades old forms of operators to the newest one, one step per change of the schema.
//!
//! A version that only allows more types, or only clarifies the text, needs no step. Attributes that the newest schema
//! does not have are dropped at the end, so that steps ignore those without meaning in inference.

mod arithmetic;

pub(crate) use arithmetic::{align, broadcast_7};

use dialects::onnx::schema;
use dialects::onnx::views::{Reader, View};
use ir::{Attribute, DenseElements, FloatType, Type, Value};

use crate::graph::Emitter;
use crate::graph::{Node, Problem};
use crate::operator::{Operator, Step};
use crate::table;
use crate::types::type_number;

/// Upgrades a node from the form of version `since` to the newest form.
pub fn upgrade(node: &mut Node, since: i64, emit: &mut Emitter) -> Result<(), Problem> {
    match schema::newest(node.domain, &node.name) {
        Some(schema) => match table::row_of(&schema.op_name()) {
            Some(row) => upgrade_row(row, row.upgrades, node, since, emit),
            None => Ok(()),
        },
        None => {
            let row = table::former(&node.name).ok_or_else(|| Problem::unsupported("has no newer form"))?;
            let (_, steps) = row.formerly.expect("it was found by its former name");
            node.name = row.operator.name().trim_start_matches("onnx.").into();
            upgrade_row(row, steps, node, since, emit)
        }
    }
}

/// Applies the steps of a row, and drops attributes that the newest schema does not have.
fn upgrade_row(
    row: &Operator,
    steps: &[(i64, Step)],
    node: &mut Node,
    since: i64,
    emit: &mut Emitter,
) -> Result<(), Problem> {
    let upgrades = steps.iter().filter(|&&(version, _)| since < version).map(|&(_, step)| step);
    for step in upgrades.chain(row.normalize) {
        step(node, emit)?;
        if node.results.is_some() {
            return Ok(());
        }
    }
    node.keep_known_attributes();
    Ok(())
}

// ---- shared steps

/// `axes` becomes the second operand.
pub(crate) fn axes_to_input(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    node.integers_to_input("axes", 1, emit);
    Ok(())
}

/// A sum over many elements of f16 or bf16 is computed in f32, and rounded once.
pub(crate) fn sum_in_f32(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let is_half =
        |value: Value| matches!(emit.body.value_type(value).element(), Type::Float(FloatType::F16 | FloatType::BF16));
    let halves: Vec<bool> = node.operands.iter().map(|&operand| operand != emit.none && is_half(operand)).collect();
    if halves.first() != Some(&true) {
        return Ok(());
    }
    let data = node.operands[0];
    for (operand, _) in node.operands.iter_mut().zip(halves).filter(|(_, is_half)| *is_half) {
        *operand = emit.op("Cast", &[*operand], [("to", Attribute::i64(type_number(&Type::F32)))]);
    }
    let wide = emit.op(&node.name, &node.operands, node.attributes.clone());
    let rounded = emit.plain("CastLike", &[wide, data]);
    node.replace(rounded, emit);
    Ok(())
}

impl Node {
    /// Drops attributes that the newest schema does not have.
    fn keep_known_attributes(&mut self) {
        let newest = schema::newest(self.domain, &self.name).expect("upgrades lead to operators that exist");
        let unknown = self.attributes.iter().map(|(name, _)| name).filter(|name| newest.attribute(name).is_none());
        let unknown: Vec<String> = unknown.map(str::to_string).collect();
        unknown.iter().for_each(|name| drop(self.attributes.remove(name)));
    }

    /// The view of the node, which has its newest form.
    pub(crate) fn view<V: View>(&self, emit: &Emitter) -> V {
        V::read(&Reader { body: &emit.body, operands: &self.operands, attributes: &self.attributes })
    }

    /// Operand `index`, unless it is omitted.
    pub(crate) fn operand(&self, index: usize, emit: &Emitter) -> Option<Value> {
        self.operands.get(index).copied().filter(|&value| value != emit.none)
    }

    /// Sets operand `index`; missing ones before it become omitted ones.
    pub(crate) fn set_operand(&mut self, index: usize, value: Value, emit: &Emitter) {
        if self.operands.len() <= index {
            self.operands.resize(index + 1, emit.none);
        }
        self.operands[index] = value;
    }

    /// Turns an attribute that lists integers into a constant operand.
    pub(crate) fn integers_to_input(&mut self, name: &str, index: usize, emit: &mut Emitter) {
        if let Some(values) = self.attributes.remove(name).and_then(|attribute| attribute.as_integers()) {
            let value = emit.integers(&values);
            self.set_operand(index, value, emit);
        }
    }

    /// Turns a float attribute into a constant scalar operand of the first operand's element type.
    pub(crate) fn float_to_input(&mut self, name: &str, index: usize, emit: &mut Emitter) -> Result<(), Problem> {
        if let Some(value) = self.attributes.remove(name).and_then(|attribute| attribute.as_float()) {
            let element = emit.body.value_type(self.operands[0]).element().clone();
            let value = emit
                .float(value, &element)
                .ok_or_else(|| Problem::input("computes on elements that are not floats"))?;
            self.set_operand(index, value, emit);
        }
        Ok(())
    }

    /// Replaces the node by the value of its only output.
    pub(crate) fn replace(&mut self, value: Value, emit: &Emitter) {
        self.results = Some(vec![value]);
        self.results.as_mut().expect("just set").resize(self.outputs.len(), emit.none);
    }
}

/// A constant of 32-bit floats.
pub(crate) fn floats(values: &[f32]) -> DenseElements {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    DenseElements::new(Type::static_tensor(&[values.len() as i64], Type::F32), ir::Blob::copy_of(&bytes))
}

/// The values of a list of floats.
pub(crate) fn float_list(attribute: &Attribute) -> Option<Vec<f32>> {
    Some(attribute.as_floats()?.into_iter().map(|value| value as f32).collect())
}

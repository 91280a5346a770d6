//! Initializers, and inputs of the same name.

use proto::{GraphProto, TensorProto, TypeValue};

use crate::{Finder, Part, Rule, Step, Visit, error, violation};

const NODES: &str = "IR, Nodes";

pub(super) const RULES: &[Rule] = &[
    violation(
        "initializer-is-input",
        "onnx.proto, IR_VERSION 4",
        "Before IR version 4, every initializer is also an input of its graph.",
        Finder::Graph(is_input),
    )
    .until(3),
    violation(
        "initializer-not-subgraph-input",
        NODES,
        "In a subgraph, no name is both an initializer and an input.",
        Finder::Graph(not_subgraph_input),
    )
    .from(4),
    violation(
        "initializer-input-last",
        NODES,
        "Before IR version 4, the inputs of a subgraph that are initializers come after those that the node passes.",
        Finder::Graph(input_last),
    )
    .until(3),
    error(
        "initializer-type",
        NODES,
        "An initializer that is the default of an input has that input's element type.",
        Finder::Tensor(has_type),
    ),
    error(
        "initializer-shape",
        NODES,
        "An initializer that is the default of an input has that input's rank and extents.",
        Finder::Tensor(has_shape),
    ),
];

fn is_input(visit: &mut Visit<'_, '_>, graph: &GraphProto) {
    let walk = visit.walk;
    let Some(names) = walk.names() else { return };
    for (index, tensor) in graph.initializer.iter().enumerate() {
        if !tensor.name.is_empty() && !names.has_default(&tensor.name) {
            let step = Step::number(Part::Initializer, index, &tensor.name);
            visit.found_at(&[step], || "is not an input of its graph".into());
        }
    }
}

fn not_subgraph_input(visit: &mut Visit<'_, '_>, graph: &GraphProto) {
    let walk = visit.walk;
    let Some(names) = walk.names().filter(|_| walk.is_subgraph()) else { return };
    for (index, tensor) in graph.initializer.iter().enumerate().filter(|(_, t)| names.has_default(&t.name)) {
        let step = Step::number(Part::Initializer, index, &tensor.name);
        visit.found_at(&[step], || "is also an input of its graph".into());
    }
}

fn input_last(visit: &mut Visit<'_, '_>, graph: &GraphProto) {
    let walk = visit.walk;
    let Some(names) = walk.names().filter(|_| walk.is_subgraph()) else { return };
    let last = graph.input.iter().rposition(|input| !names.has_default(&input.name));
    for (index, input) in graph.input.iter().enumerate() {
        if names.has_default(&input.name) && last.is_some_and(|last| index < last) {
            let step = Step::number(Part::Input, index, &input.name);
            visit.found_at(&[step], || "is an initializer, but comes before inputs that are not".into());
        }
    }
}

/// The type of the input whose default the initializer is, if it has a shape.
fn declared<'m>(visit: &Visit<'_, 'm>, tensor: &TensorProto) -> Option<&'m proto::TypeTensor> {
    let walk = visit.walk;
    if walk.part() != Some(Part::Initializer) || !walk.names()?.has_default(&tensor.name) {
        return None;
    }
    let input = walk.graph()?.input.get(walk.names()?.get(&tensor.name)?.index)?;
    match input.r#type.as_ref()?.value.as_ref()? {
        TypeValue::Tensor(tensor) => Some(tensor),
        _ => None,
    }
}

fn has_type(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let Some(declared) = declared(visit, tensor) else { return };
    visit.expect(declared.elem_type == tensor.data_type || declared.elem_type == 0, || {
        let [found, right] = [tensor.data_type, declared.elem_type].map(proto::type_name);
        format!("is of {found}, but its input of {right}")
    });
}

fn has_shape(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let Some(shape) = declared(visit, tensor).and_then(|declared| declared.shape.as_ref()) else { return };
    let fits = |(dimension, &extent): (&proto::Dimension, &i64)| match dimension.value {
        Some(proto::DimensionValue::Value(declared)) => declared == extent || declared < 0,
        _ => true,
    };
    let same = shape.dim.len() == tensor.dims.len() && shape.dim.iter().zip(&tensor.dims).all(fits);
    visit.expect(same, || {
        format!("is of shape {:?}, but its input of {}", tensor.dims, super::types::shape_text(shape))
    });
}

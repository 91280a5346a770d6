//! Applies the options that change a model before it is read: selected outputs, and names for dimensions without one.

use std::borrow::Cow;

use indexmap::IndexSet;
use ir::{Diagnostic, ErrorClass, Location};
use proto::{DimensionValue, GraphProto, Model, TypeValue, ValueInfoProto};

use crate::Options;
use crate::types::named_dimensions;

/// The model with these options applied.
pub(crate) fn select<'m>(model: Cow<'m, Model>, options: &Options) -> ir::Result<Cow<'m, Model>> {
    let Some(graph) = &model.proto.graph else { return Ok(model) };
    let unnamed = unnamed(graph, options);
    if unnamed.is_empty() && options.outputs.is_empty() {
        return Ok(model);
    }
    let outputs = outputs(graph, options)?;
    let mut model = model.into_owned();
    if let Some(graph) = &mut model.proto.graph {
        unnamed.into_iter().for_each(|(input, axis, name)| set_name(&mut graph.input[input], axis, name));
        if !options.outputs.is_empty() {
            graph.output = outputs;
        }
    }
    Ok(Cow::Owned(model))
}

/// Unnamed dimensions of inputs for which the options have an extent or a bound, by the name that messages use: the input's name
/// and the axis.
fn unnamed(graph: &GraphProto, options: &Options) -> Vec<(usize, usize, String)> {
    let infos = graph.input.iter().chain(&graph.output).chain(&graph.value_info);
    let names = infos.flat_map(|info| named_dimensions(info.r#type.as_ref())).map(|(_, name)| name);
    let known: IndexSet<&str> = names.collect();
    let place = |name: &String| {
        let (input, axis) = name.rsplit_once('_')?;
        let (input, axis) = (graph.input.iter().position(|info| info.name == input)?, axis.parse().ok()?);
        is_unnamed(&graph.input[input], axis).then(|| (input, axis, name.clone()))
    };
    options
        .dimensions
        .keys()
        .chain(&options.bounded)
        .filter(|name| !known.contains(&***name))
        .filter_map(place)
        .collect()
}

fn is_unnamed(info: &ValueInfoProto, axis: usize) -> bool {
    let Some(TypeValue::Tensor(tensor)) = info.r#type.as_ref().and_then(|r#type| r#type.value.as_ref()) else {
        return false;
    };
    let dimension = tensor.shape.as_ref().and_then(|shape| shape.dim.get(axis));
    dimension.is_some_and(|dimension| match &dimension.value {
        None => true,
        Some(DimensionValue::Value(extent)) => *extent < 0,
        Some(DimensionValue::Param(name)) => name.is_empty(),
    })
}

fn set_name(info: &mut ValueInfoProto, axis: usize, name: String) {
    if let Some(TypeValue::Tensor(tensor)) = info.r#type.as_mut().and_then(|r#type| r#type.value.as_mut())
        && let Some(dimension) = tensor.shape.as_mut().and_then(|shape| shape.dim.get_mut(axis))
    {
        dimension.value = Some(DimensionValue::Param(name));
    }
}

/// The outputs that the options name: outputs of the graph, or values inside it.
fn outputs(graph: &GraphProto, options: &Options) -> ir::Result<Vec<ValueInfoProto>> {
    let defined: IndexSet<&str> = graph.node.iter().flat_map(|node| &node.output).map(|name| &**name).collect();
    let output = |name: &String| {
        let mut stated = graph.output.iter().chain(&graph.value_info);
        match stated.find(|info| info.name == *name) {
            Some(info) => Ok(info.clone()),
            None if defined.contains(&**name) => Ok(ValueInfoProto { name: name.clone(), ..Default::default() }),
            None => {
                let names: Vec<&str> = graph.output.iter().map(|info| &*info.name).collect();
                let message =
                    format!("--outputs: the model has no value '{name}'; its outputs are {}", names.join(", "));
                Err(Diagnostic::error(ErrorClass::Usage, Location::Unknown, message).into())
            }
        }
    };
    options.outputs.iter().map(output).collect()
}

//! Types and shapes in models.

use proto::{DataType, Dimension, DimensionValue, TensorShapeProto, TypeProto, TypeValue, ValueInfoProto};

use crate::repeats::repeats;
use crate::{Finder, Part, Rule, Step, Visit, error, violation};

const TYPES: &str = "onnx.proto, TypeProto";
const GRAPHS: &str = "IR, Graphs";
const SHAPES: &str = "IR, Static tensor shapes";

pub(super) const RULES: &[Rule] = &[
    error("input-typed", GRAPHS, "An input of the model's graph has a type.", Finder::Value(input_typed)),
    violation("output-typed", GRAPHS, "An output of the model's graph has a type.", Finder::Value(output_typed)),
    violation(
        "value-shaped",
        GRAPHS,
        "The type of an input or output of the model's graph has a shape, if only its rank.",
        Finder::Value(value_shaped),
    ),
    violation(
        "type-known",
        TYPES,
        "A type states its kind: tensor, sequence, map, optional or another.",
        Finder::Type(type_known),
    ),
    violation("type-element-stated", TYPES, "A tensor type states its element type.", Finder::Type(element_stated)),
    error("type-element-known", TYPES, "An element type is one that ONNX defines.", Finder::Type(element_known)),
    error(
        "type-inner-stated",
        TYPES,
        "A sequence, an optional and a map state the type of their elements.",
        Finder::Type(inner_stated),
    ),
    error(
        "type-map-key",
        "onnx.proto, TypeProto.Map.key_type",
        "The keys of a map are integers or strings.",
        Finder::Type(map_key),
    ),
    error(
        "type-optional-element",
        "onnx.proto, TypeProto.Optional",
        "An optional holds a tensor, a sequence or a map.",
        Finder::Type(optional_element),
    ),
    error(
        "type-sequence-element",
        "IR, Input / Output Data Types",
        "A sequence holds tensors, sequences, maps or optionals of these.",
        Finder::Type(sequence_element),
    ),
    violation(
        "dimension-not-negative",
        "IR, Tensor Definition",
        "A dimension is not negative; an unknown one has neither a value nor a name.",
        Finder::Dimension(not_negative),
    ),
    violation(
        "dimension-name-not-empty",
        SHAPES,
        "The name of a dimension is not empty; an unknown dimension has neither a value nor a name.",
        Finder::Dimension(name_not_empty),
    ),
    violation(
        "value-info-unique",
        "onnx.proto, GraphProto.value_info",
        "value_info states the type of each value at most once.",
        Finder::Graph(value_info_unique),
    ),
    violation(
        "value-info-inner",
        GRAPHS,
        "value_info describes values that are neither inputs nor outputs.",
        Finder::Value(value_info_inner),
    ),
    violation(
        "value-info-defined",
        "onnx.proto, GraphProto.value_info",
        "value_info describes values that the graph has.",
        Finder::Value(value_info_defined),
    ),
    violation(
        "output-unique",
        "IR, Names Within a Graph",
        "No two outputs of a graph have the same name.",
        Finder::Graph(output_unique),
    ),
    error(
        "input-output-type",
        "IR, Nodes",
        "A value that is both an input and an output has one type.",
        Finder::Graph(input_output_type),
    ),
];

/// `[2, N, ?]`
pub(super) fn shape_text(shape: &TensorShapeProto) -> String {
    let dims: Vec<String> = shape
        .dim
        .iter()
        .map(|dimension| match &dimension.value {
            Some(DimensionValue::Value(value)) => value.to_string(),
            Some(DimensionValue::Param(name)) => name.clone(),
            None => "?".into(),
        })
        .collect();
    format!("[{}]", dims.join(", "))
}

/// Whether a number is an element type other than `UNDEFINED`.
pub(super) fn is_element_type(number: i32) -> bool {
    number != 0 && DataType::try_from(number).is_ok()
}

fn is_main(visit: &Visit<'_, '_>, part: Part) -> bool {
    visit.walk.is_main() && visit.walk.part() == Some(part)
}

/// An input without an element type cannot be fed, so that this is not only an incomplete type.
fn input_typed(visit: &mut Visit<'_, '_>, value: &ValueInfoProto) {
    let is_stated = value.r#type.as_ref().is_some_and(|stated| stated.value.is_some() && element(stated) != Some(0));
    visit.expect(!is_main(visit, Part::Input) || is_stated, || "has no type of elements".into());
}

fn output_typed(visit: &mut Visit<'_, '_>, value: &ValueInfoProto) {
    visit.expect(!is_main(visit, Part::Output) || value.r#type.is_some(), || "has no type".into());
}

fn value_shaped(visit: &mut Visit<'_, '_>, value: &ValueInfoProto) {
    let Some(TypeValue::Tensor(tensor)) = value.r#type.as_ref().and_then(|r#type| r#type.value.as_ref()) else {
        return;
    };
    let is_port = is_main(visit, Part::Input) || is_main(visit, Part::Output);
    visit.expect(!is_port || tensor.shape.is_some(), || "has no shape, expected at least a rank".into());
}

fn type_known(visit: &mut Visit<'_, '_>, r#type: &TypeProto) {
    visit.expect(is_main(visit, Part::Input) || r#type.value.is_some(), || "does not state its kind".into());
}

/// The element type of a dense or sparse tensor, or the type of a map's keys.
fn element(r#type: &TypeProto) -> Option<i32> {
    match r#type.value.as_ref()? {
        TypeValue::Tensor(tensor) => Some(tensor.elem_type),
        TypeValue::SparseTensor(tensor) => Some(tensor.elem_type),
        TypeValue::Map(map) => Some(map.key_type),
        TypeValue::Sequence(_) | TypeValue::Optional(_) | TypeValue::Opaque(_) => None,
    }
}

fn element_stated(visit: &mut Visit<'_, '_>, r#type: &TypeProto) {
    visit.expect(is_main(visit, Part::Input) || element(r#type) != Some(0), || "has no element type".into());
}

fn element_known(visit: &mut Visit<'_, '_>, r#type: &TypeProto) {
    let Some(number) = element(r#type).filter(|&number| number != 0) else { return };
    visit.expect(is_element_type(number), || format!("has element type {number}, expected 1 to 28"));
}

fn inner(value: &TypeValue) -> Option<Option<&TypeProto>> {
    match value {
        TypeValue::Sequence(sequence) => Some(sequence.elem_type.as_deref()),
        TypeValue::Optional(optional) => Some(optional.elem_type.as_deref()),
        TypeValue::Map(map) => Some(map.value_type.as_deref()),
        TypeValue::Tensor(_) | TypeValue::SparseTensor(_) | TypeValue::Opaque(_) => None,
    }
}

fn inner_stated(visit: &mut Visit<'_, '_>, r#type: &TypeProto) {
    let stated = r#type.value.as_ref().and_then(inner);
    visit.expect(stated != Some(None), || "does not state the type of its elements".into());
}

fn map_key(visit: &mut Visit<'_, '_>, r#type: &TypeProto) {
    let Some(TypeValue::Map(map)) = &r#type.value else { return };
    use DataType::{Int8, Int16, Int32, Int64, String, Uint8, Uint16, Uint32, Uint64};
    let allowed = [Int8, Int16, Int32, Int64, String, Uint8, Uint16, Uint32, Uint64];
    let Ok(key) = DataType::try_from(map.key_type) else { return };
    visit.expect(key == DataType::Undefined || allowed.contains(&key), || {
        format!("has keys of {}; they may be integers or strings", proto::type_name(map.key_type))
    });
}

fn optional_element(visit: &mut Visit<'_, '_>, r#type: &TypeProto) {
    let Some(TypeValue::Optional(optional)) = &r#type.value else { return };
    let held = optional.elem_type.as_ref().and_then(|held| held.value.as_ref());
    visit.expect(!matches!(held, Some(TypeValue::Optional(_) | TypeValue::Opaque(_))), || {
        "holds an optional or an opaque; it may hold a tensor, a sequence or a map".into()
    });
}

fn sequence_element(visit: &mut Visit<'_, '_>, r#type: &TypeProto) {
    let Some(TypeValue::Sequence(sequence)) = &r#type.value else { return };
    let held = sequence.elem_type.as_ref().and_then(|held| held.value.as_ref());
    visit.expect(!matches!(held, Some(TypeValue::Opaque(_))), || "holds opaques".into());
}

fn not_negative(visit: &mut Visit<'_, '_>, dimension: &Dimension) {
    let Some(DimensionValue::Value(extent)) = dimension.value else { return };
    visit.expect(extent >= 0, || format!("is {extent}"));
}

fn name_not_empty(visit: &mut Visit<'_, '_>, dimension: &Dimension) {
    let Some(DimensionValue::Param(name)) = &dimension.value else { return };
    visit.expect(!name.is_empty(), || "has an empty name".into());
}

/// Reports repeated names in a list of values.
fn unique(visit: &mut Visit<'_, '_>, part: Part, values: &[ValueInfoProto]) {
    for (index, first) in repeats(values, |value| &value.name) {
        let step = Step::number(part, index, &values[index].name);
        visit.found_at(&[step], || format!("occurs already as {} {first}", part.name()));
    }
}

fn value_info_unique(visit: &mut Visit<'_, '_>, graph: &proto::GraphProto) {
    unique(visit, Part::ValueInfo, &graph.value_info);
}

fn output_unique(visit: &mut Visit<'_, '_>, graph: &proto::GraphProto) {
    unique(visit, Part::Output, &graph.output);
}

fn value_info_inner(visit: &mut Visit<'_, '_>, value: &ValueInfoProto) {
    let walk = visit.walk;
    if walk.part() != Some(Part::ValueInfo) || walk.graph().is_none() {
        return;
    }
    let is_input = walk.names().and_then(|names| names.get(&value.name)).is_some_and(|d| d.by == Part::Input);
    visit.expect(!is_input && !walk.is_output(&value.name), || {
        "is an input or output, which states its type itself".into()
    });
}

fn value_info_defined(visit: &mut Visit<'_, '_>, value: &ValueInfoProto) {
    let walk = visit.walk;
    let is_defined = value.name.is_empty() || walk.names().is_some_and(|names| names.get(&value.name).is_some());
    visit.expect(walk.part() != Some(Part::ValueInfo) || is_defined, || "is not a value of the graph".into());
}

fn input_output_type(visit: &mut Visit<'_, '_>, graph: &proto::GraphProto) {
    let walk = visit.walk;
    let Some(names) = walk.names() else { return };
    for (index, output) in graph.output.iter().enumerate() {
        let input = names.get(&output.name).filter(|d| d.by == Part::Input).and_then(|d| graph.input.get(d.index));
        let Some((Some(found), Some(right))) = input.map(|input| (output.r#type.as_ref(), input.r#type.as_ref()))
        else {
            continue;
        };
        let kind = |r#type: &TypeProto| element(r#type);
        if kind(found) != kind(right) {
            visit.found_at(&[Step::number(Part::Output, index, &output.name)], || {
                let [found, right] = [found, right].map(|t| proto::type_name(element(t).unwrap_or_default()));
                format!("is of {found}, but the input that it is of {right}")
            });
        }
    }
}

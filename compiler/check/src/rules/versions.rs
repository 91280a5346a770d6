//! Features by IR version: a model of an older version must not use them.

use proto::{
    AttributeProto, DataType, FunctionProto, GraphProto, Model, NodeProto, TypeProto, TypeValue, ValueInfoProto,
};

use crate::{Finder, Rule, Visit, violation};

const VERSIONS: &str = "onnx.proto, Version";

pub(super) const RULES: &[Rule] = &[
    violation(
        "ir2-attribute-type",
        VERSIONS,
        "Attributes state a type from IR version 2 on.",
        Finder::Attribute(attribute_type),
    )
    .until(1),
    violation(
        "ir3-opset-import",
        VERSIONS,
        "Models import operator sets from IR version 3 on.",
        Finder::Model(opset_import),
    )
    .until(2),
    violation("ir3-node-domain", VERSIONS, "Nodes have a domain from IR version 3 on.", Finder::Node(node_domain))
        .until(2),
    violation("ir4-bfloat16", VERSIONS, "bfloat16 came with IR version 4.", Finder::Element(bfloat16)).until(3),
    violation(
        "ir5-quantization-annotation",
        VERSIONS,
        "Quantization annotations came with IR version 5.",
        Finder::Graph(annotation),
    )
    .until(4),
    violation(
        "ir6-sparse-initializer",
        VERSIONS,
        "Sparse initializers came with IR version 6.",
        Finder::Graph(sparse_initializer),
    )
    .until(5),
    violation(
        "ir6-sparse-attribute",
        VERSIONS,
        "Sparse tensors in attributes came with IR version 6.",
        Finder::Attribute(sparse_attribute),
    )
    .until(5),
    violation(
        "ir6-sequence-map",
        "IR, Standard data types",
        "Sequences and maps came with IR version 6.",
        Finder::Type(sequence_map),
    )
    .until(5),
    violation("ir7-training", VERSIONS, "Training information came with IR version 7.", Finder::Model(training))
        .until(6),
    violation("ir8-function", VERSIONS, "Functions of the model came with IR version 8.", Finder::Model(functions))
        .until(7),
    violation("ir8-sparse-type", VERSIONS, "Sparse tensor types came with IR version 8.", Finder::Type(sparse_type))
        .until(7),
    violation("ir8-optional", VERSIONS, "Optional types came with IR version 8.", Finder::Type(optional)).until(7),
    violation(
        "ir9-function-default",
        VERSIONS,
        "Defaults of a function's attributes came with IR version 9.",
        Finder::Function(defaults),
    )
    .until(8),
    violation(
        "ir9-float8",
        VERSIONS,
        "The first types of eight-bit floats came with IR version 9.",
        Finder::Element(float8),
    )
    .until(8),
    violation("ir10-int4", VERSIONS, "uint4 and int4 came with IR version 10.", Finder::Element(int4)).until(9),
    violation("ir10-overload", VERSIONS, "Overloads came with IR version 10.", Finder::Function(overload)).until(9),
    violation(
        "ir10-graph-metadata",
        VERSIONS,
        "Metadata of graphs came with IR version 10.",
        Finder::Graph(graph_metadata),
    )
    .until(9),
    violation(
        "ir10-node-metadata",
        VERSIONS,
        "Metadata of nodes came with IR version 10.",
        Finder::Node(node_metadata),
    )
    .until(9),
    violation(
        "ir10-value-metadata",
        VERSIONS,
        "Metadata of values came with IR version 10.",
        Finder::Value(value_metadata),
    )
    .until(9),
    violation(
        "ir10-function-metadata",
        VERSIONS,
        "Metadata of functions came with IR version 10.",
        Finder::Function(function_metadata),
    )
    .until(9),
    violation("ir11-float4", VERSIONS, "float4e2m1 came with IR version 11.", Finder::Element(float4)).until(10),
    violation("ir11-device", VERSIONS, "Device configurations came with IR version 11.", Finder::Model(devices))
        .until(10),
    violation(
        "ir11-node-device",
        VERSIONS,
        "Device configurations of nodes came with IR version 11.",
        Finder::Node(node_devices),
    )
    .until(10),
    violation("ir12-float8e8m0", VERSIONS, "float8e8m0 came with IR version 12.", Finder::Element(float8e8m0))
        .until(11),
    violation("ir13-int2", VERSIONS, "uint2 and int2 came with IR version 13.", Finder::Element(int2)).until(12),
    violation("ir14-float6", VERSIONS, "The types of six-bit floats came with IR version 14.", Finder::Element(float6))
        .until(13),
];

/// Reports the use of a feature.
fn absent(visit: &mut Visit<'_, '_>, is_used: bool) {
    let version = visit.walk.version();
    visit.expect(!is_used, || format!("is used in a model of IR version {version}"));
}

fn element_in(visit: &mut Visit<'_, '_>, number: i32, types: &[DataType]) {
    let version = visit.walk.version();
    let is_used = DataType::try_from(number).is_ok_and(|found| types.contains(&found));
    visit.expect(!is_used, || format!("is of {} in a model of IR version {version}", proto::type_name(number)));
}

fn attribute_type(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    absent(visit, attribute.r#type.unwrap_or_default() != 0);
}

fn opset_import(visit: &mut Visit<'_, '_>, model: &Model) {
    absent(visit, !model.proto.opset_import.is_empty());
}

fn node_domain(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    absent(visit, !node.domain.is_empty());
}

fn bfloat16(visit: &mut Visit<'_, '_>, number: i32) {
    element_in(visit, number, &[DataType::Bfloat16]);
}

fn annotation(visit: &mut Visit<'_, '_>, graph: &GraphProto) {
    absent(visit, !graph.quantization_annotation.is_empty());
}

fn sparse_initializer(visit: &mut Visit<'_, '_>, graph: &GraphProto) {
    absent(visit, !graph.sparse_initializer.is_empty());
}

fn sparse_attribute(visit: &mut Visit<'_, '_>, attribute: &AttributeProto) {
    absent(visit, attribute.sparse_tensor.is_some() || !attribute.sparse_tensors.is_empty());
}

fn sequence_map(visit: &mut Visit<'_, '_>, r#type: &TypeProto) {
    absent(visit, matches!(r#type.value, Some(TypeValue::Sequence(_) | TypeValue::Map(_))));
}

fn training(visit: &mut Visit<'_, '_>, model: &Model) {
    absent(visit, !model.proto.training_info.is_empty());
}

fn functions(visit: &mut Visit<'_, '_>, model: &Model) {
    absent(visit, !model.proto.functions.is_empty());
}

fn sparse_type(visit: &mut Visit<'_, '_>, r#type: &TypeProto) {
    absent(visit, matches!(r#type.value, Some(TypeValue::SparseTensor(_))));
}

fn optional(visit: &mut Visit<'_, '_>, r#type: &TypeProto) {
    absent(visit, matches!(r#type.value, Some(TypeValue::Optional(_))));
}

fn defaults(visit: &mut Visit<'_, '_>, function: &FunctionProto) {
    absent(visit, !function.attribute_proto.is_empty());
}

fn float8(visit: &mut Visit<'_, '_>, number: i32) {
    use DataType::{Float8e4m3fn, Float8e4m3fnuz, Float8e5m2, Float8e5m2fnuz};
    element_in(visit, number, &[Float8e4m3fn, Float8e4m3fnuz, Float8e5m2, Float8e5m2fnuz]);
}

fn int4(visit: &mut Visit<'_, '_>, number: i32) {
    element_in(visit, number, &[DataType::Uint4, DataType::Int4]);
}

fn overload(visit: &mut Visit<'_, '_>, function: &FunctionProto) {
    absent(visit, !function.overload.is_empty());
}

fn graph_metadata(visit: &mut Visit<'_, '_>, graph: &GraphProto) {
    absent(visit, !graph.metadata_props.is_empty());
}

fn node_metadata(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    absent(visit, !node.metadata_props.is_empty());
}

fn value_metadata(visit: &mut Visit<'_, '_>, value: &ValueInfoProto) {
    absent(visit, !value.metadata_props.is_empty());
}

fn function_metadata(visit: &mut Visit<'_, '_>, function: &FunctionProto) {
    absent(visit, !function.metadata_props.is_empty());
}

fn float4(visit: &mut Visit<'_, '_>, number: i32) {
    element_in(visit, number, &[DataType::Float4e2m1]);
}

fn devices(visit: &mut Visit<'_, '_>, model: &Model) {
    absent(visit, !model.proto.configuration.is_empty());
}

fn node_devices(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    absent(visit, !node.device_configurations.is_empty());
}

fn float8e8m0(visit: &mut Visit<'_, '_>, number: i32) {
    element_in(visit, number, &[DataType::Float8e8m0]);
}

fn int2(visit: &mut Visit<'_, '_>, number: i32) {
    element_in(visit, number, &[DataType::Uint2, DataType::Int2]);
}

fn float6(visit: &mut Visit<'_, '_>, number: i32) {
    element_in(visit, number, &[DataType::Float6e2m3, DataType::Float6e3m2]);
}

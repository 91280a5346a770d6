//! IR attributes to `AttributeProto`.

use dialects::onnx::schema::Kind;
use ir::Attribute;
use proto::{AttributeProto, AttributeType, Bytes, GraphProto};

use crate::tensors::export_tensor;
use crate::types::export_type;

/// An attribute of a node; `None` if the value is not of the kind.
pub(crate) fn export_attribute(name: &str, kind: Kind, value: &Attribute) -> Option<AttributeProto> {
    let mut proto = named(name, number(kind));
    match kind {
        Kind::Float => proto.f = Some(value.as_float()? as f32),
        Kind::Int => proto.i = Some(value.as_integer()?),
        Kind::String => proto.s = Some(text(value)?),
        Kind::Floats => proto.floats = value.as_floats()?.into_iter().map(|float| float as f32).collect(),
        Kind::Ints => proto.ints = value.as_integers()?.to_vec(),
        Kind::Strings => proto.strings = value.as_array()?.iter().map(text).collect::<Option<_>>()?,
        // a sparse tensor became dense when it was imported
        Kind::Tensor | Kind::SparseTensor => proto.t = Some(export_tensor(value.as_dense()?, "")?),
        Kind::TypeProto => proto.tp = Some(export_type(value.as_type()?, &Default::default())?),
        Kind::Graph => return None,
    }
    Some(proto)
}

/// A graph as an attribute.
pub(crate) fn graph_attribute(name: &str, graph: GraphProto) -> AttributeProto {
    AttributeProto { g: Some(Box::new(graph)), ..named(name, AttributeType::Graph) }
}

fn named(name: &str, r#type: AttributeType) -> AttributeProto {
    AttributeProto { name: name.into(), r#type: Some(r#type as i32), ..AttributeProto::default() }
}

fn text(value: &Attribute) -> Option<Bytes> {
    value.as_str().map(|text| Bytes::copy_from_slice(text.as_bytes()))
}

fn number(kind: Kind) -> AttributeType {
    match kind {
        Kind::Float => AttributeType::Float,
        Kind::Floats => AttributeType::Floats,
        Kind::Graph => AttributeType::Graph,
        Kind::Int => AttributeType::Int,
        Kind::Ints => AttributeType::Ints,
        Kind::String => AttributeType::String,
        Kind::Strings => AttributeType::Strings,
        Kind::Tensor | Kind::SparseTensor => AttributeType::Tensor,
        Kind::TypeProto => AttributeType::TypeProto,
    }
}

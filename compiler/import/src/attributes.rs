//! Converts `AttributeProto` to IR attributes. Graphs become regions and are not handled here.

use dialects::onnx::schema::Kind;
use ir::Attribute;
use proto::{AttributeProto, Bytes, Tensors};

use crate::tensors::{import_sparse, import_tensor};
use crate::types::{Bindings, import_type};

/// The kind of an attribute.
pub(crate) fn kind_of(proto: &AttributeProto) -> Option<Kind> {
    proto.type_or_that_of_value().and_then(check::attribute_kind)
}

/// The attribute's value. The error describes what is wrong with it.
pub(crate) fn import_attribute(proto: &AttributeProto, kind: Kind, tensors: &mut Tensors) -> Result<Attribute, String> {
    Ok(match kind {
        Kind::Float => Attribute::f32(proto.f.unwrap_or_default()),
        Kind::Int => Attribute::i64(proto.i.unwrap_or_default()),
        Kind::String => text(proto.s.as_ref().unwrap_or(&Bytes::new()))?,
        Kind::Floats => Attribute::float_list(&proto.floats),
        Kind::Ints => Attribute::integer_list(&proto.ints),
        Kind::Strings => texts(&proto.strings)?,
        Kind::Tensor => {
            let tensor = proto.t.as_ref().ok_or("holds no tensor")?;
            Attribute::dense(import_tensor(tensor, tensors)?)
        }
        Kind::SparseTensor => {
            let tensor = proto.sparse_tensor.as_ref().ok_or("holds no sparse tensor")?;
            Attribute::dense(import_sparse(tensor, tensors)?)
        }
        Kind::TypeProto => {
            let r#type = import_type(proto.tp.as_ref(), &Bindings::new()).map_err(|what| what.message)?;
            Attribute::Type(r#type.ok_or("holds no type")?)
        }
        Kind::Graph => return Err("is a graph where a value is expected".into()),
    })
}

fn text(bytes: &Bytes) -> Result<Attribute, String> {
    std::str::from_utf8(bytes).map(Attribute::string).map_err(|_| "holds a string that is not UTF-8".into())
}

/// A list of strings. Repeated strings are shared: the modes of a tree ensemble are a few different strings, repeated
/// millions of times.
fn texts(list: &[Bytes]) -> Result<Attribute, String> {
    let mut texts: Vec<Attribute> = Vec::with_capacity(list.len());
    // the positions of the last text, and of the last one before it that differs
    let mut recent = [0, 0];
    for (at, bytes) in list.iter().enumerate() {
        let known = recent.into_iter().find(|&place| place < at && list[place] == *bytes);
        if list[recent[0]] != *bytes {
            recent = [at, recent[0]];
        }
        texts.push(match known {
            Some(place) => texts[place].clone(),
            None => text(bytes)?,
        });
    }
    Ok(Attribute::Array(texts.into()))
}

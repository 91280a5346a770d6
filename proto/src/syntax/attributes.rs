//! Attributes: `axis = 1`, `pads: ints = []`, `value = float[2] {1, 2}`, `alpha = @beta`.

use prost::bytes::Bytes;

use crate::messages::{AttributeProto, AttributeType, GraphProto, TensorProto, TypeProto};

use super::cursor::{Cursor, Literal, Parsed, Problem};
use super::{graphs, tensors, types};

/// `<a = 1, b = "text">`, or nothing.
pub(super) fn attributes(cursor: &mut Cursor<'_>) -> Parsed<Vec<AttributeProto>> {
    if !cursor.takes("<") {
        return Ok(vec![]);
    }
    cursor.list(">", |cursor| {
        let name = cursor.identifier()?.to_string();
        attribute(cursor, name)
    })
}

/// A value, before it is known whether it is an attribute or an element of one.
enum Value {
    Float(f32),
    Int(i64),
    Text(Bytes),
    Tensor(TensorProto),
    Graph(GraphProto),
    Type(TypeProto),
    /// A reference to an attribute of the enclosing function.
    Reference(String),
}

/// The part after an attribute's name.
pub(super) fn attribute(cursor: &mut Cursor<'_>, name: String) -> Parsed<AttributeProto> {
    let stated = if cursor.takes(":") { Some(kind(cursor)?) } else { None };
    cursor.expect("=")?;
    let mut attribute = AttributeProto { name, r#type: stated.map(|kind| kind as i32), ..Default::default() };
    let at = cursor.next_word();
    let fail = |message: String| Err(Problem { at, message });
    let found = if cursor.takes("[") {
        let of_floats = stated == Some(AttributeType::Floats);
        let values = cursor.list("]", |cursor| value(cursor, of_floats))?;
        if values.is_empty() && stated.is_none() {
            return fail("the kind of an empty list is ambiguous: write it as in `a: ints = []`".into());
        }
        let mut kinds = Vec::new();
        for value in values {
            kinds.push(append(&mut attribute, value));
        }
        if kinds.iter().any(|kind| *kind != kinds[0]) {
            return fail("the values of a list are of one kind".into());
        }
        kinds.first().copied().or_else(|| stated.filter(|kind| is_list(*kind)))
    } else {
        let value = value(cursor, stated == Some(AttributeType::Float))?;
        if let Value::Reference(name) = value {
            attribute.ref_attr_name = name;
            return Ok(attribute);
        }
        Some(set(&mut attribute, value))
    };
    match (found, stated) {
        (Some(found), Some(stated)) if found != stated => {
            fail(format!("is of kind {found:?}, but declared as {stated:?}"))
        }
        (Some(found), _) => {
            attribute.r#type = Some(found as i32);
            Ok(attribute)
        }
        (None, _) => fail("a list is not of the declared kind of the attribute".into()),
    }
}

fn kind(cursor: &mut Cursor<'_>) -> Parsed<AttributeType> {
    let at = cursor.next_word();
    Ok(match cursor.identifier()? {
        "float" => AttributeType::Float,
        "int" => AttributeType::Int,
        "string" => AttributeType::String,
        "tensor" => AttributeType::Tensor,
        "graph" => AttributeType::Graph,
        "sparse_tensor" => AttributeType::SparseTensor,
        "type_proto" => AttributeType::TypeProto,
        "floats" => AttributeType::Floats,
        "ints" => AttributeType::Ints,
        "strings" => AttributeType::Strings,
        "tensors" => AttributeType::Tensors,
        "graphs" => AttributeType::Graphs,
        "sparse_tensors" => AttributeType::SparseTensors,
        "type_protos" => AttributeType::TypeProtos,
        other => return Err(Problem { at, message: format!("\"{other}\" is not a kind of attribute") }),
    })
}

fn is_list(kind: AttributeType) -> bool {
    match kind {
        AttributeType::Floats
        | AttributeType::Ints
        | AttributeType::Strings
        | AttributeType::Tensors
        | AttributeType::Graphs
        | AttributeType::SparseTensors
        | AttributeType::TypeProtos => true,
        AttributeType::Undefined
        | AttributeType::Float
        | AttributeType::Int
        | AttributeType::String
        | AttributeType::Tensor
        | AttributeType::Graph
        | AttributeType::SparseTensor
        | AttributeType::TypeProto => false,
    }
}

/// A value; if a float is required, integers are floats too.
fn value(cursor: &mut Cursor<'_>, is_float: bool) -> Parsed<Value> {
    if cursor.takes("@") {
        return cursor.name().map(Value::Reference);
    }
    if types::sees_type(cursor) {
        let r#type = types::type_proto(cursor)?;
        let name = cursor.optional_name()?;
        if name.is_none() && !cursor.sees("{") && !cursor.sees("=") {
            return Ok(Value::Type(r#type));
        }
        cursor.takes("=");
        return tensors::tensor(cursor, name.unwrap_or_default(), &r#type).map(Value::Tensor);
    }
    if is_float {
        return cursor.float().map(Value::Float);
    }
    let word = cursor.peek_identifier();
    if !word.is_empty() && !["inf", "infinity", "nan"].contains(&word.to_ascii_lowercase().as_str()) {
        return graphs::graph(cursor).map(Value::Graph);
    }
    let at = cursor.next_word();
    let range = |text: &str| Problem { at, message: format!("{text} is out of range") };
    Ok(match cursor.literal()? {
        Literal::Whole(text) => Value::Int(text.parse().map_err(|_| range(&text))?),
        Literal::Float(text) => Value::Float(text.parse().map_err(|_| range(&text))?),
        Literal::Text(text) => Value::Text(text.into_bytes().into()),
    })
}

/// Sets the attribute's value, and returns its type.
fn set(attribute: &mut AttributeProto, value: Value) -> AttributeType {
    match value {
        Value::Float(value) => {
            attribute.f = Some(value);
            AttributeType::Float
        }
        Value::Int(value) => {
            attribute.i = Some(value);
            AttributeType::Int
        }
        Value::Text(value) => {
            attribute.s = Some(value);
            AttributeType::String
        }
        Value::Tensor(value) => {
            attribute.t = Some(value);
            AttributeType::Tensor
        }
        Value::Graph(value) => {
            attribute.g = Some(Box::new(value));
            AttributeType::Graph
        }
        Value::Type(value) => {
            attribute.tp = Some(value);
            AttributeType::TypeProto
        }
        Value::Reference(_) => AttributeType::Undefined,
    }
}

/// Adds a value to the attribute's list, and returns the type of the list.
fn append(attribute: &mut AttributeProto, value: Value) -> AttributeType {
    match value {
        Value::Float(value) => {
            attribute.floats.push(value);
            AttributeType::Floats
        }
        Value::Int(value) => {
            attribute.ints.push(value);
            AttributeType::Ints
        }
        Value::Text(value) => {
            attribute.strings.push(value);
            AttributeType::Strings
        }
        Value::Tensor(value) => {
            attribute.tensors.push(value);
            AttributeType::Tensors
        }
        Value::Graph(value) => {
            attribute.graphs.push(value);
            AttributeType::Graphs
        }
        Value::Type(value) => {
            attribute.type_protos.push(value);
            AttributeType::TypeProtos
        }
        Value::Reference(_) => AttributeType::Undefined,
    }
}

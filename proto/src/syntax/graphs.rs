//! Nodes, graphs, functions and models.

use crate::messages::{
    AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto, ValueInfoProto,
};

use super::cursor::{Cursor, Parsed, Problem};
use super::{attributes, tensors, types};

/// `<ir_version: 10, opset_import: ["": 18]> graph functions`
pub(super) fn model(cursor: &mut Cursor<'_>) -> Parsed<ModelProto> {
    let mut model = ModelProto::default();
    header(cursor, |cursor, key| {
        match key {
            "ir_version" => model.ir_version = cursor.whole()?,
            "opset_import" => model.opset_import = opset_imports(cursor)?,
            "producer_name" => model.producer_name = cursor.text()?,
            "producer_version" => model.producer_version = cursor.text()?,
            "domain" => model.domain = cursor.text()?,
            "model_version" => model.model_version = cursor.whole()?,
            "doc_string" => model.doc_string = cursor.text()?,
            "metadata_props" => {
                cursor.expect("[")?;
                model.metadata_props = cursor.list("]", tensors::entry)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    model.graph = Some(graph(cursor)?);
    while !cursor.is_at_end() {
        model.functions.push(function(cursor)?);
    }
    Ok(model)
}

/// `<key: value, …>`, or nothing. `set` reads the value of a key, or reports that it does not know the key.
fn header<'t>(cursor: &mut Cursor<'t>, mut set: impl FnMut(&mut Cursor<'t>, &str) -> Parsed<bool>) -> Parsed<()> {
    if !cursor.takes("<") {
        return Ok(());
    }
    let fields = cursor.list(">", |cursor| {
        let at = cursor.next_word();
        let key = cursor.identifier()?;
        cursor.expect(":")?;
        match set(cursor, key)? {
            true => Ok(()),
            false => Err(Problem { at, message: format!("\"{key}\" is not a field of a model") }),
        }
    });
    fields.map(drop)
}

fn opset_imports(cursor: &mut Cursor<'_>) -> Parsed<Vec<OperatorSetIdProto>> {
    cursor.expect("[")?;
    cursor.list("]", |cursor| {
        let domain = cursor.text()?;
        cursor.expect(":")?;
        Ok(OperatorSetIdProto { domain, version: cursor.whole()? })
    })
}

/// `name (inputs) => (outputs) <values and initializers> { nodes }`
pub(super) fn graph(cursor: &mut Cursor<'_>) -> Parsed<GraphProto> {
    cursor.nested(|cursor| {
        let mut graph = GraphProto { name: cursor.name()?, ..Default::default() };
        cursor.expect("(")?;
        for (input, initializer) in cursor.list(")", value_or_initializer)? {
            graph.input.push(input);
            graph.initializer.extend(initializer);
        }
        cursor.expect("=>")?;
        cursor.expect("(")?;
        graph.output = cursor.list(")", value_info)?;
        let values = if cursor.takes("<") { cursor.list(">", value_or_initializer)? } else { vec![] };
        for (value, initializer) in values {
            match initializer {
                Some(initializer) => graph.initializer.push(initializer),
                None => graph.value_info.push(value),
            }
        }
        graph.node = nodes(cursor)?;
        Ok(graph)
    })
}

/// `float[2] x`, or `x` without a type.
fn value_info(cursor: &mut Cursor<'_>) -> Parsed<ValueInfoProto> {
    let r#type = if types::sees_type(cursor) { Some(types::type_proto(cursor)?) } else { None };
    Ok(ValueInfoProto { name: cursor.name()?, r#type, ..Default::default() })
}

fn value_or_initializer(cursor: &mut Cursor<'_>) -> Parsed<(ValueInfoProto, Option<TensorProto>)> {
    let value = value_info(cursor)?;
    if cursor.sees("=>") || !cursor.takes("=") {
        return Ok((value, None));
    }
    let r#type = value.r#type.clone().unwrap_or_default();
    let initializer = tensors::tensor(cursor, value.name.clone(), &r#type)?;
    Ok((value, Some(initializer)))
}

fn nodes(cursor: &mut Cursor<'_>) -> Parsed<Vec<NodeProto>> {
    cursor.expect("{")?;
    let mut nodes = Vec::new();
    while !cursor.takes("}") {
        nodes.push(node(cursor)?);
    }
    Ok(nodes)
}

/// `[label] y, z = domain.Op:overload <attributes> (x)`; attributes may also come last.
fn node(cursor: &mut Cursor<'_>) -> Parsed<NodeProto> {
    let mut node = NodeProto::default();
    if cursor.takes("[") {
        node.name = cursor.optional_name()?.unwrap_or_default();
        cursor.expect("]")?;
    }
    node.output = names(cursor)?;
    cursor.expect("=")?;
    let mut path = vec![cursor.identifier()?];
    while cursor.takes(".") {
        path.push(cursor.identifier()?);
    }
    node.op_type = path.pop().unwrap_or_default().into();
    node.domain = path.join(".");
    if cursor.takes(":") {
        node.overload = cursor.identifier()?.into();
    }
    node.attribute = attributes::attributes(cursor)?;
    cursor.expect("(")?;
    node.input = names(cursor)?;
    cursor.expect(")")?;
    if node.attribute.is_empty() {
        node.attribute = attributes::attributes(cursor)?;
    }
    Ok(node)
}

/// Comma-separated names. An omitted one is empty, but a trailing comma means nothing.
fn names(cursor: &mut Cursor<'_>) -> Parsed<Vec<String>> {
    let mut names = Vec::new();
    loop {
        let name = cursor.optional_name()?;
        let has_comma = cursor.sees(",");
        if name.is_some() || has_comma {
            names.push(name.unwrap_or_default());
        }
        if !cursor.takes(",") {
            return Ok(names);
        }
    }
}

/// `<domain: "d", opset_import: ["": 18]> name <attributes> (inputs) => (outputs) <values> { nodes }`
fn function(cursor: &mut Cursor<'_>) -> Parsed<FunctionProto> {
    let mut function = FunctionProto::default();
    header(cursor, |cursor, key| {
        match key {
            "opset_import" => function.opset_import = opset_imports(cursor)?,
            "domain" => function.domain = cursor.text()?,
            "overload" => function.overload = cursor.text()?,
            "doc_string" => function.doc_string = cursor.text()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    function.name = cursor.name()?;
    let declared = if cursor.takes("<") { cursor.list(">", declaration)? } else { vec![] };
    for (name, default) in declared {
        match default {
            Some(default) => function.attribute_proto.push(default),
            None => function.attribute.push(name),
        }
    }
    let inputs = ports(cursor)?;
    cursor.expect("=>")?;
    let outputs = ports(cursor)?;
    let names = |ports: &[ValueInfoProto]| ports.iter().map(|port| port.name.clone()).collect();
    (function.input, function.output) = (names(&inputs), names(&outputs));
    function.value_info = inputs.into_iter().chain(outputs).filter(|port| port.r#type.is_some()).collect();
    if cursor.takes("<") {
        function.value_info.extend(cursor.list(">", value_info)?);
    }
    function.node = nodes(cursor)?;
    Ok(function)
}

/// An attribute of a function, possibly with a default.
fn declaration(cursor: &mut Cursor<'_>) -> Parsed<(String, Option<AttributeProto>)> {
    let name = cursor.name()?;
    let has_default = cursor.sees(":") || cursor.sees("=");
    let default = if has_default { Some(attributes::attribute(cursor, name.clone())?) } else { None };
    Ok((name, default))
}

fn ports(cursor: &mut Cursor<'_>) -> Parsed<Vec<ValueInfoProto>> {
    cursor.expect("(")?;
    cursor.list(")", value_info)
}

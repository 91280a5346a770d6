//! Reads a graph of ONNX Runtime into messages.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_int;
use std::path::PathBuf;

use ort_sys::{OrtOpAttr, OrtOpAttrType};
use proto::{
    AttributeProto, AttributeType, Bytes, GraphProto, NodeProto, OperatorSetIdProto, TensorProto, TypeProto,
    ValueInfoProto,
};

use crate::api::{Graph, Handle, Node, Value, ValueInfo};
use crate::status::{Failure, Result};
use crate::values::{STRING, byte_count};

/// A graph: the whole model, or the body of a node.
pub(crate) struct Scope<'a> {
    pub(crate) ir_version: i64,
    pub(crate) operator_sets: Vec<OperatorSetIdProto>,
    pub(crate) model_path: PathBuf,
    /// In topological order.
    pub(crate) nodes: Vec<ScopeNode<'a>>,
    /// The values that nodes read and write.
    pub(crate) values: BTreeMap<String, ScopeValue<'a>>,
}

/// A node.
pub(crate) struct ScopeNode<'a> {
    pub(crate) handle: Node<'a>,
    /// With a name that no other node has, also in subgraphs; the reason if the node cannot be read.
    pub(crate) message: Result<NodeProto>,
    /// The values that it reads, also those that its subgraphs read.
    pub(crate) inputs: Vec<String>,
    pub(crate) outputs: Vec<String>,
    /// The names of nodes in its subgraphs.
    pub(crate) inner_names: Vec<String>,
}

/// A value.
pub(crate) struct ScopeValue<'a> {
    pub(crate) info: ValueInfo<'a>,
    pub(crate) r#type: Option<TypeProto>,
    pub(crate) constant: Option<Value<'a>>,
    pub(crate) is_output: bool,
}

impl<'a> Scope<'a> {
    /// Reads a graph.
    pub(crate) fn of(graph: Graph<'a>) -> Result<Scope<'a>> {
        let mut scope = Scope::empty(graph)?;
        let mut names = Names::default();
        for node in graph.nodes()?.into_iter().flatten() {
            scope.add(node, &mut names)?;
        }
        Ok(scope)
    }

    fn empty(graph: Graph<'a>) -> Result<Scope<'a>> {
        let operator_sets = graph.operator_sets()?.into_iter();
        Ok(Scope {
            ir_version: graph.ir_version()?,
            operator_sets: operator_sets.map(|(domain, version)| OperatorSetIdProto { domain, version }).collect(),
            model_path: graph.model_path()?,
            nodes: Vec::new(),
            values: BTreeMap::new(),
        })
    }

    fn add(&mut self, node: Node<'a>, names: &mut Names) -> Result<()> {
        let (inputs, outputs, implicit) = (node.inputs()?, node.outputs()?, node.implicit_inputs()?);
        for info in inputs.iter().chain(&outputs).chain(&implicit).copied().flatten() {
            if let Entry::Vacant(entry) = self.values.entry(info.name()?) {
                entry.insert(ScopeValue::of(info)?);
            }
        }
        let read = named(&inputs)?.into_iter().chain(named(&implicit)?).filter(|name| !name.is_empty());
        let written = named(&outputs)?.into_iter().filter(|name| !name.is_empty());
        let first = names.used.len() + 1;
        let message = message(node, names);
        let inner_names = names.in_order.get(first..).unwrap_or_default().to_vec();
        let (inputs, outputs) = (read.collect(), written.collect());
        self.nodes.push(ScopeNode { handle: node, message, inputs, outputs, inner_names });
        Ok(())
    }

    /// For each node, the nodes that its inputs are from.
    pub(crate) fn producers(&self) -> Vec<Vec<usize>> {
        let outputs = self.nodes.iter().enumerate();
        let producer: BTreeMap<&str, usize> =
            outputs.flat_map(|(at, node)| node.outputs.iter().map(move |name| (name.as_str(), at))).collect();
        let inputs = |node: &ScopeNode<'_>| -> BTreeSet<usize> {
            node.inputs.iter().filter_map(|name| producer.get(name.as_str()).copied()).collect()
        };
        self.nodes.iter().map(|node| inputs(node).into_iter().collect()).collect()
    }
}

impl ScopeNode<'_> {
    /// The names of the node and of those in its subgraphs.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.message.as_ref().ok().map(|message| message.name.as_str());
        own.into_iter().chain(self.inner_names.iter().map(String::as_str))
    }
}

impl<'a> ScopeValue<'a> {
    fn of(info: ValueInfo<'a>) -> Result<ScopeValue<'a>> {
        // names of extents inside a graph are what an exporter wrote down; ONNX Runtime checks those of inputs
        let names = info.is_required_input()?;
        Ok(ScopeValue { info, r#type: info.r#type(names)?, constant: info.constant()?, is_output: info.is_output()? })
    }
}

/// Names of nodes.
#[derive(Default)]
struct Names {
    used: BTreeSet<String>,
    in_order: Vec<String>,
}

impl Names {
    /// A name that is not used yet: `wanted` if possible.
    fn pick(&mut self, wanted: &str, operator: &str) -> String {
        let mut name = if wanted.is_empty() { format!("{operator}_{}", self.used.len()) } else { wanted.to_string() };
        while !self.used.insert(name.clone()) {
            name = format!("{name}_{}", self.used.len());
        }
        self.in_order.push(name.clone());
        name
    }
}

/// The names of values; empty for missing ones.
pub(crate) fn named(infos: &[Option<ValueInfo<'_>>]) -> Result<Vec<String>> {
    infos.iter().map(|info| info.map_or_else(|| Ok(String::new()), ValueInfo::name)).collect()
}

/// The message of a node.
fn message(node: Node<'_>, names: &mut Names) -> Result<NodeProto> {
    let op_type = node.operator()?;
    let name = names.pick(&node.name()?, &op_type);
    let mut attribute = Vec::new();
    for handle in node.attributes()?.into_iter().flatten() {
        attribute.extend(self::attribute(handle)?);
    }
    for (name, graph) in node.subgraphs()? {
        let g = Some(Box::new(subgraph(graph, names)?));
        attribute.push(AttributeProto {
            name,
            g,
            r#type: Some(AttributeType::Graph as i32),
            ..AttributeProto::default()
        });
    }
    Ok(NodeProto {
        input: named(&node.inputs()?)?,
        output: named(&node.outputs()?)?,
        name,
        op_type,
        domain: node.domain()?,
        attribute,
        ..NodeProto::default()
    })
}

/// The message of a body.
fn subgraph(graph: Graph<'_>, names: &mut Names) -> Result<GraphProto> {
    let ports = |infos: Vec<Option<ValueInfo<'_>>>| -> Result<Vec<ValueInfoProto>> {
        infos.into_iter().flatten().map(|info| Ok(port(&info.name()?, info.r#type(false)?))).collect()
    };
    let mut initializer = Vec::new();
    for info in graph.initializers()?.into_iter().flatten() {
        if let Some(value) = info.constant()? {
            initializer.push(tensor(&info.name()?, value)?);
        }
    }
    let nodes = graph.nodes()?.into_iter().flatten();
    Ok(GraphProto {
        node: nodes.map(|node| message(node, names)).collect::<Result<_>>()?,
        name: "body".into(),
        initializer,
        input: ports(graph.inputs()?)?,
        output: ports(graph.outputs()?)?,
        ..GraphProto::default()
    })
}

/// The message of an input or an output.
pub(crate) fn port(name: &str, r#type: Option<TypeProto>) -> ValueInfoProto {
    ValueInfoProto { name: name.to_string(), r#type, ..ValueInfoProto::default() }
}

/// A copy of a tensor.
fn tensor(name: &str, value: Value<'_>) -> Result<TensorProto> {
    let (element, shape) = value.element_and_shape()?;
    let mut tensor =
        TensorProto { name: name.into(), dims: shape.to_vec(), data_type: element, ..TensorProto::default() };
    if element == STRING {
        tensor.string_data = strings(value, shape)?;
    } else {
        let length = byte_count(element, shape).ok_or_else(|| unreadable(name))?;
        tensor.raw_data = Some(Bytes::copy_from_slice(value.bytes(length)?));
    }
    Ok(tensor)
}

/// The elements of a tensor of strings.
pub(crate) fn strings(value: Value<'_>, shape: &[i64]) -> Result<Vec<Bytes>> {
    let strings = value.strings(shape)?;
    Ok(strings.into_iter().map(Bytes::from).collect())
}

/// An error for a tensor that this provider does not read.
pub(crate) fn unreadable(name: &str) -> Failure {
    Failure::refused(format!("{name}: the elements have a type or a shape that is not supported"))
}

/// The message of an attribute; `None` for subgraphs, which are read with their nodes.
fn attribute(handle: Handle<'_, OrtOpAttr>) -> Result<Option<AttributeProto>> {
    use OrtOpAttrType as Kind;
    let (name, kind) = (handle.name()?, handle.kind()?);
    let is = |wanted: Kind| kind == wanted as c_int;
    let integers = |bytes: &[u8]| bytes.chunks_exact(8).map(|word| i64::from_ne_bytes(array(word))).collect::<Vec<_>>();
    let floats = |bytes: &[u8]| bytes.chunks_exact(4).map(|word| f32::from_ne_bytes(array(word))).collect::<Vec<_>>();
    let mut message = AttributeProto { name, ..AttributeProto::default() };
    let r#type = if is(Kind::ORT_OP_ATTR_INT) {
        message.i = integers(&handle.read(Kind::ORT_OP_ATTR_INT)?).first().copied();
        AttributeType::Int
    } else if is(Kind::ORT_OP_ATTR_INTS) {
        message.ints = integers(&handle.read(Kind::ORT_OP_ATTR_INTS)?);
        AttributeType::Ints
    } else if is(Kind::ORT_OP_ATTR_FLOAT) {
        message.f = floats(&handle.read(Kind::ORT_OP_ATTR_FLOAT)?).first().copied();
        AttributeType::Float
    } else if is(Kind::ORT_OP_ATTR_FLOATS) {
        message.floats = floats(&handle.read(Kind::ORT_OP_ATTR_FLOATS)?);
        AttributeType::Floats
    } else if is(Kind::ORT_OP_ATTR_STRING) {
        message.s = Some(Bytes::from(handle.read(Kind::ORT_OP_ATTR_STRING)?));
        AttributeType::String
    } else if is(Kind::ORT_OP_ATTR_STRINGS) {
        let bytes = handle.read(Kind::ORT_OP_ATTR_STRINGS)?;
        // each string ends with a null character
        let strings = bytes.strip_suffix(&[0]).map(|bytes| bytes.split(|&byte| byte == 0));
        message.strings = strings.into_iter().flatten().map(Bytes::copy_from_slice).collect();
        AttributeType::Strings
    } else if is(Kind::ORT_OP_ATTR_TENSOR) {
        message.t = Some(handle.with_tensor(|value| tensor("", value))?);
        AttributeType::Tensor
    } else if is(Kind::ORT_OP_ATTR_GRAPH) {
        return Ok(None);
    } else {
        let text = format!("attribute '{}' has a type that ONNX Runtime does not pass to providers", message.name);
        return Err(Failure::refused(text));
    };
    message.r#type = Some(r#type as i32);
    Ok(Some(message))
}

/// A chunk as an array of the same length.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}

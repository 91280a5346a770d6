//! Makes a model of a part of a graph.

use std::collections::BTreeSet;

use data::Blob;
use driver::{CompiledModel, Compiler, Diagnostic};
use proto::{
    Bytes, DataLocation, GraphProto, Message, Model, ModelProto, StringStringEntryProto, TensorProto, TypeProto,
    TypeTensor, TypeValue, ValueInfoProto,
};

use crate::api::{External, Value};
use crate::read::{Scope, port, strings, unreadable};
use crate::status::{Failure, Result};
use crate::values::{STRING, byte_count, is_passed, lent};

/// Models with more bytes of weights refer to files of external data, and are not in the cache.
const LARGE: usize = 1 << 30;

/// A part of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Indices of nodes, in topological order.
    pub(crate) nodes: Vec<usize>,
    /// Values from outside of it that are not constants.
    pub(crate) inputs: Vec<String>,
    /// Values that others read.
    pub(crate) outputs: Vec<String>,
}

impl Part {
    /// The part that some nodes form.
    pub(crate) fn of(scope: &Scope<'_>, nodes: Vec<usize>) -> Part {
        let own: BTreeSet<usize> = nodes.iter().copied().collect();
        let made: Vec<&String> = nodes.iter().flat_map(|&node| &scope.nodes[node].outputs).collect();
        let made_here: BTreeSet<&String> = made.iter().copied().collect();
        let others = scope.nodes.iter().enumerate().filter(|(at, _)| !own.contains(at));
        let read_elsewhere: BTreeSet<&String> = others.flat_map(|(_, node)| &node.inputs).collect();
        let is_read = |name: &&&String| read_elsewhere.contains(**name) || scope.values[**name].is_output;
        let mut inputs: Vec<String> = Vec::new();
        let mut seen: BTreeSet<&String> = BTreeSet::new();
        for name in nodes.iter().flat_map(|&node| &scope.nodes[node].inputs) {
            if !made_here.contains(name) && scope.values[name].constant.is_none() && seen.insert(name) {
                inputs.push(name.clone());
            }
        }
        let outputs = made.iter().filter(is_read).map(|name| (*name).clone()).collect();
        Part { nodes, inputs, outputs }
    }

    /// The nodes that read or write a value which ONNX Runtime does not pass to compiled code, or of unknown type.
    pub(crate) fn misfits(&self, scope: &Scope<'_>) -> Vec<usize> {
        let is_wrong = |name: &&String| !scope.values[*name].r#type.as_ref().is_some_and(is_passed);
        let wrong: BTreeSet<&String> = self.inputs.iter().chain(&self.outputs).filter(is_wrong).collect();
        let touches = |&&node: &&usize| {
            let node = &scope.nodes[node];
            node.inputs.iter().chain(&node.outputs).any(|name| wrong.contains(name))
        };
        self.nodes.iter().filter(touches).copied().collect()
    }

    /// Its model.
    pub(crate) fn source(&self, scope: &Scope<'_>) -> Result<Source> {
        let constants = self.constants(scope)?;
        let total = constants.iter().try_fold(0usize, |sum, constant| sum.checked_add(constant.length));
        let is_large = total.is_none_or(|total| total > LARGE);
        if is_large && constants.iter().any(|constant| constant.external.is_some()) {
            let initializer = constants.into_iter().map(Constant::in_file).collect::<Result<_>>()?;
            let mut model = Model::from_proto(self.message(scope, initializer)?);
            model.directory = Some(scope.model_path.parent().map(std::path::Path::to_path_buf).unwrap_or_default());
            return Ok(Source::Files(Box::new(model)));
        }
        let initializer = constants.into_iter().map(Constant::in_memory).collect::<Result<_>>()?;
        encoded(&self.message(scope, initializer)?).map(Source::Bytes)
    }

    fn message(&self, scope: &Scope<'_>, initializer: Vec<TensorProto>) -> Result<ModelProto> {
        let nodes = self.nodes.iter().map(|&node| scope.nodes[node].message.clone());
        let graph = GraphProto {
            node: nodes.collect::<Result<_>>()?,
            name: "part".into(),
            initializer,
            input: self.inputs.iter().map(|name| port(name, scope.values[name].r#type.clone())).collect(),
            output: self.outputs.iter().map(|name| output(scope, name)).collect(),
            ..GraphProto::default()
        };
        Ok(ModelProto {
            ir_version: scope.ir_version,
            opset_import: scope.operator_sets.clone(),
            graph: Some(graph),
            ..ModelProto::default()
        })
    }

    fn constants<'a>(&self, scope: &Scope<'a>) -> Result<Vec<Constant<'a>>> {
        let names: BTreeSet<&String> = self.nodes.iter().flat_map(|&node| &scope.nodes[node].inputs).collect();
        let mut constants = Vec::new();
        for name in names {
            let known = &scope.values[name];
            if let Some(value) = known.constant {
                let (element, shape) = value.element_and_shape()?;
                let length = if element == STRING { Some(0) } else { byte_count(element, shape) };
                let length = length.ok_or_else(|| unreadable(name))?;
                let external = if length == 0 { None } else { known.info.external()? };
                constants.push(Constant { name: name.clone(), element, shape, value, length, external });
            }
        }
        Ok(constants)
    }
}

/// The declaration of an output: without extents, which shape inference finds.
fn output(scope: &Scope<'_>, name: &str) -> ValueInfoProto {
    let r#type = match scope.values[name].r#type.clone() {
        Some(TypeProto { value: Some(TypeValue::Tensor(tensor)), .. }) => {
            let value = Some(TypeValue::Tensor(TypeTensor { shape: None, ..tensor }));
            Some(TypeProto { value, ..TypeProto::default() })
        }
        other => other,
    };
    port(name, r#type)
}

/// A constant that a part reads.
struct Constant<'a> {
    name: String,
    element: i32,
    shape: &'a [i64],
    value: Value<'a>,
    length: usize,
    external: Option<External>,
}

impl Constant<'_> {
    fn tensor(&self) -> TensorProto {
        TensorProto {
            name: self.name.clone(),
            dims: self.shape.to_vec(),
            data_type: self.element,
            ..TensorProto::default()
        }
    }

    /// With bytes that are read where they are, until the message is encoded.
    fn in_memory(self) -> Result<TensorProto> {
        let mut tensor = self.tensor();
        if self.element == STRING {
            tensor.string_data = strings(self.value, self.shape)?;
        } else {
            tensor.raw_data = Some(lent(self.value.bytes(self.length)?));
        }
        Ok(tensor)
    }

    /// As a reference to a file, or with a copy of the bytes if it is in none.
    fn in_file(self) -> Result<TensorProto> {
        let mut tensor = self.tensor();
        match &self.external {
            Some(External { file, offset, length }) => {
                let file = file.display().to_string();
                let entries = [("location", file), ("offset", offset.to_string()), ("length", length.to_string())];
                let entry = |(key, value): (&str, String)| StringStringEntryProto { key: key.into(), value };
                tensor.external_data = entries.into_iter().map(entry).collect();
                tensor.data_location = DataLocation::External as i32;
            }
            None if self.element == STRING => tensor.string_data = strings(self.value, self.shape)?,
            None => tensor.raw_data = Some(Bytes::copy_from_slice(self.value.bytes(self.length)?)),
        }
        Ok(tensor)
    }
}

/// The bytes of a model.
fn encoded(model: &ModelProto) -> Result<Blob> {
    let mut outcome = Ok(());
    let blob = Blob::try_build(model.encoded_len(), |mut bytes| outcome = model.encode(&mut bytes));
    outcome.map_err(|error| Failure::new(format!("the model of a part cannot be written: {error}")))?;
    blob.map_err(|shortage| Failure::new(Diagnostic::from(shortage).statement()))
}

/// The model of a part.
pub(crate) enum Source {
    /// With its weights.
    Bytes(Blob),
    /// With weights in files of external data.
    Files(Box<Model>),
}

impl Source {
    /// A number that other models do not have.
    pub(crate) fn hash(&self) -> Option<u128> {
        match self {
            Source::Bytes(blob) => Some(xxhash_rust::xxh3::xxh3_128(blob.bytes())),
            Source::Files(_) => None,
        }
    }

    /// Compiles it.
    pub(crate) fn compile(&self, compiler: &Compiler) -> driver::Result<CompiledModel> {
        match self {
            Source::Bytes(blob) => compiler.compile_bytes(blob.clone()),
            Source::Files(model) => compiler.compile_model(model, None, &driver::ImportOptions::default()),
        }
    }
}

//! The metadata of a model and of its parts, as one attribute of the module.

use ir::{Attribute, Attributes};
use proto::{FunctionProto, GraphProto, ModelProto, NodeProto, StringStringEntryProto};

use crate::graph::{domain, node_name, opsets};
use crate::ports::dictionary;

/// All metadata of a model. Empty fields are left out.
pub(crate) fn of_model(model: &ModelProto) -> Attribute {
    let mut said = Attributes::new();
    said.set("ir_version", Attribute::i64(model.ir_version));
    let texts = [
        ("producer_name", &model.producer_name),
        ("producer_version", &model.producer_version),
        ("domain", &model.domain),
        ("doc_string", &model.doc_string),
    ];
    for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        said.set(name, Attribute::string(text));
    }
    if model.model_version != 0 {
        said.set("model_version", Attribute::i64(model.model_version));
        said.set("semantic_version", Attribute::string(&semantic_version(model.model_version)));
    }
    let imports = opsets(&model.opset_import).into_iter();
    said.set("opset_import", pairs(imports.map(|(domain, version)| [domain.to_string(), version.to_string()])));
    set_properties(&mut said, &model.metadata_props);
    let mut parts = Parts::default();
    if let Some(graph) = &model.graph {
        parts.graph(graph);
    }
    model.functions.iter().for_each(|function| parts.function(function));
    for (name, list) in
        [("graphs", parts.graphs), ("functions", parts.functions), ("nodes", parts.nodes), ("values", parts.values)]
    {
        if !list.is_empty() {
            said.set(name, Attribute::Array(list.into()));
        }
    }
    dictionary(said)
}

/// Major and minor version in 16 bits each, the patch in 32 (the ONNX documents on versions).
fn semantic_version(version: i64) -> String {
    let bits = version as u64;
    format!("{}.{}.{}", bits >> 48, bits >> 32 & 0xffff, bits & 0xffff_ffff)
}

fn pairs(pairs: impl Iterator<Item = [String; 2]>) -> Attribute {
    let pair = |pair: [String; 2]| Attribute::Array(pair.iter().map(|text| Attribute::string(text)).collect());
    Attribute::Array(pairs.map(pair).collect())
}

fn set_properties(said: &mut Attributes, properties: &[StringStringEntryProto]) {
    if !properties.is_empty() {
        let entries = properties.iter().map(|entry| [entry.key.clone(), entry.value.clone()]);
        said.set("metadata_props", pairs(entries));
    }
}

/// The metadata of a model's parts, without empty ones.
#[derive(Default)]
struct Parts {
    graphs: Vec<Attribute>,
    functions: Vec<Attribute>,
    nodes: Vec<Attribute>,
    values: Vec<Attribute>,
}

impl Parts {
    /// A graph, including the graphs of its nodes.
    fn graph(&mut self, graph: &GraphProto) {
        let mut graphs = vec![graph];
        while let Some(graph) = graphs.pop() {
            self.graphs.extend(part(&graph.name, &graph.doc_string, &graph.metadata_props));
            for value in graph.input.iter().chain(&graph.output).chain(&graph.value_info) {
                self.values.extend(part(&value.name, &value.doc_string, &value.metadata_props));
            }
            for tensor in &graph.initializer {
                self.values.extend(part(&tensor.name, &tensor.doc_string, &tensor.metadata_props));
            }
            self.nodes(&graph.node, "");
            let held = graph.node.iter().flat_map(|node| &node.attribute);
            graphs.extend(held.flat_map(|attribute| attribute.g.as_deref().into_iter().chain(&attribute.graphs)));
        }
    }

    fn function(&mut self, function: &FunctionProto) {
        let mut name = format!("{}.{}", domain(&function.domain), function.name);
        if !function.overload.is_empty() {
            name = format!("{name}:{}", function.overload);
        }
        self.functions.extend(part(&name, &function.doc_string, &function.metadata_props));
        for value in &function.value_info {
            self.values.extend(part(&format!("{name}/{}", value.name), &value.doc_string, &value.metadata_props));
        }
        self.nodes(&function.node, &format!("{name}/"));
    }

    fn nodes(&mut self, nodes: &[NodeProto], prefix: &str) {
        for (index, node) in nodes.iter().enumerate() {
            let name = || format!("{prefix}{}", node_name(index, node));
            if !node.doc_string.is_empty() || !node.metadata_props.is_empty() {
                self.nodes.extend(part(&name(), &node.doc_string, &node.metadata_props));
            }
        }
    }
}

fn part(name: &str, doc_string: &str, properties: &[StringStringEntryProto]) -> Option<Attribute> {
    let mut said = Attributes::new();
    if !doc_string.is_empty() {
        said.set("doc_string", Attribute::string(doc_string));
    }
    set_properties(&mut said, properties);
    (!said.is_empty()).then(|| dictionary(said.with("name", Attribute::string(name))))
}

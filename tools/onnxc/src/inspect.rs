//! `onnxc inspect`: prints a model's inputs, outputs and metadata, or the memory that an object takes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};

#[cfg(feature = "llvm")]
use crate::footprint::Footprint;
use clap::Args;
use commandline::{Drafts, Failure, cannot_write, print};
use driver::{Compiler, Level, Options, Port, Reporter, Signature};
use ir::{Attribute, Attributes, Module};
use proto::{Dimension, DimensionValue, Model, ModelProto, TypeProto, TypeValue};

/// Print a model's inputs, outputs and metadata, or the memory that an object takes
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The model, or an ELF object that --freestanding made
    model: PathBuf,
    /// An operator-set document, whose functions the model may call if it imports their domain
    #[arg(long = "operators", value_name = "FILE")]
    operator_sets: Vec<PathBuf>,
}

/// Prints it to standard output, one fact per line.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let operator_sets = arguments.operator_sets.clone();
    let options = Options { operator_sets, metadata: true, reporter: Reporter::standard_error(), ..Options::default() };
    // a model that cannot be compiled is read again
    let is_given = arguments.model.as_os_str() == "-";
    let folder = is_given.then(|| Drafts::watch().folder("inspected")).transpose()?;
    let model = match &folder {
        Some(folder) => from_standard_input(&folder.path().join("model"))?,
        None => arguments.model.clone(),
    };
    #[cfg(feature = "llvm")]
    if let Some(memory) = memory(&model)? {
        return print(&memory);
    }
    match Compiler::new(options).lower_file(&model, Level::Graph) {
        Ok((module, signature)) => print(&report(&module, &signature)),
        Err(reasons) if model.is_file() => {
            print(&stated(&Model::load(&model).map_err(|damage| vec![driver::damaged(damage)])?.proto))?;
            reasons.iter().try_for_each(|reason| print(&format!("not compiled: {}\n", reason.statement())))
        }
        Err(reasons) => Err(reasons.into()),
    }
}

/// The memory that an object takes; `None` if the file is no object.
#[cfg(feature = "llvm")]
fn memory(path: &Path) -> Result<Option<String>, Failure> {
    // the compiler reports a file that cannot be read
    let Ok(bytes) = ir::Blob::map_file(path) else { return Ok(None) };
    let Some(footprint) = Footprint::of(bytes.bytes())? else { return Ok(None) };
    let Footprint { code, constants, ram, stack, functions, calls, processor } = &footprint;
    let stack = stack.map_or("no bound is known".to_string(), |bytes| format!("{bytes} bytes at most"));
    Ok(Some(format!(
        "processor: {processor}\nflash: {} bytes: code {code}, constants {constants}\nRAM: {ram} bytes\nstack: {stack}\n\
         functions: {}\ncalls: {}\n",
        footprint.flash(),
        functions.join(", "),
        calls.join(", "),
    )))
}

/// The model from standard input, as a file.
fn from_standard_input(path: &Path) -> Result<PathBuf, Failure> {
    let failed = |error: std::io::Error| Failure::input(format!("standard input: the model cannot be read: {error}"));
    let mut file = File::create(path).map_err(|error| cannot_write(path, &error))?;
    std::io::copy(&mut std::io::stdin(), &mut file).map_err(failed)?;
    Ok(path.to_path_buf())
}

/// The metadata of a model that cannot be compiled.
fn stated(model: &ModelProto) -> String {
    let mut text = format!("IR version: {}\n", model.ir_version);
    let facts = [("producer", &model.producer_name), ("producer version", &model.producer_version)];
    for (what, fact) in facts.into_iter().filter(|(_, fact)| !fact.is_empty()) {
        let _ = writeln!(text, "{what}: {fact}");
    }
    for set in &model.opset_import {
        let domain = if set.domain.is_empty() { "ai.onnx" } else { &set.domain };
        let _ = writeln!(text, "operators of {domain}: {}", set.version);
    }
    let Some(graph) = &model.graph else { return text };
    for (kind, infos) in [("input", &graph.input), ("output", &graph.output)] {
        for info in infos {
            let _ = writeln!(text, "{kind}: {}: {}", info.name, type_text(info.r#type.as_ref()));
        }
    }
    let mut operators: BTreeMap<&str, usize> = BTreeMap::new();
    graph.node.iter().for_each(|node| *operators.entry(&node.op_type).or_default() += 1);
    let counts: Vec<String> = operators.iter().map(|(operator, count)| format!("{operator} ({count})")).collect();
    let _ = writeln!(text, "nodes: {}: {}", graph.node.len(), counts.join(", "));
    for entry in &model.metadata_props {
        let _ = writeln!(text, "metadata {}: {}", entry.key, entry.value.replace('\n', "\n  "));
    }
    text
}

/// A type as the model declares it.
fn type_text(r#type: Option<&TypeProto>) -> String {
    match r#type.and_then(|r#type| r#type.value.as_ref()) {
        None => "no type".to_string(),
        Some(TypeValue::Tensor(tensor)) => {
            let extent = |dimension: &Dimension| match &dimension.value {
                Some(DimensionValue::Value(extent)) => extent.to_string(),
                Some(DimensionValue::Param(name)) => name.clone(),
                None => "?".to_string(),
            };
            let extents = tensor.shape.as_ref().map_or("of any rank".to_string(), |shape| {
                format!("[{}]", shape.dim.iter().map(extent).collect::<Vec<_>>().join(", "))
            });
            format!("{} {extents}", proto::type_name(tensor.elem_type))
        }
        Some(TypeValue::Sequence(sequence)) => format!("a sequence of {}", type_text(sequence.elem_type.as_deref())),
        Some(TypeValue::Optional(optional)) => format!("an optional {}", type_text(optional.elem_type.as_deref())),
        Some(TypeValue::Map(map)) => {
            format!("a map from {} to {}", proto::type_name(map.key_type), type_text(map.value_type.as_deref()))
        }
        Some(TypeValue::SparseTensor(_)) => "a sparse tensor".to_string(),
        Some(TypeValue::Opaque(_)) => "an opaque value".to_string(),
    }
}

fn report(module: &Module, signature: &Signature) -> String {
    let mut text = String::new();
    let mut tell = |what: &str, fact: &str| {
        let _ = writeln!(text, "{what}: {}", fact.replace('\n', "\n  "));
    };
    let metadata = match module.attributes.get(driver::METADATA) {
        Some(Attribute::Dictionary(metadata)) => metadata,
        _ => return text,
    };
    for (key, label) in [
        ("ir_version", "IR version"),
        ("producer_name", "producer"),
        ("producer_version", "producer version"),
        ("domain", "domain"),
        ("model_version", "model version"),
        ("semantic_version", "semantic version"),
        ("doc_string", "documentation"),
    ] {
        match (metadata.str(key), metadata.integer(key)) {
            (Some(fact), _) => tell(label, fact),
            (None, Some(number)) => tell(label, &number.to_string()),
            (None, None) => {}
        }
    }
    for (domain, version) in pairs(metadata, "opset_import") {
        tell(&format!("operators of {domain}"), version);
    }
    for (kind, ports) in
        [("input", &signature.inputs), ("optional input", &signature.optional), ("output", &signature.outputs)]
    {
        let describe = |port: &Port| format!("{}: {}", port.name, port.describe());
        ports.iter().for_each(|port| tell(kind, &describe(port)));
    }
    for (key, value) in pairs(metadata, "metadata_props") {
        tell(&format!("metadata {key}"), value);
    }
    for (list, kind) in [("graphs", "graph"), ("functions", "function"), ("nodes", "node"), ("values", "value")] {
        for part in metadata.get(list).and_then(Attribute::as_array).unwrap_or_default() {
            let Attribute::Dictionary(part) = part else { continue };
            let name = part.str("name").unwrap_or_default();
            part.str("doc_string").iter().for_each(|fact| tell(&format!("{kind} {name}, documentation"), fact));
            for (key, value) in pairs(part, "metadata_props") {
                tell(&format!("{kind} {name}, {key}"), value);
            }
        }
    }
    text
}

/// The pairs of texts in an attribute.
fn pairs<'a>(attributes: &'a Attributes, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let list = attributes.get(name).and_then(Attribute::as_array).unwrap_or_default();
    list.iter().filter_map(|pair| match pair.as_array() {
        Some([key, value]) => Some((key.as_str()?, value.as_str()?)),
        _ => None,
    })
}

//! `onnxc inspect`: what a model takes and gives, and what it says of itself and its parts.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use commandline::{Failure, print};
use driver::{Compiler, Level, Options, Port, Signature};
use ir::{Attribute, Attributes, Module};

/// Tell what a model takes and gives, and what it says of itself.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The model
    model: PathBuf,
    /// An operator-set document, whose functions the model may call if it imports their domain
    #[arg(long = "operators", value_name = "FILE")]
    operator_sets: Vec<PathBuf>,
}

/// Tells it on the standard output, a fact a line.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let operator_sets = arguments.operator_sets.clone();
    let options = Options { operator_sets, metadata: true, ..Options::default() };
    let (module, signature) = Compiler::new(options).lower_file(&arguments.model, Level::Graph)?;
    print(&report(&module, &signature))
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

/// The pairs of texts under a name.
fn pairs<'a>(attributes: &'a Attributes, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let list = attributes.get(name).and_then(Attribute::as_array).unwrap_or_default();
    list.iter().filter_map(|pair| match pair.as_array() {
        Some([key, value]) => Some((key.as_str()?, value.as_str()?)),
        _ => None,
    })
}

//! ModelProto to the onnx dialect.
//!
//! A model becomes one module with one function, `main_graph`. Every operator stands in its newest form, whatever
//! opset the model was written for; functions of the model are inlined; weights stay in the mapped file.
//!
//! - `arg_attrs` and `res_attrs` of the function carry `onnx.name`, and `onnx.dim_params = "0:batch,1:seq"` for
//!   symbolic dimensions (`%` and `,` in their names are written `%25` and `%2C`).
//! - An initializer is a constant. One that the graph also lists as an input has a value that callers may replace:
//!   `optional_inputs` of the function names them; those that are to stay inputs have their value as `onnx.default`.
//! - Nodes may stand in any order in which they can be computed in some other; the module's attribute `onnx.warnings`
//!   says when they did not stand in one.
//! - Operators that change nothing in inference (Identity, Dropout) and operators nobody reads are left out.

mod attributes;
mod blocks;
mod graph;
mod inspect;
mod metadata;
mod operator_sets;
mod ports;
mod select;
mod trace;
mod training;
mod types;

use std::path::Path;

use check::{Finding, Level, Profile};
use indexmap::{IndexMap, IndexSet};
use ir::{DenseElements, Diagnostic, Module, Type};
pub use operators::shape::WARNINGS;
use operators::shape::warn;
use operators::types::without_extents;
pub use proto::OperatorSetProto;
use proto::{Document, Model};

use crate::trace::Trace;

/// The name of the function a model becomes.
pub const MAIN: &str = "main_graph";

/// The attribute of a module that lists the files of external data that were read, where there are any.
pub const FILES: &str = "onnx.files";

/// The attribute of a module that holds what a model says of itself and its parts.
pub const METADATA: &str = "onnx.model";

/// The attribute of a function that lists the inputs which became constants and may be given other values.
pub const OPTIONAL_INPUTS: &str = "optional_inputs";

/// The attribute of an input or output that is a variable of a model's training.
pub const STATE: &str = "onnx.state";

/// The attribute of an input that says what it is where nobody gives a value.
pub const DEFAULT: &str = "onnx.default";

/// What of a model becomes the function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entry {
    /// Its graph.
    #[default]
    Inference,
    /// Its graph, which takes the variables that training changes as its last inputs.
    TrainedInference,
    /// What gives the variables their first values; its outputs are the variables.
    TrainingInitialization,
    /// One step of training; the variables are its last inputs and its last outputs.
    TrainingStep,
}

/// What to change about a model's inputs while importing it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// What of the model is imported.
    pub entry: Entry,
    /// Extents for symbolic dimensions, by name.
    pub dimensions: IndexMap<String, i64>,
    /// Shapes for inputs, by name; `None` is dynamic.
    pub shapes: IndexMap<String, Vec<ir::types::Extent>>,
    /// Whether a model that breaks any rule is refused, not only one that nobody can run.
    pub strict: bool,
    /// Whether the nodes are listed in [`dialects::rt::attributes::NODES`], also those of which nothing is left.
    pub list_nodes: bool,
    /// Whose rules the model is to keep.
    pub rules: Profile,
    /// Inputs that are constants, by name; also those that have a value of their own.
    pub constants: IndexMap<String, DenseElements>,
    /// The outputs, by name, where not all are wanted; also values inside the graph.
    pub outputs: Vec<String>,
    /// Inputs with a value of their own that stay inputs, by name.
    pub overridable: IndexSet<String>,
    /// Operator sets whose functions a model may call that imports their domain.
    pub operator_sets: Vec<OperatorSetProto>,
    /// Whether the module says what the model says of itself and its parts, under [`METADATA`].
    pub metadata: bool,
}

impl Options {
    /// What still holds of a type declared inside the graph: extents only where inputs keep theirs.
    pub(crate) fn still_holds(&self, declared: Type) -> Type {
        match self.dimensions.is_empty() && self.shapes.is_empty() && self.constants.is_empty() {
            true => declared,
            false => without_extents(&declared),
        }
    }
}

/// Whether a file's name is one that models have, in protobuf or as text.
pub fn is_model_name(path: &Path) -> bool {
    const ENDINGS: [&str; 9] =
        ["onnx", "onnxtxt", "onnxtext", "json", "onnxjson", "textproto", "prototxt", "pbtxt", "txtpb"];
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
}

/// Imports a model file; external data lies beside it.
pub fn import_file(path: &Path, options: &Options) -> ir::Result<Module> {
    import_model(&Model::load(path)?, options)
}

/// Imports a model held in memory; external data lies in `directory`, if there is one.
pub fn import_bytes(bytes: &[u8], directory: Option<&Path>, options: &Options) -> ir::Result<Module> {
    let mut model = Model::from_bytes(bytes)?;
    model.directory = directory.map(Path::to_path_buf);
    import_model(&model, options)
}

/// Imports a decoded model.
pub fn import_model(model: &Model, options: &Options) -> ir::Result<Module> {
    let (model, missing) = operator_sets::link(model, &options.operator_sets);
    if !missing.is_empty() {
        return Err(missing);
    }
    let model = &*select::select(model, options)?;
    let keep = if options.strict { Level::Violation } else { Level::Error };
    let findings = check::check(model, options.rules, keep);
    let warning = findings.summary();
    let found = findings.sorted();
    if !found.is_empty() {
        return Err(found.into_iter().map(Diagnostic::from).collect());
    }
    let mut module = graph::import(model, options)?;
    if options.metadata {
        module.attributes.set(METADATA, metadata::of_model(&model.proto));
    }
    warn(&mut module.attributes, warning.as_slice());
    Ok(module)
}

/// Everything that is wrong with the file of a model or an operator set, in the order of the places. A model may call the
/// functions of operator sets; they are looked at as if they were its own, behind those.
pub fn check_file(path: &Path, profile: Profile, sets: &[OperatorSetProto]) -> Vec<Finding> {
    match Document::load(path) {
        Ok(Document::Model(model)) => check_model(&model, profile, sets),
        Ok(Document::OperatorSet(set)) => check::check_operator_set(&set, profile, Level::Advice).sorted(),
        Err(damage) => vec![check::unreadable(damage)],
    }
}

/// The same of a file that is in memory, and has no external data.
pub fn check_bytes(bytes: &[u8], profile: Profile, sets: &[OperatorSetProto]) -> Vec<Finding> {
    match Document::from_bytes(bytes) {
        Ok(Document::Model(model)) => check_model(&model, profile, sets),
        Ok(Document::OperatorSet(set)) => check::check_operator_set(&set, profile, Level::Advice).sorted(),
        Err(damage) => vec![check::unreadable(damage)],
    }
}

/// Everything that is wrong with a decoded model. What needs types is looked for where nothing else keeps anybody from
/// understanding the model.
pub fn check_model(model: &Model, profile: Profile, sets: &[OperatorSetProto]) -> Vec<Finding> {
    let (model, missing) = operator_sets::link(model, sets);
    let mut findings = check::check(&model, profile, Level::Advice);
    if !findings.has_errors() && model.proto.graph.is_some() {
        inspect::inspect(&model, &mut findings);
    }
    inspect::report(missing, &Trace::default(), &mut findings);
    findings.sorted()
}

//! ModelProto to the onnx dialect.
//!
//! A model becomes one module with one function, `main_graph`. Every operator is in its newest form, whatever opset the
//! model was written for; functions of the model are inlined; weights stay in the mapped file.
//!
//! - `arg_attrs` and `res_attrs` of the function carry `onnx.name`, and `onnx.dim_params = "0:batch,1:seq"` for
//!   symbolic dimensions (`%` and `,` in their names are written `%25` and `%2C`).
//! - An initializer is a constant. If the graph also lists it as an input, callers may replace its value:
//!   `optional_inputs` of the function names those; inputs that are to remain inputs have their value as
//!   `onnx.default`.
//! - Nodes are sorted topologically if necessary; the module's attribute `onnx.warnings` reports it.
//! - Operators that change nothing in inference (Identity, Dropout) and operators without readers are removed.

mod attributes;
mod graph;
mod inspect;
mod metadata;
mod operator_sets;
mod ort_nchwc_block;
mod ports;
mod select;
mod tensors;
mod trace;
mod training;
mod types;

use std::path::Path;

use check::{Finding, Level, Profile};
pub use dialects::func::MAIN;
use indexmap::{IndexMap, IndexSet};
use ir::{DenseElements, Diagnostic, Location, Module, Type};
pub use operators::shape::WARNINGS;
use operators::shape::warn;
use operators::types::without_extents;
pub use proto::OperatorSetProto;
use proto::{Damage, Document, Model};

use crate::trace::Trace;

/// The module attribute that lists the files of external data that were read, if any.
pub const FILES: &str = "onnx.files";

/// The module attribute with the model's metadata.
pub const METADATA: &str = "onnx.model";

/// The function attribute that lists the inputs which became constants and may be given other values.
pub const OPTIONAL_INPUTS: &str = "optional_inputs";

/// The attribute of an input or output that is a variable of a model's training.
pub const STATE: &str = "onnx.state";

/// The attribute of an input with its default value.
pub const DEFAULT: &str = "onnx.default";

/// The part of a model that becomes the function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entry {
    /// Its graph.
    #[default]
    Inference,
    /// Its graph, with the variables that training changes as its last inputs.
    TrainedInference,
    /// The initialization of training; its outputs are the variables.
    TrainingInitialization,
    /// One step of training; the variables are its last inputs and its last outputs.
    TrainingStep,
}

/// Changes to a model's inputs during import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The part of the model that is imported.
    pub entry: Entry,
    /// Extents for symbolic dimensions, by name.
    pub dimensions: IndexMap<String, i64>,
    /// Symbolic dimensions that keep their names, so that a bound of them can be stated.
    pub bounded: IndexSet<String>,
    /// Shapes for inputs, by name; `None` is dynamic.
    pub shapes: IndexMap<String, Vec<ir::types::Extent>>,
    /// Whether any broken rule refuses a model, or only errors.
    pub refuse_violations: bool,
    /// Whether the nodes are listed in [`dialects::rt::attributes::NODES`], also those of which nothing is left.
    pub list_nodes: bool,
    /// The profile whose rules apply.
    pub rules: Profile,
    /// Inputs that become constants, by name; also those with a default.
    pub constants: IndexMap<String, DenseElements>,
    /// The outputs, by name, if not all are wanted; also values inside the graph.
    pub outputs: Vec<String>,
    /// Inputs with a default that remain inputs, by name.
    pub overridable: IndexSet<String>,
    /// Operator sets whose functions the model may call if it imports their domain.
    pub operator_sets: Vec<OperatorSetProto>,
    /// Whether the module gets the model's metadata, under [`METADATA`].
    pub metadata: bool,
}

impl Options {
    /// The part of a type declared inside the graph that remains valid: extents only if inputs keep theirs.
    pub(crate) fn still_holds(&self, declared: Type) -> Type {
        match self.dimensions.is_empty() && self.shapes.is_empty() && self.constants.is_empty() {
            true => declared,
            false => without_extents(&declared),
        }
    }
}

/// Whether a file's name is that of a model, in protobuf or as text.
pub fn is_model_name(path: &Path) -> bool {
    const ENDINGS: [&str; 9] =
        ["onnx", "onnxtxt", "onnxtext", "json", "onnxjson", "textproto", "prototxt", "pbtxt", "txtpb"];
    path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known))
}

/// The error of a file that cannot be read.
pub fn damaged(damage: Damage) -> Diagnostic {
    let location = damage.file.map_or(Location::Unknown, |file| Location::name(&file.display().to_string()));
    Diagnostic::input(location, damage.message)
}

/// Imports a model file; external data is in the same directory.
pub fn import_file(path: &Path, options: &Options) -> ir::Result<Module> {
    import_model(&Model::load(path).map_err(damaged)?, options)
}

/// Imports a model held in memory; external data is in `directory`, if given.
pub fn import_bytes(bytes: &[u8], directory: Option<&Path>, options: &Options) -> ir::Result<Module> {
    let mut model = Model::from_bytes(bytes).map_err(damaged)?;
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
    let keep = if options.refuse_violations { Level::Violation } else { Level::Error };
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

/// All findings of a model or operator-set file, in the order of positions. A model may call the functions of operator
/// sets; they are checked as if they were its own, after those.
pub fn check_file(path: &Path, profile: Profile, sets: &[OperatorSetProto]) -> Vec<Finding> {
    match Document::load(path) {
        Ok(Document::Model(model)) => check_model(&model, profile, sets),
        Ok(Document::OperatorSet(set)) => check::check_operator_set(&set, profile, Level::Advice).sorted(),
        Err(damage) => vec![check::unreadable(damaged(damage))],
    }
}

/// The same for a file in memory without external data.
pub fn check_bytes(bytes: &[u8], profile: Profile, sets: &[OperatorSetProto]) -> Vec<Finding> {
    match Document::from_bytes(bytes) {
        Ok(Document::Model(model)) => check_model(&model, profile, sets),
        Ok(Document::OperatorSet(set)) => check::check_operator_set(&set, profile, Level::Advice).sorted(),
        Err(damage) => vec![check::unreadable(damaged(damage))],
    }
}

/// All findings of a decoded model. The rules that need types are checked if no error prevents that.
pub fn check_model(model: &Model, profile: Profile, sets: &[OperatorSetProto]) -> Vec<Finding> {
    let (model, missing) = operator_sets::link(model, sets);
    let mut findings = check::check(&model, profile, Level::Advice);
    if !findings.has_errors() && model.proto.graph.is_some() {
        inspect::inspect(&model, &mut findings);
    }
    inspect::report(missing, &Trace::default(), &mut findings);
    findings.sorted()
}

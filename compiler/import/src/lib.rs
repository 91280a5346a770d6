//! ModelProto to the onnx dialect.
//!
//! A model becomes one module with one function, `main_graph`. Every operator stands in its newest form, whatever
//! opset the model was written for; functions of the model are inlined; weights stay in the mapped file.
//!
//! - `arg_attrs` and `res_attrs` of the function carry `onnx.name`, and `onnx.dim_params = "0:batch,1:seq"` for
//!   symbolic dimensions (`%` and `,` in their names are written `%25` and `%2C`).
//! - An initializer is a constant, whether or not the graph lists it among its inputs.
//! - Nodes may stand in any order in which they can be computed in some other; the module's attribute `onnx.warnings`
//!   says when they did not stand in one.
//! - Operators that change nothing in inference (Identity, Dropout) and operators nobody reads are left out.

mod attributes;
mod graph;
mod inspect;
mod trace;
mod types;

use std::path::Path;

use check::{Finding, Level, Profile};
use indexmap::IndexMap;
use ir::{Attribute, DenseElements, Diagnostic, Location, Module, Type};
use operators::types::without_extents;
use proto::Model;

/// The IR versions this importer reads.
pub const IR_VERSIONS: std::ops::RangeInclusive<i64> = 1..=14;

/// The name of the function a model becomes.
pub const MAIN: &str = "main_graph";

/// The module attribute that lists name and operator of each node, for a trace.
pub const NODES: &str = "rt.nodes";

/// The attribute of a module that lists what is suspicious about the model.
pub const WARNINGS: &str = "onnx.warnings";

/// What to change about a model's inputs while importing it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Extents for symbolic dimensions, by name.
    pub dimensions: IndexMap<String, i64>,
    /// Shapes for inputs, by name; `None` is dynamic.
    pub shapes: IndexMap<String, Vec<ir::types::Extent>>,
    /// Whether a model that breaks any rule is refused, not only one that nobody can run.
    pub strict: bool,
    /// Whether the nodes are listed in [`NODES`], also those of which nothing is left.
    pub list_nodes: bool,
    /// Whose rules the model is to keep.
    pub rules: Profile,
    /// Inputs that are constants, by name.
    pub constants: IndexMap<String, DenseElements>,
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
    check_version(model.proto.ir_version)?;
    let keep = if options.strict { Level::Violation } else { Level::Error };
    let findings = check::check(model, options.rules, keep);
    let warning = findings.summary();
    let found = findings.sorted();
    if !found.is_empty() {
        return Err(found.into_iter().map(Diagnostic::from).collect());
    }
    let mut module = graph::import(model, options)?;
    if let Some(warning) = warning {
        warn(&mut module, &warning);
    }
    Ok(module)
}

/// Everything that is wrong with a model file, in the order of the places.
pub fn check_file(path: &Path, profile: Profile) -> Vec<Finding> {
    match Model::load(path) {
        Ok(model) => check_model(&model, profile),
        Err(damage) => vec![check::unreadable(damage)],
    }
}

/// Everything that is wrong with a decoded model. What needs types is looked for where nothing else keeps anybody from
/// understanding the model.
pub fn check_model(model: &Model, profile: Profile) -> Vec<Finding> {
    let mut findings = check::check(model, profile, Level::Advice);
    if !findings.has_errors() && model.proto.graph.is_some() {
        inspect::inspect(model, &mut findings);
    }
    findings.sorted()
}

/// Adds to what is suspicious about a model.
fn warn(module: &mut Module, message: &str) {
    let mut warnings = module.attributes.get(WARNINGS).and_then(Attribute::as_array).unwrap_or_default().to_vec();
    warnings.push(Attribute::string(message));
    module.attributes.set(WARNINGS, Attribute::Array(warnings.into()));
}

fn check_version(version: i64) -> Result<(), Diagnostic> {
    if IR_VERSIONS.contains(&version) {
        return Ok(());
    }
    let (first, last) = (IR_VERSIONS.start(), IR_VERSIONS.end());
    Err(match version {
        ..=0 => Diagnostic::input(Location::Unknown, "not an ONNX model: it states no IR version"),
        _ => Diagnostic::unsupported(
            Location::Unknown,
            format!("the model has IR version {version}; versions {first} to {last} are read"),
        ),
    })
}

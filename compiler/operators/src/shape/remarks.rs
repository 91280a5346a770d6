//! Rules that a model breaks though it can be computed, as far as shape inference finds them.

use ir::{Attribute, Attributes, Body, DimExpr, IndexMap, Op};

use super::{ShapeAnalysis, dimension_names};

/// The module attribute that lists warnings about the model.
pub const WARNINGS: &str = "onnx.warnings";

/// A broken rule that does not prevent the operation from being computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The rule.
    pub rule: &'static str,
    /// What was found.
    pub message: String,
}

/// Adds warnings about a model; `module` is the module's attributes.
pub fn warn(module: &mut Attributes, messages: &[String]) {
    if messages.is_empty() {
        return;
    }
    let mut warnings = module.get(WARNINGS).and_then(Attribute::as_array).unwrap_or_default().to_vec();
    warnings.extend(messages.iter().map(|message| Attribute::string(message)));
    module.set(WARNINGS, Attribute::Array(warnings.into()));
}

/// The remarks of inference on a function that has not been rewritten yet, as text: the first one for each rule.
pub fn remarked(function: &Attributes, body: &Body, analysis: &ShapeAnalysis) -> Vec<String> {
    let mut first: IndexMap<&str, (String, usize)> = IndexMap::default();
    for (op, remark) in analysis.remarks() {
        let place = || format!("{}: {}", place(body, op), remark.message);
        first.entry(remark.rule).or_insert_with(|| (place(), 0)).1 += 1;
    }
    if let Some(message) = ambiguous_symbol(function, body, analysis) {
        first.insert("symbol-one-extent", (message, 1));
    }
    let text = |(rule, (message, count))| match count {
        1 => format!("{message} [{rule}]"),
        _ => format!("{message} [{rule}], and {} more; onnxc check says where", count - 1),
    };
    first.into_iter().map(text).collect()
}

/// The name of an operation in messages: the node, or the operator if the node has no name.
fn place(body: &Body, op: Op) -> String {
    match body.op(op).location.names().first() {
        Some(name) => format!("node '{name}'"),
        None => body.name(op).to_string(),
    }
}

/// The message for a named extent that has different values in two outputs.
fn ambiguous_symbol(function: &Attributes, body: &Body, analysis: &ShapeAnalysis) -> Option<String> {
    let notes = function.get("res_attrs").and_then(Attribute::as_array)?;
    let end = body.terminator(body.entry()?)?;
    let mut known: IndexMap<String, (i64, &str)> = IndexMap::default();
    for (note, &value) in notes.iter().zip(body.op(end).operands()) {
        let (Attribute::Dictionary(note), Some(shape)) = (note, analysis.shape(value)) else { continue };
        let output = note.str("onnx.name").unwrap_or_default();
        for (axis, symbol) in dimension_names(note.str("onnx.dim_params").unwrap_or_default()) {
            let Some(extent) = shape.get(axis).and_then(DimExpr::as_constant) else { continue };
            let (first, place) = *known.entry(symbol.clone()).or_insert((extent, output));
            if first != extent {
                return Some(format!("output '{output}': '{symbol}' is {extent} here, but {first} in '{place}'"));
            }
        }
    }
    None
}

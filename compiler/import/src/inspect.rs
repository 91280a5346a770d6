//! The rules that need types and shapes.

use check::{Findings, Place, Rule, rules};
use dialects::onnx::type_name;
use dialects::onnx::views::Reader;
use indexmap::IndexMap;
use ir::{Body, Diagnostic, ErrorClass, FunctionView};
use operators::shape::{ShapeAnalysis, analyse};
use proto::{DimensionValue, Model, TypeValue};

use crate::trace::{Stated, Trace};
use crate::types::{Bindings, import_type};
use crate::{MAIN, Options, graph};

/// Checks a model that breaks none of the other rules that are errors.
pub(crate) fn inspect(model: &Model, findings: &mut Findings) {
    let options = Options::default();
    let mut trace = Trace::default();
    let module = match graph::import_traced(model, &options, &mut trace) {
        Ok(module) => module,
        Err(errors) => return report(errors, &trace, findings),
    };
    let FunctionView { body, attributes, .. } = module.function(MAIN).expect("the importer makes it");
    check_conditions(body, &trace, findings);
    match analyse(body, attributes, &ir::IndexMap::default()) {
        Ok(analysis) => {
            // declared shapes are compared where they are declared
            for (op, remark) in analysis.remarks().filter(|(_, remark)| remark.rule != "value-shape-declared") {
                findings.add(named(remark.rule), || {
                    let location = &body.op(op).location;
                    (trace.place(location), trace.message(location, &remark.message))
                });
            }
            let mut symbols = Symbols::default();
            trace.stated.iter().for_each(|stated| compare(stated, body, &analysis, &mut symbols, findings));
        }
        Err(errors) => report(errors, &trace, findings),
    }
}

/// The conditions on attributes that neither the import nor the analysis of shapes reads.
fn check_conditions(body: &Body, trace: &Trace<'_>, findings: &mut Findings) {
    for op in body.walk_all() {
        let Some(conditions) = operators::row_of(body.name(op)).and_then(|row| row.conditions) else { continue };
        let operation = body.op(op);
        let node = Reader { body, operands: operation.operands(), attributes: &operation.attributes };
        if let Err(problem) = conditions(&node) {
            let location = &operation.location;
            findings.add(named("operator-conditions"), || (trace.place(location), trace.message(location, &problem)));
        }
    }
}

/// Reports errors by rule. An unsupported feature breaks no rule.
pub(crate) fn report(errors: impl IntoIterator<Item = Diagnostic>, trace: &Trace<'_>, findings: &mut Findings) {
    for error in errors.into_iter().filter(|error| error.class == ErrorClass::Input) {
        let rule = error.rule.and_then(rules::by_id).unwrap_or_else(|| named("operator-conditions"));
        findings.add(rule, || (trace.place(&error.location), trace.message(&error.location, &error.message)));
    }
}

fn named(id: &str) -> &'static Rule {
    rules::by_id(id).expect("the table has it")
}

/// The extents that symbols were found to have, each with the position of the first.
type Symbols<'m> = IndexMap<&'m str, (i64, Place)>;

/// Compares a declared type with the inferred one.
fn compare<'m>(
    stated: &Stated<'m>,
    body: &Body,
    analysis: &ShapeAnalysis,
    symbols: &mut Symbols<'m>,
    findings: &mut Findings,
) {
    let found = body.value_type(stated.value);
    let mut add = |id: &str, place: Place, message: String| findings.add(named(id), || (place, message));
    if let (Ok(Some(declared)), Some(found)) = (import_type(Some(stated.r#type), &Bindings::new()), type_name(found))
        && let Some(declared) = type_name(&declared)
        && declared != found
    {
        return add("value-type-declared", stated.place.clone(), format!("is declared as {declared}, but is {found}"));
    }
    let Some(TypeValue::Tensor(tensor)) = &stated.r#type.value else { return };
    let (Some(shape), Some(found)) = (&tensor.shape, analysis.shape(stated.value)) else { return };
    if shape.dim.len() != found.len() {
        let message = format!("is stated with {} extents, but has {}", shape.dim.len(), found.len());
        return add("value-shape-declared", stated.place.clone(), message);
    }
    for (axis, (dimension, found)) in shape.dim.iter().zip(found).enumerate() {
        let Some(found) = found.as_constant() else { continue };
        match &dimension.value {
            Some(DimensionValue::Value(right)) if *right >= 0 && *right != found => {
                let message = format!("is stated with extent {right} in axis {axis}, but has {found}");
                return add("value-shape-declared", stated.place.clone(), message);
            }
            // a symbol in a function may have another extent in each call
            Some(DimensionValue::Param(name)) if !name.is_empty() && !stated.is_in_function() => {
                let (first, place) = symbols.entry(name).or_insert_with(|| (found, stated.place.clone()));
                if *first != found {
                    let message = format!("'{name}' is {found} here, but {first} in {place}");
                    return add("symbol-one-extent", stated.place.clone(), message);
                }
            }
            _ => {}
        }
    }
}

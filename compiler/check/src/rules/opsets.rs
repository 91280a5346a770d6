//! Operator sets, and the operators that nodes call.

use dialects::onnx::schema::{self, Schema};
use proto::{NodeProto, OperatorSetIdProto};

use crate::repeats::repeats;
use crate::walk::{Operator, canonical};
use crate::{Finder, Part, Rule, Step, Visit, advice, error, violation};

const SETS: &str = "IR, Operator Sets";
const IMPORT: &str = "onnx.proto, ModelProto.opset_import";
const FUNCTION: &str = "onnx.proto, FunctionProto.opset_import";

pub(super) const RULES: &[Rule] = &[
    error(
        "opset-default-imported",
        IMPORT,
        "A model that has operators of ONNX's own operator set imports a version of that set.",
        Finder::Node(default_imported),
    )
    .from(3),
    error("opset-none-imported", IMPORT, "A model imports at least one operator set.", Finder::Imports(none_imported))
        .from(3),
    error("opset-imported", SETS, "The operator set of a node's domain is imported.", Finder::Node(imported)).from(3),
    violation(
        "opset-function-imported",
        SETS,
        "The domain of a function that a node calls is imported.",
        Finder::Node(function_imported),
    )
    .from(3),
    violation(
        "opset-import-unique",
        IMPORT,
        "A domain is imported once. Of several imports, the highest version applies.",
        Finder::Imports(import_unique),
    ),
    error(
        "opset-version-positive",
        SETS,
        "The version of an operator set is 1 or more.",
        Finder::Imports(version_positive),
    ),
    violation(
        "opset-version-exists",
        SETS,
        "The version of an operator set of ONNX is one that exists.",
        Finder::Imports(version_exists),
    ),
    violation(
        "opset-domain-known",
        SETS,
        "A domain that is imported is one of ONNX, or has functions in the model.",
        Finder::Imports(domain_known),
    ),
    violation(
        "opset-function-own",
        FUNCTION,
        "A function itself imports the operator sets of its nodes.",
        Finder::Node(function_own),
    ),
    violation(
        "opset-function-compatible",
        FUNCTION,
        "An operator in a function has the version that the model's own imports select.",
        Finder::Operator(function_compatible),
    ),
    error(
        "operator-exists",
        "IR, Operators",
        "An operator of ONNX is one that the imported version has.",
        Finder::Node(operator_exists),
    ),
    error(
        "operator-not-removed",
        "IR, Operators",
        "The imported version does not come after the operator's removal.",
        Finder::Operator(not_removed),
    ),
    violation(
        "operator-not-withdrawn",
        "IR, Operators",
        "The imported version of an operator has not been withdrawn in favour of a later one.",
        Finder::Operator(not_withdrawn),
    ),
    violation(
        "operator-no-overload",
        "onnx.proto, NodeProto.overload",
        "Only calls of the model's functions name an overload.",
        Finder::Node(no_overload),
    ),
    advice(
        "function-not-standard",
        "onnx.proto, ModelProto.functions",
        "A function does not have the name of an ONNX operator: which of the two a node calls depends on the implementation.",
        Finder::Function(not_standard),
    ),
];

/// Whether the current node calls an operator, so that its domain is imported.
fn is_operator(visit: &Visit<'_, '_>) -> bool {
    matches!(visit.walk.operator, Operator::Schema(_))
}

fn default_imported(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    let walk = visit.walk;
    if is_operator(visit) {
        return;
    }
    let is_default = canonical(&node.domain) == canonical("");
    let is_fine = !is_default || walk.opset("").is_some() || walk.function_of(node).is_some();
    // missing imports are a finding about the model
    let is_fine = is_fine || walk.proto().opset_import.is_empty();
    visit.expect(is_fine, || "is of the default domain, of which no version is imported".into());
}

fn none_imported(visit: &mut Visit<'_, '_>, imports: &[OperatorSetIdProto]) {
    visit.expect(visit.walk.function.is_some() || !imports.is_empty(), || "imports no operator set".into());
}

fn imported(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    let walk = visit.walk;
    if is_operator(visit) {
        return;
    }
    let is_default = canonical(&node.domain) == canonical("");
    let is_fine = is_default || walk.opset(&node.domain).is_some() || walk.function_of(node).is_some();
    visit.expect(is_fine, || format!("is of domain {}, of which no version is imported", node.domain));
}

fn function_imported(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    let walk = visit.walk;
    if is_operator(visit) {
        return;
    }
    let is_fine = walk.function_of(node).is_none() || walk.opset(&node.domain).is_some();
    visit.expect(is_fine, || format!("calls a function of domain {}, which is not imported", node.domain));
}

fn import_unique(visit: &mut Visit<'_, '_>, imports: &[OperatorSetIdProto]) {
    for (index, first) in repeats(imports, |import| canonical(&import.domain)) {
        let OperatorSetIdProto { domain, version, .. } = &imports[index];
        visit.found_at(&[Step::number(Part::Import, index, canonical(domain))], || {
            format!("imports version {version} besides {}; the highest binds", imports[first].version)
        });
    }
}

fn version_positive(visit: &mut Visit<'_, '_>, imports: &[OperatorSetIdProto]) {
    for (index, import) in imports.iter().enumerate().filter(|(_, import)| import.version < 1) {
        visit.found_at(&[Step::number(Part::Import, index, canonical(&import.domain))], || {
            format!("is of version {}; the first is 1", import.version)
        });
    }
}

fn version_exists(visit: &mut Visit<'_, '_>, imports: &[OperatorSetIdProto]) {
    for (index, import) in imports.iter().enumerate() {
        if let Some(newest) = schema::newest_opset(&import.domain).filter(|&newest| import.version > newest) {
            visit.found_at(&[Step::number(Part::Import, index, canonical(&import.domain))], || {
                format!("is of version {}; the newest known is {newest}", import.version)
            });
        }
    }
}

fn domain_known(visit: &mut Visit<'_, '_>, imports: &[OperatorSetIdProto]) {
    let walk = visit.walk;
    for (index, import) in imports.iter().enumerate() {
        let domain = canonical(&import.domain);
        let has_functions = || walk.proto().functions.iter().any(|function| canonical(&function.domain) == domain);
        if !schema::has_domain(domain) && !has_functions() {
            visit.found_at(&[Step::number(Part::Import, index, domain)], || {
                "is of no operator set that is known, and the model has no function of it".into()
            });
        }
    }
}

fn function_own(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    let walk = visit.walk;
    let Some(function) = walk.function else { return };
    let domain = canonical(&node.domain);
    let is_own = function.opset_import.iter().any(|import| canonical(&import.domain) == domain);
    visit.expect(is_own || walk.opset(domain).is_none(), || {
        format!("is of domain {domain}, which the function does not import; the model's version is taken")
    });
}

fn function_compatible(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    let walk = visit.walk;
    if walk.function.is_none() {
        return;
    }
    let Some(version) = walk.model_opset(&node.domain) else { return };
    let other = schema::lookup(&node.domain, &node.op_type, version).map(|other| other.since);
    visit.expect(other == Some(schema.since), || {
        let other = other.map_or("none".into(), |since| format!("that of {since}"));
        format!("is the operator of version {}, but the model's imports mean {other}", schema.since)
    });
}

fn operator_exists(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    let walk = visit.walk;
    let (Operator::Unknown, Some(opset)) = (walk.operator, walk.opset(&node.domain)) else { return };
    let newest = schema::newest_opset(&node.domain);
    if node.op_type.is_empty() || opset < 1 || newest.is_none_or(|newest| opset > newest) {
        return;
    }
    visit.found(|| match schema::versions(&node.domain, &node.op_type).next() {
        Some(first) => format!("{} (opset {opset}) came with opset {}", node.op_type, first.since),
        None => format!("{} (opset {opset}) is not an operator of ONNX, nor a function of the model", node.op_type),
    });
}

fn not_removed(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    let is_gone = schema.deprecated && schema::newest(schema.domain, schema.name).is_none();
    visit.expect(!is_gone, || format!("{} was removed from ONNX in opset {}", node.op_type, schema.since));
}

fn not_withdrawn(visit: &mut Visit<'_, '_>, node: &NodeProto, schema: &'static Schema) {
    let later = schema::newest(schema.domain, schema.name).filter(|_| schema.deprecated);
    visit.expect(later.is_none(), || {
        let since = later.map_or(0, |later| later.since);
        format!("version {} of {} was withdrawn; use opset {since}", schema.since, node.op_type)
    });
}

fn no_overload(visit: &mut Visit<'_, '_>, node: &NodeProto) {
    visit.expect(node.overload.is_empty() || !is_operator(visit), || {
        format!("names overload '{}' of an operator that is not a function", node.overload)
    });
}

fn not_standard(visit: &mut Visit<'_, '_>, function: &proto::FunctionProto) {
    let is_standard = schema::versions(&function.domain, &function.name).next().is_some();
    visit.expect(!is_standard, || "is called like an operator of ONNX".into());
}

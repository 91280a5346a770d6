//! Operator-set documents.

use proto::OperatorSetProto;

use super::model::is_reverse_dns;
use crate::repeats::repeats;
use crate::walk::canonical;
use crate::{Finder, NEWEST, Part, Rule, Step, Visit, advice, error, violation};

const SETS: &str = "IR, Operator Sets";
const OPERATORS: &str = "IR, Operators";

pub(super) const RULES: &[Rule] = &[
    error(
        "set-ir-version",
        SETS,
        "An operator set states its IR version, which is one that ONNX defines.",
        Finder::OperatorSet(ir_version),
    ),
    violation(
        "set-domain-stated",
        SETS,
        "An operator set that is not ONNX's own has a domain.",
        Finder::OperatorSet(domain_stated),
    ),
    advice(
        "set-domain",
        SETS,
        "The domain of an operator set is a reverse domain name, as Java's packages have.",
        Finder::OperatorSet(domain),
    ),
    error(
        "set-version-positive",
        SETS,
        "The version of an operator set is 1 or more.",
        Finder::OperatorSet(version_positive),
    ),
    error(
        "set-version-given",
        SETS,
        "A model imports a version of an operator set that is among the documents provided.",
        Finder::Inference,
    ),
    violation("set-operator-named", OPERATORS, "A declared operator has a name.", Finder::OperatorSet(operator_named)),
    violation(
        "set-operator-unique",
        OPERATORS,
        "No two operators of a set have the same name.",
        Finder::OperatorSet(operator_unique),
    ),
    violation(
        "set-operator-version",
        OPERATORS,
        "An operator was added in a version of its set from 1 to that of the document.",
        Finder::OperatorSet(operator_version),
    ),
    violation(
        "set-function-domain",
        "onnx-operators.proto, OperatorSetProto.functions",
        "The functions of an operator set are of its domain.",
        Finder::OperatorSet(function_domain),
    ),
];

fn ir_version(visit: &mut Visit<'_, '_>, set: &OperatorSetProto) {
    let version = set.ir_version;
    visit.expect((1..=NEWEST).contains(&version), || format!("has IR version {version}, expected 1 to {NEWEST}"));
}

fn domain_stated(visit: &mut Visit<'_, '_>, set: &OperatorSetProto) {
    visit.expect(canonical(&set.domain) != canonical(""), || "has no domain but ONNX's own".into());
}

fn domain(visit: &mut Visit<'_, '_>, set: &OperatorSetProto) {
    let is_own = canonical(&set.domain) == canonical("");
    visit.expect(is_own || is_reverse_dns(&set.domain), || {
        format!("has domain '{}', expected a reverse domain name such as org.onnx", set.domain)
    });
}

fn version_positive(visit: &mut Visit<'_, '_>, set: &OperatorSetProto) {
    visit.expect(set.opset_version >= 1, || format!("is of version {}; the first is 1", set.opset_version));
}

fn operator_named(visit: &mut Visit<'_, '_>, set: &OperatorSetProto) {
    for (index, _) in set.operator.iter().enumerate().filter(|(_, operator)| operator.op_type.is_empty()) {
        visit.found_at(&[Step::number(Part::Operator, index, "")], || "has no name".into());
    }
}

fn operator_unique(visit: &mut Visit<'_, '_>, set: &OperatorSetProto) {
    for (index, _) in repeats(&set.operator, |operator| &operator.op_type) {
        let step = Step::number(Part::Operator, index, &set.operator[index].op_type);
        visit.found_at(&[step], || "is declared twice".into());
    }
}

fn operator_version(visit: &mut Visit<'_, '_>, set: &OperatorSetProto) {
    let newest = set.opset_version;
    for (index, operator) in set.operator.iter().enumerate() {
        let since = operator.since_version;
        // an invalid version of the set itself is a separate finding
        if since < 1 || (newest >= 1 && since > newest) {
            let step = Step::number(Part::Operator, index, &operator.op_type);
            visit.found_at(&[step], || format!("came with version {since}; the set is of version {newest}"));
        }
    }
}

fn function_domain(visit: &mut Visit<'_, '_>, set: &OperatorSetProto) {
    for (index, function) in set.functions.iter().enumerate() {
        if !function.domain.is_empty() && canonical(&function.domain) != canonical(&set.domain) {
            let step = Step::number(Part::Function, index, &function.name);
            visit.found_at(&[step], || format!("is of domain {}; that of the set is taken", function.domain));
        }
    }
}

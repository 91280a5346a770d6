//! The model as a whole.

use proto::Model;

use crate::{Finder, NEWEST, Rule, Visit, advice, error, violation};

const MODELS: &str = "IR, Models";

pub(super) const RULES: &[Rule] = &[
    error(
        "file-readable",
        "onnx.proto, ModelProto",
        "The file is a model or an operator set in the Protocol Buffers encoding.",
        Finder::Inference,
    ),
    error(
        "model-ir-version",
        "onnx.proto, ModelProto.ir_version",
        "A model states its IR version, which is one that ONNX defines.",
        Finder::Model(ir_version),
    ),
    violation(
        "model-domain",
        MODELS,
        "A model has a domain: a reverse domain name, as Java's packages have.",
        Finder::Model(domain),
    ),
    advice(
        "model-producer",
        "onnx.proto, ModelProto.producer_name",
        "A model names the tool that produced it.",
        Finder::Model(producer),
    ),
];

fn producer(visit: &mut Visit<'_, '_>, model: &Model) {
    visit.expect(!model.proto.producer_name.is_empty(), || "has no producer_name".into());
}

fn ir_version(visit: &mut Visit<'_, '_>, model: &Model) {
    let version = model.proto.ir_version;
    visit.expect((1..=NEWEST).contains(&version), || match version {
        ..=0 => "not an ONNX model: it states no IR version".into(),
        _ => format!("has IR version {version}, expected 1 to {NEWEST}"),
    });
}

fn domain(visit: &mut Visit<'_, '_>, model: &Model) {
    let domain = &model.proto.domain;
    visit.expect(is_reverse_dns(domain), || {
        format!("has domain '{domain}', expected a reverse domain name such as org.onnx")
    });
}

/// Whether a text consists of one or more labels separated by points, like a host name.
pub(super) fn is_reverse_dns(text: &str) -> bool {
    let is_label = |label: &str| {
        let inner = label.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        inner && label.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    };
    text.split('.').count() > 1 && text.split('.').all(is_label)
}

//! Metadata and documentation.

use proto::{Dimension, StringStringEntryProto, TypeProto};

use crate::repeats::repeats;
use crate::{Finder, Part, Rule, Step, Visit, advice, violation};

pub(super) const RULES: &[Rule] = &[
    violation(
        "metadata-key-unique",
        "IR, Models",
        "The keys of metadata are distinct.",
        Finder::Properties(key_unique),
    ),
    violation("metadata-key-named", "IR, Models", "The keys of metadata are not empty.", Finder::Properties(key_named)),
    violation(
        "documentation-markdown",
        "IR, Graphs",
        "Documentation is text or Markdown, without HTML tags.",
        Finder::Documentation(markdown),
    ),
    advice(
        "denotation-type-known",
        "Type Denotation",
        "The denotation of a type is TENSOR, IMAGE, AUDIO or TEXT.",
        Finder::Type(type_denotation),
    ),
    advice(
        "denotation-dimension-known",
        "Dimension Denotation",
        "The denotation of a dimension is one that ONNX documents, such as DATA_BATCH.",
        Finder::Dimension(dimension_denotation),
    ),
];

const TYPES: [&str; 4] = ["TENSOR", "IMAGE", "AUDIO", "TEXT"];

const DIMENSIONS: [&str; 7] = [
    "DATA_BATCH",
    "DATA_CHANNEL",
    "DATA_TIME",
    "DATA_FEATURE",
    "FILTER_IN_CHANNEL",
    "FILTER_OUT_CHANNEL",
    "FILTER_SPATIAL",
];

/// HTML tags that mark up text. Others may be plain texts such as `<stdin>`.
const TAGS: [&str; 24] = [
    "a", "b", "br", "code", "div", "em", "font", "h1", "h2", "h3", "html", "i", "img", "li", "ol", "p", "pre",
    "script", "span", "strong", "table", "td", "tr", "ul",
];

fn key_unique(visit: &mut Visit<'_, '_>, entries: &[StringStringEntryProto]) {
    for (index, _) in repeats(entries, |entry| &entry.key) {
        let step = Step::number(Part::Metadata, index, &entries[index].key);
        visit.found_at(&[step], || "repeats an earlier key".into());
    }
}

fn key_named(visit: &mut Visit<'_, '_>, entries: &[StringStringEntryProto]) {
    for (index, _) in entries.iter().enumerate().filter(|(_, entry)| entry.key.is_empty()) {
        visit.found_at(&[Step::number(Part::Metadata, index, "")], || "has an empty key".into());
    }
}

/// The tag at the beginning of a text, after `<`.
fn tag(text: &str) -> Option<&str> {
    let text = text.strip_prefix('/').unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_alphanumeric())?;
    let is_tag = TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(&text[..end]));
    (is_tag && text[end..].contains('>')).then_some(&text[..end])
}

fn markdown(visit: &mut Visit<'_, '_>, text: &str) {
    if let Some(tag) = text.split('<').skip(1).find_map(tag) {
        visit.found(|| format!("has documentation with the tag <{tag}>"));
    }
}

fn type_denotation(visit: &mut Visit<'_, '_>, r#type: &TypeProto) {
    let word = &r#type.denotation;
    visit.expect(word.is_empty() || TYPES.contains(&&**word), || {
        format!("denotes '{word}'; documented are {}", TYPES.join(", "))
    });
}

fn dimension_denotation(visit: &mut Visit<'_, '_>, dimension: &Dimension) {
    let word = &dimension.denotation;
    visit.expect(word.is_empty() || DIMENSIONS.contains(&&**word), || {
        format!("denotes '{word}'; documented are {}", DIMENSIONS.join(", "))
    });
}

//! Findings: the places where rules are broken.

use ir::{Diagnostic, Location};

use crate::{Level, Part, Place, Rule, rules};

/// One place where a rule is broken.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The place.
    pub place: Place,
    /// What was found, and what would be right.
    pub message: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {} [{}]", self.rule.level.name(), self.place, self.message, self.rule.id)
    }
}

impl From<Finding> for Diagnostic {
    fn from(finding: Finding) -> Diagnostic {
        Diagnostic::input(Location::name(&finding.place.to_string()), finding.message).breaks(finding.rule.id)
    }
}

/// The finding that a file cannot be read as a model.
pub fn unreadable(damage: Diagnostic) -> Finding {
    let rule = rules::by_id("file-readable").expect("the table has it");
    Finding { rule, place: Place::default(), message: damage.statement() }
}

/// The findings of a model.
#[derive(Clone, Debug)]
pub struct Findings {
    keep: Level,
    list: Vec<Finding>,
    /// How often each rule is broken whose findings are not kept.
    counts: Vec<(&'static Rule, usize)>,
}

/// Rules of form that exporters break in nearly every model: all tools accept such models, and agree on their meaning.
/// Only `onnxc check` reports them.
const FORMAL: [&str; 10] = [
    "model-domain",
    "names-identifier",
    "opset-domain-known",
    "opset-import-unique",
    "type-known",
    "value-info-defined",
    "value-info-inner",
    "value-shaped",
    "output-typed",
    "initializer-is-input",
];

impl Findings {
    /// No findings. Those below the level `keep` are only counted.
    pub fn new(keep: Level) -> Findings {
        Findings { keep, list: vec![], counts: vec![] }
    }

    /// Records a place where a rule is broken.
    pub fn add(&mut self, rule: &'static Rule, finding: impl FnOnce() -> (Place, String)) {
        if rule.level < self.keep {
            match self.counts.iter_mut().find(|(counted, _)| counted.id == rule.id) {
                Some((_, count)) => *count += 1,
                None => self.counts.push((rule, 1)),
            }
            return;
        }
        let (place, message) = finding();
        self.list.push(Finding { rule, place, message });
    }

    /// Whether the model cannot be used.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|finding| finding.rule.level == Level::Error)
    }

    /// Findings in the order of their places. A finding in a function is kept once, for the first of its calls.
    pub fn sorted(mut self) -> Vec<Finding> {
        self.list.sort_by(|a, b| (&a.place, a.rule.id).cmp(&(&b.place, b.rule.id)));
        let is_function = |place: &Place| place.steps.first().is_some_and(|step| step.part == Part::Function);
        self.list.dedup_by(|a, b| a.rule.id == b.rule.id && a.place == b.place && is_function(&a.place));
        self.list
    }

    /// One line about the findings that were only counted, if any of them may affect the results.
    pub fn summary(&self) -> Option<String> {
        let is_told = |rule: &Rule| rule.level > Level::Advice && !FORMAL.contains(&rule.id);
        let broken = self.counts.iter().filter(|(rule, _)| is_told(rule));
        let parts: Vec<String> = broken.map(|(rule, count)| format!("{} ({count})", rule.id)).collect();
        let message = || format!("the model breaks rules of ONNX; onnxc check says where: {}", parts.join(", "));
        (!parts.is_empty()).then(message)
    }
}

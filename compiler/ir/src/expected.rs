//! Expected diagnostics in the comments of a text: `// expected-error@+1 {{part of the message}}`.
//!
//! The position is a line: `@+N`, `@-N`, `@below`, `@above`, `@unknown` for none, or the comment's own line.

use crate::diagnostics::{Diagnostic, Severity};
use crate::location::Location;

/// One expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The severity.
    pub severity: Severity,
    /// Line from 1; `None` for a diagnostic without a position in the text.
    pub line: Option<u32>,
    /// Part of the message.
    pub text: String,
    /// The line of the comment.
    written: u32,
}

const SEVERITIES: [(&str, Severity); 3] = [
    ("expected-error", Severity::Error),
    ("expected-warning", Severity::Warning),
    ("expected-remark", Severity::Remark),
];

/// Reads all expectations of a text.
pub fn expectations(text: &str) -> Vec<Expected> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for (keyword, severity) in SEVERITIES {
            for (start, _) in line.match_indices(keyword) {
                found.extend(expectation(&line[start + keyword.len()..], severity, at as u32 + 1));
            }
        }
    }
    found
}

/// Reads `@place {{text}}`.
fn expectation(text: &str, severity: Severity, written: u32) -> Option<Expected> {
    let (place, rest) = text.split_once("{{")?;
    let (text, _) = rest.split_once("}}")?;
    let line = match place.trim().strip_prefix('@') {
        None => Some(written),
        Some("below") => Some(written + 1),
        Some("above") => written.checked_sub(1),
        Some("unknown") => None,
        Some(offset) => written.checked_add_signed(offset.parse().ok()?),
    };
    Some(Expected { severity, line, text: text.to_string(), written })
}

/// Compares reported with expected diagnostics; each mismatch is one line of the error.
pub fn compare(file: &str, expected: &[Expected], found: &[Diagnostic]) -> Result<(), Vec<String>> {
    let mut open: Vec<&Expected> = expected.iter().collect();
    let mut problems = Vec::new();
    for diagnostic in found {
        match open.iter().position(|expected| expected.matches(diagnostic)) {
            Some(at) => drop(open.remove(at)),
            None => problems.push(format!("{file}: not expected: {diagnostic}")),
        }
    }
    problems
        .extend(open.iter().map(|expected| format!("{file}:{}: not reported: {}", expected.written, expected.text)));
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

impl Expected {
    fn matches(&self, diagnostic: &Diagnostic) -> bool {
        self.severity == diagnostic.severity
            && self.line == line_of(&diagnostic.location)
            && diagnostic.message.contains(&self.text)
    }
}

/// The line of a location in a text.
fn line_of(location: &Location) -> Option<u32> {
    match location {
        Location::File { line, .. } => Some(*line),
        Location::Name(_, Some(child)) => line_of(child),
        Location::Fused(parts) => parts.iter().find_map(line_of),
        Location::CallSite(callee, _) => line_of(callee),
        Location::Unknown | Location::Name(_, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_texts() {
        let text = "// expected-error@+2 {{wrong}}\n// expected-error@below {{two}}\nop // expected-error {{three}}\n";
        let lines: Vec<_> = expectations(text).into_iter().map(|e| (e.line, e.text)).collect();
        assert_eq!(lines, [(Some(3), "wrong".into()), (Some(3), "two".into()), (Some(3), "three".into())]);
    }

    #[test]
    fn each_is_reported_once() {
        let expected = expectations("// expected-error@unknown {{lost}}");
        let lost = Diagnostic::input(Location::Unknown, "it is lost");
        assert_eq!(compare("f", &expected, std::slice::from_ref(&lost)), Ok(()));
        let problems = compare("f", &expected, &[lost.clone(), lost]).unwrap_err();
        assert_eq!(problems, ["f: not expected: error: it is lost"]);
        assert_eq!(compare("f", &expected, &[]).unwrap_err(), ["f:1: not reported: lost"]);
    }
}

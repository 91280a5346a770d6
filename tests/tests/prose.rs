//! Documents, comments and messages use the field's terms.
//!
//! [`WORDS`] lists expressions that this project once had for things with a usual name, and what to write instead. An
//! expression that readers cannot search for belongs on the list.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

/// Where an expression is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// In documents, comments and string literals.
    Prose,
    /// In string literals, which are messages to users or to developers.
    Message,
}

use Scope::{Message, Prose};

/// Regular expressions, in lower case, and what to write instead.
const WORDS: &[(Scope, &str, &str)] = &[
    // tiers, caches and compile time
    (Prose, r"\b(first|quick) code\b", "baseline tier"),
    (Prose, r"\bbetter code\b", "optimised tier"),
    (Prose, r"\bkept starts?\b", "warm start, cache hit"),
    (Prose, r"\bgives? the first result\b", "time to first result"),
    (Prose, r"\b(computed|known|taken|constants) ahead\b", "at compile time, constant, prefaulted"),
    (Prose, r"\bahead of (the |its )?runs?\b", "at compile time"),
    (Prose, r"\bsmall pages\b", "4 KiB pages"),
    (Prose, r"\bslow minutes?\b", "noisy measurements"),
    // order and position
    (Prose, r"\bbeside\b", "next to, in the background, along with"),
    (Prose, r"\bin front of\b", "before"),
    (Prose, r"\bone behind the other\b", "in sequence"),
    (Prose, r"\bl(ie|ies|ay) (apart|side by side)\b", "do not overlap, are contiguous"),
    (Prose, r"\bgoes? round\b", "wraps around, is loop-carried"),
    (Prose, r"\bbehind (it|them|this|that|each|all)\b", "after, consumer"),
    (Prose, r"\bstands? (in|at|there|behind|before|alone|outside|twice)\b", "is in, comes before, occurs"),
    // values
    (Prose, r"\bhalves\b", "f16, bf16, half precision"),
    (Prose, r"\btaps?\b", "kernel elements"),
    (Prose, r"\bof few bits\b", "4-bit values, quantised weights"),
    (Prose, r"\bsums? of products\b", "contraction, dot product"),
    (Prose, r"\bso many\b", "the number of, N"),
    // subjects
    (Prose, r"\b(whoever|nobody|somebody)\b", "a subject: the caller, the reader, no thread"),
    (Prose, r"\bwho (compiles|waits|wakes|runs|reads|writes|asks|evaluates)\b", "the compiling thread, the waiter"),
    (Prose, r"\b(tells?|told)\b", "reports, returns, documents; gets, receives"),
    (Prose, r"\bof (its|their) own\b", "separate, dedicated, own"),
    (Prose, r"\bwhat (it|each|they) (is|are) worth\b", "measured benefit"),
    // sentences
    (Prose, r"\b(it|that|which|what|this|they|these|those) (is|are) no [a-z]", "is not an X"),
    (Prose, r"\b(has|have) not (the|an?|as|enough)\b", "does not have"),
    (Prose, r"\bwhere there (is|are) no\b", "without"),
    (Prose, r"\berrors? of (the|a) (run|model)\b", "run-time error, invalid model"),
    // messages
    (Message, r"\bthere (is|are) no\b", "X was not found, X does not exist"),
    (Message, r"\b(is|are|was|were) no [a-z]", "is not an X"),
    (Message, r"\b(is|are|was|were) none\b", "does not exist"),
    (Message, r"\b(has|have) not (the|an?|as)\b", "does not have, X and Y differ"),
    (Message, r"\bknows no\b", "does not know"),
    (Message, r"\bbehind\b", "after"),
    (Message, r"\bin front\b", "before"),
    (Message, r"\bstands? there\b", "occurs"),
    (Message, r"\bas many as\b", "the number of X is Y"),
];

/// Standard English that the expressions would match.
const ALLOWED: &str =
    r"\b(is|are) no (longer|more|less|larger|smaller|better|worse)\b|\b(both|two|the|upper|lower) halves\b";

const FOLDERS: &[&str] = &["compiler", "dialects", "docs/src", "proto", "runtime", "tests", "tools"];
const DOCUMENTS: &[&str] = &["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

/// The sources and documents of a folder, except for this file, which has the expressions.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the source tree can be read");
    for path in entries.map(|entry| entry.expect("the source tree can be read").path()) {
        match path.extension() {
            _ if path.is_dir() => files(&path, found),
            Some(extension) if extension == "rs" && !path.ends_with("tests/prose.rs") => found.push(path),
            Some(extension) if extension == "md" => found.push(path),
            _ => {}
        }
    }
}

/// The line of each paragraph of prose, and its text without code. `prose` returns a line's prose.
fn paragraphs<'t>(text: &'t str, mut prose: impl FnMut(&'t str) -> Option<&'t str>) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (index, line) in text.lines().enumerate() {
        let part = prose(line).map(str::trim).filter(|part| !part.is_empty());
        match (part, found.last_mut()) {
            (Some(part), Some((_, paragraph))) if is_open => paragraph.extend([" ", part]),
            (Some(part), _) => found.push((index + 1, part.to_string())),
            (None, _) => {}
        }
        is_open = part.is_some();
    }
    found.iter_mut().for_each(|(_, text)| *text = text.split('`').step_by(2).collect::<Vec<_>>().join("`"));
    found
}

fn comments(source: &str) -> Vec<(usize, String)> {
    paragraphs(source, |line| line.trim_start().strip_prefix("//").map(|text| text.trim_start_matches(['/', '!'])))
}

fn document(text: &str) -> Vec<(usize, String)> {
    let mut is_code = false;
    paragraphs(text, |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some(line)
    })
}

/// The string literals with more than one word, and their lines.
fn literals(source: &str) -> Vec<(usize, String)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(offset) = source.get(at..).and_then(|rest| rest.find(['"', '\'', '/'])) {
        let start = at + offset;
        let (before, rest) = source.split_at(start);
        let length = match rest {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("'\"'") => 3,
            _ if rest.starts_with("'\\\"'") => 4,
            _ if rest.starts_with('"') => {
                let prefix = before.trim_end_matches('#');
                let mut is_escaped = false;
                let end = match prefix.ends_with('r') {
                    true => rest[1..].find(&format!("\"{}", &before[prefix.len()..])),
                    false => rest[1..].find(|character| {
                        let is_end = character == '"' && !is_escaped;
                        is_escaped = character == '\\' && !is_escaped;
                        is_end
                    }),
                };
                let text = &rest[1..=end.unwrap_or(rest.len() - 1)];
                let words = text.split_whitespace().filter(|&word| word != "\\").collect::<Vec<_>>();
                if words.len() > 1 {
                    found.push((before.matches('\n').count() + 1, words.join(" ")));
                }
                text.len() + 2
            }
            _ => 1,
        };
        at = start + length;
    }
    found
}

/// The expressions of a scope that paragraphs contain, with their lines and what to write instead.
fn problems(scope: Scope, paragraphs: Vec<(usize, String)>) -> Vec<(usize, String)> {
    static EXPRESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        let patterns = WORDS.iter().map(|(_, word, _)| *word).chain([ALLOWED]);
        patterns.map(|pattern| Regex::new(pattern).expect("the patterns are valid")).collect()
    });
    let (allowed, words) = EXPRESSIONS.split_last().expect("there are patterns");
    let rows: Vec<_> = WORDS.iter().zip(words).filter(|((of, ..), _)| *of == Prose || *of == scope).collect();
    let mut found = Vec::new();
    for (line, text) in paragraphs {
        let text = text.to_lowercase();
        let text = allowed.replace_all(&text, "");
        for ((_, _, instead), word) in &rows {
            found.extend(word.find(&text).map(|word| (line, format!("\"{}\", write: {instead}", word.as_str()))));
        }
    }
    found
}

#[test]
fn prose_uses_usual_terms() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths: Vec<PathBuf> = DOCUMENTS.iter().map(|document| root.join(document)).collect();
    FOLDERS.iter().for_each(|folder| files(&root.join(folder), &mut paths));
    assert!(paths.len() > 500, "the sources are not where they were");
    let mut found = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("sources are text");
        let here = match path.extension().is_some_and(|extension| extension == "md") {
            true => problems(Prose, document(&text)),
            false => [problems(Prose, comments(&text)), problems(Message, literals(&text))].concat(),
        };
        found.extend(here.iter().map(|(line, problem)| format!("{}:{line}: {problem}", path.display())));
    }
    assert!(found.is_empty(), "expressions without a usual term:\n{}", found.join("\n"));
}

#[test]
fn expressions_are_found() {
    let source = r##"
/// The first
/// code is `beside` a file.
fn f() {
    g('"', "there is no \
            room", r#"it is "behind""#); // beside
}
"##;
    let expected = [(2, "\"first code\", write: baseline tier".to_string())];
    assert_eq!(problems(Prose, comments(source)), expected);
    let found = problems(Message, literals(source));
    let lines: Vec<usize> = found.iter().map(|&(line, _)| line).collect();
    assert_eq!(lines, [5, 5, 6], "{found:?}");
    assert_eq!(problems(Prose, document("```\nbeside\n```\nIt is no\nlonger beside it.\n"))[0].0, 4);
    assert_eq!(problems(Prose, document("It is no longer there; both halves are.")), []);
}

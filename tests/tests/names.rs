//! Operators are named only in their rows, in rules and in tests. Other code asks the rows.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dialects::onnx::OnnxOp;

/// The folders of sources, and the parts of them that may name operators: rows, the tables of schemas and their tests,
/// and rewrite rules.
const SOURCES: &[&str] = &["compiler", "dialects/src", "proto/src", "runtime/src", "tools"];
const EXEMPT: &[&str] = &["compiler/operators", "compiler/optimize/src/rules", "dialects/src/onnx"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the source tree can be read");
    for entry in entries.map(|entry| entry.expect("the source tree can be read").path()) {
        match entry.is_dir() {
            true if entry.ends_with("tests") => {}
            true => files(&entry, found),
            false if entry.ends_with("tests.rs") => {}
            false if entry.extension().is_some_and(|extension| extension == "rs") => found.push(entry),
            false => {}
        }
    }
}

/// The quoted words of a line, without the dialect's prefix.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2).map(|text| text.trim_start_matches("onnx."))
}

#[test]
fn only_rows_and_rules_name_operators() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let operators: HashSet<&str> = OnnxOp::all().map(|operator| operator.name().trim_start_matches("onnx.")).collect();
    let mut sources = Vec::new();
    SOURCES.iter().for_each(|folder| files(&root.join(folder), &mut sources));
    assert!(sources.len() > 100, "the sources are not where they were");
    let mut found = Vec::new();
    for path in sources.iter().filter(|path| !EXEMPT.iter().any(|exempt| path.starts_with(root.join(exempt)))) {
        let text = std::fs::read_to_string(path).expect("sources are text");
        // unit tests are at the end of a file
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in lines.filter(|(_, line)| quoted(line).any(|word| operators.contains(word))) {
            found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
        }
    }
    assert!(found.is_empty(), "operators named outside their rows:\n{}", found.join("\n"));
}

/// Operations below the graph are named in the rows of their dialects, and in `ir` those that the IR itself builds. Other code has their
/// codes; a level's table of what is legal is part of the definitions.
#[test]
fn only_definitions_quote_operations() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = Vec::new();
    ["compiler", "runtime/src", "tools"].iter().for_each(|folder| files(&root.join(folder), &mut sources));
    let is_operation = |text: &str| dialects::OpCode::of_text(text).is_some();
    let mut found = Vec::new();
    for path in sources.iter().filter(|path| !path.ends_with("ir/src/op_name.rs")) {
        let text = std::fs::read_to_string(path).expect("sources are text");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
        for (number, line) in lines.filter(|(_, line)| line.split('"').any(is_operation)) {
            found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
        }
    }
    assert!(found.is_empty(), "operations quoted outside of their definitions:\n{}", found.join("\n"));
}

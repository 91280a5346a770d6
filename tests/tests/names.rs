//! Operators are named only in their rows, in rules and in tests. Other code asks the rows.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dialects::onnx::OnnxOp;
use regex::Regex;

/// The folders of sources, and the parts of them that may name operators: rows, the tables of schemas and their tests,
/// and rewrite rules.
const SOURCES: &[&str] = &["compiler", "dialects/src", "proto/src", "runtime/src", "tools"];
const EXEMPT: &[&str] = &["compiler/operators", "compiler/optimize/src/rules", "dialects/src/onnx"];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    find(folder, "rs", &|path| !path.ends_with("tests") && !path.ends_with("tests.rs"), found);
}

/// The files of an extension below a folder; only folders and files that `is_wanted` accepts.
fn find(folder: &Path, extension: &str, is_wanted: &dyn Fn(&Path) -> bool, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the source tree can be read");
    for entry in entries.map(|entry| entry.expect("the source tree can be read").path()) {
        if entry.is_dir() && is_wanted(&entry) {
            find(&entry, extension, is_wanted, found);
        } else if entry.extension().is_some_and(|own| own == extension) && is_wanted(&entry) {
            found.push(entry);
        }
    }
}

/// The files below some folders that are not exempt, and their lines of code; comments are empty lines.
fn code(folders: &[&str], exempt: &[&str]) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = Vec::new();
    folders.iter().for_each(|folder| files(&root.join(folder), &mut sources));
    assert!(sources.len() > 100, "the sources are not where they were");
    sources.retain(|path| !exempt.iter().any(|exempt| path.starts_with(root.join(exempt))));
    let code_of = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("sources are text");
        // unit tests are at the end of a file
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let lines: Vec<&str> = code.lines().map(|line| Some(line).filter(is_code).unwrap_or_default()).collect();
        (path, lines.join("\n"))
    };
    sources.into_iter().map(code_of).collect()
}

/// The lines of code below some folders, without those of files that are exempt, in which a quoted text offends.
fn offending(folders: &[&str], exempt: &[&str], offends: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (path, code) in code(folders, exempt) {
        let lines = code.lines().enumerate().filter(|(_, line)| line.split('"').skip(1).step_by(2).any(&offends));
        found.extend(lines.map(|(number, line)| format!("{}:{}: {}", path.display(), number + 1, line.trim())));
    }
    found
}

#[test]
fn only_rows_and_rules_name_operators() {
    let own = |text: &str| text.trim_start_matches("onnx.").to_string();
    let operators: HashSet<String> = OnnxOp::all().map(|operator| own(operator.name())).collect();
    let found = offending(SOURCES, EXEMPT, |text| operators.contains(&own(text)));
    assert!(found.is_empty(), "operators named outside their rows:\n{}", found.join("\n"));
}

/// Operations below the graph are named in the rows of their dialects, and in `ir` those that the IR itself builds. Other code has their
/// codes.
#[test]
fn only_definitions_quote_operations() {
    let is_operation = |text: &str| dialects::OpCode::of_text(text).is_some();
    let found = offending(&["compiler", "runtime/src", "tools"], &["compiler/ir/src/op_name.rs"], is_operation);
    assert!(found.is_empty(), "operations quoted outside of their definitions:\n{}", found.join("\n"));
}

/// Operations that have a struct of named operands are created from it, not from their code and a list of operands. The code generators and
/// the interpreter create no operations; they match on codes and lists.
#[test]
fn named_operands_are_not_listed() {
    let structs = include_str!("../../dialects/src/codes/operands.rs");
    let names =
        structs.lines().filter_map(|line| line.trim().strip_prefix("/// The operands of `")?.strip_suffix("`."));
    let codes: Vec<String> = names
        .filter_map(|name| name.split_once('.'))
        .map(|(dialect, own)| format!("{dialect}::{}", own.to_uppercase()))
        .collect();
    assert!(codes.len() > 30, "the structs are not where they were");
    // a code as an argument, and the next one: a borrow, a variable or a call
    let list =
        Regex::new(&format!(r"\b(?:{})\s*,\s*(?:&|[a-z_.]+[,()\[])", codes.join("|"))).expect("the pattern is valid");
    let creates = "builder.value(\n    tensor::EXTRACT,\n    operands,\n    element,\n)";
    assert!(list.is_match(creates) && list.is_match("emitter.pure(vector::SHUFFLE, &pair, r#type, mask)"));
    let exempt = ["compiler/codegen-cranelift", "compiler/codegen-llvm", "compiler/interpreter"];
    let mut found = Vec::new();
    for (path, code) in code(SOURCES, &exempt) {
        found.extend(list.find_iter(&code).map(|at| {
            let line = code[..at.start()].matches('\n').count() + 1;
            format!("{}:{line}: {}", path.display(), at.as_str())
        }));
    }
    assert!(found.is_empty(), "operands listed without their names:\n{}", found.join("\n"));
}

/// Files that a document or a comment names in code spans, by a path, exist.
#[test]
fn named_files_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the source tree can be read");
    let (mut sources, mut documents) = (Vec::new(), Vec::new());
    for folder in ["compiler", "dialects", "proto", "runtime", "tools", "tests/tests", "tests/src"] {
        find(&root.join(folder), "rs", &|_| true, &mut sources);
    }
    find(&root.join("docs/src"), "md", &|_| true, &mut documents);
    let known: Vec<String> = sources.iter().map(|path| path.display().to_string()).collect();
    documents.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    let mut missing = Vec::new();
    for path in documents.iter().chain(&sources) {
        let text = std::fs::read_to_string(path).expect("sources are text");
        let is_code = path.extension().is_some_and(|extension| extension == "rs");
        for line in text.lines().filter(|line| !is_code || line.trim_start().starts_with("//")) {
            let spans = line.split('`').skip(1).step_by(2);
            let named = spans.filter(|span| span.ends_with(".rs") && span.contains('/'));
            for span in named.filter(|span| {
                !span.contains(|c: char| c.is_uppercase() || "*… ".contains(c))
                    && !known.iter().any(|path| path.ends_with(&format!("/{span}")))
            }) {
                missing.push(format!("{}: {span}", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "files that do not exist:\n{}", missing.join("\n"));
}

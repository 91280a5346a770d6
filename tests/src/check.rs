//! Generates the page about checking from the table of rules and from the results of other tools on the same models.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use driver::{Profile, rules};

/// The results in `tests/check`.
#[derive(Debug, Default)]
pub struct Counts {
    /// The versions of the tools.
    pub tools: String,
    /// How many models break each rule, and how many of them onnx's checker and ONNX Runtime refuse.
    pub rules: BTreeMap<String, [usize; 3]>,
    /// How many models crash either tool, or take it longer than ten seconds.
    pub crashes: [usize; 2],
    /// Rules that real models break: the rule, the models, and the cause.
    pub violations: Vec<(String, Vec<String>, String)>,
}

/// Reads the files in `tests/check`.
pub fn counts(root: &Path) -> Counts {
    let read = |name: &str| std::fs::read_to_string(root.join("tests/check").join(name)).expect("the file is there");
    let mut counts = Counts::default();
    for line in read("tools.tsv").lines() {
        let [name, checker, runtime] = *line.split('\t').collect::<Vec<_>>() else {
            counts.tools = line.trim_start_matches("# ").to_string();
            continue;
        };
        let rule = name.trim_start_matches("invalid/").rsplit_once('-').map_or(name, |(rule, _)| rule);
        let of_rule = counts.rules.entry(rule.to_string()).or_default();
        of_rule[0] += 1;
        for (tool, outcome) in [checker, runtime].into_iter().enumerate() {
            of_rule[tool + 1] += usize::from(outcome == "refused");
            counts.crashes[tool] += usize::from(outcome == "crashed");
        }
    }
    let table: toml::Table = read("violations.toml").parse().expect("the file is TOML");
    for (rule, entry) in table {
        let models = entry["models"].as_array().expect("a list of models");
        let models = models.iter().filter_map(|model| model.as_str()).map(str::to_string).collect();
        let sentence = entry["sentence"].as_str().expect("a sentence").to_string();
        counts.violations.push((rule, models, sentence));
    }
    counts
}

/// The model in a folder of models.
pub fn model_of(folder: &Path) -> Option<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "onnx"))
}

const HEAD: &str = "\
# Checking

`onnxc check MODEL` says where a model, or an operator-set document, breaks the rules of the ONNX documents: every finding,
with the rule, the place and what was expected. With `--operators SET` a model may call the functions of that set. An *error* makes a model impossible to run, or ambiguous: importing refuses it. A *violation* is what
the documents forbid but common tools accept: importing warns, and refuses with `--strict`. *Advice* is printed only by
`onnxc check`. `--json` is for programs, `--list-rules` prints the table below.

This page is written from the table in `compiler/check` (`UPDATE=1 cargo test -p tests --test check`). The models that break
one rule each are in `tests/check/invalid`, with a similar valid one for each rule; those without a fault are in
`tests/check/valid.py`. *IR* is ONNX's \"Open Neural
Network Exchange Intermediate Representation Specification\"; where it refers to `onnx.proto` for the syntax, that is cited.
";

/// The page.
pub fn page(root: &Path) -> String {
    let counts = counts(root);
    let mut page = HEAD.to_string();
    others(&mut page, &counts);
    page.push_str("\n## Rules\n\nThe last columns of each rule: the number of models that break it, and how many of these onnx's checker and ONNX Runtime accept.\n");
    for (family, rows) in rules::families().filter(|(_, rows)| rows.iter().any(|rule| rule.profile == Profile::Onnx)) {
        writeln!(page, "\n### {family}\n\n| rule | level | IR | demand | source | models | checker accepts | runtime accepts |\n|---|---|---|---|---|---|---|---|")
            .expect("text can be written");
        for rule in rows.iter().filter(|rule| rule.profile == Profile::Onnx) {
            let [models, checker, runtime] = counts.rules.get(rule.id).copied().unwrap_or_default();
            let (level, versions) = (rule.level.name(), rule.versions_text());
            let (checker, runtime) = (models - checker, models - runtime);
            writeln!(
                page,
                "| `{}` | {level} | {versions} | {} | {} | {models} | {checker} | {runtime} |",
                rule.id, rule.sentence, rule.source
            )
            .expect("text can be written");
        }
    }
    real_models(&mut page, &counts);
    page
}

/// The section on other tools.
fn others(page: &mut String, counts: &Counts) {
    let sum = |at: usize| counts.rules.values().map(|of_rule| of_rule[at]).sum::<usize>();
    let (all, checker, runtime) = (sum(0), sum(1), sum(2));
    let [checker_crashes, runtime_crashes] = counts.crashes;
    write!(
        page,
        "
## Other tools on the same models

Of {all} models that break a rule, the full checker of onnx refuses {checker} and accepts {}; ONNX Runtime refuses {runtime}
and accepts {}. They crash or hang on {checker_crashes} and {runtime_crashes}. Neither reads operator sets, so both refuse
those documents. ({}; `tests/check/tools.py`.)
",
        all - checker - checker_crashes,
        all - runtime - runtime_crashes,
        counts.tools,
    )
    .expect("text can be written");
}

/// The section on real models.
fn real_models(page: &mut String, counts: &Counts) {
    page.push_str("\n## Real models\n\nThe models of `tests/models` break no rule of level error. The other rules that they break:\n\n");
    for (rule, models, sentence) in &counts.violations {
        let names = if models.len() > 8 { format!("{} models", models.len()) } else { models.join(", ") };
        writeln!(page, "- `{rule}` ({names}): {sentence}").expect("text can be written");
    }
}

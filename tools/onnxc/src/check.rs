//! `onnxc check`: reports where a model, or an operator set, breaks the rules of the documents.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use commandline::{Drafts, Failure, dimension, expect_one_value, print, shape};
use driver::{Finding, OperatorSetProto, Profile, RuleLevel, rules};
use indexmap::IndexMap;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  onnxc check model.onnx                                  all findings, sorted by place
  onnxc check model.onnx --strict                         also fail on violations, which common tools accept
  onnxc check model.onnx --json | jq .                    output for other programs
  onnxc check model.onnx --summary                        which rules are broken, and how often
  onnxc check - --ignore model-domain < model.onnx        from the standard input, without a rule
  onnxc check model.onnx --operators set.onnx             the model calls functions of an operator set
  onnxc check set.onnx                                    an operator set alone
  onnxc check --list-rules                                list the rules";

/// Report where a model breaks the rules of ONNX
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The model, or an operator-set document; - is standard input
    #[arg(required_unless_present = "list_rules")]
    model: Option<PathBuf>,
    /// An operator-set document, whose functions the model may call if it imports their domain
    #[arg(long = "operators", value_name = "FILE")]
    pub(crate) operator_sets: Vec<PathBuf>,
    /// The profile whose rules apply
    #[arg(long, value_enum, default_value_t = ProfileName::Onnx)]
    pub(crate) profile: ProfileName,
    /// Under the profile sonnx, accept graphs in attributes that read values of enclosing graphs
    #[arg(long)]
    pub(crate) sonnx_captures: bool,
    /// Fail for violations, too: forbidden by the documents, but accepted by common tools
    #[arg(long)]
    strict: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// Print one line for each broken rule, with its count
    #[arg(long)]
    summary: bool,
    /// Check these rules only
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = known_rule)]
    only: Vec<String>,
    /// Do not check these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = known_rule, conflicts_with = "only")]
    ignore: Vec<String>,
    /// Write findings, restrictions, and bounds of the code to a page that has the same bytes on every machine
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// The extent of a named dimension, for the report
    #[arg(long = "dim", value_name = "NAME=N", value_parser = dimension)]
    pub(crate) dims: Vec<(String, i64)>,
    /// The shape of an input, for the report
    #[arg(long = "shape", value_name = "NAME=NxN", value_parser = shape)]
    pub(crate) shapes: Vec<(String, Vec<i64>)>,
    /// Print the rules instead of checking a model
    #[arg(long, conflicts_with_all = ["model", "strict"])]
    list_rules: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileName {
    /// The rules of ONNX; code is generated for speed
    Onnx,
    /// Those, and the restrictions of the safety profile; code gives the same bits on every processor, and has no runtime, no
    /// heap and no threads
    Sonnx,
}

impl ProfileName {
    /// The rules of a profile, with captures or without.
    pub(crate) fn profile(self, captures: bool) -> Profile {
        match (self, captures) {
            (ProfileName::Onnx, _) => Profile::Onnx,
            (ProfileName::Sonnx, true) => Profile::SonnxWithCaptures,
            (ProfileName::Sonnx, false) => Profile::Sonnx,
        }
    }
}

/// Prints the findings; fails if they are bad enough.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    expect_one_value("--dim", &arguments.dims)?;
    expect_one_value("--shape", &arguments.shapes)?;
    let profile = arguments.profile.profile(arguments.sonnx_captures);
    let Some(model) = &arguments.model else {
        return print(&if arguments.json { rules_json(profile) } else { rules_text(profile) });
    };
    let sets = operator_sets(&arguments.operator_sets)?;
    let mut found = match model == Path::new("-") {
        true => driver::check_bytes(&standard_input()?, profile, &sets),
        false => driver::check_file(model, profile, &sets),
    };
    let is_named = |rules: &[String], finding: &Finding| rules.iter().any(|rule| rule == finding.rule.id);
    found.retain(|finding| match arguments.only.is_empty() {
        true => !is_named(&arguments.ignore, finding),
        false => is_named(&arguments.only, finding),
    });
    if arguments.report.is_some() && model == Path::new("-") {
        return Err(Failure::usage("--report: the model must be in a file"));
    }
    if let Some(path) = &arguments.report {
        let page = crate::report_page::report(arguments, model, &found)?;
        Drafts::watch().file(path)?.write(page.as_bytes())?;
    }
    print(&match (arguments.json, arguments.summary) {
        (true, false) => findings_json(&found),
        (false, false) => findings_text(&found),
        (true, true) => summary_json(&found),
        (false, true) => summary_text(&found),
    })?;
    let bad = if arguments.strict { RuleLevel::Violation } else { RuleLevel::Error };
    match found.iter().any(|finding| finding.rule.level >= bad) {
        true => Err(Failure { code: 1, lines: vec![] }),
        false => Ok(()),
    }
}

/// Checks that a rule exists.
fn known_rule(name: &str) -> Result<String, String> {
    match rules::by_id(name) {
        Some(rule) => Ok(rule.id.to_string()),
        None => Err("this rule does not exist; onnxc check --list-rules prints them".to_string()),
    }
}

/// Reads operator-set documents.
pub(crate) fn operator_sets(paths: &[PathBuf]) -> Result<Vec<OperatorSetProto>, Failure> {
    let sets = paths.iter().map(|path| OperatorSetProto::load(path));
    Ok(sets.collect::<Result<_, _>>().map_err(|damage| vec![driver::damaged(damage)])?)
}

/// All of the standard input.
pub(crate) fn standard_input() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().read_to_end(&mut bytes);
    read.map_err(|error| Failure::input(format!("standard input: the model cannot be read: {error}")))?;
    Ok(bytes)
}

/// The broken rules and their counts, the worst and most frequent first.
fn counts(found: &[Finding]) -> Vec<(&'static rules::Rule, usize)> {
    let mut counts: IndexMap<&str, (&'static rules::Rule, usize)> = IndexMap::new();
    found.iter().for_each(|finding| counts.entry(finding.rule.id).or_insert((finding.rule, 0)).1 += 1);
    let mut counts: Vec<_> = counts.into_values().collect();
    counts.sort_by_key(|(rule, count)| std::cmp::Reverse((rule.level, *count)));
    counts
}

fn summary_text(found: &[Finding]) -> String {
    let line = |(rule, count): &(&rules::Rule, usize)| {
        format!("{count:6} {:9} {:36} {}\n", rule.level.name(), rule.id, rule.sentence)
    };
    counts(found).iter().map(line).collect()
}

fn summary_json(found: &[Finding]) -> String {
    let one =
        |(rule, count): &(&rules::Rule, usize)| json!({ "rule": rule.id, "level": rule.level.name(), "count": count });
    format!("{:#}\n", serde_json::Value::Array(counts(found).iter().map(one).collect()))
}

fn findings_text(found: &[Finding]) -> String {
    found.iter().map(|finding| format!("{finding}\n")).collect()
}

fn findings_json(found: &[Finding]) -> String {
    let one = |finding: &Finding| {
        json!({
            "rule": finding.rule.id,
            "level": finding.rule.level.name(),
            "place": finding.place.to_string(),
            "message": finding.message,
            "source": finding.rule.source,
        })
    };
    format!("{:#}\n", serde_json::Value::Array(found.iter().map(one).collect()))
}

fn rules_text(profile: Profile) -> String {
    let line = |rule: &rules::Rule| {
        let (level, versions) = (rule.level.name(), rule.versions_text());
        format!("{:36} {level:9} {versions:5} {} ({})\n", rule.id, rule.sentence, rule.source)
    };
    rules::of(profile).map(line).collect()
}

fn rules_json(profile: Profile) -> String {
    let one = |rule: &'static rules::Rule| {
        json!({
            "rule": rule.id,
            "level": rule.level.name(),
            "versions": rule.versions_text(),
            "profile": rule.profile.name(),
            "source": rule.source,
            "sentence": rule.sentence,
        })
    };
    format!("{:#}\n", serde_json::Value::Array(rules::of(profile).map(one).collect()))
}

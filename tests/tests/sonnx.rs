//! Without a runtime every processor computes the same bits, under the SONNX profile and in the fixed order of arithmetic.

use std::path::Path;
use std::process::Command;

use driver::testdata::Tolerance;
use driver::{Profile, RuleLevel};

use tests::conformance::repository;
use tests::profile::{ANY, Form, Model, Report, compare_processors, suite};
use tests::worker::onnxc;

/// By default one in this many cases of the backend suite is run.
const SAMPLE: usize = 128;
const MODELS: [&str; 1] = ["silero_vad_op18"];

fn report(models: &[Model], form: Form, name: &str) -> std::io::Result<Report> {
    let program = std::env::current_exe().expect("a test is a program");
    let sibling = program.parent().and_then(Path::parent).expect("it is in deps").join("onnxc");
    let scratch = repository().join("target/sonnx").join(name);
    let report = compare_processors(onnxc(&sibling), models, form, &scratch)?;
    eprintln!("{} equal, {} refused, not here: {:?}", report.equal, report.refused, report.missing);
    Ok(report)
}

fn compare(models: &[Model], name: &str) -> usize {
    let report = report(models, Form::Sonnx, name).unwrap_or_else(|error| panic!("{error}"));
    assert!(report.problems.is_empty(), "{}", report.problems.join("\n"));
    report.equal
}

#[test]
fn operators_give_the_same_bits_everywhere() {
    compare(&suite(SAMPLE), "sample");
}

#[test]
#[ignore = "takes minutes"]
fn all_operators_give_the_same_bits_everywhere() {
    compare(&suite(1), "suite");
}

#[test]
fn models_give_the_same_bits_everywhere() {
    let models = real_models(None, |name| MODELS.contains(&name));
    assert_eq!(compare(&models, "models"), models.len(), "none of them is refused");
}

/// With a runtime, too, on both back ends of this machine; and on more systems.
#[test]
#[ignore = "takes minutes"]
fn more_operators_give_the_same_bits_everywhere() {
    let report = report(&suite(3), Form::Fixed, "more").unwrap_or_else(|error| panic!("{error}"));
    assert!(report.problems.is_empty(), "{}", report.problems.join("\n"));
    assert!(report.equal >= 300, "{} are equal", report.equal);
}

/// All models that were fetched, or those that BITS names, in the same ways.
#[test]
#[ignore = "takes hours"]
fn all_models_give_the_same_bits_everywhere() {
    let named = std::env::var("BITS").unwrap_or_default();
    let mut wrong = Vec::new();
    let is_named = |name: &str| named.is_empty() || named.split_whitespace().any(|one| one == name);
    // whether outputs are right, and how near, is tested with `models`
    for model in real_models(Some(ANY), is_named) {
        let name = model.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        eprint!("{name}: ");
        match report(&[model], Form::Fixed, "real") {
            Ok(report) => wrong.extend(report.problems),
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn real_models(tolerance: Option<Tolerance>, is_chosen: impl Fn(&str) -> bool) -> Vec<Model> {
    let entries = std::fs::read_dir(repository().join("target/models")).into_iter().flatten().flatten();
    let mut chosen: Vec<_> = entries
        .filter(|entry| is_chosen(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .filter(|folder| folder.join("model.onnx").is_file())
        .collect();
    chosen.sort();
    chosen.into_iter().map(|folder| Model { folder, tolerance }).collect()
}

/// Graphs of `tests/check/sonnx.py`: each breaks the stated restriction at the stated place, and no other.
#[test]
fn restrictions_are_found_where_they_are_broken() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let (script, folder) = (repository().join("tests/check/sonnx.py"), repository().join("target/sonnx/graphs"));
    if !Command::new(&python).arg(script).arg(&folder).status().is_ok_and(|status| status.success()) {
        tests::skip(&format!("`{python} tests/check/sonnx.py` fails; set PYTHON to one with tests/requirements.txt"));
        return;
    }
    let list = std::fs::read_to_string(folder.join("cases.tsv")).expect("the script writes a list");
    for line in list.lines() {
        let [name, rule, place, count, captures] = *line.split('\t').collect::<Vec<_>>() else {
            panic!("five fields: {line}")
        };
        let profile = if captures.is_empty() { Profile::Sonnx } else { Profile::SonnxWithCaptures };
        let found = driver::check_file(&folder.join(format!("{name}.onnx")), profile, &[]);
        let is_of_profile = |finding: &&driver::Finding| finding.rule.profile > Profile::Onnx;
        let own: Vec<_> = found.iter().filter(is_of_profile).map(|f| (f.rule.id, f.place.to_string())).collect();
        let is_restriction = rule.starts_with("sonnx");
        let expected = if is_restriction { count.parse().expect("a number") } else { 0 };
        assert_eq!(own.len(), expected, "{name}: {own:?}");
        assert!(
            own.iter().all(|(id, _)| *id == rule) && own.first().is_none_or(|(_, at)| at == place),
            "{name}: {own:?}"
        );
        let errors: Vec<&str> = found.iter().filter(|f| f.rule.level == RuleLevel::Error).map(|f| f.rule.id).collect();
        let is_error = !rule.is_empty() && !is_restriction;
        assert_eq!(errors.contains(&rule), is_error, "{name}: {errors:?}");
        assert!(is_error || errors.is_empty(), "{name}: {errors:?}");
    }
}

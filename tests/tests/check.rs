//! Tests the rules on models that break one each, on valid models, and on real ones; and their documentation.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use driver::{OperatorSetProto, Profile, RuleLevel, rules};
use tests::check::{counts, page};
use tests::conformance::repository;
use tests::worker::onnxc;

/// A model that the script writes.
struct Case {
    name: String,
    folder: PathBuf,
    fault: Fault,
}

/// The fault of a model.
enum Fault {
    None,
    /// It breaks a rule, at a place.
    Broken {
        rule: String,
        place: String,
    },
    /// None, though it is similar to a model that breaks a rule.
    Near {
        rule: String,
    },
}

impl Case {
    fn broken(&self) -> Option<(&str, &str)> {
        match &self.fault {
            Fault::Broken { rule, place } => Some((rule, place)),
            Fault::None | Fault::Near { .. } => None,
        }
    }

    fn model(&self) -> PathBuf {
        self.folder.join("model.onnx")
    }

    /// The operator set whose functions it may call.
    fn set(&self) -> Option<PathBuf> {
        Some(self.folder.join("set.onnx")).filter(|set| set.exists())
    }

    /// The file, and its operator set.
    fn arguments(&self) -> Vec<String> {
        let given = self.set().map(|set| ["--operators".into(), set.display().to_string()]);
        [self.model().display().to_string()].into_iter().chain(given.into_iter().flatten()).collect()
    }

    /// What is expected to be found: a rule and a place.
    fn expect(&self, found: &[(String, String)]) -> Result<(), String> {
        let found: Vec<(&str, &str)> = found.iter().map(|(rule, place)| (rule.as_str(), place.as_str())).collect();
        let expected: Vec<_> = self.broken().into_iter().collect();
        if found == expected { Ok(()) } else { Err(format!("expected {expected:?}, found {found:?}")) }
    }
}

/// The models of `tests/check`; none if the script cannot run.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let (python, root) = (std::env::var("PYTHON").unwrap_or_else(|_| "python3".into()), repository());
    let folder = root.join("target/check");
    let script = root.join("tests/check/generate.py");
    if !Command::new(&python).arg(script).arg(&folder).status().is_ok_and(|status| status.success()) {
        tests::skip(&format!(
            "`{python} tests/check/generate.py` fails; set PYTHON to one with tests/requirements.txt"
        ));
        return vec![];
    }
    let list = std::fs::read_to_string(folder.join("cases.tsv")).expect("the script writes a list");
    let case = |line: &str| {
        let [name, rule, place] = *line.split('\t').collect::<Vec<_>>() else { panic!("three fields: {line}") };
        let (rule, place) = (rule.to_string(), place.to_string());
        let fault = match (rule.is_empty(), place.is_empty()) {
            (true, _) => Fault::None,
            (false, true) => Fault::Near { rule },
            (false, false) => Fault::Broken { rule, place },
        };
        Case { name: name.to_string(), folder: folder.join(name), fault }
    };
    list.lines().map(case).collect()
});

fn tool(name: &str) -> PathBuf {
    onnxc(Path::new(env!("CARGO_BIN_EXE_conformance"))).with_file_name(name)
}

/// Runs a tool within two seconds of processor time and 500 MB of writable memory, which excludes the mapped file; a
/// tool that hangs ends, too.
fn limited(tool: &Path, arguments: &[String]) -> Output {
    let script = "ulimit -t 2 -d 488281; exec timeout 20 \"$@\"";
    let mut command = Command::new("bash");
    command.args(["-c", script, "bash"]).arg(tool).args(arguments);
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Checks cases on two threads; every problem is reported.
fn each(cases: &[&Case], look: impl Fn(&Case) -> Result<(), String> + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut problems = vec![];
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            problems.extend(look(case).err().map(|problem| format!("{}: {problem}", case.name)));
        }
        problems
    };
    let problems: Vec<String> = std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().flat_map(|thread| thread.join().expect("tests do not panic on threads")).collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The findings about a model: rules and places.
fn found(case: &Case) -> Result<Vec<(String, String)>, String> {
    let sets = case.set().iter().map(|set| OperatorSetProto::load(set)).collect::<Result<Vec<_>, _>>();
    let sets = sets.map_err(|damage| driver::damaged(damage).to_string())?;
    let found = driver::check_file(&case.model(), Profile::Onnx, &sets);
    Ok(found.iter().map(|finding| (finding.rule.id.to_string(), finding.place.to_string())).collect())
}

/// The same from the tool.
fn found_by_tool(case: &Case) -> Result<Vec<(String, String)>, String> {
    let arguments = [vec!["check".into(), "--json".into()], case.arguments()].concat();
    let output = limited(&tool("onnxc"), &arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let list: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("{}: {}{}", output.status, text(&output.stdout), text(&output.stderr)))?;
    let finding = |finding: &serde_json::Value| {
        let field = |name: &str| finding[name].as_str().unwrap_or_default().to_string();
        (field("rule"), field("place"))
    };
    Ok(list.as_array().into_iter().flatten().map(finding).collect())
}

#[test]
fn a_fault_is_found_by_its_rule_in_its_place() {
    let cases: Vec<&Case> = CASES.iter().collect();
    each(&cases, |case| case.expect(&found(case)?));
}

#[test]
fn the_tool_prints_what_is_found() {
    let cases: Vec<&Case> = CASES.iter().step_by(10).collect();
    each(&cases, |case| case.expect(&found_by_tool(case)?));
}

/// Valid models give the expected results: one in `sample` of them.
fn runs(backend: &str, sample: usize) {
    let with_data = CASES.iter().filter(|case| case.folder.join("test_data_set_0").exists());
    let cases: Vec<&Case> = with_data.step_by(sample).collect();
    let onnx_run = tool("onnx-run");
    each(&cases, |case| {
        let mut command = Command::new(&onnx_run);
        command.arg(case.model()).arg("--test-data").arg(&case.folder).args(["--backend", backend, "--threads", "1"]);
        let output = command.output().map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()),
        }
    });
}

#[test]
fn models_without_fault_run_on_cranelift() {
    runs("cranelift", 1);
}

#[test]
fn models_without_fault_run_on_llvm() {
    runs("llvm", 5);
}

/// One model for each rule.
#[test]
fn errors_refuse_and_violations_warn() {
    let onnxc = tool("onnxc");
    // other documents are never imported
    let is_model = |place: &str| !place.starts_with("operator set");
    let broken = CASES.iter().filter_map(|case| case.broken().map(|(rule, place)| (rule, place, case)));
    let of_models = broken.filter(|(_, place, _)| is_model(place)).map(|(rule, _, case)| (rule, case));
    let broken: Vec<&Case> = of_models.collect::<BTreeMap<_, _>>().into_values().collect();
    each(&broken, |case| {
        let (id, _) = case.broken().expect("only those");
        let rule = rules::by_id(id).ok_or_else(|| format!("{id} is not a rule"))?;
        let arguments = [case.arguments(), vec!["--emit".into(), "graph".into()]].concat();
        let output = limited(&onnxc, &arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        match rule.level {
            RuleLevel::Error if output.status.code() == Some(1) => Ok(()),
            RuleLevel::Violation if output.status.code() != Some(1) => Ok(()),
            RuleLevel::Advice if !text.contains(id) => Ok(()),
            _ => Err(format!("{} is {}, but: {} {text}", id, rule.level.name(), output.status)),
        }
    });
}

#[test]
fn every_rule_has_a_model_that_breaks_it_and_one_nearby_that_does_not() {
    let (broken, whole): (Vec<&Case>, Vec<&Case>) = CASES.iter().partition(|case| case.broken().is_some());
    if CASES.is_empty() {
        return;
    }
    assert!(broken.len() >= 350 && whole.len() >= 250, "{} and {} models", broken.len(), whole.len());
    let near = whole.iter().filter_map(|case| match &case.fault {
        Fault::Near { rule } => Some(rule.as_str()),
        Fault::None | Fault::Broken { .. } => None,
    });
    let covers: [(BTreeSet<&str>, &str); 2] = [
        (broken.iter().filter_map(|case| case.broken()).map(|(rule, _)| rule).collect(), "no model breaks"),
        (near.collect(), "no model is near to breaking"),
    ];
    for (covered, problem) in covers {
        let open: Vec<&str> = rules::of(Profile::Onnx).map(|rule| rule.id).filter(|id| !covered.contains(id)).collect();
        assert!(open.is_empty(), "{problem} {open:?}");
    }
}

#[test]
fn identifiers_are_unique() {
    let ids: BTreeSet<&str> = rules::all().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), rules::all().count());
}

/// `UPDATE=1` writes the page.
#[test]
fn the_page_matches_the_table() {
    let (root, page) = (repository(), page(&repository()));
    let path = root.join("docs/src/using/rules.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/src/using/rules.md differs from the table; UPDATE=1 regenerates it");
}

/// Real models have no errors, and break the rules that the page lists.
#[test]
fn real_models_have_known_violations() {
    let root = repository();
    let mut expected: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (rule, models, _) in counts(&root).violations {
        for model in models {
            expected.entry(model).or_default().insert(rule.clone());
        }
    }
    let Ok(folders) = std::fs::read_dir(root.join("target/models")) else { return };
    for folder in folders.filter_map(Result::ok) {
        let name = folder.file_name().to_string_lossy().into_owned();
        let Some(path) = tests::check::model_of(&folder.path()) else { continue };
        let found: BTreeSet<String> = driver::check_file(&path, Profile::Onnx, &[])
            .iter()
            .filter(|finding| finding.rule.level > RuleLevel::Advice)
            .map(|finding| finding.rule.id.to_string())
            .collect();
        assert_eq!(found, expected.remove(&name).unwrap_or_default(), "{name}");
    }
}

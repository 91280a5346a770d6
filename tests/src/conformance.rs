//! Compiles and runs one case of the ONNX backend suite.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::graphs::{self, Numbers};
use crate::guard;
use crate::interpreted::{self, InterpreterEngine, OrderedEngine};
use driver::testdata::{DataSet, Tolerance, compare, data_sets, read_data_set};
use driver::{
    Backend, CompiledModel, Compiler, Diagnostic, EngineKind, ErrorClass, Options, Result, Session, Signature, Value,
};
use proto::{Message, Model};

/// How a case's inputs are given at compile time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// As declared in the model.
    #[default]
    Given,
    /// Tensors of dynamic shape.
    Dynamic,
    /// Constants.
    Constant,
    /// As declared in the model, which is simplified, written and read again before.
    Simplified,
}

/// A case of the suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// `kind/name`
    pub name: String,
    /// The tolerance of the outputs.
    pub tolerance: Tolerance,
}

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The reason, in one line.
    pub reason: String,
}

/// The verdict on a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Every output is correct.
    Passed,
    /// The compiler reports an unsupported feature.
    Unsupported,
    /// An output is wrong.
    Wrong,
    /// The compiler or the run refuses a valid case.
    Refused,
    /// An internal error of the compiler, or a panic.
    Internal,
    /// The process died.
    Crashed,
    /// It exceeded the time limit.
    TimedOut,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Verdict; 7] = [
        Verdict::Passed,
        Verdict::Unsupported,
        Verdict::Wrong,
        Verdict::Refused,
        Verdict::Internal,
        Verdict::Crashed,
        Verdict::TimedOut,
    ];
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{self:?}").to_lowercase())
    }
}

/// The cases listed in a folder that `fetch.py` wrote.
pub fn cases(folder: &Path) -> std::io::Result<Vec<Case>> {
    let parse = |line: &str| {
        let mut fields = line.split('\t');
        let (kind, name) = (fields.next()?, fields.next()?);
        let tolerance = Tolerance { relative: fields.next()?.parse().ok()?, absolute: fields.next()?.parse().ok()? };
        Some(Case { name: format!("{kind}/{name}"), tolerance })
    };
    Ok(std::fs::read_to_string(folder.join("cases.tsv"))?.lines().filter_map(parse).collect())
}

/// Compiles and runs a case; a panic is an outcome.
pub fn run(compilers: &[Compiler], folder: &Path, case: &Case, mode: Mode) -> Outcome {
    let folder = folder.join(&case.name);
    outcome(|| attempt(compilers, &folder, case.tolerance, mode))
}

fn outcome(attempt: impl FnOnce() -> Result<Option<String>>) -> Outcome {
    let result = std::panic::catch_unwind(AssertUnwindSafe(attempt));
    let (verdict, reason) = match result {
        Ok(Ok(None)) => (Verdict::Passed, String::new()),
        Ok(Ok(Some(difference))) => (Verdict::Wrong, difference),
        Ok(Err(diagnostics)) => (verdict(&diagnostics), first_line(&diagnostics)),
        Err(payload) => (Verdict::Internal, format!("panic: {}", panic_message(&*payload))),
    };
    Outcome { verdict, reason: reason.replace(['\n', '\t'], " ") }
}

/// The engines that run a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engines {
    /// Fast start.
    Fast,
    /// The plain engine.
    Plain,
    /// Both, with equal outputs bit for bit.
    Both,
    /// The plain engine and the interpreter of the low level, with equal outputs bit for bit. A case is unsupported if it
    /// takes too many operations.
    Interpreted,
}

impl Engines {
    /// A compiler for each; an interpreted call executes at most `limit` operations.
    pub fn compilers(self, options: &Options, limit: u64) -> Vec<Compiler> {
        let interpreter = || EngineKind::Given(Box::leak(Box::new(InterpreterEngine { limit })));
        let kinds = match self {
            Engines::Fast => vec![EngineKind::FastStart],
            Engines::Plain => vec![EngineKind::Plain],
            Engines::Both => vec![EngineKind::FastStart, EngineKind::Plain],
            Engines::Interpreted => vec![EngineKind::Given(&OrderedEngine), interpreter()],
        };
        kinds.into_iter().map(|engine| Compiler::new(Options { engine, ..options.clone() })).collect()
    }
}

/// The first difference between outputs, if any, also between those of several compilers.
fn attempt(compilers: &[Compiler], folder: &Path, tolerance: Tolerance, mode: Mode) -> Result<Option<String>> {
    let mut before: Option<Vec<Vec<Value>>> = None;
    for compiler in compilers {
        let mut outputs = Vec::new();
        if let Some(difference) = attempt_on(compiler, folder, tolerance, mode, &mut outputs)? {
            return Ok(Some(difference));
        }
        let is_given = matches!(compiler.options.engine, EngineKind::Given(_));
        let is_same = if is_given { interpreted::is_same } else { Value::is_same };
        let mut pairs = before.iter().flatten().zip(&outputs);
        if let Some(index) = pairs.find_map(|(one, other)| first_change(one, other, is_same)) {
            return Ok(Some(format!("output {index} differs between engines")));
        }
        before = Some(outputs);
    }
    Ok(None)
}

/// The first difference between the outputs of a compiler's code and the expected ones, if any; `all` gets the outputs
/// of each set of data.
fn attempt_on(
    compiler: &Compiler,
    folder: &Path,
    tolerance: Tolerance,
    mode: Mode,
    all: &mut Vec<Vec<Value>>,
) -> Result<Option<String>> {
    let path = folder.join("model.onnx");
    let given = import::import_file(&path, &import::Options::default())?;
    let function = given.function(import::MAIN).expect("the importer makes it");
    let signature = Signature::of(function);
    let sets = data_sets(folder)?.iter().map(|set| read_data_set(set, &signature)).collect::<Result<Vec<_>>>()?;
    let mut compiled: Option<Arc<CompiledModel>> = None;
    for set in &sets {
        let model = match &compiled {
            Some(model) if mode != Mode::Constant => model.clone(),
            _ => Arc::new(compile(compiler, &path, mode, &import_options(&signature, set, mode))?),
        };
        let is_input = |value: &&Value| mode != Mode::Constant || value.as_tensor().is_none();
        let inputs: &[Value] = &set.inputs.iter().filter(is_input).cloned().collect::<Vec<_>>();
        let mut session = Session::new(model.clone());
        let inputs: &[Value] = &inputs.iter().map(guard::moved).collect::<Vec<_>>();
        let outputs = guard::guarded(|| session.run_values(inputs))?;
        model.settle()?;
        let again = guard::guarded(|| session.run_values(inputs))?;
        if let Some(index) = first_change(&outputs, &again, Value::is_same) {
            return Ok(Some(format!("output {index} changes with the optimised code")));
        }
        compiled = Some(model);
        for ((port, expected), actual) in signature.outputs.iter().zip(&set.outputs).zip(&outputs) {
            if let Err(difference) = compare(actual, expected, tolerance) {
                return Ok(Some(format!("output '{}': {difference}", port.name)));
            }
        }
        all.push(outputs);
    }
    Ok(None)
}

fn compile(compiler: &Compiler, path: &Path, mode: Mode, options: &import::Options) -> Result<CompiledModel> {
    if mode != Mode::Simplified {
        return compiler.compile_file_with(path, options);
    }
    let written =
        export::simplify(&Model::load(path).map_err(import::damaged)?, &import::Options::default())?.encode_to_vec();
    compiler.compile_model(&Model::from_bytes(&written).map_err(import::damaged)?, None, options)
}

/// Compiles a random graph with each compiler and runs it twice, as for cases.
pub fn run_graph(compilers: &[Compiler], seed: u64) -> Outcome {
    let attempt = || -> Result<Option<String>> {
        let mut numbers = Numbers(seed);
        // rows that are shorter than vectors, longer, and equal
        let extent = 1 + numbers.below(19);
        let nodes = graphs::graph(&mut numbers, extent, true);
        let numbered: Vec<_> = nodes.iter().enumerate().map(|(at, node)| (at + 1, node)).collect();
        let value = graphs::input(&mut numbers, extent);
        let mut before = None;
        for compiler in compilers {
            let (mut session, inputs) =
                graphs::session(&numbered, extent, std::slice::from_ref(&value), &compiler.options)?;
            let inputs: Vec<Value> = inputs.into_iter().map(|tensor| guard::moved(&Value::Tensor(tensor))).collect();
            let outputs = guard::guarded(|| session.run_values(&inputs))?;
            session.model().settle()?;
            let again = guard::guarded(|| session.run_values(&inputs))?;
            let bits = |values: &[Value]| values.first().and_then(Value::as_tensor).map(graphs::bits);
            let (quick, optimised) = (bits(&outputs), bits(&again));
            if quick.is_none() || quick != optimised {
                return Ok(Some("the optimised code has another result".to_string()));
            }
            if before.replace(quick.clone()).is_some_and(|before| before != quick) {
                return Ok(Some("the result differs between engines".to_string()));
            }
        }
        Ok(None)
    };
    outcome(attempt)
}

/// The index of the first output that differs.
fn first_change(one: &[Value], other: &[Value], is_same: fn(&Value, &Value) -> bool) -> Option<usize> {
    one.iter().zip(other).position(|(one, other)| !is_same(one, other))
}

fn import_options(signature: &Signature, set: &DataSet, mode: Mode) -> import::Options {
    let mut options = import::Options::default();
    for (port, value) in signature.inputs.iter().zip(&set.inputs) {
        // sequences do not become constants, and have no shape
        let Value::Tensor(tensor) = value else { continue };
        match mode {
            Mode::Given | Mode::Simplified => {}
            Mode::Dynamic => drop(options.shapes.insert(port.name.clone(), vec![None; tensor.shape.len()])),
            Mode::Constant => drop(options.constants.insert(port.name.clone(), tensor.elements())),
        }
    }
    options
}

fn verdict(diagnostics: &[Diagnostic]) -> Verdict {
    match diagnostics.iter().map(|diagnostic| diagnostic.class).max() {
        Some(ErrorClass::Unsupported) => Verdict::Unsupported,
        Some(ErrorClass::Internal) | None => Verdict::Internal,
        Some(ErrorClass::Input | ErrorClass::Usage) => Verdict::Refused,
    }
}

fn first_line(diagnostics: &[Diagnostic]) -> String {
    diagnostics.first().map(ToString::to_string).unwrap_or_default()
}

fn panic_message(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown")
}

/// The repository's root.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the repository").to_path_buf()
}

/// The cases of the backend suite that are known to fail in a mode: those of `known.toml` for all modes, or for this one.
pub fn known(mode: Mode) -> BTreeSet<String> {
    let path = repository().join("tests/conformance/known.toml");
    let text = std::fs::read_to_string(path).expect("the list of known cases is there");
    let table: toml::Table = text.parse().expect("the list of known cases is TOML");
    let texts = |entry: &toml::Value, key: &str| -> Option<Vec<String>> {
        entry.get(key)?.as_array()?.iter().map(|text| text.as_str().map(str::to_string)).collect()
    };
    let name = format!("{mode:?}").to_lowercase();
    let applies = |entry: &&toml::Value| texts(entry, "modes").is_none_or(|modes| modes.contains(&name));
    let entries = table["known"].as_array().expect("it has entries").iter().filter(applies);
    entries.flat_map(|entry| texts(entry, "cases").expect("an entry lists cases")).collect()
}

/// Writes a suite to a folder by a script in Python; `false` if Python or a package is missing.
pub fn write(script: &str, folder: &str) -> bool {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let root = repository();
    let output = Command::new(&python).arg(root.join(script)).arg(root.join(folder)).output();
    let done = output.is_ok_and(|output| output.status.success());
    if !done {
        crate::skip(&format!("`{python} {script}` does not run; set PYTHON to one with tests/requirements.txt"));
    }
    done
}

/// Parses the name of a back end.
pub fn parse_backend(text: &str) -> Result<Backend, String> {
    match text {
        "auto" => Ok(Backend::Auto),
        "cranelift" => Ok(Backend::Cranelift),
        "llvm" => Ok(Backend::Llvm),
        _ => Err("expected auto, cranelift or llvm".into()),
    }
}

//! Models that say how they are trained learn step by step what ONNX's reference evaluator says.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use driver::testdata::{Tolerance, compare, compare_tensors, read_tensor};
use driver::{Backend, Compiler, ImportOptions, Options, Port, Tensor, Trainer, Value};
use tests::conformance::repository;
use tests::worker::onnxc;

/// Steps that the script writes results of.
const STEPS: usize = 5;

/// Sums are rounded in another order, and Adam divides by roots of small ones.
const TOLERANCE: Tolerance = Tolerance { relative: 2e-4, absolute: 2e-5 };

/// The folders that `tests/training/generate.py` writes; none where it does not run.
static MODELS: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let folder = repository().join("target/training");
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(&python).arg(repository().join("tests/training/generate.py")).arg(&folder).output();
    if !output.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: `{python} tests/training/generate.py` does not run");
        return vec![];
    }
    ["gradient", "exported", "several"].map(|name| folder.join(name)).into()
});

/// The tensors of a folder, by name.
fn tensors(folder: &Path) -> Vec<(String, Tensor)> {
    let entries = std::fs::read_dir(folder).expect("the script writes it");
    let read = |path: PathBuf| read_tensor(&path).expect("the script writes tensors");
    entries.map(|entry| read(entry.expect("it is there").path())).collect()
}

/// Whether all that is expected has been found, up to the rounding of sums in another order.
fn check(expected: &Path, found: &[(String, Tensor)]) {
    for (name, expected) in tensors(expected) {
        let (_, actual) = found.iter().find(|(own, _)| *own == name).unwrap_or_else(|| panic!("there is no {name}"));
        let difference = compare(&Value::Tensor(actual.clone()), &Value::Tensor(expected), TOLERANCE);
        assert!(difference.is_ok(), "{name}: {difference:?}");
    }
}

/// The back end that this process tests.
fn backend() -> Backend {
    if std::env::var_os(ON_LLVM).is_some() { Backend::Llvm } else { Backend::Cranelift }
}

/// Set where the process tests LLVM.
const ON_LLVM: &str = "TRAINING_ON_LLVM";

/// Named values of a run.
fn named(ports: &[Port], values: &[Value]) -> Vec<(String, Tensor)> {
    let tensor = |(port, value): (&Port, &Value)| Some((port.name.clone(), value.as_tensor()?.clone()));
    ports.iter().zip(values).filter_map(tensor).collect()
}

#[test]
fn every_step_is_as_the_reference_says() {
    let compiler = Compiler::new(Options { backend: backend(), ..Options::default() });
    for folder in &*MODELS {
        let mut trainer = Trainer::compile_file(&compiler, &folder.join("model.onnx"), &ImportOptions::default())
            .unwrap_or_else(|problems| panic!("{}: {problems:?}", folder.display()));
        let given = tensors(&folder.join("inputs"));
        let value =
            |port: &Port| given.iter().find(|(own, _)| *own == port.name).map(|(_, tensor)| tensor.clone().into());
        let signature = trainer.step_signature().clone();
        let inputs: Vec<Value> = signature.inputs.iter().filter_map(value).collect();
        // twice: initialization starts anew from anywhere
        for _ in 0..2 {
            trainer.initialize().expect("it initializes");
            let mut outputs: Vec<(String, Tensor)> = vec![];
            for step in 0..=STEPS {
                if step > 0 {
                    outputs = named(&signature.outputs, &trainer.step(&inputs).expect("it takes a step"));
                }
                outputs.extend(trainer.variables().map(|(name, tensor)| (name.to_string(), tensor.clone())));
                check(&folder.join("expected").join(step.to_string()), &outputs);
            }
        }
    }
}

#[test]
fn inference_reads_what_training_has_learned() {
    let Some(folder) = MODELS.iter().find(|folder| folder.ends_with("exported")) else { return };
    let compiler = Compiler::new(Options { backend: backend(), ..Options::default() });
    let options = ImportOptions::default();
    let mut trainer = Trainer::compile_file(&compiler, &folder.join("model.onnx"), &options).expect("it compiles");
    let value = |name: &str| Value::Tensor(read_tensor(&folder.join("inputs").join(name)).expect("it is there").1);
    let (x, target) = (value("x.pb"), value("target.pb"));
    for step in 1..=2 {
        let inferred = trainer.infer(std::slice::from_ref(&x)).expect("it runs");
        // a step begins with the same inference
        let stepped = trainer.step(&[x.clone(), target.clone()]).expect("it takes a step");
        let expected = read_tensor(&folder.join(format!("expected/{step}/y.pb"))).expect("it is there").1;
        for found in [&inferred[0], &stepped[0]] {
            let tensor = found.as_tensor().expect("a tensor").clone();
            assert_eq!(compare_tensors(&tensor, &expected, TOLERANCE), Ok(()));
        }
    }
}

#[test]
fn llvm() {
    if backend() == Backend::Cranelift {
        let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
        command.env(ON_LLVM, "1").env("ONNXC", onnxc(Path::new(env!("CARGO_BIN_EXE_models"))));
        let output = command.args(["every_step", "inference_reads"]).output().expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_command_line_tells_the_last_step_and_the_variables() {
    let Some(folder) = MODELS.first() else { return };
    let program = onnxc(Path::new(env!("CARGO_BIN_EXE_models"))).with_file_name("onnx-run");
    let mut command = Command::new(program);
    command.arg(folder.join("model.onnx")).args(["--train", "5", "--inputs"]).arg(folder.join("inputs"));
    let output = command.output().expect("the tool starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("loss: float32 [] [0.515") && text.contains("\nsteps: int64 [] [5]\n"), "{text}");
}

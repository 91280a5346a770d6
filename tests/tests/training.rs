//! Models with training information give the results of ONNX's reference evaluator, step by step.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use driver::testdata::{Tolerance, compare, compare_tensors, read_tensor};
use driver::{Backend, Compiler, ImportOptions, Options, Port, Tensor, Trainer, Value};
use tests::conformance::repository;
use tests::linked::{build, run};
use tests::worker::onnxc;

/// The number of steps with expected results.
const STEPS: usize = 5;

/// Sums are rounded in another order, and Adam divides by roots of small ones.
const TOLERANCE: Tolerance = Tolerance { relative: 2e-4, absolute: 2e-5 };

/// The folders that `tests/training/generate.py` writes; none if it cannot run.
static MODELS: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let folder = repository().join("target/training");
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(&python).arg(repository().join("tests/training/generate.py")).arg(&folder).output();
    if !output.is_ok_and(|output| output.status.success()) {
        tests::skip(&format!("`{python} tests/training/generate.py` does not run"));
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

/// Compares all expected tensors, up to rounding of sums in another order.
fn check(expected: &Path, found: &[(String, Tensor)]) {
    for (name, expected) in tensors(expected) {
        let (_, actual) = found.iter().find(|(own, _)| *own == name).unwrap_or_else(|| panic!("{name} does not exist"));
        let difference = compare(&Value::Tensor(actual.clone()), &Value::Tensor(expected), TOLERANCE);
        assert!(difference.is_ok(), "{name}: {difference:?}");
    }
}

/// The back end under test.
fn backend() -> Backend {
    if std::env::var_os(ON_LLVM).is_some() { Backend::Llvm } else { Backend::Cranelift }
}

/// Set if the process tests LLVM.
const ON_LLVM: &str = "TRAINING_ON_LLVM";

/// Named values of a run.
fn named(ports: &[Port], values: &[Value]) -> Vec<(String, Tensor)> {
    let tensor = |(port, value): (&Port, &Value)| Some((port.name.clone(), value.as_tensor()?.clone()));
    ports.iter().zip(values).filter_map(tensor).collect()
}

#[test]
fn every_step_matches_the_reference() {
    let compiler = Compiler::new(Options { backend: backend(), ..Options::default() });
    for folder in &*MODELS {
        let mut trainer = Trainer::compile_file(&compiler, &folder.join("model.onnx"), &ImportOptions::default())
            .unwrap_or_else(|problems| panic!("{}: {problems:?}", folder.display()));
        let given = tensors(&folder.join("inputs"));
        let value =
            |port: &Port| given.iter().find(|(own, _)| *own == port.name).map(|(_, tensor)| tensor.clone().into());
        let signature = trainer.step_signature().clone();
        let inputs: Vec<Value> = signature.inputs.iter().filter_map(value).collect();
        // twice: initialization restarts from any state
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

/// Trains a model and prints the outputs of each step, then those of inference; `@` stand for the inputs.
const PROGRAM: &str = r#"
#include <stdio.h>
#include "model.h"

static float x[] = {@X@}, target[] = {@TARGET@};

static void print(const char *step, const model_port *port, model_tensor *tensor) {
    int64_t count = 1;
    for (int64_t axis = 0; axis < port->rank; axis++) count *= tensor->shape[axis];
    printf("%s %s", step, port->name);
    for (int64_t index = 0; index < count && port->element_bytes == 4; index++) {
        printf(" %.9g", ((float *)tensor->data)[index]);
    }
    printf("\n");
    model_free(tensor);
}

int main(void) {
    model_session session = {0};
    model_tensor inputs[] = {{x, {8, 4}}, {target, {8, 2}}}, outputs[model_training_output_count];
    if (model_training_input(2) || !model_training_input(1) || model_input(1)) return 3;
    for (int round = 0; round < 2; round++) {
        if (model_training_initialize(&session)) return 1;
        for (int step = 1; step < 5; step++) {
            char name[] = {(char)('0' + step), 0};
            int64_t status = model_training_step(&session, inputs, outputs);
            if (status) return puts(model_training_message(status));
            for (int i = 0; i < model_training_output_count; i++) print(name, model_training_output(i), &outputs[i]);
        }
        if (model_run(&session, inputs, outputs)) return 2;
        print("5", model_output(0), outputs);
    }
    inputs[1].shape[0] = 7;
    printf("%s", model_training_message(model_training_step(&session, inputs, outputs)));
    model_close(&session);
    return 0;
}
"#;

#[test]
fn a_c_program_trains() {
    for folder in &*MODELS {
        let numbers = |name: &str| {
            let tensor = read_tensor(&folder.join("inputs").join(name)).expect("it is there").1;
            tensor.to_f64().expect("numbers").iter().map(|value| format!("{value:e}")).collect::<Vec<_>>().join(", ")
        };
        let program = PROGRAM.replace("@X@", &numbers("x.pb")).replace("@TARGET@", &numbers("target.pb"));
        let onnxc = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
        let name = format!("training-{}", folder.file_name().expect("it has one").display());
        let program = build(onnxc, &folder.join("model.onnx"), &["--training"], &program, &name);
        let printed = String::from_utf8(run(&mut Command::new(program))).expect("text");
        let (last, lines) =
            printed.lines().rev().collect::<Vec<_>>().split_first().map(|(a, b)| (*a, b.to_vec())).expect("lines");
        assert!(last.contains("input 'target': the model takes float32"), "{last}");
        let mut compared = 0;
        for line in lines {
            let mut words = line.split(' ');
            let (step, name) = (words.next().expect("a step"), words.next().expect("a name"));
            // the second of several algorithms reads what the first has changed
            if step == "5" && folder.ends_with("several") {
                continue;
            }
            // an output that is assigned to a variable has its value after the step
            let file = format!("expected/{step}/{}.pb", name.strip_prefix("new_").unwrap_or(name));
            let Ok((_, expected)) = read_tensor(&folder.join(file)) else { continue };
            let values: Vec<f32> = words.map(|word| word.parse().expect("a number")).collect();
            if expected.element != driver::Type::F32 {
                continue;
            }
            let actual = Tensor::from_f32(&expected.shape, &values).expect("the counts match");
            assert_eq!(compare_tensors(&actual, &expected, TOLERANCE), Ok(()), "{name} in step {step}");
            compared += 1;
        }
        assert!(compared >= 2 * 4 * 6, "{compared}");
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

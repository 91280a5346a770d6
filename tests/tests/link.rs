//! An object, the generated header and the runtime's static library, linked by `cc` into a program that runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use driver::Signature;
use driver::testdata::{DataSet, read_data_set};
use tests::conformance::repository;
use tests::worker::onnxc;

const MODEL: &str = "squeezenet_seeded";

/// Reads the input from a file and prints the output's elements.
const PROGRAM: &str = r#"
#include <stdio.h>
#include "model.h"

int main(int count, char **arguments) {
    static float image[3 * 224 * 224];
    FILE *file = count > 1 ? fopen(arguments[1], "rb") : NULL;
    if (!file || fread(image, sizeof image, 1, file) != 1) return 2;
    model_session session = {0};
    model_tensor input = {image, {1, 3, 224, 224}}, output;
    if (model_initialize() || model_run(&session, &input, &output)) return 1;
    for (int index = 0; index < 1000; index++) printf("%.9g\n", ((float *)output.data)[index]);
    model_free(&output);
    model_close(&session);
    return 0;
}
"#;

fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Splits texts at points, and prints how many parts there are and the parts.
const SPLITS: &str = r#"
#include <stdio.h>
#include "model.h"

int main(void) {
    const char *texts[] = {"hello.world", "ONNX"};
    model_session session = {0};
    model_tensor input = {texts, {2}}, outputs[2];
    for (int round = 0; round < 2; round++) {
        if (model_initialize() || model_run(&session, &input, outputs)) return 1;
        const char **parts = (const char **)outputs[0].data;
        for (int index = 0; index < outputs[0].shape[0] * outputs[0].shape[1]; index++) printf("[%s]", parts[index]);
        for (int index = 0; index < 2; index++) printf("%d", (int)((int64_t *)outputs[1].data)[index]);
        model_free(&outputs[0]);
        model_free(&outputs[1]);
    }
    model_close(&session);
    return 0;
}
"#;

/// A program around a model, in a folder of its own.
fn build(model: &Path, program: &str, name: &str) -> PathBuf {
    let compiler = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    let folder = repository().join("target/tmp").join(name);
    std::fs::create_dir_all(&folder).expect("the target folder takes folders");
    for (emit, file) in [("obj", "model.o"), ("header", "model.h")] {
        run(Command::new(compiler).arg(model).args(["--name", "model", "--emit", emit, "-o"]).arg(folder.join(file)));
    }
    std::fs::write(folder.join("main.c"), program).expect("the folder takes files");
    let runtime = compiler.with_file_name("libruntime.a");
    let mut link = Command::new("cc");
    link.current_dir(&folder).args(["main.c", "model.o"]).arg(runtime);
    run(link.args(["-lpthread", "-lm", "-ldl", "-o", "program"]));
    folder.join("program")
}

fn data_set(folder: &Path) -> DataSet {
    let module = import::import_file(&folder.join("model.onnx"), &import::Options::default()).expect("a model");
    let signature = Signature::of(module.function(import::MAIN).expect("the importer makes it"));
    read_data_set(&folder.join("test_data_set_0"), &signature).expect("its data")
}

#[test]
fn an_object_is_linked_into_a_program() {
    let folder = repository().join("target/models").join(MODEL);
    if !folder.join("model.onnx").exists() {
        eprintln!("skipped: there is no {}", folder.display());
        return;
    }
    let data = data_set(&folder);
    let program = build(&folder.join("model.onnx"), PROGRAM, "link");
    let input = program.with_file_name("input.bin");
    std::fs::write(&input, data.inputs[0].as_tensor().expect("a tensor").data.bytes()).expect("the folder takes files");
    let printed = String::from_utf8(run(Command::new(&program).arg(&input))).expect("numbers");
    let actual: Vec<f32> = printed.lines().map(|line| line.parse().expect("a number")).collect();
    let bytes = data.outputs[0].as_tensor().expect("a tensor").data.bytes().chunks_exact(4);
    let expected: Vec<f32> = bytes.map(|b| f32::from_le_bytes(b.try_into().expect("4 bytes"))).collect();
    assert_eq!(actual.len(), expected.len());
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-4 + 1e-3 * b.abs();
    assert!(actual.iter().zip(&expected).all(near));
}

#[test]
fn c_programs_give_and_take_strings() {
    let model = repository().join("target/conformance/node/test_string_split_basic/model.onnx");
    if !model.exists() {
        eprintln!("skipped: there is no {}", model.display());
        return;
    }
    let printed = run(&mut Command::new(build(&model, SPLITS, "link-strings")));
    let once = "[hello][world][ONNX][]21";
    assert_eq!(String::from_utf8_lossy(&printed), once.repeat(2));
}

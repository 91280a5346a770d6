//! Objects without a runtime detect the level of an x86-64 processor, and run the versions of kernels for it.

use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};
use tests::linked::run;
use tests::npy;
use tests::scratch;
use tests::worker::onnxc;

/// The kinds of code in which levels differ: convolutions, elementary functions, sums, and products of int8. Its weights are
/// computed when it is initialised.
const MODEL: &str = r#"<ir_version: 10, opset_import: ["": 21]>
g (float[1,8,30,30] x) => (float[1,10] y, int32[1,10] n) {
    zero = Constant <value_float = 0.0> ()
    one = Constant <value_float = 1.0> ()
    filters = Constant <value_ints = [16, 8, 3, 3]> ()
    filters_end = Constant <value_float = 1152.0> ()
    filters_range = Range (zero, filters_end, one)
    filters_flat = Sin (filters_range)
    w = Reshape (filters_flat, filters)
    windows = Constant <value_ints = [16, 1, 3, 3]> ()
    windows_end = Constant <value_float = 144.0> ()
    windows_range = Range (zero, windows_end, one)
    windows_flat = Cos (windows_range)
    v = Reshape (windows_flat, windows)
    matrix = Constant <value_ints = [3600, 10]> ()
    matrix_end = Constant <value_float = 36000.0> ()
    matrix_range = Range (zero, matrix_end, one)
    matrix_flat = Sin (matrix_range)
    m = Reshape (matrix_flat, matrix)
    hundred = Constant <value_float = 100.0> ()
    scaled = Mul (m, hundred)
    bytes = Cast <to = 3> (scaled)
    c = Conv <pads = [1, 1, 1, 1]> (x, w)
    t = Tanh (c)
    d = Conv <pads = [1, 1, 1, 1], group = 16> (t, v)
    p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (d)
    f = Flatten (p)
    s = MatMul (f, m)
    y = Softmax (s)
    q, scale, point = DynamicQuantizeLinear (f)
    n = MatMulInteger (q, bytes, point)
}"#;

/// Runs the model on data that are aligned like their elements, with the detected level or another, and prints that and the
/// outputs. `objcopy` makes the word that holds the level visible.
const PROGRAM: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern int64_t rt_level;
int64_t model_initialize(const void *const *none, void *const *nothing);
int64_t model_run(const void *const *inputs, void *const *outputs);

static _Alignas(64) float memory[1 + 8 * 30 * 30];
static _Alignas(64) struct { float before, y[10]; int32_t n[10]; } results;

int main(int count, char **arguments) {
    for (int at = 0; at < 8 * 30 * 30; at++) memory[1 + at] = (float)(at % 23) / 23.0f;
    if (model_initialize(NULL, NULL)) return 2;
    int64_t level = rt_level;
    if (count > 1) rt_level = atoi(arguments[1]);
    const void *inputs[] = {memory + 1};
    void *outputs[] = {results.y, results.n};
    if (model_run(inputs, outputs)) return 3;
    printf("%d", (int)level);
    for (int at = 0; at < 10; at++) printf(" %.9g", results.y[at]);
    for (int at = 0; at < 10; at++) printf(" %d", results.n[at]);
    return 0;
}
"#;

/// The elements of `y`.
const OUTPUTS: usize = 10;

/// An object without a runtime.
fn object(folder: &Path, options: &[&str]) -> PathBuf {
    let (model, object) = (folder.join("model.onnxtxt"), folder.join("model.o"));
    std::fs::write(&model, MODEL).expect("the folder takes files");
    let mut command = Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))));
    command.arg(&model).args(options).args(["--target", "x86_64-unknown-linux-gnu", "--name", "model", "-o"]);
    run(command.arg(&object));
    object
}

/// A program with the object of a model.
fn program(name: &str, options: &[&str]) -> PathBuf {
    let folder = scratch::folder(name);
    let object = object(&folder, options);
    // LLVM may append a number to the name
    let word = versions(&object).into_iter().find(|name| name.starts_with("rt_level")).expect("it is there");
    run(Command::new("objcopy").arg(format!("--redefine-sym={word}=rt_level")).arg(&object));
    run(Command::new("objcopy").arg("--globalize-symbol=rt_level").arg(&object));
    std::fs::write(folder.join("main.c"), PROGRAM).expect("the folder takes files");
    run(Command::new("cc").current_dir(&folder).args(["main.c", "model.o", "-o", "program"]));
    folder.join("program")
}

/// The level and the outputs that a program prints.
fn printed(command: &mut Command) -> (i64, Vec<String>) {
    let text = String::from_utf8(run(command)).expect("text");
    let mut words = text.split(' ').map(str::to_string);
    let level = words.next().and_then(|level| level.parse().ok()).expect("a level");
    (level, words.collect())
}

/// Every level that can be run here, with the outputs.
fn on_levels(program: &Path) -> Vec<(String, Vec<String>)> {
    let (own, outputs) = printed(&mut Command::new(program));
    assert_eq!(own, driver::processor_level());
    let mut found = vec![("this processor".to_string(), outputs)];
    for level in [0].into_iter().chain(2..=own) {
        found.push((format!("level {level}"), printed(Command::new(program).arg(level.to_string())).1));
    }
    for (processor, expected) in [("Nehalem", 2), ("Haswell", 3)] {
        let mut emulator = Command::new("qemu-x86_64");
        emulator.args(["-cpu", processor]);
        if emulator.arg("--version").output().is_err() {
            tests::skip("qemu-x86_64 is missing");
            continue;
        }
        let (level, outputs) = printed(Command::new("qemu-x86_64").args(["-cpu", processor]).arg(program));
        if level == 2 && expected == 3 {
            tests::skip("this QEMU lacks AVX2");
            continue;
        }
        assert_eq!(level, expected, "{processor}");
        found.push((processor.to_string(), outputs));
    }
    found
}

fn is_here() -> bool {
    let is_here = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    if !is_here {
        tests::skip("the objects are for Linux on x86-64");
    }
    is_here
}

#[test]
fn the_fixed_order_gives_the_same_bits_at_every_level() {
    if !is_here() {
        return;
    }
    let found = on_levels(&program("dispatch-fixed", &["--freestanding", "--fixed-fp"]));
    for (level, outputs) in &found {
        assert_eq!(outputs, &found[0].1, "{level}");
    }
}

#[test]
fn levels_give_results_that_are_close() {
    if !is_here() {
        return;
    }
    let found = on_levels(&program("dispatch-default", &["--freestanding"]));
    let numbers = |outputs: &[String]| -> Vec<f32> {
        outputs[..OUTPUTS].iter().map(|number| number.parse().expect("a number")).collect()
    };
    let first = numbers(&found[0].1);
    for (level, outputs) in &found {
        let close = numbers(outputs).iter().zip(&first).all(|(one, other)| (one - other).abs() <= 1e-4);
        assert!(close, "{level}: {outputs:?} instead of {first:?}");
    }
}

/// The symbols of an object that are about levels.
fn versions(object: &Path) -> Vec<String> {
    let bytes = std::fs::read(object).expect("it was written");
    let file = object::File::parse(&*bytes).expect("an object");
    let names = file.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_string));
    let is_version = |name: &String| {
        name.starts_with("rt_level")
            || name.starts_with("rt_detect")
            || ["_v2", "_v3", "_v4"].iter().any(|end| name.ends_with(end))
    };
    names.filter(is_version).collect()
}

#[test]
fn code_for_one_processor_has_one_version() {
    if !is_here() {
        return;
    }
    let all = versions(&object(&scratch::folder("dispatch-all"), &["--freestanding"]));
    let has = |beginning: &str| all.iter().any(|name| name.starts_with(beginning));
    assert!(has("rt_level") && has("rt_detect_level"), "{all:?}");
    for options in
        [&["--freestanding", "--cpu", "x86-64-v3"][..], &["--freestanding", "--cpu", "native"], &["--profile", "sonnx"]]
    {
        assert_eq!(versions(&object(&scratch::folder("dispatch-one"), options)), [""; 0], "{options:?}");
    }
}

/// The runtime chooses the versions of a program.
#[test]
fn programs_in_the_fixed_order_have_versions_that_give_the_same_bits() {
    if !is_here() {
        return;
    }
    let folder = scratch::folder("dispatch-program");
    std::fs::write(folder.join("model.onnxtxt"), MODEL).expect("the folder takes files");
    let compile = |options: &[&str]| {
        let mut command = Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))));
        run(command.current_dir(&folder).args(["model.onnxtxt", "--fixed-fp"]).args(options));
    };
    compile(&["-o", "model.o"]);
    let versions = versions(&folder.join("model.o"));
    assert!(versions.iter().any(|name| name.ends_with("_v4")), "{versions:?}");
    compile(&["--emit", "exe", "-o", "program"]);
    let values: Vec<f32> = (0..8 * 30 * 30).map(|at| (at % 23) as f32 / 23.0).collect();
    std::fs::write(folder.join("x.npy"), npy::floats(&[1, 8, 30, 30], &values)).expect("the folder takes files");
    let outputs = run(Command::new("./program").current_dir(&folder).arg("x.npy"));
    if Command::new("qemu-x86_64").arg("--version").output().is_err() {
        return tests::skip("qemu-x86_64 is missing");
    }
    for processor in ["Nehalem", "Haswell"] {
        let mut emulated = Command::new("qemu-x86_64");
        emulated.current_dir(&folder).args(["-cpu", processor, "./program", "x.npy"]);
        assert_eq!(run(&mut emulated), outputs, "{processor}");
    }
}

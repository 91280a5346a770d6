//! Quantised models without a runtime on machines without an operating system, emulated by QEMU: the bits are those of a run here.

use std::path::{Path, PathBuf};
use std::process::Command;

use tests::conformance::repository;
use tests::linked::run;
use tests::npy::Array;
use tests::scratch;
use tests::worker::onnxc;

/// A machine: its files in `tests/bare`, the target, how zig names it, and the emulator.
struct Machine {
    name: &'static str,
    target: &'static [&'static str],
    zig: &'static [&'static str],
    emulator: &'static [&'static str],
}

const MACHINES: [Machine; 2] = [
    Machine {
        name: "arm",
        target: &["--target", "thumbv7em-none-eabihf", "--cpu", "cortex-m4"],
        zig: &["-target", "thumb-freestanding-eabihf", "-mcpu=cortex_m4"],
        emulator: &["qemu-system-arm", "-M", "mps2-an386", "-semihosting", "-display", "none", "-kernel"],
    },
    Machine {
        name: "riscv",
        target: &["--target", "riscv32imc-unknown-none-elf"],
        zig: &["-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+c"],
        emulator: &[
            "qemu-system-riscv32",
            "-M",
            "virt",
            "-bios",
            "none",
            "-display",
            "none",
            "-serial",
            "stdio",
            "-kernel",
        ],
    },
];

/// Those of `tests/models/tiny.py`, with the elements of their outputs, and the most bytes of RAM: of activations, as weights are read
/// from flash.
const MODELS: [(&str, usize, u64); 4] =
    [("keywords", 12, 57_000), ("persons", 2, 200_000), ("pictures", 10, 70_000), ("anomalies", 640, 1_000)];

fn python() -> Command {
    Command::new(std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into()))
}

/// The folders of the models; `None` if the generator cannot run.
fn models() -> Option<PathBuf> {
    let folder = scratch::folder("tiny");
    let made = python().arg(repository().join("tests/models/tiny.py")).arg(&folder).output();
    if !made.is_ok_and(|made| made.status.success()) {
        tests::skip("tests/models/tiny.py fails; set PYTHON to one with tests/requirements.txt");
        return None;
    }
    Some(folder)
}

/// The elements of an array of f32 as words of C.
fn header(array: &Path, outputs: usize) -> String {
    let words: Vec<String> = Array::read(array).words().map(|word| format!("{word}u")).collect();
    format!("#define OUTPUT {outputs}\nstatic const uint32_t input[] = {{{}}};\n", words.join(","))
}

/// The words that a machine prints; `None` without a linker or an emulator.
fn printed(machine: &Machine, folder: &Path) -> Option<Vec<String>> {
    let (object, program) = (folder.join(machine.name).with_extension("o"), folder.join(machine.name));
    let mut compile = Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))));
    compile.arg(folder.join("model.onnx")).args(machine.target);
    run(compile.args(["--freestanding", "--fixed-fp", "--name", "net", "-o"]).arg(&object));
    let sources = repository().join("tests/bare");
    let mut zig = python();
    zig.args(["-m", "ziglang", "cc"]).args(machine.zig).args(["-O1", "-ffreestanding", "-fno-builtin"]);
    zig.arg("-I").arg(folder).args(["main", "memory", machine.name].map(|name| sources.join(name).with_extension("c")));
    zig.arg(&object).arg(format!("-Wl,-T,{}", sources.join(machine.name).with_extension("ld").display()));
    let linked = zig.args(["-Wl,-e,start", "-o"]).arg(&program).output().expect("python starts");
    let said = String::from_utf8_lossy(&linked.stderr);
    if said.contains("No module named ziglang") {
        tests::skip(&said);
        return None;
    }
    assert!(linked.status.success(), "{said}");
    let Ok(ran) = Command::new(machine.emulator[0]).args(&machine.emulator[1..]).arg(&program).output() else {
        tests::skip(&format!("{} is missing", machine.emulator[0]));
        return None;
    };
    // semihosting writes to standard error
    let text = [ran.stdout, ran.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(!text.contains("fault"), "{}: {text}", machine.name);
    Some(text.lines().map(|line| line.trim().to_string()).collect())
}

/// Bytes of stack of `memcpy`, `memset` and functions for floats, which the object does not state.
const OTHERS: u64 = 512;

/// The bytes of stack or RAM that an object states.
fn stated(object: &Path, what: &str) -> u64 {
    let mut inspect = Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))));
    let said = String::from_utf8(run(inspect.arg("inspect").arg(object))).expect("text");
    let bytes = said.lines().find_map(|line| line.strip_prefix(what)?.split(' ').nth(1)?.parse().ok());
    bytes.unwrap_or_else(|| panic!("nothing on {what}: {said}"))
}

/// The bits that the same model computes here.
fn expected(folder: &Path, outputs: usize) -> Vec<String> {
    let results = folder.join("results");
    let mut here = Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))).with_file_name("onnx-run"));
    here.arg(folder.join("model.onnx")).arg("--input").arg(format!("x={}", folder.join("x.npy").display()));
    run(here.args(["--fixed-fp", "--quiet", "--no-cache", "--save"]).arg(&results));
    let bits: Vec<String> = Array::read(&results.join("y.npy")).words().map(|word| format!("{word:08x}")).collect();
    assert_eq!(bits.len(), outputs, "elements of y");
    bits
}

#[test]
fn machines_without_an_operating_system_compute_the_same_bits() {
    let Some(folder) = models() else { return };
    for (name, outputs, most_ram) in MODELS {
        let folder = folder.join(name);
        std::fs::write(folder.join("input.h"), header(&folder.join("x.npy"), outputs)).expect("the folder takes files");
        let expected = expected(&folder, outputs);
        for machine in &MACHINES {
            let Some(lines) = printed(machine, &folder) else { continue };
            let at = lines.iter().position(|line| line == "stack").unwrap_or_else(|| panic!("{name}: {lines:?}"));
            assert_eq!(lines[at - outputs..at], expected, "{name} on {}", machine.name);
            let taken = u64::from_str_radix(&lines[at + 1], 16).expect("a number");
            let object = folder.join(machine.name).with_extension("o");
            let (stated, ram) = (stated(&object, "stack:"), stated(&object, "RAM:"));
            assert!(ram <= most_ram, "{name} on {}: {ram} bytes of RAM", machine.name);
            eprintln!("{name} on {}: {taken} bytes of stack, {stated} stated", machine.name);
            assert!(taken <= stated + OTHERS, "{name} on {}: more than stated", machine.name);
            assert!(stated < taken + taken / 8, "{name} on {}: much less than stated", machine.name);
        }
    }
}

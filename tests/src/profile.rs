//! Models compiled without a runtime for several processors, and run on each.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use object::{Object, ObjectSymbol};

use driver::testdata::{Tolerance, compare_tensors, data_sets, read_data_set};
use driver::{Arithmetic, Backend, Blob, Compiler, Options, Session, Signature, Tensor, Value};

use crate::conformance::{self, Case, Mode, known, repository};

/// A processor.
pub struct Target {
    /// The name of its files.
    pub name: &'static str,
    cpu: &'static str,
    triple: &'static str,
    /// The target as zig calls it, whose C library programs use. It is the GNU C library where there is a choice: zig compiles all of
    /// musl before it links the first program, but of that one only a list of symbols.
    c_library: &'static str,
    /// The command that runs its programs, if this machine cannot.
    emulator: &'static [&'static str],
    /// The beginnings of the names of functions that its code may call, in addition to those for memory.
    calls: &'static [&'static str],
}

const LINUX: &str = "x86_64-unknown-linux-gnu";

/// Functions for instructions that baseline x86-64 lacks: rounding to integers.
const ROUNDING: &[&str] = &["ceil", "floor", "roundeven", "trunc"];

/// Also what a function with more than a page of stack calls on Windows.
const WINDOWS: &[&str] = &["ceil", "floor", "roundeven", "trunc", "___chkstk_ms"];

/// Also what ARM's interface has functions for.
const ARM: &[&str] = &["__aeabi_", "__gnu_", "fmin", "fmax", "__udivdi3", "__divdi3"];

/// x86-64 at every level, AArch64, RISC-V, 32-bit ARM, WebAssembly.
const TARGETS: [Target; 7] = [
    Target {
        name: "x86-64",
        cpu: "x86-64",
        triple: LINUX,
        c_library: "x86_64-linux-gnu",
        emulator: &[],
        calls: ROUNDING,
    },
    Target { name: "avx2", cpu: "x86-64-v3", triple: LINUX, c_library: "x86_64-linux-gnu", emulator: &[], calls: &[] },
    Target {
        name: "avx512",
        cpu: "x86-64-v4",
        triple: LINUX,
        c_library: "x86_64-linux-gnu",
        emulator: &[],
        calls: &[],
    },
    Target {
        name: "aarch64",
        cpu: "generic",
        triple: "aarch64-unknown-linux-musl",
        c_library: "aarch64-linux-gnu",
        emulator: &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
        calls: &[],
    },
    Target {
        name: "riscv64",
        cpu: "generic",
        triple: "riscv64gc-unknown-linux-musl",
        c_library: "riscv64-linux-gnu",
        emulator: &["qemu-riscv64", "-L", "/usr/riscv64-linux-gnu"],
        calls: &[],
    },
    Target {
        name: "armv7",
        cpu: "generic",
        triple: "armv7-unknown-linux-musleabihf",
        c_library: "arm-linux-gnueabihf",
        emulator: &["qemu-arm", "-L", "/usr/arm-linux-gnueabihf"],
        calls: ARM,
    },
    Target {
        name: "wasm32",
        cpu: "generic",
        triple: WASM,
        c_library: "wasm32-wasi",
        emulator: &["node", "--no-warnings"],
        calls: &[],
    },
];

/// Another C library, whose link takes a minute the first time, and another system.
const MORE_TARGETS: [Target; 2] = [
    Target {
        name: "musl",
        cpu: "x86-64",
        triple: "x86_64-unknown-linux-musl",
        c_library: "x86_64-linux-musl",
        emulator: &[],
        calls: ROUNDING,
    },
    Target {
        name: "windows",
        cpu: "x86-64",
        triple: "x86_64-pc-windows-gnu",
        c_library: "x86_64-windows-gnu",
        emulator: &["/usr/lib/wine/wine64"],
        calls: WINDOWS,
    },
];

const WASM: &str = "wasm32-wasi";

/// A model with a data set.
pub struct Model {
    /// The folder of `model.onnx` and its data sets.
    pub folder: PathBuf,
    /// The tolerance of its outputs, if not that of their type.
    pub tolerance: Option<Tolerance>,
}

/// Any output is near enough.
pub const ANY: Tolerance = Tolerance { relative: 0.0, absolute: f64::INFINITY };

/// Every `step`-th case of the backend suite, but the real models.
pub fn suite(step: usize) -> Vec<Model> {
    let folder = repository().join("target/conformance");
    let (cases, known) = (conformance::cases(&folder).unwrap_or_default(), known(Mode::Given));
    let model = |case: &Case| {
        // of those that are known to differ from what is expected, bits are compared
        let tolerance = if known.contains(&case.name) { ANY } else { case.tolerance };
        Model { folder: folder.join(&case.name), tolerance: Some(tolerance) }
    };
    cases.iter().filter(|case| !case.name.starts_with("real/")).step_by(step).map(model).collect()
}

/// How objects are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Under the profile `sonnx`.
    Sonnx,
    /// Without a runtime, and in the fixed order of arithmetic, in which models run in this process, too: on both back ends,
    /// on one thread and on two.
    /// There are more targets.
    Fixed,
}

impl Form {
    fn targets(self) -> impl Iterator<Item = &'static Target> {
        let more: &[Target] = if self == Form::Fixed { &MORE_TARGETS } else { &[] };
        TARGETS.iter().chain(more)
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Form::Sonnx => &["--profile", "sonnx"],
            Form::Fixed => &["--freestanding", "--fixed-fp"],
        }
    }
}

/// A model that may be accepted, with inputs and expected outputs.
pub(crate) struct Prepared<'m> {
    model: &'m Model,
    /// The shapes of inputs, as in the command line.
    pub(crate) shapes: Vec<String>,
    pub(crate) values: Vec<Value>,
    /// The files of the inputs' bytes.
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) outputs: Vec<Tensor>,
}

impl Prepared<'_> {
    pub(crate) fn name(&self) -> String {
        self.model.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The result.
#[derive(Debug, Default)]
pub struct Report {
    /// Models for which all processors compute the same bits.
    pub equal: usize,
    /// Models that are refused.
    pub refused: usize,
    /// Processors without a toolchain or an emulator, or that this machine does not have.
    pub missing: Vec<&'static str>,
    /// The problems.
    pub problems: Vec<String>,
}

/// Compiles models for every available target, runs them, and compares outputs: bit for bit with one another, and with
/// the expected ones.
pub fn compare_processors(onnxc: &Path, models: &[Model], form: Form, scratch: &Path) -> Result<Report> {
    let mut report = Report::default();
    let mut prepared: Vec<Prepared<'_>> = Vec::new();
    std::fs::create_dir_all(scratch)?;
    for (number, model) in models.iter().enumerate() {
        match prepare(model, &scratch.join(format!("input_{number}"))) {
            Some(model) => prepared.push(model),
            None => report.refused += 1,
        }
    }
    let (mut others, first) = (form.targets(), &TARGETS[0]);
    others.next();
    let count = prepared.len();
    let mut kept = Vec::new();
    for model in prepared {
        let output = compile(onnxc, &model, form, kept.len(), first, scratch)?;
        match output.status.code() {
            Some(0) => kept.push(model),
            Some(3) => {}
            _ => report.problems.push(format!("{}: {}", model.name(), String::from_utf8_lossy(&output.stderr))),
        }
    }
    report.refused += count - kept.len() - report.problems.len();
    let expected = run(&kept, first, scratch)?.map_err(Error::other)?;
    report.problems.extend(foreign_symbols(&kept, first, scratch)?);
    for target in others {
        for (number, model) in kept.iter().enumerate() {
            let output = compile(onnxc, model, form, number, target, scratch)?;
            if !output.status.success() {
                return Err(Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
            }
        }
        report.problems.extend(foreign_symbols(&kept, target, scratch)?);
        match run(&kept, target, scratch)? {
            Err(_) => report.missing.push(target.name),
            Ok(results) => {
                for (model, (one, other)) in kept.iter().zip(expected.iter().zip(&results)) {
                    if let Some(difference) = one.difference(other) {
                        report.problems.push(format!("{} on {}: {difference}", model.name(), target.name));
                    }
                }
            }
        }
    }
    for (model, one) in kept.iter().zip(&expected) {
        report.problems.extend(one.wrong(model).map(|wrong| format!("{}: {wrong}", model.name())));
        if form == Form::Fixed {
            report.problems.extend(differences_here(onnxc, model, one)?);
        }
    }
    report.equal = kept.len().saturating_sub(report.problems.len());
    Ok(report)
}

/// The inputs of the first data set as files; `None` if not all are tensors of whole bytes.
pub(crate) fn prepare<'m>(model: &'m Model, stem: &Path) -> Option<Prepared<'m>> {
    let module = import::import_file(&model.folder.join("model.onnx"), &import::Options::default()).ok()?;
    let signature = Signature::of(module.function(import::MAIN)?);
    let set = read_data_set(data_sets(&model.folder).ok()?.first()?, &signature).ok()?;
    let tensors = |values: Vec<Value>| -> Option<Vec<Tensor>> {
        let is_plain = |tensor: &&Tensor| tensor.element.bit_width().is_some_and(|bits| bits == 1 || bits >= 8);
        let tensor = |value: Value| value.as_tensor().filter(is_plain).cloned();
        values.into_iter().map(tensor).collect()
    };
    let (inputs, outputs) = (tensors(set.inputs.clone())?, tensors(set.outputs)?);
    let values = set.inputs;
    let mut prepared = Prepared { model, shapes: vec![], values, inputs: vec![], outputs };
    for (at, (tensor, port)) in inputs.iter().zip(&signature.inputs).enumerate() {
        let path = stem.with_extension(at.to_string());
        std::fs::write(&path, tensor.data.bytes()).ok()?;
        prepared.inputs.push(path);
        let extents: Vec<String> = tensor.shape.iter().map(i64::to_string).collect();
        prepared.shapes.push(format!("{}={}", port.name, extents.join("x")));
    }
    Some(prepared)
}

fn object_of(target: &Target, number: usize, scratch: &Path) -> PathBuf {
    scratch.join(format!("{}_{number}.o", target.name))
}

fn compile(
    onnxc: &Path,
    model: &Prepared<'_>,
    form: Form,
    number: usize,
    target: &Target,
    scratch: &Path,
) -> Result<Output> {
    let mut command = Command::new(onnxc);
    command.arg(model.model.folder.join("model.onnx")).args(form.options()).args(["--threads", "1"]);
    command.args(["--target", target.triple, "--cpu", target.cpu, "--name", &format!("net{number}")]);
    model.shapes.iter().for_each(|shape| _ = command.arg("--shape").arg(shape));
    command.arg("-o").arg(object_of(target, number, scratch)).output()
}

/// The functions that the code of every C compiler may call.
const MEMORY: [&str; 4] = ["memcmp", "memcpy", "memmove", "memset"];

/// Objects that call other functions. Those of WebAssembly are not read: what is missing from them is not linked.
fn foreign_symbols(models: &[Prepared<'_>], target: &Target, scratch: &Path) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for (number, model) in models.iter().enumerate().filter(|_| target.triple != WASM) {
        let bytes = std::fs::read(object_of(target, number, scratch))?;
        let file = object::File::parse(&*bytes).map_err(Error::other)?;
        let undefined = file.symbols().filter(|symbol| symbol.is_undefined() && !symbol.is_local());
        let may_be = |name: &str| MEMORY.contains(&name) || target.calls.iter().any(|call| name.starts_with(call));
        let names = undefined.filter_map(|symbol| symbol.name().ok().filter(|name| !may_be(name)).map(str::to_string));
        problems.extend(names.map(|symbol| format!("{} for {} calls {symbol}", model.name(), target.name)));
    }
    Ok(problems)
}

/// The code that a model returned, and the bytes of its outputs.
pub(crate) struct Given {
    pub(crate) code: String,
    pub(crate) outputs: Vec<Tensor>,
}

impl Given {
    /// The first difference other than between NaNs.
    fn difference(&self, other: &Given) -> Option<String> {
        if self.code != other.code {
            return Some(format!("returns {} instead of {}", other.code, self.code));
        }
        self.outputs.iter().zip(&other.outputs).enumerate().find_map(|(at, (one, other))| {
            let width = one.element.byte_width().unwrap_or(1);
            let different =
                |at: &usize| one.data.bytes()[at * width..][..width] != other.data.bytes()[at * width..][..width];
            let elements: Vec<usize> = (0..one.data.bytes().len() / width).filter(different).collect();
            let (a, b) = (one.to_f64().unwrap_or_default(), other.to_f64().unwrap_or_default());
            let is_nan = |numbers: &[f64], at: usize| numbers.get(at).is_some_and(|number| number.is_nan());
            let element = elements.into_iter().find(|&at| !(is_nan(&a, at) && is_nan(&b, at)))?;
            Some(format!("output {at}, element {element}: {:?} instead of {:?}", b.get(element), a.get(element)))
        })
    }

    /// The first difference from the expected outputs.
    pub(crate) fn wrong(&self, model: &Prepared<'_>) -> Option<String> {
        if self.code != "0" {
            return Some(format!("returns {}", self.code));
        }
        self.outputs.iter().zip(&model.outputs).find_map(|(actual, expected)| {
            let own = Tolerance::of(&expected.element);
            let tolerance = model.model.tolerance.map_or(own, |given| Tolerance {
                relative: given.relative.max(own.relative),
                absolute: given.absolute.max(own.absolute),
            });
            compare_tensors(actual, expected, tolerance).err()
        })
    }
}

/// How the results of runs in this process differ from those of an object.
fn differences_here(onnxc: &Path, model: &Prepared<'_>, one: &Given) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (backend, threads) in [Backend::Cranelift, Backend::Llvm].into_iter().flat_map(|b| [(b, 1), (b, 2)]) {
        let other = run_here(onnxc, model, backend, threads)?;
        let way = format!("in this process, {backend:?} on {threads}");
        found.extend(one.difference(&other).map(|difference| format!("{} {way}: {difference}", model.name())));
    }
    Ok(found)
}

/// Runs a model in this process.
fn run_here(onnxc: &Path, model: &Prepared<'_>, backend: Backend, threads: usize) -> Result<Given> {
    let helper = Some(onnxc.to_path_buf());
    let options = Options { backend, threads, helper, arithmetic: Arithmetic::Fixed, ..Options::default() };
    let run = || -> driver::Result<Vec<Value>> {
        let compiled = Compiler::new(options).compile_file(&model.model.folder.join("model.onnx"))?;
        Session::new(compiled.into()).run_values(&model.values)
    };
    let text = |found: Vec<driver::Diagnostic>| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let outputs = run().map_err(|found| Error::other(format!("{}: {}", model.name(), text(found))))?;
    Ok(Given { code: "0".to_string(), outputs: outputs.iter().filter_map(Value::as_tensor).cloned().collect() })
}

/// Links and runs the objects of a target; the inner error says why it cannot be run here.
fn run(models: &[Prepared<'_>], target: &Target, scratch: &Path) -> Result<std::result::Result<Vec<Given>, String>> {
    let folder = scratch.join(target.name);
    std::fs::create_dir_all(&folder)?;
    let (table, objects) = (folder.join("cases.h"), folder.join("objects"));
    std::fs::write(&table, cases(models))?;
    let paths: Vec<String> =
        (0..models.len()).map(|number| object_of(target, number, scratch).display().to_string()).collect();
    std::fs::write(&objects, paths.join("\n"))?;
    let program = folder.join("harness");
    let mut zig = Command::new(std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into()));
    zig.args(["-m", "ziglang", "cc", "-target", target.c_library, "-O1", "-std=c11", "-Wall", "-Wextra", "-Werror"]);
    zig.arg(repository().join("tests/sonnx/harness.c")).arg(format!("-DCASES=\"{}\"", table.display()));
    zig.arg(format!("@{}", objects.display())).arg("-lm").arg("-o").arg(&program);
    let linked = zig.output()?;
    if !linked.status.success() {
        return Ok(Err(String::from_utf8_lossy(&linked.stderr).into_owned()));
    }
    let mut command = match target.emulator {
        [emulator, options @ ..] => {
            let mut command = Command::new(emulator);
            command.args(options);
            if target.triple == WASM {
                command.arg(repository().join("tests/sonnx/wasi.mjs"));
            }
            command.arg(&program);
            command
        }
        [] => Command::new(&program),
    };
    let Ok(output) = command.arg(&folder).output() else { return Ok(Err("it cannot be started".to_string())) };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // an instruction that this machine lacks
        let illegal = std::os::unix::process::ExitStatusExt::signal(&output.status) == Some(4);
        return if illegal { Ok(Err(said)) } else { Err(Error::other(format!("{}: {said}", target.name))) };
    }
    let codes = String::from_utf8_lossy(&output.stdout).into_owned();
    let given = |(number, (code, model)): (usize, (&str, &Prepared<'_>))| {
        let output = |(at, expected): (usize, &Tensor)| {
            let bytes = std::fs::read(folder.join(format!("{number}.{at}")))?;
            Tensor::new(expected.element.clone(), expected.shape.clone(), Blob::copy_of(&bytes))
                .ok_or_else(|| Error::other("an output of another size"))
        };
        let outputs = model.outputs.iter().enumerate().map(output).collect::<Result<_>>()?;
        Ok(Given { code: code.to_string(), outputs })
    };
    codes.lines().zip(models).enumerate().map(given).collect::<Result<_>>().map(Ok)
}

/// The table of the harness.
fn cases(models: &[Prepared<'_>]) -> String {
    let mut text = String::new();
    let mut rows = Vec::new();
    for (number, model) in models.iter().enumerate() {
        let inputs: Vec<String> = model.inputs.iter().map(|path| format!("{:?}", path.display().to_string())).collect();
        let outputs: Vec<String> = model.outputs.iter().map(|tensor| tensor.data.bytes().len().to_string()).collect();
        let or_none = |list: &[String], none: &str| if list.is_empty() { none.to_string() } else { list.join(", ") };
        text += &format!("function net{number}_initialize, net{number}_run;\n");
        text += &format!("static const char *const inputs{number}[] = {{{}}};\n", or_none(&inputs, "0"));
        text += &format!("static const long outputs{number}[] = {{{}}};\n", or_none(&outputs, "0"));
        rows.push(format!(
            "{{net{number}_initialize, net{number}_run, {}, {}, inputs{number}, outputs{number}}}",
            inputs.len(),
            outputs.len()
        ));
    }
    format!("{text}static const struct instance cases[] = {{\n{}\n}};\n", rows.join(",\n"))
}

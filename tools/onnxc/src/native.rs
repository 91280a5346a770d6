//! Native code: objects, libraries, programs, and the texts LLVM makes of a module.

use std::path::{Path, PathBuf};
use std::process::Command;

use codegen_llvm::{Optimization, Options};
use driver::{ErrorClass, Signature};
use ir::{Attribute, Module};

use crate::header::header;
use crate::{Arguments, Emit, Failure};

/// The name of a program's own model.
const PROGRAM: &str = "model";

/// The bytes to write; `None` when they are written already.
pub(crate) fn emit(arguments: &Arguments, module: Module, signature: &Signature) -> Result<Option<Vec<u8>>, Failure> {
    let mut ports = signature.inputs.iter().chain(&signature.outputs);
    if ports.any(|port| port.is_container()) {
        return Err(Failure::new(ErrorClass::Unsupported, "sequences and optionals have no C interface"));
    }
    let options = options(arguments);
    let name = match (&arguments.name, arguments.emit) {
        (_, Emit::Exe) => PROGRAM.to_string(),
        (Some(name), _) => name.clone(),
        (None, _) => identifier(arguments.model.as_deref().unwrap_or(Path::new(PROGRAM))),
    };
    let (module, exports) = rename(module, &name);
    let header = || header(&module, signature, &name, exports.len() > 1);
    let write_object = |path: &Path| {
        let options = Options { exports: exports.clone(), ..options.clone() };
        codegen_llvm::write_object(&module, &options, path).map_err(Failure::from)
    };
    Ok(match arguments.emit {
        Emit::Asm => Some(codegen_llvm::compile_assembly(&module, &options)?.into_bytes()),
        Emit::LlvmIr => Some(codegen_llvm::compile_ir(&module, &options)?.into_bytes()),
        Emit::Header => Some(header().into_bytes()),
        Emit::Obj if arguments.output == Path::new("-") => {
            let folder = Scratch::new().map_err(|error| Failure::new(ErrorClass::Input, error))?;
            let path = folder.0.join("model.o");
            write_object(&path)?;
            Some(std::fs::read(&path).map_err(|error| Failure::new(ErrorClass::Input, error))?)
        }
        Emit::Obj => {
            write_object(&arguments.output)?;
            None
        }
        Emit::Lib => {
            link(arguments, write_object, None)?;
            None
        }
        _ => {
            link(arguments, write_object, Some(&header()))?;
            None
        }
    })
}

fn options(arguments: &Arguments) -> Options {
    Options {
        triple: arguments.target.clone(),
        cpu: arguments.cpu.clone(),
        optimization: match arguments.optimization {
            0 => Optimization::None,
            1 => Optimization::Less,
            2 => Optimization::Default,
            _ => Optimization::Aggressive,
        },
        ..Options::default()
    }
}

/// A C identifier from a file's name.
fn identifier(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("{PROGRAM}_{name}") }
}

/// Gives the functions that others call the model's name, and lists them.
fn rename(mut module: Module, name: &str) -> (Module, Vec<String>) {
    let mut exports = Vec::new();
    for (old, new) in [(driver::pipeline::MAIN, "main"), (driver::pipeline::INITIALIZE, "initialize_constants")] {
        if let Some(op) = module.symbol(old) {
            let new = format!("{name}_{new}");
            module.body.op_mut(op).attributes.set("sym_name", Attribute::string(&new));
            exports.push(new);
        }
    }
    (module, exports)
}

/// Links an object with the runtime: to a library, or to a program when there is a header for one.
fn link(
    arguments: &Arguments,
    write_object: impl FnOnce(&Path) -> Result<(), Failure>,
    program: Option<&str>,
) -> Result<(), Failure> {
    let usage = |message: &str| Failure::new(ErrorClass::Usage, message);
    if arguments.output == Path::new("-") {
        return Err(usage("libraries and programs need a file name: -o FILE"));
    }
    let folder = Scratch::new().map_err(|error| Failure::new(ErrorClass::Input, error))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.0.join(name);
        std::fs::write(&path, bytes).map_err(|error| Failure::new(ErrorClass::Input, error))?;
        Ok::<PathBuf, Failure>(path)
    };
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command.arg("-o").arg(&arguments.output);
    match program {
        None => {
            command.arg("-shared");
        }
        Some(header) => {
            write("model.h", header.as_bytes())?;
            command.arg("-O1").arg(write("runner.c", include_bytes!("runner.c"))?);
        }
    }
    let object = folder.0.join("model.o");
    write_object(&object)?;
    command.arg(object).arg(runtime_library()?);
    command.args(["-lm", "-lpthread", "-ldl", "-Wl,--gc-sections"]);
    let failed = |problem: String| Failure::new(ErrorClass::Input, format!("linking with cc: {problem}"));
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() { Ok(()) } else { Err(failed(String::from_utf8_lossy(&output.stderr).into_owned())) }
}

/// The runtime as a static library: beside this program.
fn runtime_library() -> Result<PathBuf, Failure> {
    const NAME: &str = "libruntime.a";
    let here = std::env::current_exe().unwrap_or_default();
    let found = here.ancestors().skip(1).take(3).map(|folder| folder.join(NAME)).find(|path| path.is_file());
    found.ok_or_else(|| Failure::new(ErrorClass::Usage, format!("{NAME} does not stand beside this program")))
}

/// A folder that goes with its value.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> std::io::Result<Scratch> {
        let path = std::env::temp_dir().join(format!("onnxc-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // nothing is lost when it stays
        std::fs::remove_dir_all(&self.0).ok();
    }
}

//! Native code: objects, libraries, programs, and LLVM's textual outputs.

use std::fs;
use std::path::{Path, PathBuf};

use codegen_llvm::{Optimization, Options, Weights};
use commandline::{Drafts, Failure, cannot_write, write_binary};
use driver::{Arithmetic, Signature, Trace};
use ir::Module;

use crate::archive::archive;
use crate::arguments::{Arguments, Emit};
use crate::emit::write_text;
use crate::footprint::{Footprint, stack_symbol};
use crate::header::header;
use crate::linker::Linked;
use crate::program::{Program, Whole};
use crate::static_header::static_header;

/// The prefix of folders with the inputs of the linker.
pub(crate) const SCRATCH: &str = "onnxc";

/// Generates native code, or its text, and writes that.
pub(crate) fn emit(arguments: &Arguments, program: Program, drafts: &Drafts) -> Result<(), Failure> {
    program.check()?;
    if arguments.emit == Emit::Exe {
        program.check_files()?;
    }
    let mut whole = program.join(&arguments.symbols(), arguments.cpu().1);
    whole.interface.loads_weights = arguments.weights.is_some();
    let is_header = arguments.emit == Emit::Header;
    let Some(path) = arguments.weights.as_ref().filter(|_| !is_header) else {
        return emit_whole(arguments, whole, None, drafts);
    };
    if arguments.emit == Emit::Package {
        let folder = path.parent().unwrap_or(path);
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    }
    let draft = drafts.file(path)?;
    let weights = Weights::write(&whole.module, &whole.interface.defaults(), draft.path())?;
    emit_whole(arguments, whole, Some(weights), drafts)?;
    draft.finish()
}

fn emit_whole(arguments: &Arguments, whole: Whole, weights: Option<Weights>, drafts: &Drafts) -> Result<(), Failure> {
    let name = arguments.freestanding();
    let options = Options {
        exports: exports(name.as_deref()),
        stack_symbol: name.as_deref().map(stack_symbol),
        weights,
        ..options(arguments)
    };
    let Whole { module, interface, signature, step, trace } = whole;
    let header = || header(&interface, &signature, step.as_ref());
    let linked = || Linked::of(arguments.target(), arguments.is_static);
    let write_object_with = |features: &str, path: &Path| {
        let interface = (!arguments.is_freestanding()).then(|| interface.clone());
        let options = Options { interface, features: features.to_string(), ..options.clone() };
        codegen_llvm::write_object(&module, &options, path).map_err(Failure::from)
    };
    let write_object = |path: &Path| write_object_with("", path);
    match arguments.emit {
        Emit::Asm => {
            write_text(arguments, &for_reading('#', &codegen_llvm::compile_assembly(&module, &options)?), drafts)
        }
        Emit::LlvmIr => write_text(arguments, &for_reading(';', &codegen_llvm::compile_ir(&module, &options)?), drafts),
        Emit::Header if arguments.is_freestanding() => {
            let object = in_memory(drafts, write_object)?;
            let footprint = Footprint::of(&object)?;
            let bounds = (&module, &arguments.bounds());
            write_text(arguments, &static_header(&interface, &signature, footprint.as_ref(), bounds), drafts)
        }
        Emit::Header => write_text(arguments, &header(), drafts),
        Emit::Obj if arguments.output == Path::new("-") => write_binary(&in_memory(drafts, write_object)?),
        Emit::Obj => {
            write_file(arguments, drafts, write_object)?;
            let object = if arguments.trace_matrix.is_empty() { vec![] } else { read(&arguments.output)? };
            arguments.trace_matrix.iter().try_for_each(|path| crate::trace::write(path, &object, &trace, drafts))
        }
        Emit::Wasm | Emit::Npm => {
            if arguments.emit == Emit::Npm {
                crate::web::check_types(&signature)?;
            }
            let folder = drafts.folder(SCRATCH)?;
            let object = folder.path().join("model.o");
            let exports = exports(Some(&interface.name));
            let write = |is_relaxed: bool, path: &Path| {
                write_object_with(if is_relaxed { crate::web::RELAXED } else { "" }, &object)?;
                crate::web::link(&object, path, &exports)
            };
            if arguments.emit == Emit::Wasm {
                return write_file(arguments, drafts, |path| write(arguments.relaxed_simd, path));
            }
            let linked = |is_relaxed: bool| {
                let path = folder.path().join("model.wasm");
                write(is_relaxed, &path)?;
                read(&path)
            };
            let may_fuse = arguments.arithmetic() != Arithmetic::Fixed;
            let modules = [linked(false)?, if may_fuse { linked(true)? } else { vec![] }];
            crate::web::write_package(arguments, &interface, &signature, &module, modules, drafts)
        }
        Emit::Lib => write_file(arguments, drafts, |path| {
            let soname = arguments.output.file_name().unwrap_or_default().to_string_lossy();
            let product = Product::Library { soname: &soname, exports: &interface.exports() };
            link((path, linked()?), drafts, write_object, &product)
        }),
        Emit::Staticlib => {
            write_file(arguments, drafts, |path| archive(path, &linked()?.runtime()?, drafts, write_object))
        }
        Emit::Package => {
            let (name, folder) = (arguments.symbols(), &arguments.output);
            crate::package::write_texts(folder, &interface, &header(), &signature, drafts)?;
            let [soname, archived] = ["so", "a"].map(|ending| format!("lib{name}.{ending}"));
            let product = Product::Library { soname: &soname, exports: &interface.exports() };
            let object = drafts.folder(SCRATCH)?;
            let object = object.path().join("model.o");
            write_object(&object)?;
            let copy = |path: &Path| fs::copy(&object, path).map(drop).map_err(|error| cannot_write(path, &error));
            finished(&folder.join("lib").join(&soname), drafts, |path| {
                link((path, linked()?), drafts, copy, &product)
            })?;
            finished(&folder.join("lib").join(archived), drafts, |path| {
                archive(path, &linked()?.runtime()?, drafts, copy)
            })
        }
        _ => write_file(arguments, drafts, |path| {
            let weights = arguments.weights.as_deref();
            link((path, linked()?), drafts, write_object, &Product::Program { header: &header(), weights })
        }),
    }
}

/// The object that `onnxc --profile sonnx --name NAME --target x86_64-unknown-linux-gnu --cpu x86-64` writes.
pub(crate) fn static_object(module: Module, signature: Signature, name: &str) -> Result<Vec<u8>, Failure> {
    let program = Program { inference: (module, signature), trace: Trace::default(), training: None };
    let Whole { module, .. } = program.join(name, 0);
    let options = Options {
        triple: Some("x86_64-unknown-linux-gnu".into()),
        cpu: Some("x86-64".into()),
        exports: exports(Some(name)),
        stack_symbol: Some(stack_symbol(name)),
        ..Options::default()
    };
    in_memory(&Drafts::watch(), |path| Ok(codegen_llvm::write_object(&module, &options, path)?))
}

/// The bytes of an object.
fn in_memory(drafts: &Drafts, write: impl FnOnce(&Path) -> Result<(), Failure>) -> Result<Vec<u8>, Failure> {
    let folder = drafts.folder(SCRATCH)?;
    let path = folder.path().join("model.o");
    write(&path)?;
    read(&path)
}

/// A text without the parts that are needed for linking, and a comment that says so.
fn for_reading(comment: char, text: &str) -> String {
    format!(
        "{comment} For reading only: constants and the C interface are omitted. --emit obj writes a linkable file.\n{text}"
    )
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

fn write_file(
    arguments: &Arguments,
    drafts: &Drafts,
    write: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    finished(&arguments.output, drafts, write)
}

/// Writes a file as a draft.
fn finished(target: &Path, drafts: &Drafts, write: impl FnOnce(&Path) -> Result<(), Failure>) -> Result<(), Failure> {
    let draft = drafts.file(target)?;
    write(draft.path())?;
    draft.finish()
}

/// The exported functions of an object without a runtime.
fn exports(name: Option<&str>) -> Vec<String> {
    name.iter().flat_map(|name| ["initialize", "run"].map(|function| format!("{name}_{function}"))).collect()
}

fn options(arguments: &Arguments) -> Options {
    Options {
        triple: arguments.target().map(str::to_string),
        cpu: arguments.cpu().0,
        optimization: match arguments.optimization {
            0 => Optimization::None,
            1 => Optimization::Less,
            2 => Optimization::Default,
            _ => Optimization::Aggressive,
        },
        ..Options::default()
    }
}

/// The product of linking.
enum Product<'a> {
    /// A library that exports these symbols and no others.
    Library { soname: &'a str, exports: &'a [String] },
    /// A program around a model with this header, which finds its weights next to it.
    Program { header: &'a str, weights: Option<&'a Path> },
}

/// Bytes as a literal of C.
fn c_string(bytes: &[u8]) -> String {
    let byte = |byte: &u8| match byte {
        b'"' | b'\\' | b'?' | 0..0x20 | 0x7f.. => format!("\\{byte:03o}"),
        _ => char::from(*byte).to_string(),
    };
    format!("\"{}\"", bytes.iter().map(byte).collect::<String>())
}

/// Links an object with the runtime.
fn link(
    (target, linked): (&Path, Linked<'_>),
    drafts: &Drafts,
    write_object: impl FnOnce(&Path) -> Result<(), Failure>,
    product: &Product<'_>,
) -> Result<(), Failure> {
    let folder = drafts.folder(SCRATCH)?;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).map_err(|error| cannot_write(&path, &error))?;
        Ok::<PathBuf, Failure>(path)
    };
    let (mut command, runtime) = (linked.command()?, linked.runtime()?);
    command.arg("-o").arg(target);
    match product {
        Product::Library { soname, exports } => {
            let script = format!("{{ global: {}; local: *; }};", exports.join("; "));
            let script = write("exports.map", script.as_bytes())?;
            // its threads continue after dlclose, so it stays in memory
            command.args(["-shared", "-Wl,-z,nodelete", "-Wl,-Bsymbolic"]);
            command.arg(format!("-Wl,-soname,{soname}")).arg(format!("-Wl,--version-script={}", script.display()));
        }
        Product::Program { header, weights } => {
            let name = weights.and_then(Path::file_name).map(|name| c_string(name.as_encoded_bytes()));
            let weights = name.map_or(String::new(), |name| format!("#define MODEL_WEIGHTS {name}\n"));
            write("model.h", (weights + header).as_bytes())?;
            write("runner_files.c", include_bytes!("runner_files.c"))?;
            command.arg("-O1").arg(write("runner.c", include_bytes!("runner.c"))?);
        }
    }
    let object = folder.path().join("model.o");
    write_object(&object)?;
    let linker = command.get_program().to_string_lossy().into_owned();
    command.arg(object).arg(linked.archive(&linker, &runtime, folder.path())?);
    command.args(linked.libraries(&linker));
    if let Product::Program { .. } = product {
        command.arg("-Wl,-s");
    }
    let failed = |problem: String| Failure::input(format!("linking with {linker}: {problem}"));
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() { Ok(()) } else { Err(failed(String::from_utf8_lossy(&output.stderr).into_owned())) }
}

//! What `--emit` asks for.

use std::path::Path;

use commandline::{Drafts, Failure, Progress, print};
use driver::{Backend, Compiler, Level, Observer, Options, Trace};
use ir::PrintOptions;

use crate::{Arguments, Emit};

/// Makes what is asked for of a model, and writes it.
pub(crate) fn emit(arguments: &Arguments, model: &Path, drafts: &Drafts) -> Result<(), Failure> {
    arguments.check()?;
    let progress = Progress::new();
    let observer = progress.observer();
    let lower = |level, backend| compiler(arguments, backend, observer.clone()).lower_file(model, level);
    let text = |level: Level, backend: Backend| {
        let (module, _) = lower(level, backend)?;
        Ok::<String, Failure>(ir::print_module(&module, &PrintOptions::brief()))
    };
    let text = match arguments.emit {
        Emit::Onnx => text(Level::Graph, Backend::Llvm)?,
        Emit::Linalg => text(Level::Structured, Backend::Llvm)?,
        Emit::Kernels => text(Level::Kernel, Backend::Llvm)?,
        Emit::Loops => text(Level::Low, Backend::Llvm)?,
        Emit::Clif => {
            let (module, _) = lower(Level::Low, Backend::Cranelift)?;
            driver::clif(&module)?
        }
        #[cfg(feature = "llvm")]
        _ => {
            let compiler = compiler(arguments, Backend::Llvm, observer.clone());
            let (module, signature, trace) = match arguments.trace_matrix.is_empty() {
                true => {
                    let (module, signature) = compiler.lower_file(model, Level::Low)?;
                    (module, signature, Trace::default())
                }
                false => compiler.trace_file(model)?,
            };
            observer.iter().for_each(|observer| observer.tell(driver::Stage::Generate));
            return crate::native::emit(arguments, module, &signature, &trace, drafts);
        }
        #[cfg(not(feature = "llvm"))]
        _ => return Err(Failure::usage("this onnxc was built without LLVM")),
    };
    drop(progress);
    write_text(arguments, &text, drafts)
}

/// Writes text where the command line says.
pub(crate) fn write_text(arguments: &Arguments, text: &str, drafts: &Drafts) -> Result<(), Failure> {
    if arguments.output == Path::new("-") {
        return print(text);
    }
    drafts.file(&arguments.output).write(text.as_bytes()).map_err(|error| cannot_write(&arguments.output, &error))
}

/// The failure to write a file.
pub(crate) fn cannot_write(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::input(format!("{}: cannot be written: {error}", path.display()))
}

fn compiler(arguments: &Arguments, backend: Backend, observer: Option<Observer>) -> Compiler {
    let options = Options {
        backend,
        processor: arguments.processor(),
        threads: arguments.threads,
        dims: arguments.dims.iter().cloned().collect(),
        shapes: arguments.shapes.iter().cloned().collect(),
        arithmetic: arguments.arithmetic(),
        freestanding: arguments.freestanding(),
        strict: arguments.strict,
        rules: arguments.profile.profile(arguments.sonnx_captures),
        observer,
        ..Options::default()
    };
    Compiler::new(options)
}

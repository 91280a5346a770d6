//! The outputs of `--emit`.

use std::path::Path;

use commandline::{Drafts, Failure, Progress, print};
use driver::{Backend, Compiler, Entry, ImportOptions, Level, Observer, Options, Reporter};
use ir::PrintOptions;

use crate::arguments::{Arguments, Emit};
#[cfg(feature = "llvm")]
use {crate::program::Program, driver::Trace};

/// Generates the requested output of a model, and writes it.
pub(crate) fn emit(arguments: &Arguments, model: &Path, drafts: &Drafts) -> Result<(), Failure> {
    arguments.check()?;
    let progress = Progress::new();
    let observer = progress.observer();
    let lower = |level, backend| {
        let part = part(arguments, Entry::Inference);
        compiler(arguments, backend, observer.clone()).lower_file_with(model, &part, level)
    };
    let text = |level: Level, backend: Backend| {
        let (module, _) = lower(level, backend)?;
        Ok::<String, Failure>(ir::print_assembly(&module, &dialects::registry(), &PrintOptions::brief()))
    };
    let text = match arguments.emit {
        Emit::Onnx => {
            drop(progress);
            return crate::simplify::write(arguments, model, drafts);
        }
        Emit::Graph => text(Level::Graph, Backend::Llvm)?,
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
            let part = |entry| part(arguments, entry);
            let low = |entry| compiler.lower_file_with(model, &part(entry), Level::Low);
            let program = if arguments.training {
                let inference = low(Entry::TrainedInference)?;
                let training = Some([low(Entry::TrainingInitialization)?, low(Entry::TrainingStep)?]);
                Program { inference, trace: Trace::default(), training }
            } else if arguments.trace_matrix.is_empty() {
                Program { inference: low(Entry::Inference)?, trace: Trace::default(), training: None }
            } else {
                let (module, signature, trace) = compiler.trace_file_with(model, &part(Entry::Inference))?;
                Program { inference: (module, signature), trace, training: None }
            };
            observer.iter().for_each(|observer| observer.tell(driver::Stage::Generate));
            return crate::native::emit(arguments, program, drafts);
        }
        #[cfg(not(feature = "llvm"))]
        _ => return Err(Failure::usage("this onnxc was built without LLVM")),
    };
    drop(progress);
    write_text(arguments, &text, drafts)
}

/// Writes text to the output file.
pub(crate) fn write_text(arguments: &Arguments, text: &str, drafts: &Drafts) -> Result<(), Failure> {
    if arguments.output == Path::new("-") {
        return print(text);
    }
    drafts.file(&arguments.output)?.write(text.as_bytes())
}

/// The import options: the part of a model, and the inputs that may be given another value.
pub(crate) fn part(arguments: &Arguments, entry: Entry) -> ImportOptions {
    ImportOptions { entry, overridable: arguments.overridable.iter().cloned().collect(), ..ImportOptions::default() }
}

fn compiler(arguments: &Arguments, backend: Backend, observer: Option<Observer>) -> Compiler {
    let options = Options {
        backend,
        processor: arguments.processor(),
        workers: arguments.threads,
        operator_sets: arguments.operator_sets.clone(),
        metadata: true,
        dims: arguments.fixed().collect(),
        bounds: arguments.bounds(),
        shapes: arguments.shapes.iter().cloned().collect(),
        outputs: arguments.outputs.clone(),
        reporter: if arguments.quiet { Reporter::default() } else { Reporter::standard_error() },
        arithmetic: arguments.arithmetic(),
        freestanding: arguments.freestanding(),
        sanitize: arguments.sanitize,
        refuse_violations: arguments.strict,
        rules: arguments.profile.profile(arguments.sonnx_captures),
        observer,
        ..Options::default()
    };
    Compiler::new(options)
}

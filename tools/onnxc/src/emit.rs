//! What `--emit` asks for.

use std::path::Path;

use driver::{Backend, Compiler, ErrorClass, Level, Observer, Options, Signature, VectorRegisters};
use ir::{Module, PrintOptions};

use crate::{Arguments, Emit, Failure};

/// The bytes to write; `None` when they are written already.
pub(crate) fn emit(arguments: &Arguments, model: &Path) -> Result<Option<Vec<u8>>, Failure> {
    let progress = progress::Progress::new();
    let observer = progress.observer();
    let lower = |level, backend| lower(arguments, model, level, backend, observer.clone());
    let text = |level: Level, backend: Backend| {
        let (module, _) = lower(level, backend)?;
        Ok(Some(ir::print_module(&module, &PrintOptions::brief()).into_bytes()))
    };
    match arguments.emit {
        Emit::Onnx => text(Level::Graph, Backend::Llvm),
        Emit::Linalg => text(Level::Structured, Backend::Llvm),
        Emit::Kernels => text(Level::Kernel, Backend::Llvm),
        Emit::Loops => text(Level::Low, Backend::Llvm),
        Emit::Clif => {
            let (module, _) = lower(Level::Low, Backend::Cranelift)?;
            Ok(Some(driver::clif(&module)?.into_bytes()))
        }
        #[cfg(feature = "llvm")]
        _ => {
            let (module, signature) = lower(Level::Low, Backend::Llvm)?;
            observer.iter().for_each(|observer| observer.tell(driver::Stage::Generate));
            crate::native::emit(arguments, module, &signature)
        }
        #[cfg(not(feature = "llvm"))]
        _ => Err(Failure::new(ErrorClass::Usage, "this onnxc was built without LLVM")),
    }
}

fn lower(
    arguments: &Arguments,
    model: &Path,
    level: Level,
    backend: Backend,
    observer: Option<Observer>,
) -> Result<(Module, Signature), Failure> {
    let native = arguments.target.is_none() && arguments.cpu.as_deref().is_none_or(|cpu| cpu == "native");
    let options = Options {
        backend,
        vectors: if native { VectorRegisters::of_this_machine() } else { None },
        threads: arguments.threads,
        dims: arguments.dims.iter().cloned().collect(),
        strict_fp: arguments.strict_fp,
        observer,
        ..Options::default()
    };
    if !model.exists() {
        return Err(Failure::new(ErrorClass::Input, format!("{}: there is no such file", model.display())));
    }
    Ok(Compiler::new(options).lower_file(model, level)?)
}

//! Native code: objects, libraries, programs, and the texts LLVM makes of a module.

use codegen_llvm::{Optimization, Options};
use driver::{ErrorClass, Signature};
use ir::Module;

use crate::{Arguments, Emit, Failure};

/// The bytes to write; `None` when they are written already.
pub(crate) fn emit(arguments: &Arguments, module: &Module, _signature: &Signature) -> Result<Option<Vec<u8>>, Failure> {
    let options = options(arguments);
    Ok(Some(match arguments.emit {
        Emit::Asm => codegen_llvm::compile_assembly(module, &options)?.into_bytes(),
        Emit::LlvmIr => codegen_llvm::compile_ir(module, &options)?.into_bytes(),
        Emit::Obj => codegen_llvm::compile_object(module, &Options { embed_constants: true, ..options })?,
        _ => return Err(Failure::new(ErrorClass::Usage, "unsupported")),
    }))
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
        threads: arguments.threads,
        ..Options::default()
    }
}

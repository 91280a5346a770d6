//! The LLVM back end of other processes.

use std::io::{Read, Write};

use codegen_llvm::Options;
use driver::ErrorClass;

use commandline::Failure;

/// Reads a module of the low level, writes its object.
pub(crate) fn run() -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::new(ErrorClass::Internal, error);
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(failed)?;
    let module = ir::parse_module(&text, "stdin", None)?;
    let object = codegen_llvm::compile_object(&module, &Options::default())?;
    std::io::stdout().write_all(&object).map_err(failed)
}

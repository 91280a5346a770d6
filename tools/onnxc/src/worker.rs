//! The LLVM back end for other processes.

use std::io::{stdin, stdout};

use codegen_llvm::Options;
use driver::{ErrorClass, read_framed, write_framed};

use commandline::Failure;

/// Compiles a whole model for another process.
pub(crate) fn succeed() -> Result<(), Failure> {
    Ok(driver::write_successor(&mut stdin().lock(), &mut stdout().lock())?)
}

/// Reads modules at the low level, one after the other, and writes an object for each.
pub(crate) fn run() -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::new(ErrorClass::Internal, error);
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    while let Some(text) = read_framed(&mut input).map_err(failed)? {
        let text = String::from_utf8(text).map_err(|error| Failure::new(ErrorClass::Internal, error))?;
        let module = ir::parse_module(&text, "stdin", None)?;
        let object = codegen_llvm::compile_object(&module, &Options::default())?;
        write_framed(&mut output, &object).map_err(failed)?;
    }
    Ok(())
}

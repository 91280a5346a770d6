//! The LLVM back end for other processes.

use std::io::{stdin, stdout};

use codegen_llvm::Options;
use driver::{ErrorClass, read_framed, write_framed};

use commandline::Failure;

/// Compiles a whole model for another process, whose target is stated if it is not that of this one.
pub(crate) fn succeed(other: Option<&str>) -> Result<(), Failure> {
    if let Some(target) = other {
        let message =
            format!("this onnxc compiles no whole models for the target of the program that starts it, {target}");
        return Err(Failure::new(ErrorClass::Unsupported, message));
    }
    Ok(driver::write_successor(&mut stdin().lock(), &mut stdout().lock())?)
}

/// Reads modules at the low level, one after the other, and writes an object for each, for this machine or for another target.
pub(crate) fn run(other: Option<&str>) -> Result<(), Failure> {
    let options = Options { triple: other.map(str::to_string), ..Options::default() };
    let failed = |error: std::io::Error| Failure::new(ErrorClass::Internal, error);
    let (mut input, mut output) = (stdin().lock(), stdout().lock());
    while let Some(text) = read_framed(&mut input).map_err(failed)? {
        let text = String::from_utf8(text).map_err(|error| Failure::new(ErrorClass::Internal, error))?;
        let module = ir::parse_module(&text, "stdin", None)?;
        let object = codegen_llvm::compile_object(&module, &options)?;
        write_framed(&mut output, &object).map_err(failed)?;
    }
    Ok(())
}

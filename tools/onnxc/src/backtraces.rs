//! Programs and libraries without Rust's printer of backtraces.
//!
//! The standard library's hook for panics can print the frames of the stack, and for that reads debug information: more code
//! than the rest of the runtime. Nobody reads it there: a panic in the runtime is our own bug, whose message and place are
//! printed all the same. No stable option of the compiler leaves it out, so the linker is told to take the runtime's
//! `rt_no_backtrace` where the library would print frames.

use std::path::Path;

use commandline::Failure;
use object::read::archive::ArchiveFile;

/// Arguments of the linker; none when this runtime was built with a standard library that calls its printer otherwise.
pub(crate) fn without_backtraces(runtime: &Path) -> Result<Vec<String>, Failure> {
    let unreadable = |error: String| Failure::input(format!("{}: {error}", runtime.display()));
    let bytes = std::fs::read(runtime).map_err(|error| unreadable(error.to_string()))?;
    let archive = ArchiveFile::parse(&*bytes).map_err(|error| unreadable(error.to_string()))?;
    let symbols = archive.symbols().map_err(|error| unreadable(error.to_string()))?.into_iter().flatten();
    let names = symbols.flatten().filter_map(|symbol| std::str::from_utf8(symbol.name()).ok());
    let printer = names.into_iter().find(|name| is_printer(name));
    Ok(printer.map_or(vec![], |printer| {
        vec!["-Wl,-u,rt_no_backtrace".into(), format!("-Wl,--defsym={printer}=rt_no_backtrace")]
    }))
}

/// `<std::sys::backtrace::BacktraceLock::print::DisplayBacktrace as fmt::Display>::fmt`, mangled.
fn is_printer(symbol: &str) -> bool {
    symbol.contains("16DisplayBacktrace") && symbol.ends_with("7Display3fmt")
}

//! Programs and libraries without Rust's printer of backtraces.
//!
//! The standard library's panic hook can print stack frames, and reads debug information for that, which is more code
//! than the rest of the runtime. It is not needed there: a panic in the runtime is a bug of ours, whose message and
//! location are printed anyway. No stable compiler option leaves it out, so the linker binds the runtime's
//! `rt_no_backtrace` in place of the library's printer.

use std::path::Path;

use commandline::Failure;
use object::read::archive::ArchiveFile;

/// Linker arguments; none if the runtime was built with a standard library that calls its printer differently.
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

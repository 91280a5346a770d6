//! `onnxc` as a function: compiles an ONNX model to native code, or to the text of any level on the way there.

#[cfg(feature = "llvm")]
mod archive;
mod arguments;
mod check;
mod emit;
#[cfg(feature = "llvm")]
mod exception_tables;
#[cfg(feature = "llvm")]
mod footprint;
#[cfg(feature = "llvm")]
mod header;
mod inspect;
#[cfg(feature = "llvm")]
mod linker;
#[cfg(feature = "llvm")]
mod native;
#[cfg(feature = "llvm")]
mod package;
mod page;
#[cfg(feature = "llvm")]
mod program;
mod report_page;
mod simplify;
#[cfg(feature = "llvm")]
mod static_header;
#[cfg(feature = "llvm")]
mod target;
#[cfg(feature = "llvm")]
mod trace;
#[cfg(feature = "llvm")]
mod web;
#[cfg(feature = "llvm")]
mod worker;

use std::ffi::OsString;

use clap::Parser;
use commandline::{Drafts, Failure, expect_one_value, guard, write_binary};

use crate::arguments::{Arguments, Command};

/// Runs `onnxc` with a command line, the program's name first; returns the exit code. A command line that is wrong, or asks
/// for help, ends the process.
pub fn main(command_line: impl IntoIterator<Item = OsString>) -> i32 {
    let arguments = Arguments::parse_from(command_line);
    guard(|| run(&arguments))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(shell) = arguments.completions {
        return write_binary(&commandline::completions::<Arguments>(shell));
    }
    expect_one_value("--dim", &arguments.dims)?;
    expect_one_value("--shape", &arguments.shapes)?;
    match &arguments.command {
        Some(Command::Check(arguments)) => return check::run(arguments),
        Some(Command::Inspect(arguments)) => return inspect::run(arguments),
        None => {}
    }
    #[cfg(feature = "llvm")]
    if arguments.worker || arguments.successor {
        driver::check_conventions(arguments.conventions.as_deref())?;
        let other = driver::other_target(arguments.target.as_deref());
        return if arguments.worker { worker::run(other) } else { worker::succeed(other) };
    }
    #[cfg(feature = "llvm")]
    if arguments.print_targets {
        return linker::print_targets();
    }
    #[cfg(feature = "llvm")]
    if arguments.probe {
        return target::answer(arguments);
    }
    let Some(model) = &arguments.model else {
        return Err(Failure::usage("this onnxc was built without LLVM"));
    };
    emit::emit(arguments, model, &Drafts::watch())
}

//! Compiles an ONNX model to native code, or to the text of any level on the way there.

mod emit;
#[cfg(feature = "llvm")]
mod header;
#[cfg(feature = "llvm")]
mod native;
#[cfg(feature = "llvm")]
mod worker;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use driver::{Diagnostic, ErrorClass};

/// Compilation makes and drops many small values; the system's allocator would take a third of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compile an ONNX model.
#[derive(Parser, Debug)]
#[command(version)]
struct Arguments {
    /// The model
    #[arg(required_unless_present = "worker")]
    model: Option<PathBuf>,
    /// Where the result goes; - is the standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    output: PathBuf,
    /// What to make of the model
    #[arg(long, value_enum, default_value_t = Emit::Obj)]
    emit: Emit,
    /// The target triple; this machine's by default
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
    /// The CPU as LLVM names it, or native
    #[arg(long, value_name = "NAME")]
    cpu: Option<String>,
    /// What the symbols of an object or library begin with; the model's file name by default
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// How hard to optimise
    #[arg(short = 'O', default_value_t = 2, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=3))]
    optimization: u8,
    /// The extent of a named dimension, fixed before compilation
    #[arg(long = "dim", value_name = "NAME=N", value_parser = dimension)]
    dims: Vec<(String, i64)>,
    /// Only rewrites whose results are the same bit for bit
    #[arg(long)]
    strict_fp: bool,
    /// Threads to compile on; 0 means all there are
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,
    /// Compile a module of the low level from the standard input to an object on the standard output
    #[arg(long, hide = true)]
    worker: bool,
}

/// What to make of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// An object file
    Obj,
    /// A shared library
    Lib,
    /// A program that runs the model on files
    Exe,
    /// The C header of the object or library
    Header,
    /// LLVM IR
    LlvmIr,
    /// Assembly
    Asm,
    /// The graph level
    Onnx,
    /// The structured level
    Linalg,
    /// The kernel level
    Kernels,
    /// The low level
    Loops,
    /// Cranelift IR
    Clif,
}

fn dimension(text: &str) -> Result<(String, i64), String> {
    let (name, extent) = text.split_once('=').ok_or("expected NAME=N")?;
    let extent = extent.parse().ok().filter(|&extent| extent >= 0);
    Ok((name.to_string(), extent.ok_or("the extent must be a number")?))
}

/// Why the tool ends without success.
struct Failure {
    code: i32,
    lines: Vec<String>,
}

impl Failure {
    fn new(class: ErrorClass, message: impl std::fmt::Display) -> Failure {
        Failure { code: class.exit_code(), lines: vec![format!("error: {message}")] }
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Failure {
        let code = diagnostics.iter().map(|d| d.class).max().unwrap_or(ErrorClass::Internal).exit_code();
        Failure { code, lines: diagnostics.iter().map(ToString::to_string).collect() }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = std::panic::catch_unwind(|| run(&arguments));
    let failure = match result {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new(ErrorClass::Internal, "this is a bug of the compiler, not of the model"),
    };
    for line in failure.lines {
        eprintln!("{line}");
    }
    ExitCode::from(failure.code as u8)
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    #[cfg(feature = "llvm")]
    if arguments.worker {
        return worker::run();
    }
    let Some(model) = &arguments.model else {
        return Err(Failure::new(ErrorClass::Usage, "this onnxc was built without LLVM"));
    };
    let bytes = emit::emit(arguments, model)?;
    if let Some(bytes) = bytes {
        write(arguments, &bytes)?;
    }
    Ok(())
}

fn write(arguments: &Arguments, bytes: &[u8]) -> Result<(), Failure> {
    let written = match arguments.output.to_str() {
        Some("-") => std::io::stdout().write_all(bytes),
        _ => std::fs::write(&arguments.output, bytes),
    };
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::new(ErrorClass::Input, format!("{}: {error}", arguments.output.display()))),
        Ok(()) => Ok(()),
    }
}

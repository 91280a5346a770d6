//! The LLVM back end, run as a process of its own so that nobody else pays for loading it.
//!
//! The worker is `onnxc --worker`: it reads the module's text and answers with objects, each behind its length in bytes
//! as eight little-endian bytes.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use ir::{Diagnostic, Location, Module, PrintOptions};

/// Names the worker's program when it does not stand beside this one.
const PROGRAM_VARIABLE: &str = "ONNXC";

/// Compiles a module to objects on some threads; constants stay symbols.
pub(crate) fn compile(module: &Module, threads: usize) -> Result<Vec<Vec<u8>>, Diagnostic> {
    let program = program();
    let failed = |problem: String| {
        let message = format!("the LLVM back end ({}): {problem}", program.display());
        Diagnostic::internal(Location::Unknown, message)
    };
    let text = text_without_constants(module);
    let mut command = Command::new(&program);
    command.arg("--worker").arg("--threads").arg(threads.to_string());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let mut input = child.stdin.take().expect("the input is piped");
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
    let written = writer.join().expect("writing does not panic");
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_string()));
    }
    written.map_err(|error| failed(error.to_string()))?;
    split(&output.stdout).ok_or_else(|| failed("the answer breaks off".to_string()))
}

/// The functions of a module: the worker needs no constants, and they are large.
fn text_without_constants(module: &Module) -> String {
    let mut functions = module.clone();
    for op in module.ops() {
        if module.body.name(*op) == "memref.global" {
            functions.body.erase(*op);
        }
    }
    ir::print_module(&functions, &PrintOptions { print_resources: false, ..PrintOptions::default() })
}

/// `onnxc` beside this program, or above it (tests), or on the path.
fn program() -> PathBuf {
    if let Some(program) = std::env::var_os(PROGRAM_VARIABLE) {
        return program.into();
    }
    let name = format!("onnxc{}", std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe().unwrap_or_default();
    let beside = here.ancestors().skip(1).take(3).map(|folder| folder.join(&name)).find(|program| program.is_file());
    beside.unwrap_or_else(|| name.into())
}

/// The objects of an answer.
fn split(mut answer: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut objects = Vec::new();
    while let Some((length, rest)) = answer.split_first_chunk::<8>() {
        let (object, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        objects.push(object.to_vec());
        answer = rest;
    }
    answer.is_empty().then_some(objects)
}

/// The answer that carries some objects.
pub fn answer(objects: &[Vec<u8>]) -> Vec<u8> {
    objects.iter().flat_map(|object| [&(object.len() as u64).to_le_bytes()[..], object].concat()).collect()
}

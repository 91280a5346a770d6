//! The LLVM back end, in processes of its own: `onnxc --worker` reads a module at the low level from its standard input
//! and writes an object file to its standard output. This process never loads LLVM.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use ir::{Attribute, Body, Diagnostic, Location, Module, Op, PrintOptions, Result};

/// The environment variable that names the compiler to start.
const PROGRAM: &str = "ONNXC";

/// Compiles a module in `threads` processes, each a part of its functions; returns their objects.
pub(crate) fn compile(module: &Module, threads: usize) -> Result<Vec<Vec<u8>>> {
    let parts = parts(module, threads);
    let program = program();
    // every worker writes its output only after it has read all of its input, so writing cannot block on reading
    let workers: Vec<Child> = parts.iter().map(|part| start(&program, part)).collect::<Result<_>>()?;
    workers.into_iter().map(finish).collect()
}

fn program() -> OsString {
    if let Some(named) = std::env::var_os(PROGRAM) {
        return named;
    }
    let beside = std::env::current_exe().ok().map(|path| path.with_file_name("onnxc"));
    beside.filter(|path: &PathBuf| path.exists()).map_or_else(|| "onnxc".into(), PathBuf::into_os_string)
}

fn start(program: &OsString, module: &Module) -> Result<Child> {
    let mut command = Command::new(program);
    command.args(["--worker", "--threads", "1"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| {
        let message = format!("the LLVM back end cannot be started: {}: {error}", program.to_string_lossy());
        Diagnostic::unsupported(Location::Unknown, message)
            .with_note(format!("it is the program onnxc beside this one, or the one that {PROGRAM} names"))
    })?;
    let text = ir::print_module(module, &PrintOptions::default());
    let mut input = child.stdin.take().expect("the standard input is piped");
    // a worker that ends early says why by itself
    let _ = input.write_all(text.as_bytes());
    Ok(child)
}

fn finish(mut child: Child) -> Result<Vec<u8>> {
    let failed = |what: String| Vec::from(Diagnostic::internal(Location::Unknown, format!("the LLVM back end {what}")));
    let mut object = Vec::new();
    let mut output = child.stdout.take().expect("the standard output is piped");
    output.read_to_end(&mut object).map_err(|error| failed(format!("cannot be read: {error}")))?;
    let ended = child.wait_with_output().map_err(|error| failed(format!("cannot be waited for: {error}")))?;
    if !ended.status.success() {
        let message = String::from_utf8_lossy(&ended.stderr).trim().to_string();
        return Err(failed(format!("failed ({}): {message}", ended.status)));
    }
    Ok(object)
}

/// Copies of the module that each define some of the functions and declare the others.
fn parts(module: &Module, threads: usize) -> Vec<Module> {
    let sizes: Vec<(Op, usize)> = module
        .functions()
        .filter(|function| function.body.entry().is_some())
        .map(|function| (function.op, function.body.walk_all().len()))
        .collect();
    let count = threads.clamp(1, sizes.len().max(1));
    let mut loads = vec![0; count];
    let mut homes: Vec<Vec<Op>> = vec![Vec::new(); count];
    for (op, size) in sizes {
        let lightest = (0..count).min_by_key(|&part| loads[part]).expect("there is a part");
        loads[lightest] += size;
        homes[lightest].push(op);
    }
    homes.into_iter().map(|own| part(module, &own)).collect()
}

fn part(module: &Module, own: &[Op]) -> Module {
    let mut part = Module { attributes: module.attributes.clone(), ..Module::new() };
    let block = part.body.entry().expect("a module has one block");
    for &op in module.ops() {
        let operation = module.body.op(op);
        let mut attributes = operation.attributes.clone();
        let new = match module.function_view(op) {
            Some(function) => {
                let body = if own.contains(&op) { function.body.clone() } else { Body::new() };
                // what one part defines the others call
                let visibility = if own.contains(&op) { "public" } else { "private" };
                attributes.set("sym_visibility", Attribute::string(visibility));
                let new = part.body.create_op("func.func", &[], &[], attributes, operation.location.clone());
                part.body.set_isolated(new, body);
                new
            }
            None => {
                // a global's bytes are in this process already
                attributes.set("initial_value", Attribute::Unit);
                part.body.create_op(operation.name.clone(), &[], &[], attributes, operation.location.clone())
            }
        };
        part.body.append(block, new);
    }
    part
}

//! The LLVM back end, in processes of its own: `onnxc --worker` reads a module at the low level from its standard input
//! and writes an object file to its standard output. This process never loads LLVM.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use ir::{Diagnostic, Location, Module, PrintOptions, Result};

/// The environment variable that names the compiler to start.
const PROGRAM: &str = "ONNXC";

/// How long it takes at most until a cancellation is seen.
const PATIENCE: Duration = Duration::from_millis(20);

/// Compiles the parts of a module in a process each, unless that is cancelled; returns their objects. A part's memory is
/// free as soon as its process has it.
pub(crate) fn compile(parts: Vec<Module>, cancelled: &AtomicBool) -> Result<Vec<Vec<u8>>> {
    let program = program();
    // every worker writes its output only after it has read all of its input, so writing cannot block on reading
    let workers: Vec<Child> = parts.into_iter().map(|part| start(&program, &part)).collect::<Result<_>>()?;
    // all of them are waited for, whatever became of the first
    let objects: Vec<Result<Vec<u8>>> = workers.into_iter().map(|worker| finish(worker, cancelled)).collect();
    objects.into_iter().collect()
}

/// The file of the program that LLVM is in, if it is known.
pub(crate) fn program_file() -> Option<PathBuf> {
    let path = PathBuf::from(program());
    path.exists().then_some(path)
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

fn finish(mut child: Child, cancelled: &AtomicBool) -> Result<Vec<u8>> {
    let failed = |what: String| Vec::from(Diagnostic::internal(Location::Unknown, format!("the LLVM back end {what}")));
    let output = child.stdout.take().expect("the standard output is piped");
    let object = read(output, || {
        if cancelled.load(Ordering::Relaxed) {
            // a worker that has ended already cannot be ended
            let _ = child.kill();
        }
    });
    let object = object.map_err(|error| failed(format!("cannot be read: {error}")))?;
    let ended = child.wait_with_output().map_err(|error| failed(format!("cannot be waited for: {error}")))?;
    if !ended.status.success() {
        let message = String::from_utf8_lossy(&ended.stderr).trim().to_string();
        return Err(failed(format!("failed ({}): {message}", ended.status)));
    }
    Ok(object)
}

/// All that comes out of a worker, calling `look` now and then meanwhile.
fn read(mut output: ChildStdout, mut look: impl FnMut()) -> std::io::Result<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut bytes = Vec::new();
            let read = output.read_to_end(&mut bytes).map(|_| bytes);
            sender.send(read).expect("the receiver waits");
        });
        loop {
            match receiver.recv_timeout(PATIENCE) {
                Ok(read) => return read,
                Err(RecvTimeoutError::Timeout) => look(),
                Err(RecvTimeoutError::Disconnected) => unreachable!("the sender sends before it ends"),
            }
        }
    })
}

//! The LLVM back end, in helper processes: `onnxc --worker` reads modules at the low level from its standard input and
//! writes an object file for each to its standard output, each preceded by its length as eight little-endian bytes.
//! This process never loads LLVM. `onnxc --successor` compiles a whole model. Both get the [`conventions`] of the
//! program that starts them, and refuse to work if theirs differ. They also get its target: a worker generates code for
//! another processor than its own, too, as an emulated program needs it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use dialects::rt::routines::ROUTINES;
use ir::{Diagnostic, ErrorClass, Location, Module, PrintOptions, Result};
use xxhash_rust::xxh3::xxh3_64;

/// The environment variable that names the compiler to start.
const PROGRAM: &str = "ONNXC";

/// The option that states the conventions of this program.
const CONVENTIONS: &str = "--conventions";

/// The option that states the target of this program's code.
const TARGET: &str = "--target";

/// The maximum delay until a cancellation is noticed.
const PATIENCE: Duration = Duration::from_millis(20);
/// The time limit of a process for a partition or a whole model.
const DEADLINE: Duration = Duration::from_secs(3600);
/// How long a process may be suspended while this one runs.
const STOPPED: Duration = Duration::from_secs(5);

/// Lowers and compiles the partitions of a module, each worker one after the other, unless that is cancelled; returns
/// their objects.
pub(crate) fn compile(
    parts: Vec<Module>,
    workers: usize,
    program: Option<&Path>,
    lower: &(impl Fn(&mut Module) -> Result<()> + Sync),
    cancelled: &AtomicBool,
) -> Result<Vec<Vec<u8>>> {
    let (program, count) = (program_or(program), parts.len());
    let queue = Mutex::new(parts.into_iter().enumerate());
    let work = || -> Result<Vec<(usize, Vec<u8>)>> {
        let arguments = ["--worker", "--threads", "1", TARGET, &own_target(), CONVENTIONS, &conventions()];
        let mut worker = Worker::start(&program, &arguments, Stdio::piped())?;
        let mut objects = Vec::new();
        while let Some((number, mut part)) = next(&queue) {
            lower(&mut part)?;
            let text = ir::print_module(&part, &PrintOptions::default());
            drop(part);
            objects.push((number, worker.compile(text, cancelled)?));
        }
        Ok(objects)
    };
    let mut objects = vec![Vec::new(); count];
    std::thread::scope(|scope| {
        // if the system refuses a thread, the others do its work
        let helper = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let helpers: Vec<_> = (1..workers.min(count)).filter_map(helper).collect();
        // wait for all of them, whatever the result of the first
        let done: Vec<Result<_>> = std::iter::once(work())
            .chain(helpers.into_iter().map(|helper| helper.join().expect("workers do not panic")))
            .collect();
        done.into_iter().try_for_each(|done| -> Result<()> {
            done?.into_iter().for_each(|(number, object)| objects[number] = object);
            Ok(())
        })
    })?;
    Ok(objects)
}

/// Has a helper process compile the requested model and write it to the output, unless that is cancelled.
pub fn succeed(program: Option<&Path>, wanted: &[u8], output: File, cancelled: &AtomicBool) -> Result<()> {
    let arguments = ["--successor", TARGET, &own_target(), CONVENTIONS, &conventions()];
    let mut worker = Worker::start(&program_or(program), &arguments, output.into())?;
    let mut input = worker.process.stdin.take().expect("the standard input is piped");
    // a process that has ended reports its own error
    let _ = input.write_all(wanted);
    drop(input);
    let mut watch = Watch::begin();
    while !cancelled.load(Ordering::Relaxed) {
        match worker.process.try_wait() {
            Ok(None) if watch.is_over(&worker.process) => return Err(worker.overdue().into()),
            Ok(None) => std::thread::sleep(PATIENCE),
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) | Err(_) => break,
        }
    }
    Err(worker.failure().into())
}

/// Identifies how generated code and the runtime of this program meet: by the version, and a hash of the routines'
/// descriptions. Code of a compiler with other conventions would call them wrongly.
pub fn conventions() -> String {
    format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), xxh3_64(format!("{ROUTINES:?}").as_bytes()))
}

/// The target of code that this program can run.
fn own_target() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// A stated target if it is of another processor than this program's.
pub fn other_target(stated: Option<&str>) -> Option<&str> {
    stated.filter(|target| !target.starts_with(std::env::consts::ARCH))
}

/// Refuses to work for a program with other conventions.
pub fn check_conventions(stated: Option<&str>) -> Result<()> {
    if stated.is_some_and(|stated| stated == conventions()) {
        return Ok(());
    }
    let message = "this onnxc is of another build than the program that starts it";
    let note = format!("install both from one release, or name the onnxc of that release in {PROGRAM}");
    Err(Diagnostic::unsupported(Location::Unknown, message).with_note(note).into())
}

/// The next partition that no thread has taken.
fn next<T>(queue: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).next()
}

/// The program file of the LLVM back end, if it is known.
pub fn program_file(program: Option<&Path>) -> Option<PathBuf> {
    let path = PathBuf::from(program_or(program));
    path.exists().then_some(path)
}

/// The requested program, or that in the environment variable, in the directory of this program, or on the path.
fn program_or(chosen: Option<&Path>) -> OsString {
    if let Some(chosen) = chosen {
        return chosen.into();
    }
    if let Some(named) = std::env::var_os(PROGRAM).filter(|named| !named.is_empty()) {
        return named;
    }
    let neighbour = std::env::current_exe().ok().map(|path| path.with_file_name("onnxc"));
    neighbour.filter(|path: &PathBuf| path.exists()).map_or_else(|| "onnxc".into(), PathBuf::into_os_string)
}

/// A process of the LLVM back end. It is killed when this is dropped.
struct Worker {
    process: Child,
}

impl Drop for Worker {
    fn drop(&mut self) {
        // killing fails if it has ended; waiting for it leaves no zombie process
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Worker {
    fn start(program: &OsString, arguments: &[&str], output: Stdio) -> Result<Worker> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(output).stderr(Stdio::piped());
        let process = command.spawn().map_err(|error| {
            let message = format!("the LLVM back end cannot be started: {}: {error}", program.to_string_lossy());
            Diagnostic::unsupported(Location::Unknown, message).with_note(format!(
                "it is the program onnxc in the directory of this one, or the program that {PROGRAM} names"
            ))
        })?;
        Ok(Worker { process })
    }

    /// The object of a module.
    fn compile(&mut self, text: String, cancelled: &AtomicBool) -> Result<Vec<u8>> {
        let input = self.process.stdin.as_mut().expect("the standard input is piped");
        // a worker writes nothing before it has read a whole module; one that has ended reports its own error
        let _ = write_framed(input, text.as_bytes());
        drop(text);
        self.object(cancelled)?.ok_or_else(|| self.failure().into())
    }

    /// The next object from the process; `None` if it ends before, or on cancellation.
    fn object(&mut self, cancelled: &AtomicBool) -> Result<Option<Vec<u8>>> {
        let mut output = self.process.stdout.take().expect("the standard output is piped");
        let (sender, receiver) = mpsc::channel();
        drop(crew::spawn(move || {
            let object = read_framed(&mut output).ok().flatten();
            // after a timeout there is no receiver
            let _ = sender.send((object, output));
        }));
        let mut watch = Watch::begin();
        loop {
            match receiver.recv_timeout(PATIENCE) {
                Ok((object, output)) => {
                    self.process.stdout = Some(output);
                    return Ok(object);
                }
                Err(RecvTimeoutError::Timeout) if cancelled.load(Ordering::Relaxed) => {
                    // killing fails if it has ended
                    let _ = self.process.kill();
                }
                Err(RecvTimeoutError::Timeout) if watch.is_over(&self.process) => return Err(self.overdue().into()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// The error of a process that failed.
    fn failure(&mut self) -> Diagnostic {
        // a process that still runs is not needed any more
        let _ = self.process.kill();
        let mut message = String::new();
        let _ = self.process.stderr.take().map(|mut errors| errors.read_to_string(&mut message));
        let status = self.process.wait();
        let class = status.as_ref().map_or(ErrorClass::Internal, |&status| class_of(status));
        let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        let said = message.trim().trim_start_matches("error: ");
        Diagnostic::error(class, Location::Unknown, format!("the LLVM back end failed ({status}): {said}"))
    }

    /// Ends a process that makes no progress.
    fn overdue(&mut self) -> Diagnostic {
        let _ = self.process.kill();
        let message = format!(
            "the LLVM back end (process {}) was abandoned: it was stopped for {} s, or took longer than {} min",
            self.process.id(),
            STOPPED.as_secs(),
            DEADLINE.as_secs() / 60
        );
        Diagnostic::input(Location::Unknown, message)
    }
}

/// The class of a process's failure: its exit code states it, and the system kills processes if memory is short.
fn class_of(status: ExitStatus) -> ErrorClass {
    const KILLED: i32 = 9;
    match (status.code(), status.signal()) {
        (Some(1), _) | (_, Some(KILLED)) => ErrorClass::Input,
        (Some(3), _) => ErrorClass::Unsupported,
        _ => ErrorClass::Internal,
    }
}

/// Watches whether a process makes progress.
struct Watch {
    begin: Instant,
    /// The time since which it has been suspended.
    stopped: Option<Instant>,
}

impl Watch {
    fn begin() -> Watch {
        Watch { begin: Instant::now(), stopped: None }
    }

    fn is_over(&mut self, process: &Child) -> bool {
        self.stopped = is_stopped(process.id()).then(|| self.stopped.unwrap_or_else(Instant::now));
        self.begin.elapsed() > DEADLINE || self.stopped.is_some_and(|since| since.elapsed() > STOPPED)
    }
}

/// Whether a process is suspended by a signal; false if the system does not report it.
fn is_stopped(process: u32) -> bool {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // the state follows the name, which is in brackets and may have any characters
    text.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['T', 't']))
}

/// Writes bytes, preceded by their length.
pub fn write_framed(output: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    output.write_all(&(bytes.len() as u64).to_le_bytes())?;
    output.write_all(bytes)?;
    output.flush()
}

/// Reads bytes that are preceded by their length; `None` at the end of the input.
pub fn read_framed(input: &mut impl Read) -> std::io::Result<Option<Vec<u8>>> {
    let mut length = Vec::new();
    input.by_ref().take(8).read_to_end(&mut length)?;
    let Ok(length) = <[u8; 8]>::try_from(length) else { return Ok(None) };
    let length = u64::from_le_bytes(length);
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == length {
        true => Ok(Some(bytes)),
        false => Err(std::io::ErrorKind::UnexpectedEof.into()),
    }
}

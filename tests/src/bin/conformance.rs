//! Runs the ONNX backend suite: every case in a child process that may die. All pass but those in `known.toml`.
//!
//! The suite is in a folder written by `tests/conformance/fetch.py`; `tests/contrib/generate.py` writes such a folder
//! for ONNX Runtime's operators.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use clap::Parser;
use driver::testdata::Tolerance;
use driver::{Arithmetic, Backend, Options};
use tests::conformance::{Case, Engines, Mode, Outcome, Verdict};
use tests::conformance::{cases, known, parse_backend, repository, run, run_graph};
use tests::guard::{self, GuardPages};

/// The number of cases that a child runs with guard pages before another one takes its place.
const GUARDED_CASES: usize = 1000;

#[global_allocator]
static ALLOCATOR: GuardPages = GuardPages;

/// Runs the ONNX backend suite. All cases must pass but those in tests/conformance/known.toml.
#[derive(Clone, Debug, Parser)]
struct Arguments {
    /// The folder of the suite.
    #[arg(long)]
    suite: Option<PathBuf>,
    /// `auto`, `cranelift` or `llvm`
    #[arg(long, default_value = "cranelift", value_parser = parse_backend)]
    backend: Backend,
    /// The engines that run the cases
    #[arg(long, value_enum, default_value = "fast")]
    engine: Engines,
    /// Only every Nth case
    #[arg(long, default_value_t = 1, value_name = "N")]
    sample: usize,
    /// How inputs are given at compile time
    #[arg(long, value_enum, default_value = "given")]
    mode: Mode,
    /// Threads a model runs on.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Cases to run in parallel
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Only cases whose name contains this.
    #[arg(long)]
    filter: Option<String>,
    /// Seconds a case may take.
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// Every case has to pass, also those of known.toml
    #[arg(long)]
    every: bool,
    /// Print every case that does not pass.
    #[arg(long)]
    verbose: bool,
    /// Run this many random graphs instead of the suite
    #[arg(long)]
    graphs: Option<u64>,
    /// The seed of the first random graph; later ones count up
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Put guard pages after buffers
    #[arg(long)]
    guard_pages: bool,
    /// Check each access of memory in generated code
    #[arg(long)]
    sanitize: bool,
    /// Compute nodes in the order of the model
    #[arg(long)]
    strict_fp: bool,
    /// The number of operations that the interpreter executes in a run, at most
    #[arg(long, default_value_t = 10_000_000)]
    limit: u64,
    /// The command of a child, one word each time: this program built for another processor, and its emulator
    #[arg(long, value_name = "WORD")]
    child: Vec<OsString>,
    /// Run as a child: read case numbers, write outcomes
    #[arg(long, hide = true)]
    worker: bool,
}

impl Arguments {
    fn suite(&self) -> PathBuf {
        self.suite.clone().unwrap_or_else(|| repository().join("target/conformance"))
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let graph = |seed: u64| Case { name: format!("graph/{seed}"), tolerance: Tolerance::default() };
    let all = match arguments.graphs {
        Some(count) => Ok((0..count).map(|at| graph(arguments.first + at)).collect()),
        None => cases(&arguments.suite()),
    };
    let all = match all {
        Ok(all) => all,
        Err(error) => {
            eprintln!("{}: {error}; run the script that writes it first", arguments.suite().display());
            return ExitCode::from(2);
        }
    };
    if arguments.worker {
        work(&arguments, &all);
        return ExitCode::SUCCESS;
    }
    let chosen: Vec<usize> = (0..all.len())
        .filter(|index| index.is_multiple_of(arguments.sample.max(1)))
        .filter(|&index| arguments.filter.as_ref().is_none_or(|filter| all[index].name.contains(filter)))
        .collect();
    let outcomes = run_all(&arguments, &chosen);
    let results: BTreeMap<&str, Outcome> = chosen.iter().map(|&index| &*all[index].name).zip(outcomes).collect();
    report(&arguments, &results)
}

/// The child's side: each input line is the number of a case, each output line its outcome.
fn work(arguments: &Arguments, all: &[Case]) {
    let Arguments { backend, threads, sanitize, .. } = *arguments;
    let arithmetic = if arguments.strict_fp { Arithmetic::Strict } else { Arithmetic::default() };
    let options = Options { backend, threads, sanitize, arithmetic, ..Options::default() };
    let compilers = arguments.engine.compilers(&options, arguments.limit);
    if arguments.guard_pages {
        guard::reserve();
    }
    std::panic::set_hook(Box::new(|_| {}));
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let Ok(index) = line.parse::<usize>() else { return };
        let Some(case) = all.get(index) else { return };
        let outcome = match arguments.graphs {
            Some(_) => run_graph(&compilers, arguments.first + index as u64),
            None => run(&compilers, &arguments.suite(), case, arguments.mode),
        };
        println!("{}\t{}", outcome.verdict, outcome.reason);
    }
}

/// Runs the cases on one child per job.
fn run_all(arguments: &Arguments, chosen: &[usize]) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; chosen.len()]);
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                let mut worker = None;
                for asked in 1.. {
                    let position = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&index) = chosen.get(position) else { return };
                    let outcome = worker.get_or_insert_with(|| Worker::start(arguments)).ask(index, arguments.timeout);
                    // guarded blocks use up addresses
                    let is_used_up = arguments.guard_pages && asked % GUARDED_CASES == 0;
                    if is_used_up || matches!(outcome.verdict, Verdict::Crashed | Verdict::TimedOut) {
                        worker = None;
                    }
                    outcomes.lock().expect("no holder panics")[position] = Some(outcome);
                }
            });
        }
    });
    outcomes.into_inner().expect("no holder panics").into_iter().map(|o| o.expect("every case was run")).collect()
}

/// A child process that runs cases.
struct Worker {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Worker {
    fn start(arguments: &Arguments) -> Worker {
        let here = || vec![std::env::current_exe().expect("the program has a path").into_os_string()];
        let words = if arguments.child.is_empty() { here() } else { arguments.child.clone() };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command.arg("--worker").arg("--suite").arg(arguments.suite());
        command.arg("--backend").arg(format!("{:?}", arguments.backend).to_lowercase());
        command.arg("--mode").arg(format!("{:?}", arguments.mode).to_lowercase());
        command.arg("--engine").arg(format!("{:?}", arguments.engine).to_lowercase());
        command.arg("--threads").arg(arguments.threads.to_string());
        if let Some(count) = arguments.graphs {
            command.arg("--graphs").arg(count.to_string()).arg("--first").arg(arguments.first.to_string());
        }
        if arguments.guard_pages {
            command.arg("--guard-pages");
        }
        if arguments.sanitize {
            command.arg("--sanitize");
        }
        if arguments.strict_fp {
            command.arg("--strict-fp");
        }
        command.arg("--limit").arg(arguments.limit.to_string());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the child can be started");
        let input = child.stdin.take().expect("input is piped");
        let output = BufReader::new(child.stdout.take().expect("output is piped"));
        let (sender, answers) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Worker { child, input, answers }
    }

    fn ask(&mut self, index: usize, timeout: u64) -> Outcome {
        let sent = writeln!(self.input, "{index}").and_then(|()| self.input.flush());
        match sent.map(|()| self.answers.recv_timeout(Duration::from_secs(timeout))) {
            Ok(Ok(line)) => parse_outcome(&line),
            Ok(Err(RecvTimeoutError::Timeout)) => {
                Outcome { verdict: Verdict::TimedOut, reason: format!("no answer in {timeout} s") }
            }
            Ok(Err(RecvTimeoutError::Disconnected)) | Err(_) => {
                let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                Outcome { verdict: Verdict::Crashed, reason: status }
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // the child may have ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse_outcome(line: &str) -> Outcome {
    let (verdict, reason) = line.split_once('\t').unwrap_or((line, ""));
    let verdict = Verdict::ALL.into_iter().find(|known| known.to_string() == verdict).unwrap_or(Verdict::Internal);
    Outcome { verdict, reason: reason.to_string() }
}

/// Prints a summary; the exit code is 1 if a case fails that is not known to, or passes although it is.
fn report(arguments: &Arguments, results: &BTreeMap<&str, Outcome>) -> ExitCode {
    let has_list = !arguments.every && arguments.graphs.is_none();
    let known = if has_list { known(arguments.mode) } else { BTreeSet::new() };
    let (passed, rest): (Vec<_>, Vec<_>) = results.iter().partition(|(_, outcome)| outcome.verdict == Verdict::Passed);
    let is_too_large = |(_, outcome): &(&&str, &Outcome)| {
        arguments.engine == Engines::Interpreted && outcome.verdict == Verdict::Unsupported
    };
    let (too_large, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_too_large);
    let (skipped, failed): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(name, _)| known.contains(**name));
    if arguments.verbose {
        skipped.iter().for_each(|(name, outcome)| println!("{:11} {name}: {}", "known", outcome.reason));
        too_large.iter().for_each(|(name, outcome)| println!("{:11} {name}: {}", "too large", outcome.reason));
    } else {
        by_reason(&failed).iter().for_each(|(reason, count)| println!("{count:5} {reason}"));
    }
    for (name, outcome) in &failed {
        println!("does not pass: {name}: {} {}", outcome.verdict, outcome.reason);
    }
    let stale: Vec<_> = passed.iter().filter(|(name, _)| known.contains(**name)).collect();
    stale.iter().for_each(|(name, _)| println!("passes, but is listed in known.toml: {name}"));
    let [passed, failed, skipped] = [passed.len(), failed.len(), skipped.len() + too_large.len()];
    println!("{:?}, {:?}: {passed} passed, {failed} failed, {skipped} skipped", arguments.backend, arguments.mode);
    if failed == 0 && stale.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The number of failures per reason, the most frequent first, ignoring quoted texts and numbers.
fn by_reason(failed: &[(&&str, &Outcome)]) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, outcome) in failed {
        *counts.entry(format!("{}: {}", outcome.verdict, general(&outcome.reason))).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

/// A message with `_` for quoted texts and numbers.
fn general(message: &str) -> String {
    let mut general = String::new();
    let mut quote = None;
    for letter in message.chars() {
        match quote {
            Some(end) if letter == end => quote = None,
            Some(_) => continue,
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                general.push('_');
            }
            None if letter.is_ascii_digit() => {
                if !general.ends_with('_') {
                    general.push('_');
                }
            }
            None => general.push(letter),
        }
    }
    general
}

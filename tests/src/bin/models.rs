//! Compiles and runs real models, each in a child process, and compares with the expected outputs.
//!
//! The models are in a folder written by `tests/models/fetch.py`, or any other with the same layout.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::Parser;
use driver::{Backend, Compiler, Options};
use tests::conformance::{parse_backend, repository};
use tests::models::{check, models};

/// Compiles and runs real models and compares with the expected outputs.
#[derive(Debug, Parser)]
struct Arguments {
    /// The folder with the models.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// `cranelift` or `llvm`.
    #[arg(long, default_value = "cranelift", value_parser = parse_backend)]
    backend: Backend,
    /// Numbers of threads to run on.
    #[arg(long, default_value = "1,2", value_delimiter = ',')]
    threads: Vec<usize>,
    /// Only models whose name contains this.
    #[arg(long)]
    filter: Option<String>,
    /// Write the list of passing models instead of comparing with it.
    #[arg(long)]
    update: bool,
    /// Run as a child: check the model of this name
    #[arg(long, hide = true)]
    one: Option<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let folder = arguments.folder.clone().unwrap_or_else(|| repository().join("target/models"));
    if let Some(name) = &arguments.one {
        let options = Options { backend: arguments.backend, threads: arguments.threads[0], ..Options::default() };
        return match check(&Compiler::new(options), &folder.join(name)) {
            Ok(text) => {
                println!("{text}");
                ExitCode::SUCCESS
            }
            Err(text) => {
                println!("{text}");
                ExitCode::FAILURE
            }
        };
    }
    let mut names = models(&folder);
    names.retain(|name| arguments.filter.as_ref().is_none_or(|filter| name.contains(filter)));
    if names.is_empty() {
        eprintln!("{}: no models; run tests/models/fetch.py first", folder.display());
        return ExitCode::from(2);
    }
    let mut passed = BTreeSet::new();
    for name in &names {
        if arguments.threads.iter().all(|&threads| run_one(&folder, name, arguments.backend, threads)) {
            passed.insert(name.clone());
        }
    }
    println!("{} of {} models pass", passed.len(), names.len());
    compare_with_list(&arguments, &names, passed)
}

/// Checks a model in a child process, which may die.
fn run_one(folder: &PathBuf, name: &str, backend: Backend, threads: usize) -> bool {
    let program = std::env::current_exe().expect("the program has a path");
    let backend = format!("{backend:?}").to_lowercase();
    let output = Command::new(program)
        .args(["--one", name, "--backend", &backend, "--threads", &threads.to_string(), "--folder"])
        .arg(folder)
        .output()
        .expect("the program can start itself");
    let verdict = if output.status.success() { "passed" } else { "FAILED" };
    let text = String::from_utf8_lossy(&output.stdout);
    let end = String::from_utf8_lossy(&output.stderr);
    let died = if output.status.code().is_none_or(|code| code > 1) {
        format!("{} {end}", output.status)
    } else {
        String::new()
    };
    println!("{verdict} {name} on {backend}, {threads} threads: {}{died}", text.trim_end());
    output.status.success()
}

/// The exit code is 1 if a listed model does not pass.
fn compare_with_list(arguments: &Arguments, names: &[String], passed: BTreeSet<String>) -> ExitCode {
    let path = repository().join("tests/models/passing.txt");
    let listed = std::fs::read_to_string(&path).unwrap_or_default();
    let listed: BTreeSet<String> = listed.lines().map(str::to_string).collect();
    if arguments.update {
        let kept = listed.into_iter().filter(|name| !names.contains(name));
        let list: BTreeSet<String> = kept.chain(passed).collect();
        let text: String = list.iter().map(|name| format!("{name}\n")).collect();
        std::fs::write(path, text).expect("the list can be written");
        return ExitCode::SUCCESS;
    }
    for name in passed.difference(&listed) {
        println!("passes, but is not listed (--update adds it): {name}");
    }
    let lost: Vec<&String> = listed.iter().filter(|name| names.contains(name) && !passed.contains(*name)).collect();
    lost.iter().for_each(|name| println!("no longer passes: {name}"));
    if lost.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

//! Compiles and runs real models, each in a child process, and compares with the expected outputs. All must be equal.
//!
//! The models are in a folder written by `tests/models/fetch.py`, or any other with the same layout.

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
    let passes =
        |name: &&String| arguments.threads.iter().all(|&threads| run_one(&folder, name, arguments.backend, threads));
    let passed = names.iter().filter(passes).count();
    println!("{passed} of {} models pass", names.len());
    if passed == names.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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

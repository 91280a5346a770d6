//! Makes a module in textual syntax smaller while a command fails on it.

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use clap::Parser;

/// Makes a module smaller while a command fails on it, and prints it.
#[derive(Debug, Parser)]
struct Arguments {
    /// The module, in textual syntax.
    module: PathBuf,
    /// The command; `{}` stands for the path of a module. It fails if its exit status is not 0.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match reduced(&arguments) {
        Ok(text) => println!("{text}"),
        Err(problem) => {
            eprintln!("error: {}: {problem}", arguments.module.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn reduced(arguments: &Arguments) -> Result<String, String> {
    let text = std::fs::read_to_string(&arguments.module).map_err(|error| error.to_string())?;
    let path = std::env::temp_dir().join(format!("reduce-{}.mlir", std::process::id()));
    let words: Vec<String> = arguments.command.iter().map(|word| word.replace("{}", &path.to_string_lossy())).collect();
    let fails = |text: &str| {
        let is_written = std::fs::write(&path, text).is_ok();
        let status = Command::new(&words[0]).args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null()).status();
        is_written && status.is_ok_and(|status| !status.success())
    };
    let smaller = tests::reduce::reduce(&text, fails);
    // it may not have been written
    let _ = std::fs::remove_file(&path);
    smaller
}

//! The error that ends a tool.

use std::panic::UnwindSafe;

use driver::{Diagnostic, ErrorClass};

use crate::output::warn;

/// The error that ends a tool.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: i32,
    /// The messages for the user, one per line.
    pub lines: Vec<String>,
}

impl Failure {
    /// One message, with the position first: `FILE: what`.
    pub fn new(class: ErrorClass, message: impl std::fmt::Display) -> Failure {
        Failure { code: class.exit_code(), lines: vec![format!("error: {message}")] }
    }

    /// The model or a file is wrong.
    pub fn input(message: impl std::fmt::Display) -> Failure {
        Failure::new(ErrorClass::Input, message)
    }

    /// The command line is wrong.
    pub fn usage(message: impl std::fmt::Display) -> Failure {
        Failure::new(ErrorClass::Usage, message)
    }

    /// The messages without the prefix `error:`.
    pub fn statements(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.strip_prefix("error: ").unwrap_or(line))
    }

    /// Standard output was closed, so the tool ends as if all had been written.
    pub fn unheard() -> Failure {
        Failure { code: 0, lines: vec![] }
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Failure {
        let code = diagnostics.iter().map(|d| d.class).max().unwrap_or(ErrorClass::Internal).exit_code();
        Failure { code, lines: diagnostics.iter().map(ToString::to_string).collect() }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::input(message)
    }
}

/// Runs a tool: prints its errors, and returns the exit code. A panic is a bug of ours.
pub fn guard(tool: impl FnOnce() -> Result<(), Failure> + UnwindSafe) -> i32 {
    crate::fatal::handle();
    let failure = match std::panic::catch_unwind(tool) {
        Ok(Ok(())) => return 0,
        Ok(Err(failure)) => failure,
        Err(panic) if let Some(shortage) = limits::of_panic(&*panic) => Failure::input(shortage),
        Err(_) => Failure::new(ErrorClass::Internal, "this is a bug of the compiler, not of the model"),
    };
    for line in failure.lines {
        warn(&line);
    }
    failure.code
}

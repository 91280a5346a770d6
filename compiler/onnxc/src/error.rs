//! The errors of the library; the tools print those of `tools/commandline/src/failure.rs`.

use std::fmt;
use std::sync::Arc;

use driver::{Diagnostic, ErrorClass, Location};

/// An error: its kind, and one or more [`Problem`]s with their positions.
///
/// ```
/// let error = onnxc::Model::load("missing.onnx").unwrap_err();
/// assert_eq!(error.kind(), onnxc::ErrorKind::InvalidModel);
/// assert!(error.to_string().starts_with("missing.onnx: cannot read the model"));
/// ```
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    problems: Vec<Problem>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The model cannot be read or breaks a rule of ONNX.
    InvalidModel,
    /// An input, an output buffer or an option does not fit the model, or the run failed on its inputs.
    InvalidInput,
    /// The model is valid, but something in it is not supported.
    Unsupported,
    /// [`Cancel::cancel`](crate::Cancel::cancel) ended the run.
    Cancelled,
    /// The run took longer than its deadline.
    DeadlineExceeded,
    /// A bug of this crate.
    Internal,
}

/// A single problem.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The problem and its position, in one line.
    pub message: String,
    /// Context, and possible remedies.
    pub notes: Vec<String>,
    /// The rule of the ONNX documents that the model breaks, if any: an identifier such as `graph-outputs`.
    pub rule: Option<&'static str>,
}

impl Error {
    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// All problems; at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// An error of a [`CustomOperator`](crate::CustomOperator): a message, or another error, which
    /// [`source`](std::error::Error::source) returns. Errors of a compilation or a run name the node as well.
    pub fn custom(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        let source: Arc<dyn std::error::Error + Send + Sync> = error.into().into();
        Error { source: Some(source.clone()), ..Error::input(source.to_string()) }
    }

    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, problems: vec![Problem { message: message.into(), notes: vec![], rule: None }], source: None }
    }

    pub(crate) fn input(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::InvalidInput, message)
    }

    /// Errors of loading and compiling, which are about the model.
    pub(crate) fn of_model(diagnostics: Vec<Diagnostic>) -> Error {
        Error::of(diagnostics, ErrorKind::InvalidModel)
    }

    /// Run-time errors, which concern the inputs of a run.
    pub(crate) fn of_run(diagnostics: Vec<Diagnostic>) -> Error {
        Error::of(diagnostics, ErrorKind::InvalidInput)
    }

    /// The same error with the position of a node.
    pub(crate) fn at(mut self, place: &Location) -> Error {
        self.problems.iter_mut().for_each(|problem| problem.message = place.statement(&problem.message));
        self
    }

    /// The same error of another kind.
    pub(crate) fn of_kind(self, kind: ErrorKind) -> Error {
        Error { kind, ..self }
    }

    fn of(diagnostics: Vec<Diagnostic>, input: ErrorKind) -> Error {
        let class = diagnostics.iter().map(|diagnostic| diagnostic.class).max();
        let kind = match class {
            Some(ErrorClass::Input) => input,
            Some(ErrorClass::Usage) => ErrorKind::InvalidInput,
            Some(ErrorClass::Unsupported) => ErrorKind::Unsupported,
            Some(ErrorClass::Internal) | None => ErrorKind::Internal,
        };
        Error { kind, problems: diagnostics.into_iter().map(Problem::from).collect(), source: None }
    }
}

impl From<Diagnostic> for Problem {
    fn from(diagnostic: Diagnostic) -> Problem {
        Problem { message: diagnostic.statement(), notes: diagnostic.notes, rule: diagnostic.rule }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            let separator = if at == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n  note: {note}"))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

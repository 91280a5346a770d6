//! Diagnostics: errors are values with a location.

use std::fmt;

use crate::location::Location;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Compilation cannot continue.
    Error,
    /// Suspicious, but a result is produced.
    Warning,
    /// Information about what the compiler did.
    Remark,
    /// Detail attached to another diagnostic.
    Note,
}

/// The cause of an error, which determines the tools' exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorClass {
    /// The model or an input is wrong: exit code 1.
    Input,
    /// The command line is wrong: exit code 2.
    Usage,
    /// Valid, but not supported yet: exit code 3.
    Unsupported,
    /// A bug of ours: exit code 70.
    Internal,
}

impl ErrorClass {
    /// The process exit code for errors of this class.
    pub fn exit_code(self) -> i32 {
        match self {
            ErrorClass::Input => 1,
            ErrorClass::Usage => 2,
            ErrorClass::Unsupported => 3,
            ErrorClass::Internal => 70,
        }
    }
}

/// One message about one location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// The cause.
    pub class: ErrorClass,
    /// The location.
    pub location: Location,
    /// The identifier of the rule of a document that is broken.
    pub rule: Option<&'static str>,
    /// One line: what is wrong, what was expected and what was found.
    pub message: String,
    /// Further lines: context, and what the user can do.
    pub notes: Vec<String>,
}

/// A result whose error is one or more diagnostics.
pub type Result<T, E = Vec<Diagnostic>> = std::result::Result<T, E>;

impl Diagnostic {
    /// An error of the given class.
    pub fn error(class: ErrorClass, location: Location, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, class, location, rule: None, message: message.into(), notes: vec![] }
    }

    /// The model or an input is wrong.
    pub fn input(location: Location, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(ErrorClass::Input, location, message)
    }

    /// Valid, but not supported.
    pub fn unsupported(location: Location, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(ErrorClass::Unsupported, location, message)
    }

    /// A broken invariant of ours.
    pub fn internal(location: Location, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(ErrorClass::Internal, location, message)
    }

    /// The location and the message in one line: `node_3: the operands differ`.
    pub fn statement(&self) -> String {
        self.location.statement(&self.message)
    }

    /// The same diagnostic, reported as a violation of a rule.
    pub fn breaks(self, rule: &'static str) -> Diagnostic {
        Diagnostic { rule: Some(rule), ..self }
    }

    /// The same diagnostic with one more note.
    pub fn with_note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }
}

impl From<Diagnostic> for Vec<Diagnostic> {
    fn from(diagnostic: Diagnostic) -> Self {
        vec![diagnostic]
    }
}

impl From<limits::Shortage> for Diagnostic {
    fn from(shortage: limits::Shortage) -> Diagnostic {
        Diagnostic::input(Location::Unknown, shortage.to_string())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
            Severity::Note => "note",
        };
        write!(f, "{severity}: {}", self.statement())?;
        if let Some(rule) = self.rule {
            write!(f, " [{rule}]")?;
        }
        for note in &self.notes {
            write!(f, "\n  note: {note}")?;
        }
        Ok(())
    }
}

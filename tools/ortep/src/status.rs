//! Errors: a code of ONNX Runtime's and a sentence.

use driver::{Diagnostic, ErrorClass};
use ort_sys::OrtErrorCode;

/// A result whose error becomes an `OrtStatus`.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// An error.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) code: OrtErrorCode,
    pub(crate) message: String,
}

impl Failure {
    /// An error of this provider.
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { code: OrtErrorCode::ORT_EP_FAIL, message: message.into() }
    }

    /// An argument that is wrong.
    pub(crate) fn invalid(message: impl Into<String>) -> Failure {
        Failure { code: OrtErrorCode::ORT_INVALID_ARGUMENT, message: message.into() }
    }

    /// Something that is not implemented.
    pub(crate) fn refused(message: impl Into<String>) -> Failure {
        Failure { code: OrtErrorCode::ORT_NOT_IMPLEMENTED, message: message.into() }
    }

    /// Errors found by the compiler.
    pub(crate) fn of_compiling(diagnostics: &[Diagnostic]) -> Failure {
        let code = match diagnostics.iter().map(|diagnostic| diagnostic.class).max() {
            Some(ErrorClass::Input) => OrtErrorCode::ORT_INVALID_GRAPH,
            Some(ErrorClass::Unsupported) => OrtErrorCode::ORT_NOT_IMPLEMENTED,
            Some(ErrorClass::Usage) => OrtErrorCode::ORT_INVALID_ARGUMENT,
            Some(ErrorClass::Internal) | None => OrtErrorCode::ORT_EP_FAIL,
        };
        Failure { code, message: text(diagnostics) }
    }

    /// Run-time errors.
    pub(crate) fn of_running(diagnostics: &[Diagnostic]) -> Failure {
        Failure { code: OrtErrorCode::ORT_RUNTIME_EXCEPTION, message: text(diagnostics) }
    }
}

/// All diagnostics, each with its position and its notes.
pub(crate) fn text(diagnostics: &[Diagnostic]) -> String {
    let one = |diagnostic: &Diagnostic| {
        let notes: String = diagnostic.notes.iter().map(|note| format!("\n  note: {note}")).collect();
        format!("{}{notes}", diagnostic.statement())
    };
    diagnostics.iter().map(one).collect::<Vec<_>>().join("\n")
}

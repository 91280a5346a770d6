//! Errors as Python exceptions, with ONNX Runtime's names.

use driver::{Diagnostic, ErrorClass};
use pyo3::create_exception;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

create_exception!(onnxc, Fail, PyRuntimeError, "Something failed that has no other name.");
create_exception!(
    onnxc,
    InvalidArgument,
    PyRuntimeError,
    "An input, an output's name or an option does not match the model."
);
create_exception!(onnxc, NoSuchFile, PyRuntimeError, "The model's file does not exist.");
create_exception!(onnxc, InvalidProtobuf, PyRuntimeError, "The bytes are not a model.");
create_exception!(onnxc, InvalidGraph, PyRuntimeError, "The model breaks a rule of ONNX.");
create_exception!(onnxc, NotImplemented, PyRuntimeError, "The model is valid, but something in it is not supported.");
create_exception!(onnxc, RuntimeException, PyRuntimeError, "The run failed on its inputs, or was ended.");

/// The operation that failed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    /// Reading bytes.
    Reading,
    /// Compiling a model.
    Compiling,
    /// Running it.
    Running,
}

/// Adds the exceptions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Fail", py.get_type::<Fail>())?;
    module.add("InvalidArgument", py.get_type::<InvalidArgument>())?;
    module.add("NoSuchFile", py.get_type::<NoSuchFile>())?;
    module.add("InvalidProtobuf", py.get_type::<InvalidProtobuf>())?;
    module.add("InvalidGraph", py.get_type::<InvalidGraph>())?;
    module.add("NotImplemented", py.get_type::<NotImplemented>())?;
    module.add("RuntimeException", py.get_type::<RuntimeException>())
}

/// The exception for diagnostics.
pub(crate) fn exception(diagnostics: &[Diagnostic], doing: Doing) -> PyErr {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let separator = if text.is_empty() { "" } else { "\n" };
        text += separator;
        text += &diagnostic.statement();
        diagnostic.notes.iter().for_each(|note| text += &format!("\n  note: {note}"));
    }
    let class = diagnostics.iter().map(|diagnostic| diagnostic.class).max();
    match (class, doing) {
        (Some(ErrorClass::Unsupported), _) => NotImplemented::new_err(text),
        (Some(ErrorClass::Input), Doing::Reading) => InvalidProtobuf::new_err(text),
        (Some(ErrorClass::Input), Doing::Compiling) => InvalidGraph::new_err(text),
        (Some(ErrorClass::Input), Doing::Running) => {
            // errors about an input name it; all others were found by the run
            if text.starts_with("input '") { InvalidArgument::new_err(text) } else { RuntimeException::new_err(text) }
        }
        (Some(ErrorClass::Usage | ErrorClass::Internal) | None, _) => Fail::new_err(text),
    }
}

/// The exception for an invalid argument.
pub(crate) fn wrong(message: impl Into<String>) -> PyErr {
    InvalidArgument::new_err(message.into())
}

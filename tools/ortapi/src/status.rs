//! Statuses: null for success, otherwise a code and a message.

use std::ffi::{CString, c_char};

use onnxc::ErrorKind;
use ort_sys::{OrtErrorCode, OrtStatusPtr};

use crate::raw::{Enum, Released, Text, own, taken};

/// The result of a function that may fail with a status.
pub(crate) type Result<T, E = Status> = std::result::Result<T, E>;

/// An error.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    code: OrtErrorCode,
    message: CString,
}

handles! { Status => OrtStatus }

impl Status {
    pub(crate) fn new(code: OrtErrorCode, message: impl Into<String>) -> Status {
        Status { code, message: c_text(message) }
    }

    /// An invalid argument.
    pub(crate) fn invalid(message: impl Into<String>) -> Status {
        Status::new(OrtErrorCode::ORT_INVALID_ARGUMENT, message)
    }

    /// Something that is not implemented.
    pub(crate) fn refused(message: impl Into<String>) -> Status {
        Status::new(OrtErrorCode::ORT_NOT_IMPLEMENTED, message)
    }

    /// An error of reading a model.
    pub(crate) fn of_reading(error: &onnxc::Error) -> Status {
        Status::of(error, OrtErrorCode::ORT_INVALID_PROTOBUF, OrtErrorCode::ORT_INVALID_ARGUMENT)
    }

    /// An error of compiling a model.
    pub(crate) fn of_compiling(error: &onnxc::Error) -> Status {
        Status::of(error, OrtErrorCode::ORT_INVALID_GRAPH, OrtErrorCode::ORT_INVALID_ARGUMENT)
    }

    /// A run-time error.
    pub(crate) fn of_running(error: &onnxc::Error) -> Status {
        // what is wrong with an input or a buffer names it; everything else was found by the run
        let text = error.to_string();
        let is_argument = text.starts_with("input '") || text.starts_with("output '");
        let input = if is_argument { OrtErrorCode::ORT_INVALID_ARGUMENT } else { OrtErrorCode::ORT_RUNTIME_EXCEPTION };
        Status::of(error, OrtErrorCode::ORT_INVALID_GRAPH, input)
    }

    fn of(error: &onnxc::Error, model: OrtErrorCode, input: OrtErrorCode) -> Status {
        let code = match error.kind() {
            ErrorKind::InvalidModel => model,
            ErrorKind::InvalidInput => input,
            ErrorKind::Unsupported => OrtErrorCode::ORT_NOT_IMPLEMENTED,
            ErrorKind::Cancelled => {
                return Status::new(OrtErrorCode::ORT_FAIL, "Exiting due to terminate flag being set to true.");
            }
            _ => OrtErrorCode::ORT_FAIL,
        };
        // the status of a custom operator has its own code
        let own = std::error::Error::source(error).and_then(|source| source.downcast_ref::<Status>());
        Status::new(own.map_or(code, |status| status.code), error.to_string())
    }

    /// A status as an error of a custom operator.
    pub(crate) fn into_error(self) -> onnxc::Error {
        onnxc::Error::custom(self)
    }

    /// A status that a function of C returned; null is success.
    pub(crate) fn of_raw(raw: OrtStatusPtr) -> Result<()> {
        taken::<Status>(raw.0).map_or(Ok(()), Err)
    }

    /// The message.
    #[cfg(test)]
    pub(crate) fn message(&self) -> &str {
        self.message.to_str().unwrap_or_default()
    }

    /// The status as C represents it.
    pub(crate) fn into_raw(self) -> OrtStatusPtr {
        OrtStatusPtr(own(self))
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message.to_string_lossy())
    }
}

impl std::error::Error for Status {}

/// A string with a terminator. Null characters inside become spaces.
pub(crate) fn c_text(text: impl Into<String>) -> CString {
    CString::new(text.into().replace('\0', " ")).unwrap_or_default()
}

/// The error code of an integer.
fn code(number: i32) -> OrtErrorCode {
    use OrtErrorCode as Code;
    const CODES: [Code; 16] = [
        Code::ORT_OK,
        Code::ORT_FAIL,
        Code::ORT_INVALID_ARGUMENT,
        Code::ORT_NO_SUCHFILE,
        Code::ORT_NO_MODEL,
        Code::ORT_ENGINE_ERROR,
        Code::ORT_RUNTIME_EXCEPTION,
        Code::ORT_INVALID_PROTOBUF,
        Code::ORT_MODEL_LOADED,
        Code::ORT_NOT_IMPLEMENTED,
        Code::ORT_INVALID_GRAPH,
        Code::ORT_EP_FAIL,
        Code::ORT_MODEL_LOAD_CANCELED,
        Code::ORT_MODEL_REQUIRES_COMPILATION,
        Code::ORT_NOT_FOUND,
        Code::ORT_DEVICE_RESET,
    ];
    CODES.iter().copied().find(|&known| known as i32 == number).unwrap_or(Code::ORT_FAIL)
}

entries! {
    /// Creates a status with a copy of a message.
    fn CreateStatus(code: Enum<OrtErrorCode>, msg: Option<Text<'_>>) -> OrtStatusPtr {
        Status::new(self::code(code.0), msg.map_or("", |text| text.0)).into_raw()
    } else {
        Status::invalid("the message of the status is not UTF-8").into_raw()
    }

    /// Returns the code of a status.
    fn GetErrorCode(status: &Status) -> OrtErrorCode { status.code } else { OrtErrorCode::ORT_OK }

    /// Returns the message of a status, which is valid as long as the status.
    fn GetErrorMessage(status: &Status) -> *const c_char { status.message.as_ptr() } else { c"".as_ptr() }

    /// Releases a status.
    fn ReleaseStatus(_input: Released<Status>) -> () {} else {}
}

//! Libraries with custom operators.
//!
//! Contract: a library's function `RegisterCustomOps` follows the header.

#![allow(unsafe_code, reason = "libraries have functions of C")]

use std::ffi::c_void;
use std::path::Path;
use std::sync::Arc;

use libloading::os::unix::Library;
use ort_sys::{OrtApiBase, OrtErrorCode, OrtSessionOptions, OrtStatusPtr};

use crate::options::SessionOptions;
use crate::raw::{Argument, FilePath, Out, Text};
use crate::status::{Result, Status};
use crate::table::OrtGetApiBase;

/// A function that registers operators.
type Register = unsafe extern "C" fn(*mut OrtSessionOptions, *const OrtApiBase) -> OrtStatusPtr;

/// Calls a function of a library that registers operators.
fn register(library: &Library, name: &str, options: *mut OrtSessionOptions) -> Result<()> {
    if options.is_null() {
        return Err(Status::invalid("options is null"));
    }
    // SAFETY: the contract at the head.
    let function = unsafe { library.get::<Register>(name.as_bytes()) };
    let function = function.map_err(|error| unusable(name, &error))?;
    // SAFETY: as above.
    Status::of_raw(unsafe { function(options, OrtGetApiBase()) })
}

/// The status for a library or a function that cannot be loaded. The reason is the source of the error.
fn unusable(name: &str, error: &libloading::Error) -> Status {
    let reason = std::error::Error::source(error).map_or(error.to_string(), ToString::to_string);
    Status::new(OrtErrorCode::ORT_FAIL, format!("{name}: {reason}"))
}

/// Loads a library and registers its operators.
fn load(path: &Path, options: *mut OrtSessionOptions) -> Result<Library> {
    // SAFETY: the caller chose the library.
    let library = unsafe { Library::new(path) };
    let library = library.map_err(|error| unusable(&path.to_string_lossy(), &error))?;
    register(&library, "RegisterCustomOps", options)?;
    Ok(library)
}

entries! {
    /// Loads a library and registers its operators. The caller closes the library after the sessions.
    fn RegisterCustomOpsLibrary(
        options: *mut OrtSessionOptions, library_path: Text<'_>, library_handle: Out<*mut c_void>,
    ) {
        library_handle.set(load(Path::new(library_path.0), options)?.into_raw())
    }

    /// Loads a library and registers its operators. It stays loaded as long as the options and their sessions.
    fn RegisterCustomOpsLibrary_V2(options: *mut OrtSessionOptions, library_name: FilePath<'_>) {
        let library = load(library_name.0, options)?;
        // SAFETY: the contract of `raw`.
        let options = unsafe { <&mut SessionOptions>::receive(options, "RegisterCustomOpsLibrary_V2: options") }?;
        options.libraries.push(Arc::new(library));
        Ok(())
    }

    /// Calls a function of the program or its libraries that registers operators.
    fn RegisterCustomOpsUsingFunction(options: *mut OrtSessionOptions, registration_func_name: Text<'_>) {
        register(&Library::this(), registration_func_name.0, options)
    }
}

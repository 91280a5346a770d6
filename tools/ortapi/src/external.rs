//! Locations of external initializers.

use std::ffi::{CString, c_char};
use std::os::unix::ffi::OsStrExt;

use ort_sys::OrtExternalInitializerInfo;

use crate::raw::{FilePath, Out, Released};

/// The location of an external initializer.
pub(crate) struct ExternalInitializer {
    path: CString,
    offset: i64,
    bytes: usize,
}

handles! { ExternalInitializer => OrtExternalInitializerInfo }

entries! {
    /// Creates a location.
    fn CreateExternalInitializerInfo(
        filepath: FilePath<'_>, file_offset: i64, byte_size: usize, out: Out<*mut OrtExternalInitializerInfo>,
    ) {
        let path = CString::new(filepath.0.as_os_str().as_bytes()).unwrap_or_default();
        out.give(ExternalInitializer { path, offset: file_offset, bytes: byte_size })
    }

    /// Returns the path of the file.
    fn ExternalInitializerInfo_GetFilePath(
        info: &ExternalInitializer,
    ) -> *const c_char { info.path.as_ptr() } else { c"".as_ptr() }

    /// Returns the offset in the file.
    fn ExternalInitializerInfo_GetFileOffset(info: &ExternalInitializer) -> i64 { info.offset } else { 0 }

    /// Returns the size in bytes.
    fn ExternalInitializerInfo_GetByteSize(info: &ExternalInitializer) -> usize { info.bytes } else { 0 }

    /// Releases a location.
    fn ReleaseExternalInitializerInfo(_input: Released<ExternalInitializer>) -> () {} else {}
}

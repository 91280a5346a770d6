//! The shared library as C programs see it: a table of functions.

#![allow(unsafe_code, reason = "the functions of a C library are unsafe")]
#![allow(dead_code, unused_macros, reason = "each test uses a part of it")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::LazyLock;

use ort_sys::{
    ONNXTensorElementDataType, OrtAllocator, OrtApi, OrtApiBase, OrtEnv, OrtErrorCode, OrtLoggingLevel, OrtMemoryInfo,
    OrtSession, OrtSessionOptions, OrtStatusPtr, OrtTypeInfo, OrtValue,
};
use proto::Message;

/// The library that cargo built for this test, or the one that a variable names, for comparison.
pub(crate) fn path() -> PathBuf {
    if let Some(other) = std::env::var_os("ONNXRUNTIME_LIBRARY") {
        return other.into();
    }
    let program = std::env::current_exe().expect("a program has a path");
    program.parent().expect("it is in a folder").join("libonnxruntime.so")
}

static BASE: LazyLock<&'static OrtApiBase> = LazyLock::new(|| {
    let library = Box::leak(Box::new(unsafe { libloading::Library::new(path()) }.expect("the library is there")));
    let entry = unsafe { library.get::<unsafe extern "C" fn() -> *const OrtApiBase>(b"OrtGetApiBase") };
    unsafe { &*entry.expect("it has the entry point")() }
});

/// The table of tables.
pub(crate) fn base() -> &'static OrtApiBase {
    &BASE
}

/// The table.
pub(crate) fn api() -> &'static OrtApi {
    unsafe { &*(base().GetApi)(ort_sys::ORT_API_VERSION) }
}

/// Calls an entry that must succeed: `call!(Name, argument…)`.
macro_rules! call {
    ($name:ident $(, $argument:expr)* $(,)?) => {
        crate::library::succeed(stringify!($name), unsafe { (crate::library::api().$name)($($argument),*) })
    };
}

/// Calls an entry whose last argument takes the result, and returns it: `get!(Name, argument…)`.
macro_rules! get {
    ($name:ident $(, $argument:expr)* $(,)?) => {{
        let mut result = unsafe { std::mem::zeroed() };
        call!($name $(, $argument)*, &mut result);
        result
    }};
}

/// Calls an entry that must fail: its code and its message.
macro_rules! fail {
    ($name:ident $(, $argument:expr)* $(,)?) => {
        crate::library::failure(unsafe { (crate::library::api().$name)($($argument),*) }).expect(stringify!($name))
    };
}

pub(crate) fn succeed(name: &str, status: OrtStatusPtr) {
    if let Some((code, message)) = failure(status) {
        panic!("{name}: {code:?}: {message}");
    }
}

/// Code and message of a status, which is released.
pub(crate) fn failure(status: OrtStatusPtr) -> Option<(OrtErrorCode, String)> {
    if status.0.is_null() {
        return None;
    }
    let code = unsafe { (api().GetErrorCode)(status.0) };
    let message = text(unsafe { (api().GetErrorMessage)(status.0) });
    unsafe { (api().ReleaseStatus)(status.0) };
    Some((code, message))
}

pub(crate) fn text(text: *const c_char) -> String {
    assert!(!text.is_null());
    unsafe { CStr::from_ptr(text) }.to_str().expect("texts are UTF-8").to_string()
}

/// A text that the default allocator allocated, which is freed.
pub(crate) fn taken(own: *mut c_char) -> String {
    let result = text(own);
    call!(AllocatorFree, allocator(), own.cast());
    result
}

pub(crate) fn c(text: &str) -> CString {
    CString::new(text).expect("no 0 inside")
}

pub(crate) fn allocator() -> *mut OrtAllocator {
    get!(GetAllocatorWithDefaultOptions)
}

pub(crate) fn memory() -> *mut OrtMemoryInfo {
    get!(CreateCpuMemoryInfo, ort_sys::OrtAllocatorType::OrtArenaAllocator, ort_sys::OrtMemType::OrtMemTypeDefault)
}

pub(crate) fn env() -> *mut OrtEnv {
    get!(CreateEnv, OrtLoggingLevel::ORT_LOGGING_LEVEL_ERROR, c"test".as_ptr())
}

pub(crate) fn options() -> *mut OrtSessionOptions {
    let options = get!(CreateSessionOptions);
    call!(SetIntraOpNumThreads, options, 1);
    options
}

/// A session of a model that is written in ONNX's textual syntax.
pub(crate) fn session(graph: &str) -> *mut OrtSession {
    session_with(graph, options())
}

pub(crate) fn session_with(graph: &str, options: *mut OrtSessionOptions) -> *mut OrtSession {
    let model = source(graph);
    get!(CreateSessionFromArray, env(), model.as_ptr().cast(), model.len(), options)
}

/// The bytes of a model with a graph that is written in ONNX's textual syntax.
pub(crate) fn source(graph: &str) -> Vec<u8> {
    let text = format!(
        "<ir_version: 10, opset_import: [\"\": 21, \"ai.onnx.ml\": 3], producer_name: \"a tool\", producer_version: \"2\",
          domain: \"org.example\", model_version: 7, doc_string: \"a model\", metadata_props: [\"author\": \"an author\"]>
        {graph}"
    );
    proto::Model::from_bytes(text.as_bytes()).expect("the text is a model").proto.encode_to_vec()
}

/// A tensor that shows memory of the caller.
pub(crate) fn borrowed<T>(elements: &mut [T], shape: &[i64], element: ONNXTensorElementDataType) -> *mut OrtValue {
    let (data, bytes) = (elements.as_mut_ptr().cast::<c_void>(), size_of_val(elements));
    get!(CreateTensorWithDataAsOrtValue, memory(), data, bytes, shape.as_ptr(), shape.len(), element)
}

pub(crate) const FLOAT: ONNXTensorElementDataType = ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
pub(crate) const INT64: ONNXTensorElementDataType = ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
pub(crate) const STRING: ONNXTensorElementDataType = ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;

pub(crate) fn floats(elements: &mut [f32]) -> *mut OrtValue {
    let shape = [elements.len() as i64];
    borrowed(elements, &shape, FLOAT)
}

/// A tensor of strings.
pub(crate) fn strings(texts: &[&str]) -> *mut OrtValue {
    let value = get!(CreateTensorAsOrtValue, allocator(), [texts.len() as i64].as_ptr(), 1, STRING);
    let own: Vec<CString> = texts.iter().map(|text| c(text)).collect();
    let pointers: Vec<*const c_char> = own.iter().map(|text| text.as_ptr()).collect();
    call!(FillStringTensor, value, pointers.as_ptr(), pointers.len());
    value
}

/// The strings of a tensor.
pub(crate) fn read_strings(value: *const OrtValue) -> Vec<String> {
    let (_, shape) = element_and_shape(value);
    let count = shape.iter().product::<i64>() as usize;
    let mut bytes = vec![0u8; get!(GetStringTensorDataLength, value)];
    let mut begins = vec![0usize; count + 1];
    call!(GetStringTensorContent, value, bytes.as_mut_ptr().cast(), bytes.len(), begins.as_mut_ptr(), count);
    begins[count] = bytes.len();
    begins.windows(2).map(|ends| String::from_utf8(bytes[ends[0]..ends[1]].to_vec()).expect("UTF-8")).collect()
}

/// Element type and extents of a tensor.
pub(crate) fn element_and_shape(value: *const OrtValue) -> (ONNXTensorElementDataType, Vec<i64>) {
    let info = get!(GetTensorTypeAndShape, value);
    let element = get!(GetTensorElementType, info);
    let mut shape = vec![0; get!(GetDimensionsCount, info)];
    call!(GetDimensions, info, shape.as_mut_ptr(), shape.len());
    unsafe { (api().ReleaseTensorTypeAndShapeInfo)(info) };
    (element, shape)
}

/// The bytes of a tensor.
pub(crate) fn bytes(value: *mut OrtValue) -> Vec<u8> {
    let (data, size): (*const c_void, usize) = (get!(GetTensorData, value), get!(GetTensorSizeInBytes, value));
    if size == 0 { vec![] } else { unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) }.to_vec() }
}

/// The elements of a tensor.
pub(crate) fn elements<T: Copy>(value: *mut OrtValue) -> Vec<T> {
    let (_, shape) = element_and_shape(value);
    let data: *mut c_void = get!(GetTensorMutableData, value);
    let count = shape.iter().product::<i64>() as usize;
    if count == 0 { vec![] } else { unsafe { std::slice::from_raw_parts(data.cast::<T>(), count) }.to_vec() }
}

/// Changes the elements of a tensor.
pub(crate) fn set<T: Copy>(value: *mut OrtValue, elements: &[T]) {
    let data: *mut c_void = get!(GetTensorMutableData, value);
    assert_eq!(get!(GetTensorSizeInBytes, value), size_of_val(elements));
    unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr(), data.cast::<T>(), elements.len()) };
}

/// The outputs of a run by names.
pub(crate) fn run(
    session: *mut OrtSession,
    inputs: &[(&str, *const OrtValue)],
    outputs: &[&str],
) -> Vec<*mut OrtValue> {
    let mut values = vec![null_mut(); outputs.len()];
    succeed("Run", try_run(session, null(), inputs, outputs, &mut values));
    values
}

/// Runs a session; the outputs are put into `values`.
pub(crate) fn try_run(
    session: *mut OrtSession,
    options: *const ort_sys::OrtRunOptions,
    inputs: &[(&str, *const OrtValue)],
    outputs: &[&str],
    values: &mut [*mut OrtValue],
) -> OrtStatusPtr {
    let [input_names, output_names] =
        [inputs.iter().map(|(name, _)| c(name)).collect::<Vec<_>>(), outputs.iter().map(|name| c(name)).collect()];
    let [input_pointers, output_pointers] =
        [&input_names, &output_names].map(|names| names.iter().map(|name| name.as_ptr()).collect::<Vec<_>>());
    let given: Vec<*const OrtValue> = inputs.iter().map(|(_, value)| *value).collect();
    unsafe {
        (api().Run)(
            session,
            options,
            input_pointers.as_ptr(),
            given.as_ptr(),
            given.len(),
            output_pointers.as_ptr(),
            output_pointers.len(),
            values.as_mut_ptr(),
        )
    }
}

/// A type in words, as in `seq(map(int64, tensor(float)))`, which is released.
pub(crate) fn type_text(info: *mut OrtTypeInfo) -> String {
    use ort_sys::ONNXType;
    let result = match get!(GetOnnxTypeFromTypeInfo, info) {
        ONNXType::ONNX_TYPE_TENSOR => {
            let tensor: *const ort_sys::OrtTensorTypeAndShapeInfo = get!(CastTypeInfoToTensorInfo, info);
            let mut shape = vec![0i64; get!(GetDimensionsCount, tensor)];
            call!(GetDimensions, tensor, shape.as_mut_ptr(), shape.len());
            let mut names = vec![null::<c_char>(); shape.len()];
            call!(GetSymbolicDimensions, tensor, names.as_mut_ptr(), names.len());
            let extent = |(extent, name): (&i64, &*const c_char)| match (extent, text(*name)) {
                (-1, name) if name.is_empty() => "?".to_string(),
                (-1, name) => name,
                (extent, _) => extent.to_string(),
            };
            let extents: Vec<String> = shape.iter().zip(&names).map(extent).collect();
            format!("{} [{}]", get!(GetTensorElementType, tensor) as i32, extents.join(", "))
        }
        ONNXType::ONNX_TYPE_SEQUENCE => {
            let sequence: *const ort_sys::OrtSequenceTypeInfo = get!(CastTypeInfoToSequenceTypeInfo, info);
            format!("seq({})", type_text(get!(GetSequenceElementType, sequence)))
        }
        ONNXType::ONNX_TYPE_OPTIONAL => {
            let optional: *const ort_sys::OrtOptionalTypeInfo = get!(CastTypeInfoToOptionalTypeInfo, info);
            format!("optional({})", type_text(get!(GetOptionalContainedTypeInfo, optional)))
        }
        ONNXType::ONNX_TYPE_MAP => {
            let map: *const ort_sys::OrtMapTypeInfo = get!(CastTypeInfoToMapTypeInfo, info);
            format!("map({}, {})", get!(GetMapKeyType, map) as i32, type_text(get!(GetMapValueType, map)))
        }
        other => format!("{other:?}"),
    };
    unsafe { (api().ReleaseTypeInfo)(info) };
    result
}

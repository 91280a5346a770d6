//! The table of functions, called as C programs call it: environments, options, sessions, types, values.

#![allow(unsafe_code, reason = "the functions of a C library are unsafe")]

#[macro_use]
mod library;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use library::*;
use ort_sys::{ONNXType, OrtErrorCode, OrtLoggingLevel, OrtMemoryInfo, OrtValue};

const INVALID: OrtErrorCode = OrtErrorCode::ORT_INVALID_ARGUMENT;

#[test]
fn every_version_up_to_the_tables_has_a_table() {
    let table = |version| unsafe { (base().GetApi)(version) };
    assert!((1..=ort_sys::ORT_API_VERSION).all(|version| !table(version).is_null()));
    assert!(table(0).is_null() && table(ort_sys::ORT_API_VERSION + 1).is_null());
    let version = text(unsafe { (base().GetVersionString)() });
    assert_eq!(version.split('.').nth(1), Some(ort_sys::ORT_API_VERSION.to_string().as_str()));
    assert!(text(unsafe { (api().GetBuildInfoString)() }).starts_with("onnxc "));
}

#[test]
fn no_entry_is_null() {
    let entries = size_of::<ort_sys::OrtApi>() / size_of::<usize>();
    let table = unsafe { std::slice::from_raw_parts(std::ptr::from_ref(api()).cast::<usize>(), entries) };
    assert!(entries > 400 && table.iter().all(|&entry| entry != 0));
}

#[test]
fn what_there_is_not_is_refused_by_name() {
    let (code, message) = fail!(GetCurrentGpuDeviceId, null_mut());
    assert_eq!(code, OrtErrorCode::ORT_NOT_IMPLEMENTED);
    assert_eq!(message, "OrtApi::GetCurrentGpuDeviceId is not implemented by onnxc, which compiles models for the CPU");
    unsafe { (api().ReleaseCustomOpDomain)(null_mut()) };
    assert!(unsafe { (api().GetTrainingApi)(ort_sys::ORT_API_VERSION) }.is_null());
    let editor = unsafe { &*(api().GetModelEditorApi)() };
    let refused = failure(unsafe { (editor.CreateGraph)(null_mut()) }).expect("it is refused");
    assert_eq!(refused.0, OrtErrorCode::ORT_NOT_IMPLEMENTED);
    assert!(refused.1.starts_with("OrtModelEditorApi::CreateGraph "));
}

#[test]
fn a_status_has_a_code_and_a_text() {
    let status = unsafe { (api().CreateStatus)(OrtErrorCode::ORT_EP_FAIL, c"a sentence".as_ptr()) };
    assert_eq!(failure(status), Some((OrtErrorCode::ORT_EP_FAIL, "a sentence".to_string())));
    unsafe { (api().ReleaseStatus)(null_mut()) };
}

#[test]
fn null_is_an_invalid_argument() {
    assert_eq!(
        fail!(CreateEnv, OrtLoggingLevel::ORT_LOGGING_LEVEL_INFO, null(), null_mut()),
        (INVALID, "CreateEnv: out is null".into())
    );
    assert_eq!(fail!(CreateSession, null(), c"x".as_ptr(), null(), &mut null_mut()).0, INVALID);
    assert_eq!(fail!(CreateSession, env(), null(), null(), &mut null_mut()).0, INVALID);
    assert_eq!(fail!(SessionGetInputCount, null(), &mut 0).0, INVALID);
    assert_eq!(fail!(GetTensorMutableData, null_mut(), &mut null_mut()).0, INVALID);
    assert_eq!(fail!(Run, null_mut(), null(), null(), null(), 0, null(), 0, null_mut()).0, INVALID);
    assert_eq!(fail!(GetDimensions, null(), null_mut(), 0).0, INVALID);
    assert_eq!(fail!(AllocatorAlloc, null_mut(), 8, &mut null_mut()).0, INVALID);
    let session = session("g (float[N] x) => (float[N] y) { y = Neg(x) }");
    let message = fail!(Run, session, null(), null(), null(), 1, null(), 0, null_mut()).1;
    assert_eq!(message, "Run: input_names is null");
    let status = try_run(session, null(), &[("x", null())], &["y"], &mut [null_mut()]);
    assert_eq!(failure(status), Some((INVALID, "NULL input supplied for input x".to_string())));
}

#[test]
fn memory_is_that_of_the_cpu() {
    let [a, b] = [memory(), memory()];
    assert_eq!(get!(CompareMemoryInfo, a, b), 0);
    assert_eq!(text(get!(MemoryInfoGetName, a)), "Cpu");
    assert_eq!(get!(MemoryInfoGetId, a), 0);
    assert_eq!(get!(MemoryInfoGetType, a), ort_sys::OrtAllocatorType::OrtArenaAllocator);
    assert_eq!(get!(MemoryInfoGetMemType, a), ort_sys::OrtMemType::OrtMemTypeDefault);
    let own: *const OrtMemoryInfo = get!(AllocatorGetInfo, allocator());
    assert_eq!(text(get!(MemoryInfoGetName, own)), "Cpu");
    let device = ort_sys::OrtAllocatorType::OrtDeviceAllocator;
    let default = ort_sys::OrtMemType::OrtMemTypeDefault;
    let other = get!(CreateMemoryInfo, c"Cuda".as_ptr(), device, 0, default);
    assert_eq!((text(get!(MemoryInfoGetName, other)), get!(CompareMemoryInfo, a, other)), ("Cuda".to_string(), -1));
    let mut data = [0i64];
    let (data, shape) = (data.as_mut_ptr().cast(), [1i64]);
    assert_eq!(
        fail!(CreateTensorWithDataAsOrtValue, other, data, 8, shape.as_ptr(), 1, INT64, &mut null_mut()).0,
        INVALID
    );
    let memory: *mut c_void = get!(AllocatorAlloc, allocator(), 100);
    assert_eq!(memory.addr() % 64, 0);
    call!(AllocatorFree, allocator(), memory);
    unsafe { (api().ReleaseMemoryInfo)(a) };
}

#[test]
fn there_is_one_provider() {
    let (mut names, mut count) = (null_mut(), 0);
    call!(GetAvailableProviders, &mut names, &mut count);
    assert_eq!((count, text(unsafe { *names })), (1, "CPUExecutionProvider".to_string()));
    call!(ReleaseAvailableProviders, names, count);
    let append = |name: &CStr| unsafe {
        failure((api().SessionOptionsAppendExecutionProvider)(options(), name.as_ptr(), null(), null(), 0))
    };
    assert_eq!(append(c"CPUExecutionProvider"), None);
    let (code, message) = append(c"QNN").expect("it is not available");
    assert!(code == INVALID && message.starts_with("execution provider 'QNN' is not available"));
    let refused = fail!(SessionOptionsAppendExecutionProvider_CUDA, options(), null());
    assert_eq!(refused.0, OrtErrorCode::ORT_NOT_IMPLEMENTED);
    let env = env();
    let (mut devices, mut count) = (null(), 0);
    call!(GetEpDevices, env, &mut devices, &mut count);
    let device = unsafe { *devices };
    assert_eq!((count, text(unsafe { (api().EpDevice_EpName)(device) })), (1, "CPUExecutionProvider".to_string()));
    call!(SessionOptionsAppendExecutionProvider_V2, options(), env, devices, count, null(), null(), 0);
}

#[test]
fn options_are_kept_and_copied() {
    let options = options();
    let key = c"session.use_env_allocators".as_ptr();
    call!(AddSessionConfigEntry, options, key, c"1".as_ptr());
    let copy = get!(CloneSessionOptions, options);
    unsafe { (api().ReleaseSessionOptions)(options) };
    assert_eq!(get!(HasSessionConfigEntry, copy, key), 1);
    let mut size = 0;
    call!(GetSessionConfigEntry, copy, key, null_mut(), &mut size);
    let mut value = [0 as c_char; 2];
    assert_eq!(size, value.len());
    let mut small = 1;
    assert_eq!(fail!(GetSessionConfigEntry, copy, key, value.as_mut_ptr(), &mut small).0, INVALID);
    call!(GetSessionConfigEntry, copy, key, value.as_mut_ptr(), &mut size);
    assert_eq!(text(value.as_ptr()), "1");
    assert_eq!(get!(HasSessionConfigEntry, copy, c"other".as_ptr()), 0);
    let pairs = get!(GetSessionOptionsConfigEntries, copy);
    assert_eq!(text(unsafe { (api().GetKeyValue)(pairs, key) }), "1");
    let (mut keys, mut values, mut count) = (null(), null(), 0);
    unsafe { (api().GetKeyValuePairs)(pairs, &mut keys, &mut values, &mut count) };
    assert_eq!(
        (count, text(unsafe { *keys }), text(unsafe { *values })),
        (1, "session.use_env_allocators".into(), "1".into())
    );
    unsafe { (api().ReleaseKeyValuePairs)(pairs) };
    call!(AddSessionConfigEntry, copy, c"onnxc.arithmetic".as_ptr(), c"exact".as_ptr());
    let model = source("g (float[N] x) => (float[N] y) { y = Neg(x) }");
    let (code, message) =
        fail!(CreateSessionFromArray, env(), model.as_ptr().cast(), model.len(), copy, &mut null_mut());
    assert_eq!((code, &*message), (INVALID, "onnxc.arithmetic is relaxed, strict or fixed, not exact"));
}

/// C code may pass any integer as an enumeration.
#[test]
fn integers_that_are_not_enumerators_are_invalid_arguments() {
    type OnOptions = unsafe extern "system" fn(*mut ort_sys::OrtSessionOptions, i32) -> ort_sys::OrtStatusPtr;
    let set: OnOptions = unsafe { std::mem::transmute(api().SetSessionGraphOptimizationLevel) };
    assert_eq!(failure(unsafe { set(options(), 57) }).expect("57 is not a level").0, INVALID);
    succeed("SetSessionGraphOptimizationLevel", unsafe { set(options(), 1) });
    type OnInfo = unsafe extern "system" fn(*mut ort_sys::OrtTensorTypeAndShapeInfo, i32) -> ort_sys::OrtStatusPtr;
    let set: OnInfo = unsafe { std::mem::transmute(api().SetTensorElementType) };
    let info = get!(CreateTensorTypeAndShapeInfo);
    succeed("SetTensorElementType", unsafe { set(info, 1000) });
    assert_eq!(get!(GetTensorElementType, info) as i32, 0);
    type OnMessage = unsafe extern "system" fn(i32, *const c_char) -> ort_sys::OrtStatusPtr;
    let create: OnMessage = unsafe { std::mem::transmute(api().CreateStatus) };
    assert_eq!(failure(unsafe { create(-3, c"x".as_ptr()) }), Some((OrtErrorCode::ORT_FAIL, "x".to_string())));
}

#[test]
fn a_session_states_what_its_model_takes() {
    let session = session(
        "g (float[N, 3] x, seq(int64[2]) s, float w = {2}) => (float[N, 3] y, seq(int64[2]) t)
         { y = Mul(x, w)  t = Identity(s) }",
    );
    assert_eq!(get!(SessionGetInputCount, session), 2);
    assert_eq!(get!(SessionGetOutputCount, session), 2);
    assert_eq!(get!(SessionGetOverridableInitializerCount, session), 1);
    assert_eq!(taken(get!(SessionGetInputName, session, 1, allocator())), "s");
    assert_eq!(taken(get!(SessionGetOutputName, session, 0, allocator())), "y");
    assert_eq!(taken(get!(SessionGetOverridableInitializerName, session, 0, allocator())), "w");
    assert_eq!(type_text(get!(SessionGetInputTypeInfo, session, 0)), "1 [N, 3]");
    assert!(type_text(get!(SessionGetInputTypeInfo, session, 1)).starts_with("seq(7 ["));
    assert_eq!(type_text(get!(SessionGetOutputTypeInfo, session, 0)), "1 [N, 3]");
    assert_eq!(type_text(get!(SessionGetOverridableInitializerTypeInfo, session, 0)), "1 []");
    assert_eq!(
        fail!(SessionGetInputName, session, 2, allocator(), &mut null_mut()),
        (INVALID, "input index 2 is out of range: the model has 2".into())
    );
    unsafe { (api().ReleaseSession)(session) };
}

#[test]
fn a_model_states_things_about_itself() {
    let session = session("g (float[N] x) => (float[N] y) { y = Neg(x) }");
    let metadata = get!(SessionGetModelMetadata, session);
    assert_eq!(taken(get!(ModelMetadataGetProducerName, metadata, allocator())), "a tool");
    assert_eq!(taken(get!(ModelMetadataGetGraphName, metadata, allocator())), "g");
    assert_eq!(taken(get!(ModelMetadataGetDomain, metadata, allocator())), "org.example");
    assert_eq!(taken(get!(ModelMetadataGetDescription, metadata, allocator())), "a model");
    assert_eq!(taken(get!(ModelMetadataGetGraphDescription, metadata, allocator())), "");
    assert_eq!(get!(ModelMetadataGetVersion, metadata), 7);
    let author = get!(ModelMetadataLookupCustomMetadataMap, metadata, allocator(), c"author".as_ptr());
    assert_eq!(taken(author), "an author");
    assert!(get!(ModelMetadataLookupCustomMetadataMap, metadata, allocator(), c"title".as_ptr()).is_null());
    let (mut keys, mut count) = (null_mut(), 0);
    call!(ModelMetadataGetCustomMetadataMapKeys, metadata, allocator(), &mut keys, &mut count);
    assert_eq!((count, taken(unsafe { *keys })), (1, "author".to_string()));
    call!(AllocatorFree, allocator(), keys.cast());
    unsafe { (api().ReleaseModelMetadata)(metadata) };
    let editor = unsafe { &*(api().GetModelEditorApi)() };
    let mut version = 0;
    succeed("SessionGetOpsetForDomain", unsafe {
        (editor.SessionGetOpsetForDomain)(session, c"".as_ptr(), &mut version)
    });
    assert_eq!(version, 21);
}

#[test]
fn errors_of_models_have_the_codes_of_onnx_runtime() {
    let code = |model: &[u8]| {
        fail!(CreateSessionFromArray, env(), model.as_ptr().cast(), model.len(), null(), &mut null_mut())
    };
    assert_eq!(code(b"not a model").0, OrtErrorCode::ORT_INVALID_PROTOBUF);
    assert_eq!(code(&source("g (float[N] x) => (float[N] y) { y = Neg(z) }")).0, OrtErrorCode::ORT_INVALID_GRAPH);
    let unknown = source("g (float[N] x) => (float[N] y) { y = Nothing(x) }");
    assert!([OrtErrorCode::ORT_NOT_IMPLEMENTED, OrtErrorCode::ORT_INVALID_GRAPH].contains(&code(&unknown).0));
    let (code, message) = fail!(CreateSession, env(), c"missing.onnx".as_ptr(), options(), &mut null_mut());
    assert_eq!((code, &*message), (OrtErrorCode::ORT_NO_SUCHFILE, "missing.onnx: the file does not exist"));
    let cancelled = options();
    call!(SessionOptionsSetLoadCancellationFlag, cancelled, true);
    let (code, _) = fail!(CreateSessionFromArray, env(), null(), 0, cancelled, &mut null_mut());
    assert_eq!(code, OrtErrorCode::ORT_MODEL_LOAD_CANCELED);
}

#[test]
fn a_model_is_loaded_from_a_file() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, source("g (float[N] x) => (float[N] y) { y = Neg(x) }")).expect("it can be written");
    let path = c(path.to_str().expect("UTF-8"));
    let session = get!(CreateSession, env(), path.as_ptr(), null());
    let mut x = [1.0f32];
    assert_eq!(elements::<f32>(run(session, &[("x", floats(&mut x))], &["y"])[0]), [-1.0]);
    let weights = get!(CreatePrepackedWeightsContainer);
    get!(CreateSessionWithPrepackedWeightsContainer, env(), path.as_ptr(), options(), weights);
    unsafe { (api().ReleasePrepackedWeightsContainer)(weights) };
}

#[test]
fn types_are_made_and_read() {
    let info = get!(CreateTensorTypeAndShapeInfo);
    call!(SetTensorElementType, info, INT64);
    call!(SetDimensions, info, [2i64, -1, 3].as_ptr(), 3);
    let mut names = [c"".as_ptr(), c"M".as_ptr(), c"".as_ptr()];
    call!(SetSymbolicDimensions, info, names.as_mut_ptr(), names.len());
    assert_eq!((get!(GetTensorElementType, info), get!(GetDimensionsCount, info)), (INT64, 3));
    assert_eq!(fail!(GetTensorShapeElementCount, info, &mut 0).0, OrtErrorCode::ORT_FAIL);
    assert!(unsafe { (api().TensorTypeAndShape_HasShape)(info) });
    let editor = unsafe { &*(api().GetModelEditorApi)() };
    let [mut tensor, mut sequence] = [null_mut(); 2];
    succeed("CreateTensorTypeInfo", unsafe { (editor.CreateTensorTypeInfo)(info, &mut tensor) });
    succeed("CreateSequenceTypeInfo", unsafe { (editor.CreateSequenceTypeInfo)(tensor, &mut sequence) });
    assert!(get!(CastTypeInfoToTensorInfo, sequence).is_null() && get!(CastTypeInfoToMapTypeInfo, sequence).is_null());
    assert_eq!(type_text(sequence), "seq(7 [2, M, 3])");
    let (mut denotation, mut length) = (null(), 1);
    call!(GetDenotationFromTypeInfo, tensor, &mut denotation, &mut length);
    assert_eq!(length, 0);
    unsafe { (api().ReleaseTensorTypeAndShapeInfo)(info) };
}

#[test]
fn tensors_show_memory_of_the_caller() {
    let mut data = [1.0f32, 2.0, 3.0, 4.0];
    let value = borrowed(&mut data, &[2, 2], FLOAT);
    let address: *mut c_void = get!(GetTensorMutableData, value);
    assert_eq!(address.cast::<f32>(), data.as_mut_ptr());
    assert_eq!((get!(IsTensor, value), get!(HasValue, value), get!(IsSparseTensor, value)), (1, 1, 0));
    assert_eq!(get!(GetTensorSizeInBytes, value), 16);
    assert_eq!(element_and_shape(value), (FLOAT, vec![2, 2]));
    assert_eq!(get!(GetValueType, value), ONNXType::ONNX_TYPE_TENSOR);
    assert_eq!(type_text(get!(GetTypeInfo, value)), "1 [2, 2]");
    let at: *mut c_void = get!(TensorAt, value, [1i64, 0].as_ptr(), 2);
    assert_eq!(unsafe { *at.cast::<f32>() }, 3.0);
    assert_eq!(fail!(TensorAt, value, [1i64, 2].as_ptr(), 2, &mut null_mut()).0, INVALID);
    let place: *const OrtMemoryInfo = get!(GetTensorMemoryInfo, value);
    assert_eq!(text(get!(MemoryInfoGetName, place)), "Cpu");
    let (mut element, mut shape, mut rank) = (INT64, null(), 0);
    call!(GetTensorElementTypeAndShapeDataReference, value, &mut element, &mut shape, &mut rank);
    assert_eq!((element, unsafe { std::slice::from_raw_parts(shape, rank) }), (FLOAT, &[2i64, 2][..]));
    let small = |bytes: usize, shape: [i64; 2]| {
        let mut out = null_mut();
        let data = data.as_ptr().cast_mut().cast();
        failure(unsafe {
            (api().CreateTensorWithDataAsOrtValue)(memory(), data, bytes, shape.as_ptr(), 2, FLOAT, &mut out)
        })
    };
    assert_eq!(small(12, [2, 2]).expect("too small").0, INVALID);
    assert_eq!(small(16, [2, -2]).expect("below 0").0, INVALID);
    assert_eq!(small(16, [i64::MAX, i64::MAX]).expect("too large").0, INVALID);
    unsafe { (api().ReleaseValue)(value) };
}

#[test]
fn tensors_are_allocated_and_copied() {
    let [from, to] = [(); 2].map(|()| get!(CreateTensorAsOrtValue, allocator(), [2i64].as_ptr(), 1, INT64));
    let data: *mut c_void = get!(GetTensorMutableData, from);
    unsafe { std::slice::from_raw_parts_mut(data.cast::<i64>(), 2) }.copy_from_slice(&[5, 6]);
    let mut targets = [to.cast_const()];
    call!(CopyTensors, env(), [from.cast_const()].as_ptr(), targets.as_mut_ptr(), null_mut(), 1);
    assert_eq!(elements::<i64>(to), [5, 6]);
    let memory: *mut c_void = get!(AllocatorAlloc, allocator(), 8);
    unsafe { memory.cast::<i64>().write(7) };
    let owned = get!(CreateTensorWithDataAndDeleterAsOrtValue, allocator(), memory, 8, [1i64].as_ptr(), 1, INT64);
    assert_eq!(elements::<i64>(owned), [7]);
    [from, to, owned].into_iter().for_each(|value| unsafe { (api().ReleaseValue)(value) });
}

#[test]
fn strings_are_filled_and_read() {
    let value = strings(&["one", "", "drei ü"]);
    assert_eq!(element_and_shape(value), (STRING, vec![3]));
    assert_eq!(read_strings(value), ["one", "", "drei ü"]);
    call!(FillStringTensorElement, value, c"two".as_ptr(), 1);
    assert_eq!(get!(GetStringTensorElementLength, value, 1), 3);
    let mut bytes = [0u8; 3];
    call!(GetStringTensorElement, value, 3, 1, bytes.as_mut_ptr().cast());
    assert_eq!(&bytes, b"two");
    assert_eq!(fail!(GetStringTensorElement, value, 2, 1, bytes.as_mut_ptr().cast()).0, INVALID);
    assert_eq!(fail!(GetStringTensorElementLength, value, 3, &mut 0).0, INVALID);
    let buffer: *mut c_char = get!(GetResizedStringTensorElementBuffer, value, 0, 4);
    unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u8>(), 4) }.copy_from_slice(b"vier");
    assert_eq!(read_strings(value), ["vier", "two", "drei ü"]);
    assert_eq!(fail!(GetTensorMutableData, value, &mut null_mut()).0, INVALID);
    assert_eq!(fail!(FillStringTensor, value, null(), 0).0, INVALID);
}

#[test]
fn sequences_and_maps_are_made_of_tensors() {
    let (mut a, mut b) = ([1.0f32], [2.0f32, 3.0]);
    let values = [floats(&mut a).cast_const(), floats(&mut b).cast_const()];
    let sequence = get!(CreateValue, values.as_ptr(), 2, ONNXType::ONNX_TYPE_SEQUENCE);
    assert_eq!((get!(GetValueType, sequence), get!(GetValueCount, sequence)), (ONNXType::ONNX_TYPE_SEQUENCE, 2));
    assert_eq!(elements::<f32>(get!(GetValue, sequence, 1, allocator())), [2.0, 3.0]);
    assert_eq!(fail!(GetValue, sequence, 2, allocator(), &mut null_mut()).0, INVALID);
    assert_eq!(type_text(get!(GetTypeInfo, sequence)), "seq(1 [])");
    let pair = [strings(&["k", "l"]).cast_const(), floats(&mut b).cast_const()];
    let map = get!(CreateValue, pair.as_ptr(), 2, ONNXType::ONNX_TYPE_MAP);
    assert_eq!((get!(GetValueType, map), get!(GetValueCount, map)), (ONNXType::ONNX_TYPE_MAP, 2));
    assert_eq!(read_strings(get!(GetValue, map, 0, allocator())), ["k", "l"]);
    assert_eq!(elements::<f32>(get!(GetValue, map, 1, allocator())), [2.0, 3.0]);
    assert_eq!(type_text(get!(GetTypeInfo, map)), "map(8, 1 [])");
    let unequal = [strings(&["k"]).cast_const(), floats(&mut b).cast_const()];
    assert_eq!(fail!(CreateValue, unequal.as_ptr(), 2, ONNXType::ONNX_TYPE_MAP, &mut null_mut()).0, INVALID);
    let mixed = [strings(&["k"]).cast_const(), floats(&mut b).cast_const()];
    assert_eq!(fail!(CreateValue, mixed.as_ptr(), 2, ONNXType::ONNX_TYPE_SEQUENCE, &mut null_mut()).0, INVALID);
    let nothing: [*const OrtValue; 1] = [null()];
    assert_eq!(fail!(CreateValue, nothing.as_ptr(), 1, ONNXType::ONNX_TYPE_SEQUENCE, &mut null_mut()).0, INVALID);
}

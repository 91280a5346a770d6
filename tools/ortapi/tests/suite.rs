//! The ONNX backend suite and real models through the function table.

#![allow(unsafe_code, reason = "the functions of a C library are unsafe")]

#[macro_use]
mod library;

use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::process::Command;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use driver::testdata::{DataSet, Tolerance, compare, data_sets, read_data_set};
use driver::{Blob, Container, DenseElements, Diagnostic, Signature, Tensor, Type, Value};
use library::*;
use ort_sys::{ONNXTensorElementDataType, ONNXType, OrtSession, OrtValue};
use tests::conformance::{Case, Mode, cases, known, repository};
use tests::models::models;

/// ONNX Runtime's numbers of element types that ONNX gives other numbers: theirs, and those of ONNX.
const RENUMBERED: [(i32, i32); 3] = [(24, 25), (25, 26), (26, 24)];
/// Types of which several elements are in a byte, by ONNX Runtime's numbers, with the bits of an element.
const PACKED: [(i32, usize); 5] = [(21, 4), (22, 4), (23, 4), (24, 2), (25, 2)];

fn number(element: &Type) -> i32 {
    let number = driver::type_number(element) as i32;
    RENUMBERED.iter().find(|(_, onnx)| *onnx == number).map_or(number, |(own, _)| *own)
}

fn element_type(number: i32) -> Type {
    let onnx = RENUMBERED.iter().find(|(own, _)| *own == number).map_or(number, |(_, onnx)| *onnx);
    driver::element_type(onnx).expect("the library gives element types")
}

fn bits(number: i32) -> Option<usize> {
    PACKED.iter().find(|(known, _)| *known == number).map(|(_, bits)| *bits)
}

/// A value as the library takes it; null for an optional that holds nothing.
fn given(value: &Value) -> *mut OrtValue {
    match value {
        Value::Tensor(tensor) => given_tensor(tensor),
        Value::Sequence(values) => {
            container(&values.iter().map(given).collect::<Vec<_>>(), ONNXType::ONNX_TYPE_SEQUENCE)
        }
        Value::Map { keys, values } => container(&[keys, values].map(given_tensor), ONNXType::ONNX_TYPE_MAP),
        Value::Optional(None) => null_mut(),
        Value::Optional(Some(value)) => given(value),
    }
}

fn container(values: &[*mut OrtValue], kind: ONNXType) -> *mut OrtValue {
    let own = get!(CreateValue, values.as_ptr().cast(), values.len(), kind);
    values.iter().for_each(|&value| unsafe { (api().ReleaseValue)(value) });
    own
}

fn given_tensor(tensor: &Tensor) -> *mut OrtValue {
    let number = number(&tensor.element);
    let element = unsafe { std::mem::transmute::<i32, ONNXTensorElementDataType>(number) };
    let value = get!(CreateTensorAsOrtValue, allocator(), tensor.shape.as_ptr(), tensor.shape.len(), element);
    if let Some(texts) = tensor.strings() {
        let texts: Vec<CString> = texts.iter().map(|text| c(text)).collect();
        let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        call!(FillStringTensor, value, pointers.as_ptr(), pointers.len());
        return value;
    }
    let bytes = match bits(number) {
        Some(bits) => tensor.data.bytes().chunks(8 / bits).map(|elements| packed(elements, bits)).collect(),
        None => tensor.data.bytes().to_vec(),
    };
    let data: *mut c_void = get!(GetTensorMutableData, value);
    assert_eq!(get!(GetTensorSizeInBytes, value), bytes.len());
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), data.cast::<u8>(), bytes.len()) };
    value
}

fn packed(elements: &[u8], bits: usize) -> u8 {
    elements.iter().rev().fold(0, |byte, element| byte << bits | (element & ((1 << bits) - 1)))
}

/// A value that the library left, which is released.
fn left(value: *mut OrtValue) -> Value {
    let result = match get!(GetValueType, value) {
        _ if get!(HasValue, value) == 0 => Value::Optional(None),
        ONNXType::ONNX_TYPE_SEQUENCE => Value::Sequence(held(value)),
        ONNXType::ONNX_TYPE_MAP => match &held(value)[..] {
            [Value::Tensor(keys), Value::Tensor(values)] => Value::Map { keys: keys.clone(), values: values.clone() },
            other => panic!("a map has {} values", other.len()),
        },
        _ => Value::Tensor(left_tensor(value)),
    };
    unsafe { (api().ReleaseValue)(value) };
    result
}

fn held(value: *mut OrtValue) -> Vec<Value> {
    let count: usize = get!(GetValueCount, value);
    (0..count).map(|at| left(get!(GetValue, value, at as i32, allocator()))).collect()
}

fn left_tensor(value: *mut OrtValue) -> Tensor {
    let (code, shape) = element_and_shape(value);
    let element = element_type(code as i32);
    if code == STRING {
        let elements = DenseElements::from_strings(Type::static_tensor(&shape, element.clone()), &read_strings(value));
        return Tensor { element, shape, data: elements.data };
    }
    let bytes = bytes(value);
    let count = shape.iter().product::<i64>() as usize;
    let data = match bits(code as i32) {
        Some(bits) => (0..count).map(|at| unpacked(&bytes, at, bits, code as i32 == 22 || code as i32 == 25)).collect(),
        None => bytes,
    };
    Tensor::new(element, shape, Blob::copy_of(&data)).expect("the tensor has the bytes of its shape")
}

fn unpacked(bytes: &[u8], at: usize, bits: usize, is_signed: bool) -> u8 {
    let raised = bytes[at * bits / 8] >> (at * bits % 8) << (8 - bits);
    if is_signed { (raised as i8 >> (8 - bits)) as u8 } else { raised >> (8 - bits) }
}

/// The signature of a model, and its data sets.
fn read(folder: &Path) -> Result<(Signature, Vec<DataSet>), String> {
    let message = |diagnostics: Vec<Diagnostic>| format!("{diagnostics:?}");
    let module = import::import_file(&folder.join("model.onnx"), &import::Options::default()).map_err(message)?;
    let signature = Signature::of(module.function(import::MAIN).expect("the importer makes it"));
    let sets = data_sets(folder).map_err(message)?.into_iter().map(|set| read_data_set(&set, &signature));
    let sets = sets.collect::<driver::Result<_>>().map_err(message)?;
    Ok((signature, sets))
}

/// The outputs of a model for each data set, through the table.
fn outputs(folder: &Path, signature: &Signature, sets: &[DataSet]) -> Result<Vec<Vec<Value>>, String> {
    let path = folder.join("model.onnx");
    let (options, environment, name) = (options(), env(), c(path.to_str().expect("UTF-8")));
    let mut session = null_mut();
    let status = unsafe { (api().CreateSession)(environment, name.as_ptr(), options, &mut session) };
    failure(status).map_or(Ok(()), |(code, message)| Err(format!("{code:?}: {message}")))?;
    let results = sets.iter().map(|set| run_set(session, signature, set)).collect();
    unsafe { (api().ReleaseSession)(session) };
    unsafe { (api().ReleaseSessionOptions)(options) };
    unsafe { (api().ReleaseEnv)(environment) };
    results
}

fn run_set(session: *mut OrtSession, signature: &Signature, set: &DataSet) -> Result<Vec<Value>, String> {
    let values: Vec<*mut OrtValue> = set.inputs.iter().map(given).collect();
    let inputs = signature.inputs.iter().zip(&values).map(|(port, value)| (port.name.as_str(), value.cast_const()));
    let names: Vec<&str> = signature.outputs.iter().map(|port| port.name.as_str()).collect();
    let mut outputs = vec![null_mut(); names.len()];
    let status = try_run(session, null(), &inputs.collect::<Vec<_>>(), &names, &mut outputs);
    failure(status).map_or(Ok(()), |(code, message)| Err(format!("{code:?}: {message}")))?;
    values.into_iter().for_each(|value| unsafe { (api().ReleaseValue)(value) });
    let outputs = outputs.into_iter().zip(&signature.outputs).map(|(output, port)| match left(output) {
        nothing @ Value::Optional(None) => nothing,
        value if port.container() == Container::Optional => Value::Optional(Some(Box::new(value))),
        value => value,
    });
    Ok(outputs.collect())
}

/// The first difference between the outputs of a case and the expected ones.
fn check_case(folder: &Path, tolerance: Tolerance) -> Result<(), String> {
    let (signature, sets) = read(folder)?;
    for (outputs, set) in outputs(folder, &signature, &sets)?.iter().zip(&sets) {
        for ((actual, expected), port) in outputs.iter().zip(&set.outputs).zip(&signature.outputs) {
            let at = |difference| format!("output '{}': {difference}", port.name);
            compare(actual, expected, tolerance).map_err(at)?;
        }
    }
    Ok(())
}

/// The first output of a model that has other bits than without the table.
fn check_model(folder: &Path) -> Result<(), String> {
    let (signature, sets) = read(folder)?;
    let options = driver::Options { backend: driver::Backend::Cranelift, threads: 1, ..Default::default() };
    let compiled = driver::Compiler::new(options).compile_file(&folder.join("model.onnx"));
    let mut session = driver::Session::new(Arc::new(compiled.map_err(|diagnostics| format!("{diagnostics:?}"))?));
    for (outputs, set) in outputs(folder, &signature, &sets)?.iter().zip(&sets) {
        let expected = session.run_values(&set.inputs).map_err(|diagnostics| format!("{diagnostics:?}"))?;
        for ((actual, expected), port) in outputs.iter().zip(&expected).zip(&signature.outputs) {
            if !actual.is_same(expected) {
                return Err(format!("output '{}' differs", port.name));
            }
        }
    }
    Ok(())
}

/// Writes the suite; `false` where Python does not have the packages for it.
fn write_suite(folder: &Path) -> bool {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let script = repository().join("tests/conformance/fetch.py");
    let is_written = Command::new(&python).arg(script).arg(folder).output().is_ok_and(|output| output.status.success());
    if !is_written {
        tests::skip(&format!("{python} does not write the suite; set PYTHON to one with tests/requirements.txt"));
    }
    is_written
}

/// Every fourth case; all of them where `ALL_CASES` is set.
#[test]
fn cases_that_pass_pass_through_the_table() {
    let folder = repository().join("target/conformance");
    if !write_suite(&folder) {
        return;
    }
    let known = known(Mode::Given);
    let cases = cases(&folder).expect("the suite was written");
    let sample = if std::env::var_os("ALL_CASES").is_some() { 1 } else { 4 };
    let chosen: Vec<&Case> = cases.iter().filter(|case| !known.contains(&case.name)).step_by(sample).collect();
    let failed: Vec<String> = chosen
        .iter()
        .filter_map(|case| {
            let difference = check_case(&folder.join(&case.name), case.tolerance).err()?;
            Some(format!("{}: {difference}", case.name))
        })
        .collect();
    println!("{} cases, {} fail", chosen.len(), failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn real_models_have_the_same_bits_through_the_table() {
    let folder = repository().join("target/models");
    let names = models(&folder);
    let check = |name: &String| check_model(&folder.join(name)).err().map(|problem| format!("{name}: {problem}"));
    let failed: Vec<String> = names.iter().filter_map(check).collect();
    println!("{} models, {} fail", names.len(), failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

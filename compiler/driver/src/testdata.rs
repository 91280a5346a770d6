//! ONNX's test data: folders `test_data_set_N` with `input_M.pb` and `output_M.pb` next to a model, and the comparison
//! of outputs by its backend test runner.

use std::path::{Path, PathBuf};

use ir::{Blob, DenseElements, Diagnostic, FloatType, Location, Result, Type};
use proto::{
    Bytes, DataType, MapProto, Message, Model, ModelProto, OptionalProto, SequenceProto, TensorProto, Tensors,
};

use crate::signature::{Container, Port, Signature};
use crate::tensor::{Tensor, float_text, shape_text, type_name};
use crate::value::Value;

/// One set of inputs and expected outputs, in the order of the model's signature.
#[derive(Clone, Debug)]
pub struct DataSet {
    /// The inputs.
    pub inputs: Vec<Value>,
    /// The outputs.
    pub outputs: Vec<Value>,
}

/// The tolerance of a comparison: `absolute + relative * |expected|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The relative tolerance.
    pub relative: f64,
    /// The absolute tolerance.
    pub absolute: f64,
}

impl Default for Tolerance {
    /// The tolerance of ONNX's backend tests.
    fn default() -> Self {
        Tolerance { relative: 1e-3, absolute: 1e-7 }
    }
}

impl Tolerance {
    /// The tolerance for an element type, which allows for another order of sums and other elementary functions.
    /// Integers are compared exactly.
    pub fn of(element: &Type) -> Tolerance {
        let (relative, absolute) = match element {
            Type::Float(format) | Type::Complex(format) => match format {
                FloatType::F64 => (1e-7, 1e-9),
                FloatType::F32 => (1e-3, 1e-5),
                FloatType::F16 => (1e-2, 1e-3),
                FloatType::BF16 => (2f64.powi(-6), 1e-2),
                // a unit in the last place for mantissas of three, two, one bits and fewer
                _ => (0.125, 0.125),
            },
            _ => (0.0, 0.0),
        };
        Tolerance { relative, absolute }
    }
}

/// The folders of data sets next to a model, in order; at least one.
pub fn data_sets(folder: &Path) -> Result<Vec<PathBuf>> {
    let name = |index: i32| folder.join(format!("test_data_set_{index}"));
    let sets: Vec<PathBuf> = (0..).map(name).take_while(|path| path.is_dir()).collect();
    if sets.is_empty() {
        return Err(Diagnostic::input(
            at(folder),
            "test data was not found: expected test_data_set_0, input_0.pb or inputs.npz",
        )
        .into());
    }
    Ok(sets)
}

/// Reads one data set of a model.
pub fn read_data_set(folder: &Path, signature: &Signature) -> Result<DataSet> {
    let whole = |kind: &str, ports: &[Port]| all_there(folder, kind, ports, read_ports(folder, kind, ports)?);
    Ok(DataSet { inputs: whole("input", &signature.inputs)?, outputs: whole("output", &signature.outputs)? })
}

/// Reads one data set of a model; expected outputs may be missing.
pub fn read_partial_data_set(folder: &Path, signature: &Signature) -> Result<(Vec<Value>, Vec<Option<Value>>)> {
    let inputs = all_there(folder, "input", &signature.inputs, read_ports(folder, "input", &signature.inputs)?)?;
    Ok((inputs, read_ports(folder, "output", &signature.outputs)?))
}

fn all_there(folder: &Path, kind: &str, ports: &[Port], values: Vec<Option<Value>>) -> Result<Vec<Value>> {
    let missing = |port: &Port| Diagnostic::input(at(folder), format!("no data was found for {kind} '{}'", port.name));
    values.into_iter().zip(ports).map(|(value, port)| value.ok_or_else(|| missing(port).into())).collect()
}

/// Values are matched by name; those without a name of the model's by position. Data for inputs that are constants is
/// skipped.
fn read_ports(folder: &Path, kind: &str, ports: &[Port]) -> Result<Vec<Option<Value>>> {
    let mut files = Vec::new();
    for index in 0.. {
        let path = folder.join(format!("{kind}_{index}.pb"));
        if !path.exists() {
            break;
        }
        files.push(read_value(&path, ports.get(index))?);
    }
    let mut values: Vec<Option<Value>> = vec![None; ports.len()];
    let by_name = |name: &str| ports.iter().position(|port| port.name == name);
    let extra = files.len() > ports.len();
    let mut next = 0;
    for (name, value) in files {
        let slot = by_name(&name).or_else(|| {
            let free = |slot: &usize| values[*slot].is_none();
            if extra { None } else { (next..ports.len()).find(free) }
        });
        if let Some(slot) = slot {
            values[slot] = Some(value);
            next = slot + 1;
        }
    }
    Ok(values)
}

/// Reads a file for a port: the file does not state the kind of its value. Files without a port are tensors.
pub fn read_value(path: &Path, port: Option<&Port>) -> Result<(String, Value)> {
    let bad = |what: String| Diagnostic::input(at(path), what);
    let container = port.map_or(Container::Tensor, Port::container);
    if container == Container::Tensor {
        let (name, tensor) = read_tensor(path)?;
        return Ok((name, Value::Tensor(tensor)));
    }
    let bytes = std::fs::read(path).map_err(|error| bad(format!("cannot read the value: {error}")))?;
    if container == Container::Sequence {
        let proto = SequenceProto::decode(&bytes[..]).map_err(|error| bad(format!("not a sequence: {error}")))?;
        return Ok((proto.name.clone(), sequence_value(&proto).map_err(bad)?));
    }
    if container == Container::Map {
        let proto = MapProto::decode(&bytes[..]).map_err(|error| bad(format!("not a map: {error}")))?;
        return Ok((proto.name.clone(), map_value(&proto).map_err(bad)?));
    }
    let proto = OptionalProto::decode(&bytes[..]).map_err(|error| bad(format!("not an optional: {error}")))?;
    Ok((proto.name.clone(), optional_value(&proto).map_err(bad)?))
}

fn sequence_value(proto: &SequenceProto) -> Result<Value, String> {
    let tensors = proto.tensor_values.iter().map(|tensor| tensor_value(tensor).map(Value::Tensor));
    let sequences = proto.sequence_values.iter().map(sequence_value);
    let optionals = proto.optional_values.iter().map(optional_value);
    let maps = proto.map_values.iter().map(map_value);
    Ok(Value::Sequence(tensors.chain(sequences).chain(optionals).chain(maps).collect::<Result<_, _>>()?))
}

fn map_value(proto: &MapProto) -> Result<Value, String> {
    let count = [proto.keys.len() as i64];
    let keys = match proto.key_type {
        number if number == DataType::String as i32 => {
            let texts: Result<Vec<_>, _> = proto.string_keys.iter().map(|key| std::str::from_utf8(key)).collect();
            let texts = texts.map_err(|error| format!("a key of the map is not UTF-8: {error}"))?;
            let r#type = Type::static_tensor(&[texts.len() as i64], Type::dialect("onnx", "String", vec![]));
            DenseElements::from_strings(r#type, &texts)
        }
        number if number == DataType::Int64 as i32 => {
            let bytes: Vec<u8> = proto.keys.iter().flat_map(|key| key.to_le_bytes()).collect();
            DenseElements::new(Type::static_tensor(&count, Type::I64), Blob::copy_of(&bytes))
        }
        other => return Err(format!("keys of type {} are not supported", proto::type_name(other))),
    };
    let scalars = proto.values.iter().flat_map(|values| &values.tensor_values);
    let values = list(&scalars.map(tensor_value).collect::<Result<Vec<_>, _>>()?)?;
    let keys = Tensor::from_elements(&keys).expect("its shape is static");
    match keys.shape == values.shape {
        true => Ok(Value::Map { keys, values }),
        false => Err("a map has different numbers of keys and values".to_string()),
    }
}

/// Scalars as a list; an empty list has type `f32`.
fn list(scalars: &[Tensor]) -> Result<Tensor, String> {
    let element = scalars.first().map_or(Type::F32, |scalar| scalar.element.clone());
    if scalars.iter().any(|scalar| scalar.element != element || scalar.element_count() != 1) {
        return Err("the values of a map must be scalars of one type".to_string());
    }
    let r#type = Type::static_tensor(&[scalars.len() as i64], element);
    let texts: Option<Vec<_>> = scalars.iter().map(|scalar| scalar.elements().strings()).collect();
    let elements = match texts.filter(|texts| !texts.is_empty()) {
        Some(texts) => DenseElements::from_strings(r#type, &texts.concat()),
        None => {
            let bytes: Vec<u8> = scalars.iter().flat_map(|scalar| scalar.data.bytes()).copied().collect();
            DenseElements::new(r#type, Blob::copy_of(&bytes))
        }
    };
    Ok(Tensor::from_elements(&elements).expect("its shape is static"))
}

fn optional_value(proto: &OptionalProto) -> Result<Value, String> {
    let value = match (&proto.tensor_value, &proto.sequence_value, &proto.optional_value) {
        (Some(tensor), _, _) => Some(Value::Tensor(tensor_value(tensor)?)),
        (None, Some(sequence), _) => Some(sequence_value(sequence)?),
        (None, None, Some(optional)) => Some(optional_value(optional)?),
        (None, None, None) => None,
    };
    Ok(Value::Optional(value.map(Box::new)))
}

/// The tensor in a message. The error describes what is wrong with it.
pub fn tensor_value(proto: &TensorProto) -> Result<Tensor, String> {
    let model = Model::from_proto(ModelProto::default());
    let value = Tensors::new(&model).value(proto).map_err(|what| format!("tensor {what}"))?;
    Tensor::from_elements(&operators::elements::constant(value)).ok_or_else(|| "tensor has no static shape".to_string())
}

/// Reads a `TensorProto` file: the tensor and its name.
pub fn read_tensor(path: &Path) -> Result<(String, Tensor)> {
    let bad = |what: String| Diagnostic::input(at(path), what);
    let bytes = std::fs::read(path).map_err(|error| bad(format!("cannot read the tensor: {error}")))?;
    // the elements are not copied
    let proto = TensorProto::decode(Bytes::from(bytes)).map_err(|error| bad(format!("not a tensor: {error}")))?;
    let tensor = tensor_value(&proto).map_err(bad)?;
    Ok((proto.name, tensor))
}

fn at(path: &Path) -> Location {
    Location::name(&path.display().to_string())
}

/// Compares an output with the expected value; the error describes the first difference in one line.
pub fn compare(actual: &Value, expected: &Value, tolerance: Tolerance) -> Result<(), String> {
    compare_with(actual, expected, &|_| tolerance)
}

/// [`compare`] with a tolerance for each element type.
pub fn compare_with(actual: &Value, expected: &Value, tolerance: &dyn Fn(&Type) -> Tolerance) -> Result<(), String> {
    match (actual, expected) {
        (Value::Tensor(actual), Value::Tensor(expected)) => {
            compare_tensors(actual, expected, tolerance(&expected.element))
        }
        (Value::Sequence(actual), Value::Sequence(expected)) => {
            if actual.len() != expected.len() {
                return Err(format!("expected {} elements, got {}", expected.len(), actual.len()));
            }
            let mut pairs = actual.iter().zip(expected).enumerate();
            let compare = |(at, (actual, expected))| {
                compare_with(actual, expected, tolerance).map_err(|problem| format!("value {at}: {problem}"))
            };
            pairs.try_for_each(compare)
        }
        (Value::Optional(Some(actual)), Value::Optional(Some(expected))) => compare_with(actual, expected, tolerance),
        (Value::Optional(None), Value::Optional(None)) => Ok(()),
        (Value::Map { keys: k, values: v }, Value::Map { keys, values }) => {
            let ((k, v), (keys, values)) = (by_key(k, v), by_key(keys, values));
            compare_tensors(&k, &keys, tolerance(&keys.element)).map_err(|problem| format!("keys: {problem}"))?;
            compare_tensors(&v, &values, tolerance(&values.element))
        }
        _ => Err(format!("expected {}, got {}", expected.kind(), actual.kind())),
    }
}

/// A map with sorted keys.
fn by_key(keys: &Tensor, values: &Tensor) -> (Tensor, Tensor) {
    let mut order: Vec<usize> = (0..keys.element_count()).collect();
    match (keys.elements().strings(), keys.elements().integers()) {
        (Some(texts), _) => order.sort_by_key(|&at| texts[at].clone()),
        (None, Some(integers)) => order.sort_by_key(|&at| integers[at]),
        (None, None) => {}
    }
    (chosen(keys, &order), chosen(values, &order))
}

/// The elements of a list at these indices.
fn chosen(tensor: &Tensor, places: &[usize]) -> Tensor {
    let elements = tensor.elements();
    let chosen = match elements.strings() {
        Some(texts) => {
            let texts: Vec<_> = places.iter().map(|&at| texts[at].clone()).collect();
            DenseElements::from_strings(elements.r#type.clone(), &texts)
        }
        None => {
            let width = tensor.element.byte_width().unwrap_or(1);
            let bytes = |&at: &usize| tensor.data.bytes()[at * width..][..width].iter().copied();
            let bytes: Vec<u8> = places.iter().flat_map(bytes).collect();
            DenseElements::new(elements.r#type.clone(), Blob::copy_of(&bytes))
        }
    };
    Tensor { data: chosen.data, ..tensor.clone() }
}

/// [`compare`] for tensors.
pub fn compare_tensors(actual: &Tensor, expected: &Tensor, tolerance: Tolerance) -> Result<(), String> {
    if actual.element != expected.element {
        return Err(format!("expected {}, got {}", type_name(&expected.element), type_name(&actual.element)));
    }
    if actual.shape != expected.shape {
        return Err(format!("expected shape {}, got {}", shape_text(&expected.shape), shape_text(&actual.shape)));
    }
    let (actual, expected) = (actual.elements(), expected.elements());
    if let (Some(actual), Some(expected)) = (actual.strings(), expected.strings()) {
        return first_difference(&actual, &expected, |a, e| a == e, |text| format!("{text:?}"));
    }
    if let (Some(actual), Some(expected)) = (actual.integers(), expected.integers()) {
        let near = |a: &i64, e: &i64| a == e || is_close(*a as f64, *e as f64, tolerance);
        return first_difference(&actual, &expected, near, i64::to_string);
    }
    // two units in the last place, as ONNX's runner allows
    let is_bf16 = *expected.r#type.element() == Type::Float(FloatType::BF16);
    let relative = if is_bf16 { tolerance.relative.max(2f64.powi(-6)) } else { tolerance.relative };
    let tolerance = Tolerance { relative, ..tolerance };
    match (numbers(&actual), numbers(&expected)) {
        (Some((format, actual)), Some((_, expected))) => {
            let text = |value: &f64| float_text(*value, format);
            first_difference(&actual, &expected, |a, e| is_close(*a, *e, tolerance), text)
        }
        _ => Err(format!("elements of type {} cannot be compared", type_name(expected.r#type.element()))),
    }
}

/// Floats; complex numbers as their parts.
fn numbers(elements: &DenseElements) -> Option<(FloatType, Vec<f64>)> {
    let (format, count) = match elements.r#type.element() {
        Type::Float(format) => (*format, elements.element_count()),
        Type::Complex(format) => (*format, 2 * elements.element_count()),
        _ => return None,
    };
    let width = format.width().div_ceil(8) as usize;
    let decode = |bytes: &[u8]| {
        let mut raw = [0u8; 8];
        raw[..width].copy_from_slice(bytes);
        ir::floats::decode(u64::from_le_bytes(raw), format)
    };
    Some((format, elements.data.bytes().chunks_exact(width).map(decode).take(count).collect()))
}

/// Statistics of the differences between two tensors.
#[derive(Clone, Debug, PartialEq)]
pub struct Errors {
    /// The largest difference.
    pub largest: f64,
    /// The index of its element.
    pub index: Vec<i64>,
    /// The mean of all differences.
    pub mean: f64,
    /// The cosine of the angle between both as vectors; 1 if they have the same direction.
    pub cosine: f64,
}

/// The differences of a tensor from the expected one of the same type and shape; `None` for strings. Elements that are
/// not finite in both do not differ.
pub fn errors(actual: &Tensor, expected: &Tensor) -> Option<Errors> {
    let (a, e) = (actual.elements(), expected.elements());
    let (a, e) = match (a.integers(), e.integers()) {
        (Some(a), Some(e)) => (a.into_iter().map(|v| v as f64).collect(), e.into_iter().map(|v| v as f64).collect()),
        _ => (numbers(&a)?.1, numbers(&e)?.1),
    };
    if a.len() != e.len() {
        return None;
    }
    let difference = |(a, e): (&f64, &f64)| if a == e || (a.is_nan() && e.is_nan()) { 0.0 } else { (a - e).abs() };
    let differences: Vec<f64> = a.iter().zip(&e).map(difference).collect();
    // NaN where a number is expected is the largest error
    let weight = |difference: f64| if difference.is_nan() { f64::INFINITY } else { difference };
    let worst = (0..differences.len()).max_by(|&x, &y| weight(differences[x]).total_cmp(&weight(differences[y])))?;
    let finite = || a.iter().zip(&e).filter(|(a, e)| a.is_finite() && e.is_finite());
    let [product, left, right] = [
        finite().map(|(a, e)| a * e).sum::<f64>(),
        finite().map(|(a, _)| a * a).sum::<f64>(),
        finite().map(|(_, e)| e * e).sum::<f64>(),
    ];
    let norms = left.sqrt() * right.sqrt();
    Some(Errors {
        largest: weight(differences[worst]),
        index: indices(worst * expected.element_count() / differences.len().max(1), &expected.shape),
        mean: differences.iter().map(|&difference| weight(difference)).sum::<f64>() / differences.len() as f64,
        cosine: if norms == 0.0 { f64::from(left == right) } else { product / norms },
    })
}

/// The index of an element as coordinates.
fn indices(mut number: usize, shape: &[i64]) -> Vec<i64> {
    let mut indices = vec![0; shape.len()];
    for (index, &extent) in indices.iter_mut().zip(shape).rev() {
        *index = number as i64 % extent.max(1);
        number /= extent.max(1) as usize;
    }
    indices
}

/// NaN is equal to NaN, an infinity only to itself.
fn is_close(actual: f64, expected: f64, tolerance: Tolerance) -> bool {
    if actual == expected || (actual.is_nan() && expected.is_nan()) {
        return true;
    }
    expected.is_finite() && (actual - expected).abs() <= tolerance.absolute + tolerance.relative * expected.abs()
}

fn first_difference<T>(
    actual: &[T],
    expected: &[T],
    near: impl Fn(&T, &T) -> bool,
    text: impl Fn(&T) -> String,
) -> Result<(), String> {
    let differs = |(_, (a, e)): &(usize, (&T, &T))| !near(a, e);
    let pairs = || actual.iter().zip(expected).enumerate();
    let Some((index, (a, e))) = pairs().find(differs) else { return Ok(()) };
    let (count, total) = (pairs().filter(differs).count(), expected.len());
    Err(format!("{count} of {total} elements differ; element {index} is {}, expected {}", text(a), text(e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(values: &[f32]) -> Tensor {
        Tensor::from_f32(&[values.len() as i64], values).expect("the number of values matches the shape")
    }

    #[test]
    fn numbers_are_compared_as_onnx_does() {
        let tolerance = Tolerance::default();
        let equal = |a: &[f32], e: &[f32]| compare_tensors(&tensor(a), &tensor(e), tolerance);
        assert_eq!(equal(&[1.0005, f32::NAN, f32::INFINITY], &[1.0, f32::NAN, f32::INFINITY]), Ok(()));
        let message = "1 of 2 elements differ; element 1 is 2.25, expected 2.0";
        assert_eq!(equal(&[1.0, 2.25], &[1.0, 2.0]), Err(message.into()));
        for (actual, expected) in [(f32::NAN, 1.0), (1.0, f32::NAN), (1.0, f32::INFINITY), (f32::INFINITY, 1.0)] {
            assert!(equal(&[actual], &[expected]).is_err(), "{actual} {expected}");
        }
    }

    #[test]
    fn errors_have_a_size_and_a_place() {
        let matrix = |values: &[f32]| Tensor { shape: vec![2, 2], ..tensor(values) };
        let found = errors(&matrix(&[1.0, 2.0, 3.5, 4.0]), &matrix(&[1.0, 2.0, 3.0, 4.25])).expect("they are numbers");
        assert_eq!((found.largest, found.index, found.mean), (0.5, vec![1, 0], 0.1875));
        assert!(found.cosine > 0.99 && found.cosine < 1.0);
        let same = errors(&matrix(&[0.0, f32::NAN, 1.0, f32::INFINITY]), &matrix(&[0.0, f32::NAN, 1.0, f32::INFINITY]));
        assert_eq!(same.map(|found| (found.largest, found.cosine)), Some((0.0, 1.0)));
    }

    #[test]
    fn type_and_shape_must_be_exact() {
        let two = tensor(&[1.0, 2.0]);
        let column = Tensor { shape: vec![2, 1], ..two.clone() };
        let message = "expected shape [2], got [2, 1]";
        assert_eq!(compare_tensors(&column, &two, Tolerance::default()), Err(message.into()));
        let integers = Tensor { element: Type::I32, ..two.clone() };
        assert_eq!(compare_tensors(&integers, &two, Tolerance::default()), Err("expected float32, got int32".into()));
    }
}

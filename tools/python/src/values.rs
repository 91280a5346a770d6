//! Conversion of values between Python and the driver.

use driver::{DenseElements, Tensor, Value};
use ir::{Blob, Type};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::arrays::{Elements, array};
use crate::errors::wrong;
use crate::types::is_text;

/// Memory that arrays refer to.
#[pyclass(frozen, module = "onnxc._native")]
pub(crate) struct Buffer(#[expect(dead_code, reason = "it is kept, not read")] Blob);

impl Buffer {
    pub(crate) fn new(data: Blob) -> Buffer {
        Buffer(data)
    }
}

/// An input in the form that a run takes.
pub(crate) enum Given {
    /// Elements of an array.
    Elements(Elements),
    /// Anything else.
    Value(Value),
}

impl Given {
    /// Converts a Python object to an input of a type.
    pub(crate) fn of(object: &Bound<'_, PyAny>, r#type: &Type, name: &str) -> PyResult<Given> {
        match r#type {
            Type::Dialect(_) => value(object, r#type, name).map(Given::Value),
            element => Elements::of(object, element, name).map(Given::Elements),
        }
    }

    pub(crate) fn input<'a>(&'a self, element: &'a Type) -> driver::Input<'a> {
        match self {
            Given::Elements(own) => driver::Input::Elements { element, shape: &own.shape, bytes: own.bytes() },
            Given::Value(value) => driver::Input::Value(value),
        }
    }
}

/// Converts a Python object to a value of a type: an array, a list, a dict, or None.
fn value(object: &Bound<'_, PyAny>, r#type: &Type, name: &str) -> PyResult<Value> {
    let Type::Dialect(dialect) = r#type else { return tensor(object, r#type.element(), name).map(Value::Tensor) };
    let parameters: Vec<&Type> = dialect.parameters.iter().collect();
    match (&*dialect.name, &parameters[..]) {
        ("String", _) => tensor(object, r#type, name).map(Value::Tensor),
        ("Seq", [held]) => {
            let items = object.try_iter().map_err(|_| wrong(format!("input '{name}' must be a list")))?;
            Ok(Value::Sequence(items.map(|item| value(&item?, held, name)).collect::<PyResult<_>>()?))
        }
        ("Opt", _) if object.is_none() => Ok(Value::Optional(None)),
        ("Opt", [held]) => Ok(Value::Optional(Some(Box::new(value(object, held, name)?)))),
        ("Map", [key, held]) => {
            let dict = object.cast::<PyDict>().map_err(|_| wrong(format!("input '{name}' must be a dict")))?;
            let keys = tensor(dict.keys().as_any(), key.element(), name)?;
            Ok(Value::Map { keys, values: tensor(dict.values().as_any(), held.element(), name)? })
        }
        _ => Err(wrong(format!("input '{name}' has the type {type}, which Python has no value for"))),
    }
}

/// A tensor from an array, or from an object that NumPy converts to one.
pub(crate) fn tensor(object: &Bound<'_, PyAny>, element: &Type, name: &str) -> PyResult<Tensor> {
    if is_text(element) {
        return texts(object, element, name);
    }
    let elements = Elements::of(object, element, name)?;
    Tensor::new(element.clone(), elements.shape.clone(), Blob::copy_of(elements.bytes()))
        .ok_or_else(|| wrong(format!("input '{name}' has a number of elements other than its shape")))
}

/// A tensor of strings from an array of objects or of text, or from a list.
fn texts(object: &Bound<'_, PyAny>, element: &Type, name: &str) -> PyResult<Tensor> {
    let array = object.py().import("numpy")?.call_method1("asarray", (object,))?;
    let shape: Vec<i64> = array.getattr("shape")?.extract()?;
    let flat = array.call_method0("ravel")?.call_method0("tolist")?;
    let mut strings: Vec<String> = Vec::new();
    for item in flat.try_iter()? {
        let item = item?;
        let text = match item.cast::<PyString>() {
            Ok(text) => text.extract::<String>()?,
            Err(_) => match item.extract::<Vec<u8>>() {
                Ok(bytes) => String::from_utf8(bytes)
                    .map_err(|_| wrong(format!("input '{name}' has bytes that are not UTF-8")))?,
                Err(_) => return Err(wrong(format!("input '{name}' must have strings, found {}", item.get_type()))),
            },
        };
        strings.push(text);
    }
    let elements = DenseElements::from_strings(Type::static_tensor(&shape, element.clone()), &strings);
    Ok(Tensor { element: element.clone(), shape, data: elements.data })
}

/// Converts a value to Python: an array, a list, a dict, or None.
pub(crate) fn object(py: Python<'_>, value: Value) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Tensor(tensor) => of_tensor(py, tensor)?.unbind(),
        Value::Sequence(values) => {
            let objects = values.into_iter().map(|value| object(py, value)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, objects)?.into_any().unbind()
        }
        Value::Optional(None) => py.None(),
        Value::Optional(Some(value)) => object(py, *value)?,
        Value::Map { keys, values } => {
            let [keys, values] = [keys, values].map(|tensor| of_tensor(py, tensor)?.call_method0("tolist"));
            let dict = PyDict::new(py);
            for (key, value) in keys?.try_iter()?.zip(values?.try_iter()?) {
                dict.set_item(key?, value?)?;
            }
            dict.into_any().unbind()
        }
    })
}

fn of_tensor(py: Python<'_>, tensor: Tensor) -> PyResult<Bound<'_, PyAny>> {
    if !is_text(&tensor.element) {
        return array(py, &tensor.element, &tensor.shape, tensor.data);
    }
    let strings = tensor.strings().unwrap_or_default();
    let numpy = py.import("numpy")?;
    let flat = numpy.call_method1("empty", (strings.len(), "object"))?;
    for (at, text) in strings.into_iter().enumerate() {
        flat.set_item(at, text)?;
    }
    flat.call_method1("reshape", (tensor.shape,))
}

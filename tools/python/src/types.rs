//! Type names of ONNX Runtime and NumPy.

use ir::{FloatType, Signedness, Type};
use pyo3::prelude::*;

/// `float`, `int64`, `string`, …: ONNX Runtime's name of an element type.
fn element_text(element: &Type) -> String {
    proto::type_name(driver::type_number(element) as i32).to_string()
}

/// `tensor(float)`, `seq(map(int64,tensor(float)))`, …: ONNX Runtime's name of a port's type.
pub(crate) fn type_text(r#type: &Type) -> String {
    let Type::Dialect(dialect) = r#type else {
        return format!("tensor({})", element_text(r#type.element()));
    };
    let parameters: Vec<&Type> = dialect.parameters.iter().collect();
    match (&*dialect.name, &parameters[..]) {
        ("Seq", [held]) => format!("seq({})", type_text(held)),
        ("Opt", [held]) => format!("optional({})", type_text(held)),
        ("Map", [key, value]) => format!("map({},{})", element_text(key.element()), type_text(value)),
        _ => format!("tensor({})", element_text(r#type)),
    }
}

/// The name of the type with a number of `TensorProto.DataType`, as in `tensor(float)`; `None` if there is no such
/// type.
#[pyfunction]
pub(crate) fn type_text_of_number(number: i32) -> Option<String> {
    driver::element_type(number).map(|element| type_text(&element))
}

/// NumPy's type number of an element type; `None` for types of `ml_dtypes` and strings.
pub(crate) fn numpy_number(element: &Type) -> Option<i32> {
    Some(match element {
        Type::Float(FloatType::F16) => 23,
        Type::Float(FloatType::F32) => 11,
        Type::Float(FloatType::F64) => 12,
        Type::Complex(FloatType::F32) => 14,
        Type::Complex(FloatType::F64) => 15,
        Type::Integer(integer) => {
            let is_unsigned = integer.signedness == Signedness::Unsigned;
            let signed = match integer.width {
                1 => return Some(0),
                8 => 1,
                16 => 3,
                32 => 5,
                64 => 7,
                _ => return None,
            };
            signed + i32::from(is_unsigned)
        }
        _ => return None,
    })
}

/// Whether an element type is string.
pub(crate) fn is_text(element: &Type) -> bool {
    matches!(element, Type::Dialect(dialect) if &*dialect.name == "String")
}

//! Element types of results.

use ir::{Attribute, FloatType, Type};

use super::node::Node;

/// The element type of result `index`; `None` where the operator or its operands are not known.
pub(super) fn infer(node: &Node<'_, '_>, name: &str, index: usize) -> Option<Type> {
    match (name, index) {
        ("Constant", _) => match node.attribute("value")? {
            Attribute::Dense(dense) => Some(dense.r#type.element().clone()),
            _ => None,
        },
        ("Cast", _) => attribute(node, "to"),
        ("ConstantOfShape", _) => match node.attribute("value") {
            Some(Attribute::Dense(dense)) => Some(dense.r#type.element().clone()),
            _ => Some(Type::F32),
        },
        ("Shape" | "Size" | "NonZero" | "ArgMax" | "ArgMin" | "NonMaxSuppression", _) => Some(Type::I64),
        ("TopK" | "MaxPool", 1) | ("Unique", 1..) => Some(Type::I64),
        (
            "And" | "Or" | "Xor" | "Not" | "Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual" | "IsInf"
            | "IsNaN",
            _,
        )
        | ("Dropout", 1) => Some(Type::I1),
        ("RandomNormal" | "RandomUniform", _) => attribute(node, "dtype").or(Some(Type::F32)),
        ("RandomNormalLike" | "RandomUniformLike" | "EyeLike" | "Bernoulli", _) => {
            attribute(node, "dtype").or_else(|| node.element(0))
        }
        ("Multinomial", _) => attribute(node, "dtype").or(Some(Type::I32)),
        ("BlackmanWindow" | "HannWindow" | "HammingWindow", _) => {
            attribute(node, "output_datatype").or(Some(Type::F32))
        }
        ("MelWeightMatrix", _) => attribute(node, "output_datatype").or(Some(Type::F32)),
        ("LayerNormalization", 1..) => Some(Type::F32),
        ("QuantizeLinear", _) => {
            attribute(node, "output_dtype").or_else(|| node.element(2)).or(Some(Type::unsigned(8)))
        }
        ("DequantizeLinear", _) => attribute(node, "output_dtype").or_else(|| node.element(1)),
        ("DynamicQuantizeLinear", 1) => Some(Type::F32),
        ("DynamicQuantizeLinear", _) => Some(Type::unsigned(8)),
        ("MatMulInteger" | "ConvInteger", _) => Some(Type::I32),
        ("QLinearConv" | "QLinearMatMul", _) => node.element(7),
        ("Where" | "CastLike", _) => node.element(1),
        ("OneHot", _) => node.element(2),
        ("If" | "Loop" | "Scan", _) => super::control_flow::element(node, name, index),
        _ if super::rule(name).is_some() => node.element(0),
        _ => None,
    }
}

/// A type given as an attribute: a type, or a number of `TensorProto.DataType`; 0 means none is given.
fn attribute(node: &Node<'_, '_>, name: &str) -> Option<Type> {
    match node.attribute(name)? {
        Attribute::Type(r#type) => Some(r#type.element().clone()),
        other => data_type(other.as_integer()?),
    }
}

fn data_type(number: i64) -> Option<Type> {
    Some(match number {
        1 => Type::F32,
        2 => Type::unsigned(8),
        3 => Type::I8,
        4 => Type::unsigned(16),
        5 => Type::I16,
        6 => Type::I32,
        7 => Type::I64,
        8 => Type::dialect("onnx", "String", vec![]),
        9 => Type::I1,
        10 => Type::F16,
        11 => Type::F64,
        12 => Type::unsigned(32),
        13 => Type::unsigned(64),
        14 => Type::Complex(FloatType::F32),
        15 => Type::Complex(FloatType::F64),
        16 => Type::Float(FloatType::BF16),
        17 => Type::Float(FloatType::F8E4M3FN),
        18 => Type::Float(FloatType::F8E4M3FNUZ),
        19 => Type::Float(FloatType::F8E5M2),
        20 => Type::Float(FloatType::F8E5M2FNUZ),
        21 => Type::unsigned(4),
        22 => Type::integer(4),
        23 => Type::Float(FloatType::F4E2M1FN),
        24 => Type::Float(FloatType::F8E8M0FNU),
        25 => Type::unsigned(2),
        26 => Type::integer(2),
        _ => return None,
    })
}

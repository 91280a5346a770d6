//! Models of one node, built in memory.

use std::path::PathBuf;

use driver::Tensor;
use ir::{Blob, Type};
use proto::{
    AttributeProto, Dimension, DimensionValue, GraphProto, Message, ModelProto, NodeProto, OperatorSetIdProto,
    TensorShapeProto, TypeProto, TypeTensor, TypeValue, ValueInfoProto,
};

use crate::scratch;

/// A graph input: its declared type, and its value in a run.
#[derive(Clone, Debug)]
pub struct Input {
    /// The element type's number in ONNX.
    pub element: i32,
    /// Declared extents; `None` is dynamic.
    pub declared: Vec<Option<i64>>,
    /// The value of a run.
    pub value: Tensor,
}

impl Input {
    /// Floats, all 1, of a shape that is not declared.
    pub fn floats(shape: &[i64]) -> Input {
        let count = shape.iter().product::<i64>() as usize;
        let value = Tensor::from_f32(shape, &vec![1.0; count]).expect("the number of values matches the shape");
        Input { element: 1, declared: vec![None; shape.len()], value }
    }

    /// A vector of `int64` with declared length.
    pub fn integers(values: &[i64]) -> Input {
        Input::indices(&[values.len() as i64], values)
    }

    /// An `int64` scalar.
    pub fn integer(value: i64) -> Input {
        Input::indices(&[], &[value])
    }

    /// An `int64` tensor with declared shape.
    pub fn indices(shape: &[i64], values: &[i64]) -> Input {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let value = Tensor::new(Type::I64, shape.to_vec(), Blob::copy_of(&bytes))
            .expect("the number of values matches the shape");
        Input { element: 7, declared: shape.iter().copied().map(Some).collect(), value }
    }

    /// The same input with declared extents.
    pub fn fixed(self) -> Input {
        Input { declared: self.value.shape.iter().copied().map(Some).collect(), ..self }
    }
}

/// A tensor type.
pub fn tensor_type(element: i32, extents: &[Option<i64>]) -> TypeProto {
    let dimension = |extent: &Option<i64>| Dimension { value: extent.map(DimensionValue::Value), ..Default::default() };
    let shape = Some(TensorShapeProto { dim: extents.iter().map(dimension).collect() });
    TypeProto { value: Some(TypeValue::Tensor(TypeTensor { elem_type: element, shape })), ..Default::default() }
}

/// A value with a type, or without.
pub fn value_info(name: &str, r#type: Option<TypeProto>) -> ValueInfoProto {
    ValueInfoProto { name: name.into(), r#type, ..Default::default() }
}

/// An integer attribute.
pub fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto { name: name.into(), i: Some(value), r#type: Some(2), ..Default::default() }
}

/// A list of integers.
pub fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto { name: name.into(), ints: values.into(), r#type: Some(7), ..Default::default() }
}

/// A string attribute.
pub fn string(name: &str, value: &str) -> AttributeProto {
    AttributeProto {
        name: name.into(),
        s: Some(value.to_string().into_bytes().into()),
        r#type: Some(3),
        ..Default::default()
    }
}

/// A node `node` with inputs `x0`, `x1`, … and outputs `y0`, `y1`, …
pub fn node(operator: &str, inputs: usize, outputs: usize, attribute: Vec<AttributeProto>) -> NodeProto {
    NodeProto {
        op_type: operator.into(),
        name: "node".into(),
        input: (0..inputs).map(|i| format!("x{i}")).collect(),
        output: (0..outputs).map(|i| format!("y{i}")).collect(),
        attribute,
        ..Default::default()
    }
}

/// A model of one node, whose inputs are the graph's.
pub fn model(domain: &str, opset: i64, node: NodeProto, inputs: &[ValueInfoProto]) -> ModelProto {
    let output = node.output.iter().filter(|name| !name.is_empty()).map(|name| value_info(name, None)).collect();
    let graph = GraphProto { input: inputs.to_vec(), output, node: vec![node], ..Default::default() };
    let opset_import = vec![OperatorSetIdProto { domain: domain.into(), version: opset }];
    ModelProto { ir_version: 10, opset_import, graph: Some(graph), ..Default::default() }
}

/// Writes a model to a temporary file; `name` is unique among tests that run at the same time.
pub fn write(model: &ModelProto, name: &str) -> PathBuf {
    let path = scratch::folder(&format!("model-{name}")).join("model.onnx");
    std::fs::write(&path, model.encode_to_vec()).expect("the folder can be written");
    path
}

//! Values that are not tensors, as in ONNX's test data (`onnx-data.proto`).

use prost::bytes::Bytes;

use crate::messages::TensorProto;

/// `onnx.SequenceProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct SequenceProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The kind of the elements: 1 tensors, 3 sequences, 4 maps, 5 optionals.
    #[prost(int32, tag = "2")]
    pub elem_type: i32,
    /// Elements that are tensors.
    #[prost(message, repeated, tag = "3")]
    pub tensor_values: Vec<TensorProto>,
    /// Elements that are sequences.
    #[prost(message, repeated, tag = "5")]
    pub sequence_values: Vec<SequenceProto>,
    /// Elements that are maps.
    #[prost(message, repeated, tag = "6")]
    pub map_values: Vec<MapProto>,
    /// Elements that are optionals.
    #[prost(message, repeated, tag = "7")]
    pub optional_values: Vec<OptionalProto>,
}

/// `onnx.MapProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct MapProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The element type of the keys.
    #[prost(int32, tag = "2")]
    pub key_type: i32,
    /// Keys that are integers.
    #[prost(int64, repeated, packed = "false", tag = "3")]
    pub keys: Vec<i64>,
    /// Keys that are strings.
    #[prost(bytes = "bytes", repeated, tag = "4")]
    pub string_keys: Vec<Bytes>,
    /// The values, in the order of the keys.
    #[prost(message, optional, tag = "5")]
    pub values: Option<SequenceProto>,
}

/// `onnx.OptionalProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct OptionalProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The kind of its value: 0 nothing, 1 a tensor, 3 a sequence, 5 an optional.
    #[prost(int32, tag = "2")]
    pub elem_type: i32,
    /// The tensor it holds.
    #[prost(message, optional, tag = "3")]
    pub tensor_value: Option<TensorProto>,
    /// The sequence it holds.
    #[prost(message, optional, tag = "5")]
    pub sequence_value: Option<SequenceProto>,
    /// The optional it holds.
    #[prost(message, optional, boxed, tag = "7")]
    pub optional_value: Option<Box<OptionalProto>>,
}

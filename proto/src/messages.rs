//! The messages of `onnx.proto`, IR version 14, one struct per message. Scalars without presence read as their default.
//!
//! `bytes` fields are views of the buffer that a message is decoded from.

use prost::bytes::Bytes;

/// `onnx.AttributeProto`
#[derive(Clone, PartialEq, prost::Message)]
#[prost(prost_path = "crate::runs")]
pub struct AttributeProto {
    /// Field 1, `name`.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Field 2, `f`.
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    /// Field 3, `i`.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// Field 4, `s`.
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub s: Option<Bytes>,
    /// Field 5, `t`.
    #[prost(message, optional, tag = "5")]
    pub t: Option<TensorProto>,
    /// Field 6, `g`.
    #[prost(message, optional, boxed, tag = "6")]
    pub g: Option<Box<GraphProto>>,
    /// Field 7, `floats`.
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub floats: Vec<f32>,
    /// Field 8, `ints`.
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub ints: Vec<i64>,
    /// Field 9, `strings`.
    #[prost(bytes = "bytes", repeated, tag = "9")]
    pub strings: Vec<Bytes>,
    /// Field 10, `tensors`.
    #[prost(message, repeated, tag = "10")]
    pub tensors: Vec<TensorProto>,
    /// Field 11, `graphs`.
    #[prost(message, repeated, tag = "11")]
    pub graphs: Vec<GraphProto>,
    /// Field 13, `doc_string`.
    #[prost(string, tag = "13")]
    pub doc_string: String,
    /// Field 14, `tp`.
    #[prost(message, optional, tag = "14")]
    pub tp: Option<TypeProto>,
    /// Field 15, `type_protos`.
    #[prost(message, repeated, tag = "15")]
    pub type_protos: Vec<TypeProto>,
    /// Field 20, `type`.
    #[prost(int32, optional, tag = "20")]
    pub r#type: Option<i32>,
    /// Field 21, `ref_attr_name`.
    #[prost(string, tag = "21")]
    pub ref_attr_name: String,
    /// Field 22, `sparse_tensor`.
    #[prost(message, optional, tag = "22")]
    pub sparse_tensor: Option<SparseTensorProto>,
    /// Field 23, `sparse_tensors`.
    #[prost(message, repeated, tag = "23")]
    pub sparse_tensors: Vec<SparseTensorProto>,
}

/// `onnx.AttributeProto.AttributeType`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, prost::Enumeration)]
#[repr(i32)]
pub enum AttributeType {
    /// `UNDEFINED`
    Undefined = 0,
    /// `FLOAT`
    Float = 1,
    /// `INT`
    Int = 2,
    /// `STRING`
    String = 3,
    /// `TENSOR`
    Tensor = 4,
    /// `GRAPH`
    Graph = 5,
    /// `SPARSE_TENSOR`
    SparseTensor = 11,
    /// `TYPE_PROTO`
    TypeProto = 13,
    /// `FLOATS`
    Floats = 6,
    /// `INTS`
    Ints = 7,
    /// `STRINGS`
    Strings = 8,
    /// `TENSORS`
    Tensors = 9,
    /// `GRAPHS`
    Graphs = 10,
    /// `SPARSE_TENSORS`
    SparseTensors = 12,
    /// `TYPE_PROTOS`
    TypeProtos = 14,
}

/// `onnx.ValueInfoProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct ValueInfoProto {
    /// Field 1, `name`.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Field 2, `type`.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeProto>,
    /// Field 3, `doc_string`.
    #[prost(string, tag = "3")]
    pub doc_string: String,
    /// Field 4, `metadata_props`.
    #[prost(message, repeated, tag = "4")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// `onnx.NodeProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct NodeProto {
    /// Field 1, `input`.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// Field 2, `output`.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// Field 3, `name`.
    #[prost(string, tag = "3")]
    pub name: String,
    /// Field 4, `op_type`.
    #[prost(string, tag = "4")]
    pub op_type: String,
    /// Field 5, `attribute`.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
    /// Field 6, `doc_string`.
    #[prost(string, tag = "6")]
    pub doc_string: String,
    /// Field 7, `domain`.
    #[prost(string, tag = "7")]
    pub domain: String,
    /// Field 8, `overload`.
    #[prost(string, tag = "8")]
    pub overload: String,
    /// Field 9, `metadata_props`.
    #[prost(message, repeated, tag = "9")]
    pub metadata_props: Vec<StringStringEntryProto>,
    /// Field 10, `device_configurations`.
    #[prost(message, repeated, tag = "10")]
    pub device_configurations: Vec<NodeDeviceConfigurationProto>,
}

/// `onnx.IntIntListEntryProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct IntIntListEntryProto {
    /// Field 1, `key`.
    #[prost(int64, tag = "1")]
    pub key: i64,
    /// Field 2, `value`.
    #[prost(int64, repeated, packed = "false", tag = "2")]
    pub value: Vec<i64>,
}

/// `onnx.NodeDeviceConfigurationProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct NodeDeviceConfigurationProto {
    /// Field 1, `configuration_id`.
    #[prost(string, tag = "1")]
    pub configuration_id: String,
    /// Field 2, `sharding_spec`.
    #[prost(message, repeated, tag = "2")]
    pub sharding_spec: Vec<ShardingSpecProto>,
    /// Field 3, `pipeline_stage`.
    #[prost(int32, tag = "3")]
    pub pipeline_stage: i32,
}

/// `onnx.ShardingSpecProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct ShardingSpecProto {
    /// Field 1, `tensor_name`.
    #[prost(string, tag = "1")]
    pub tensor_name: String,
    /// Field 2, `device`.
    #[prost(int64, repeated, packed = "false", tag = "2")]
    pub device: Vec<i64>,
    /// Field 3, `index_to_device_group_map`.
    #[prost(message, repeated, tag = "3")]
    pub index_to_device_group_map: Vec<IntIntListEntryProto>,
    /// Field 4, `sharded_dim`.
    #[prost(message, repeated, tag = "4")]
    pub sharded_dim: Vec<ShardedDimProto>,
}

/// `onnx.ShardedDimProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct ShardedDimProto {
    /// Field 1, `axis`.
    #[prost(int64, tag = "1")]
    pub axis: i64,
    /// Field 2, `simple_sharding`.
    #[prost(message, repeated, tag = "2")]
    pub simple_sharding: Vec<SimpleShardedDimProto>,
}

/// `onnx.SimpleShardedDimProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct SimpleShardedDimProto {
    /// Field 3, `num_shards`.
    #[prost(int64, tag = "3")]
    pub num_shards: i64,
    /// The one alternative that is set.
    #[prost(oneof = "SimpleShardedDimValue", tags = "1, 2")]
    pub value: Option<SimpleShardedDimValue>,
}

/// The alternatives of [`SimpleShardedDimProto::value`].
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum SimpleShardedDimValue {
    /// Field 1, `dim_value`.
    #[prost(int64, tag = "1")]
    Value(i64),
    /// Field 2, `dim_param`.
    #[prost(string, tag = "2")]
    Param(String),
}

/// `onnx.TrainingInfoProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct TrainingInfoProto {
    /// Field 1, `initialization`.
    #[prost(message, optional, tag = "1")]
    pub initialization: Option<GraphProto>,
    /// Field 2, `algorithm`.
    #[prost(message, optional, tag = "2")]
    pub algorithm: Option<GraphProto>,
    /// Field 3, `initialization_binding`.
    #[prost(message, repeated, tag = "3")]
    pub initialization_binding: Vec<StringStringEntryProto>,
    /// Field 4, `update_binding`.
    #[prost(message, repeated, tag = "4")]
    pub update_binding: Vec<StringStringEntryProto>,
}

/// `onnx.ModelProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct ModelProto {
    /// Field 1, `ir_version`.
    #[prost(int64, tag = "1")]
    pub ir_version: i64,
    /// Field 2, `producer_name`.
    #[prost(string, tag = "2")]
    pub producer_name: String,
    /// Field 3, `producer_version`.
    #[prost(string, tag = "3")]
    pub producer_version: String,
    /// Field 4, `domain`.
    #[prost(string, tag = "4")]
    pub domain: String,
    /// Field 5, `model_version`.
    #[prost(int64, tag = "5")]
    pub model_version: i64,
    /// Field 6, `doc_string`.
    #[prost(string, tag = "6")]
    pub doc_string: String,
    /// Field 7, `graph`.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    /// Field 8, `opset_import`.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// Field 14, `metadata_props`.
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<StringStringEntryProto>,
    /// Field 20, `training_info`.
    #[prost(message, repeated, tag = "20")]
    pub training_info: Vec<TrainingInfoProto>,
    /// Field 25, `functions`.
    #[prost(message, repeated, tag = "25")]
    pub functions: Vec<FunctionProto>,
    /// Field 26, `configuration`.
    #[prost(message, repeated, tag = "26")]
    pub configuration: Vec<DeviceConfigurationProto>,
}

/// `onnx.DeviceConfigurationProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct DeviceConfigurationProto {
    /// Field 1, `name`.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Field 2, `num_devices`.
    #[prost(int32, tag = "2")]
    pub num_devices: i32,
    /// Field 3, `device`.
    #[prost(string, repeated, tag = "3")]
    pub device: Vec<String>,
}

/// `onnx.StringStringEntryProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct StringStringEntryProto {
    /// Field 1, `key`.
    #[prost(string, tag = "1")]
    pub key: String,
    /// Field 2, `value`.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// `onnx.TensorAnnotation`
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorAnnotation {
    /// Field 1, `tensor_name`.
    #[prost(string, tag = "1")]
    pub tensor_name: String,
    /// Field 2, `quant_parameter_tensor_names`.
    #[prost(message, repeated, tag = "2")]
    pub quant_parameter_tensor_names: Vec<StringStringEntryProto>,
}

/// `onnx.GraphProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct GraphProto {
    /// Field 1, `node`.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// Field 2, `name`.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Field 5, `initializer`.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    /// Field 10, `doc_string`.
    #[prost(string, tag = "10")]
    pub doc_string: String,
    /// Field 11, `input`.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// Field 12, `output`.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
    /// Field 13, `value_info`.
    #[prost(message, repeated, tag = "13")]
    pub value_info: Vec<ValueInfoProto>,
    /// Field 14, `quantization_annotation`.
    #[prost(message, repeated, tag = "14")]
    pub quantization_annotation: Vec<TensorAnnotation>,
    /// Field 15, `sparse_initializer`.
    #[prost(message, repeated, tag = "15")]
    pub sparse_initializer: Vec<SparseTensorProto>,
    /// Field 16, `metadata_props`.
    #[prost(message, repeated, tag = "16")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// `onnx.TensorProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorProto {
    /// Field 1, `dims`.
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub dims: Vec<i64>,
    /// Field 2, `data_type`.
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    /// Field 3, `segment`.
    #[prost(message, optional, tag = "3")]
    pub segment: Option<Segment>,
    /// Field 4, `float_data`.
    #[prost(float, repeated, packed = "true", tag = "4")]
    pub float_data: Vec<f32>,
    /// Field 5, `int32_data`.
    #[prost(int32, repeated, packed = "true", tag = "5")]
    pub int32_data: Vec<i32>,
    /// Field 6, `string_data`.
    #[prost(bytes = "bytes", repeated, tag = "6")]
    pub string_data: Vec<Bytes>,
    /// Field 7, `int64_data`.
    #[prost(int64, repeated, packed = "true", tag = "7")]
    pub int64_data: Vec<i64>,
    /// Field 8, `name`.
    #[prost(string, tag = "8")]
    pub name: String,
    /// Field 9, `raw_data`.
    #[prost(bytes = "bytes", optional, tag = "9")]
    pub raw_data: Option<Bytes>,
    /// Field 10, `double_data`.
    #[prost(double, repeated, packed = "true", tag = "10")]
    pub double_data: Vec<f64>,
    /// Field 11, `uint64_data`.
    #[prost(uint64, repeated, packed = "true", tag = "11")]
    pub uint64_data: Vec<u64>,
    /// Field 12, `doc_string`.
    #[prost(string, tag = "12")]
    pub doc_string: String,
    /// Field 13, `external_data`.
    #[prost(message, repeated, tag = "13")]
    pub external_data: Vec<StringStringEntryProto>,
    /// Field 14, `data_location`.
    #[prost(int32, tag = "14")]
    pub data_location: i32,
    /// Field 16, `metadata_props`.
    #[prost(message, repeated, tag = "16")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// `onnx.TensorProto.Segment`
#[derive(Clone, PartialEq, prost::Message)]
pub struct Segment {
    /// Field 1, `begin`.
    #[prost(int64, tag = "1")]
    pub begin: i64,
    /// Field 2, `end`.
    #[prost(int64, tag = "2")]
    pub end: i64,
}

/// `onnx.TensorProto.DataType`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, prost::Enumeration)]
#[repr(i32)]
pub enum DataType {
    /// `UNDEFINED`
    Undefined = 0,
    /// `FLOAT`
    Float = 1,
    /// `UINT8`
    Uint8 = 2,
    /// `INT8`
    Int8 = 3,
    /// `UINT16`
    Uint16 = 4,
    /// `INT16`
    Int16 = 5,
    /// `INT32`
    Int32 = 6,
    /// `INT64`
    Int64 = 7,
    /// `STRING`
    String = 8,
    /// `BOOL`
    Bool = 9,
    /// `FLOAT16`
    Float16 = 10,
    /// `DOUBLE`
    Double = 11,
    /// `UINT32`
    Uint32 = 12,
    /// `UINT64`
    Uint64 = 13,
    /// `COMPLEX64`
    Complex64 = 14,
    /// `COMPLEX128`
    Complex128 = 15,
    /// `BFLOAT16`
    Bfloat16 = 16,
    /// `FLOAT8E4M3FN`
    Float8e4m3fn = 17,
    /// `FLOAT8E4M3FNUZ`
    Float8e4m3fnuz = 18,
    /// `FLOAT8E5M2`
    Float8e5m2 = 19,
    /// `FLOAT8E5M2FNUZ`
    Float8e5m2fnuz = 20,
    /// `UINT4`
    Uint4 = 21,
    /// `INT4`
    Int4 = 22,
    /// `FLOAT4E2M1`
    Float4e2m1 = 23,
    /// `FLOAT8E8M0`
    Float8e8m0 = 24,
    /// `UINT2`
    Uint2 = 25,
    /// `INT2`
    Int2 = 26,
    /// `FLOAT6E2M3`
    Float6e2m3 = 27,
    /// `FLOAT6E3M2`
    Float6e3m2 = 28,
}

/// `onnx.TensorProto.DataLocation`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, prost::Enumeration)]
#[repr(i32)]
pub enum DataLocation {
    /// `DEFAULT`
    Default = 0,
    /// `EXTERNAL`
    External = 1,
}

/// `onnx.SparseTensorProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct SparseTensorProto {
    /// Field 1, `values`.
    #[prost(message, optional, tag = "1")]
    pub values: Option<TensorProto>,
    /// Field 2, `indices`.
    #[prost(message, optional, tag = "2")]
    pub indices: Option<TensorProto>,
    /// Field 3, `dims`.
    #[prost(int64, repeated, packed = "false", tag = "3")]
    pub dims: Vec<i64>,
}

/// `onnx.TensorShapeProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorShapeProto {
    /// Field 1, `dim`.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<Dimension>,
}

/// `onnx.TensorShapeProto.Dimension`
#[derive(Clone, PartialEq, prost::Message)]
pub struct Dimension {
    /// Field 3, `denotation`.
    #[prost(string, tag = "3")]
    pub denotation: String,
    /// The one alternative that is set.
    #[prost(oneof = "DimensionValue", tags = "1, 2")]
    pub value: Option<DimensionValue>,
}

/// The alternatives of [`Dimension::value`].
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum DimensionValue {
    /// Field 1, `dim_value`.
    #[prost(int64, tag = "1")]
    Value(i64),
    /// Field 2, `dim_param`.
    #[prost(string, tag = "2")]
    Param(String),
}

/// `onnx.TypeProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct TypeProto {
    /// Field 6, `denotation`.
    #[prost(string, tag = "6")]
    pub denotation: String,
    /// The one alternative that is set.
    #[prost(oneof = "TypeValue", tags = "1, 4, 5, 7, 8, 9")]
    pub value: Option<TypeValue>,
}

/// The alternatives of [`TypeProto::value`].
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum TypeValue {
    /// Field 1, `tensor_type`.
    #[prost(message, tag = "1")]
    Tensor(TypeTensor),
    /// Field 4, `sequence_type`.
    #[prost(message, boxed, tag = "4")]
    Sequence(Box<TypeSequence>),
    /// Field 5, `map_type`.
    #[prost(message, boxed, tag = "5")]
    Map(Box<TypeMap>),
    /// Field 7, `opaque_type`.
    #[prost(message, tag = "7")]
    Opaque(TypeOpaque),
    /// Field 8, `sparse_tensor_type`.
    #[prost(message, tag = "8")]
    SparseTensor(TypeSparseTensor),
    /// Field 9, `optional_type`.
    #[prost(message, boxed, tag = "9")]
    Optional(Box<TypeOptional>),
}

/// `onnx.TypeProto.Tensor`
#[derive(Clone, PartialEq, prost::Message)]
pub struct TypeTensor {
    /// Field 1, `elem_type`.
    #[prost(int32, tag = "1")]
    pub elem_type: i32,
    /// Field 2, `shape`.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// `onnx.TypeProto.Sequence`
#[derive(Clone, PartialEq, prost::Message)]
pub struct TypeSequence {
    /// Field 1, `elem_type`.
    #[prost(message, optional, boxed, tag = "1")]
    pub elem_type: Option<Box<TypeProto>>,
}

/// `onnx.TypeProto.Map`
#[derive(Clone, PartialEq, prost::Message)]
pub struct TypeMap {
    /// Field 1, `key_type`.
    #[prost(int32, tag = "1")]
    pub key_type: i32,
    /// Field 2, `value_type`.
    #[prost(message, optional, boxed, tag = "2")]
    pub value_type: Option<Box<TypeProto>>,
}

/// `onnx.TypeProto.Optional`
#[derive(Clone, PartialEq, prost::Message)]
pub struct TypeOptional {
    /// Field 1, `elem_type`.
    #[prost(message, optional, boxed, tag = "1")]
    pub elem_type: Option<Box<TypeProto>>,
}

/// `onnx.TypeProto.SparseTensor`
#[derive(Clone, PartialEq, prost::Message)]
pub struct TypeSparseTensor {
    /// Field 1, `elem_type`.
    #[prost(int32, tag = "1")]
    pub elem_type: i32,
    /// Field 2, `shape`.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// `onnx.TypeProto.Opaque`
#[derive(Clone, PartialEq, prost::Message)]
pub struct TypeOpaque {
    /// Field 1, `domain`.
    #[prost(string, tag = "1")]
    pub domain: String,
    /// Field 2, `name`.
    #[prost(string, tag = "2")]
    pub name: String,
}

/// `onnx.OperatorSetIdProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct OperatorSetIdProto {
    /// Field 1, `domain`.
    #[prost(string, tag = "1")]
    pub domain: String,
    /// Field 2, `version`.
    #[prost(int64, tag = "2")]
    pub version: i64,
}

/// `onnx.FunctionProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionProto {
    /// Field 1, `name`.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Field 4, `input`.
    #[prost(string, repeated, tag = "4")]
    pub input: Vec<String>,
    /// Field 5, `output`.
    #[prost(string, repeated, tag = "5")]
    pub output: Vec<String>,
    /// Field 6, `attribute`.
    #[prost(string, repeated, tag = "6")]
    pub attribute: Vec<String>,
    /// Field 7, `node`.
    #[prost(message, repeated, tag = "7")]
    pub node: Vec<NodeProto>,
    /// Field 8, `doc_string`.
    #[prost(string, tag = "8")]
    pub doc_string: String,
    /// Field 9, `opset_import`.
    #[prost(message, repeated, tag = "9")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// Field 10, `domain`.
    #[prost(string, tag = "10")]
    pub domain: String,
    /// Field 11, `attribute_proto`.
    #[prost(message, repeated, tag = "11")]
    pub attribute_proto: Vec<AttributeProto>,
    /// Field 12, `value_info`.
    #[prost(message, repeated, tag = "12")]
    pub value_info: Vec<ValueInfoProto>,
    /// Field 13, `overload`.
    #[prost(string, tag = "13")]
    pub overload: String,
    /// Field 14, `metadata_props`.
    #[prost(message, repeated, tag = "14")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// `onnx.OperatorStatus`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, prost::Enumeration)]
#[repr(i32)]
pub enum OperatorStatus {
    /// `EXPERIMENTAL`
    Experimental = 0,
    /// `STABLE`
    Stable = 1,
}

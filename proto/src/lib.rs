//! ONNX protobuf: loading, saving, memory maps and external data.
//!
//! A [`Model`] is a decoded [`ModelProto`] whose byte fields are windows of the mapped file; [`Tensors`] turns its
//! tensors into [`ir::DenseElements`] that share those bytes.

mod data;
mod load;
mod messages;
mod tensor;

pub use data::{MapProto, OptionalProto, SequenceProto};
pub use load::{Model, save};
pub use messages::*;
pub use prost::Message;
pub use prost::bytes::Bytes;
pub use tensor::{TensorValue, Tensors, element_type, type_name};

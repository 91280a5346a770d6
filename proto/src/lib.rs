//! ONNX protobuf: loading, saving, memory maps and external data.
//!
//! A [`Model`] is a decoded [`ModelProto`] whose byte fields are views of the mapped file; [`Tensors`] turns its
//! tensors into [`Dense`] elements that share those bytes.

mod attribute;
mod containers;
mod damage;
mod foreign;
mod form;
mod load;
mod messages;
mod operator_set;
mod runs;
mod syntax;
mod tensor;
mod text_formats;

pub use containers::{MapProto, OptionalProto, SequenceProto};
pub use damage::Damage;
pub use load::{Document, Model, save};
pub use messages::*;
pub use operator_set::{MAGIC as OPERATOR_SET_MAGIC, OperatorProto, OperatorSetProto};
pub use prost::Message;
pub use prost::bytes::Bytes;
pub use syntax::{parse_model, parse_tensors};
pub use tensor::{Dense, TensorValue, Tensors, type_name};

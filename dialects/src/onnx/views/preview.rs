// Generated from the schemas; UPDATE=1 cargo test -p onnxc-dialects regenerates it.
#![allow(missing_docs, reason = "the names are ONNX's")]

use ir::{Value};

use super::super::OnnxOp;
use super::{Reader, View};

#[derive(Clone, Debug)]
pub struct FlexAttention { pub q: Value, pub k: Value, pub v: Value, pub scale: Option<f64>, pub softmax_precision: Option<i64> }
impl View for FlexAttention {
    const OPERATOR: OnnxOp = OnnxOp::PreviewFlexAttention;
    fn read(node: &Reader<'_>) -> Self { FlexAttention { q: node.operand(0), k: node.operand(1), v: node.operand(2), scale: node.float("scale"), softmax_precision: node.integer("softmax_precision") } }
}

// Generated from the schemas; UPDATE=1 cargo test -p onnxc-dialects regenerates it.
#![allow(missing_docs, reason = "the names are ONNX's")]

use std::sync::Arc;

use ir::{Value};

use super::super::OnnxOp;
use super::{Reader, View, required};
use super::enumerations::{AutoPad};

#[derive(Clone, Debug)]
pub struct AveragePool { pub x: Value, pub auto_pad: AutoPad, pub ceil_mode: i64, pub count_include_pad: i64, pub dilations: Option<Arc<[i64]>>, pub kernel_shape: Arc<[i64]>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for AveragePool {
    const OPERATOR: OnnxOp = OnnxOp::NchwcAveragePool;
    fn read(node: &Reader<'_>) -> Self { AveragePool { x: node.operand(0), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), ceil_mode: node.integer("ceil_mode").unwrap_or(0), count_include_pad: node.integer("count_include_pad").unwrap_or(0), dilations: node.integers("dilations"), kernel_shape: required(node.integers("kernel_shape")), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct Conv { pub x: Value, pub w: Value, pub b: Option<Value>, pub sum: Option<Value>, pub activation: Option<String>, pub activation_params: Option<Vec<f32>>, pub auto_pad: AutoPad, pub dilations: Option<Arc<[i64]>>, pub group: i64, pub kernel_shape: Option<Arc<[i64]>>, pub pads: Option<Arc<[i64]>>, pub strides: Option<Arc<[i64]>> }
impl View for Conv {
    const OPERATOR: OnnxOp = OnnxOp::NchwcConv;
    fn read(node: &Reader<'_>) -> Self { Conv { x: node.operand(0), w: node.operand(1), b: node.optional(2), sum: node.optional(3), activation: node.string("activation"), activation_params: node.floats("activation_params"), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), dilations: node.integers("dilations"), group: node.integer("group").unwrap_or(1), kernel_shape: node.integers("kernel_shape"), pads: node.integers("pads"), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct GlobalAveragePool { pub x: Value }
impl View for GlobalAveragePool {
    const OPERATOR: OnnxOp = OnnxOp::NchwcGlobalAveragePool;
    fn read(node: &Reader<'_>) -> Self { GlobalAveragePool { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct GlobalMaxPool { pub x: Value }
impl View for GlobalMaxPool {
    const OPERATOR: OnnxOp = OnnxOp::NchwcGlobalMaxPool;
    fn read(node: &Reader<'_>) -> Self { GlobalMaxPool { x: node.operand(0) } }
}

#[derive(Clone, Debug)]
pub struct MaxPool { pub x: Value, pub auto_pad: AutoPad, pub ceil_mode: i64, pub dilations: Option<Arc<[i64]>>, pub kernel_shape: Arc<[i64]>, pub pads: Option<Arc<[i64]>>, pub storage_order: i64, pub strides: Option<Arc<[i64]>> }
impl View for MaxPool {
    const OPERATOR: OnnxOp = OnnxOp::NchwcMaxPool;
    fn read(node: &Reader<'_>) -> Self { MaxPool { x: node.operand(0), auto_pad: node.choice("auto_pad").unwrap_or(AutoPad::Notset), ceil_mode: node.integer("ceil_mode").unwrap_or(0), dilations: node.integers("dilations"), kernel_shape: required(node.integers("kernel_shape")), pads: node.integers("pads"), storage_order: node.integer("storage_order").unwrap_or(0), strides: node.integers("strides") } }
}

#[derive(Clone, Debug)]
pub struct ReorderInput { pub x: Value, pub channels_last: i64 }
impl View for ReorderInput {
    const OPERATOR: OnnxOp = OnnxOp::NchwcReorderInput;
    fn read(node: &Reader<'_>) -> Self { ReorderInput { x: node.operand(0), channels_last: node.integer("channels_last").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct ReorderOutput { pub x: Value, pub channels: i64, pub channels_last: i64 }
impl View for ReorderOutput {
    const OPERATOR: OnnxOp = OnnxOp::NchwcReorderOutput;
    fn read(node: &Reader<'_>) -> Self { ReorderOutput { x: node.operand(0), channels: node.integer("channels").unwrap_or(0), channels_last: node.integer("channels_last").unwrap_or(0) } }
}

#[derive(Clone, Debug)]
pub struct Upsample { pub x: Value, pub coordinate_transformation_mode: String, pub mode: String, pub scales: Option<Arc<[i64]>> }
impl View for Upsample {
    const OPERATOR: OnnxOp = OnnxOp::NchwcUpsample;
    fn read(node: &Reader<'_>) -> Self { Upsample { x: node.operand(0), coordinate_transformation_mode: node.string("coordinate_transformation_mode").unwrap_or_else(|| "asymmetric".into()), mode: node.string("mode").unwrap_or_else(|| "nearest".into()), scales: node.integers("scales") } }
}

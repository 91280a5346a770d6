// Generated from the schemas; UPDATE=1 cargo test -p onnxc-dialects regenerates it.
#![allow(missing_docs, reason = "the names are ONNX's")]

use std::sync::Arc;

use ir::{Value};

use super::super::OnnxOp;
use super::{Reader, View, required};
use super::enumerations::{MomentumMode};

#[derive(Clone, Debug)]
pub struct Adagrad { pub r: Value, pub t: Value, pub inputs: Vec<Value>, pub decay_factor: f64, pub epsilon: f64, pub norm_coefficient: f64 }
impl View for Adagrad {
    const OPERATOR: OnnxOp = OnnxOp::TrainingAdagrad;
    fn read(node: &Reader<'_>) -> Self { Adagrad { r: node.operand(0), t: node.operand(1), inputs: node.variadic(2), decay_factor: node.float("decay_factor").unwrap_or(0.0), epsilon: node.float("epsilon").unwrap_or(9.999999974752427e-7), norm_coefficient: node.float("norm_coefficient").unwrap_or(0.0) } }
}

#[derive(Clone, Debug)]
pub struct Adam { pub r: Value, pub t: Value, pub inputs: Vec<Value>, pub alpha: f64, pub beta: f64, pub epsilon: f64, pub norm_coefficient: f64, pub norm_coefficient_post: f64 }
impl View for Adam {
    const OPERATOR: OnnxOp = OnnxOp::TrainingAdam;
    fn read(node: &Reader<'_>) -> Self { Adam { r: node.operand(0), t: node.operand(1), inputs: node.variadic(2), alpha: node.float("alpha").unwrap_or(0.8999999761581421), beta: node.float("beta").unwrap_or(0.9990000128746033), epsilon: node.float("epsilon").unwrap_or(9.999999974752427e-7), norm_coefficient: node.float("norm_coefficient").unwrap_or(0.0), norm_coefficient_post: node.float("norm_coefficient_post").unwrap_or(0.0) } }
}

#[derive(Clone, Debug)]
pub struct Gradient { pub inputs: Vec<Value>, pub xs: Vec<Arc<str>>, pub y: String, pub zs: Option<Vec<Arc<str>>> }
impl View for Gradient {
    const OPERATOR: OnnxOp = OnnxOp::TrainingGradient;
    fn read(node: &Reader<'_>) -> Self { Gradient { inputs: node.variadic(0), xs: required(node.strings("xs")), y: required(node.string("y")), zs: node.strings("zs") } }
}

#[derive(Clone, Debug)]
pub struct Momentum { pub r: Value, pub t: Value, pub inputs: Vec<Value>, pub alpha: f64, pub beta: f64, pub mode: MomentumMode, pub norm_coefficient: f64 }
impl View for Momentum {
    const OPERATOR: OnnxOp = OnnxOp::TrainingMomentum;
    fn read(node: &Reader<'_>) -> Self { Momentum { r: node.operand(0), t: node.operand(1), inputs: node.variadic(2), alpha: required(node.float("alpha")), beta: required(node.float("beta")), mode: required(node.choice("mode")), norm_coefficient: required(node.float("norm_coefficient")) } }
}

//! Scaler: `(x - offset) · scale`, for each feature or for all.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::ml::Scaler;
use ir::Type;

use super::{float_constant, like_features};
use crate::operator::Operator;

pub(crate) const SCALER: Operator = Operator {
    shapes: Some(|node| {
        let scaler: Scaler = node.view();
        let length = |numbers: &Option<Vec<f32>>| numbers.as_ref().map(Vec::len);
        let lists = [("offset", length(&scaler.offset)), ("scale", length(&scaler.scale))];
        like_features(node, scaler.x, &lists)
    }),
    compose: Some(|emit, op| {
        let scaler = Scaler::of(&emit.body, op);
        let mut x = emit.convert(scaler.x, &Type::F32);
        for (name, numbers) in [("Sub", scaler.offset), ("Mul", scaler.scale)] {
            if let Some(numbers) = numbers {
                let numbers = float_constant(emit, &[numbers.len() as i64], &numbers);
                x = emit.plain(name, &[x, numbers]);
            }
        }
        Ok(vec![Some(x)])
    }),
    ..Operator::of(OnnxOp::MlScaler)
};

//! Scaler: `(x - offset) · scale`, for each feature or for all.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::ml::Scaler;
use ir::Type;

use super::float_constant;
use crate::operator::Operator;
use crate::shape::like_first;

pub(crate) const SCALER: Operator = Operator {
    shapes: Some(like_first),
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

//! Imputer: replaces missing values, for each feature or for all.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::ml::Imputer;

use super::float_constant;
use crate::graph::Problem;
use crate::operator::Operator;
use crate::shape::like_first;

pub(crate) const IMPUTER: Operator = Operator {
    shapes: Some(like_first),
    compose: Some(|emit, op| {
        let imputer = Imputer::of(&emit.body, op);
        let (x, element) = (imputer.x, emit.element(imputer.x));
        let (missing, numbers) = match (element.is_float(), imputer.imputed_value_floats, imputer.imputed_value_int64s)
        {
            (true, Some(numbers), _) => {
                let missing = match imputer.replaced_value_float {
                    value if value.is_nan() => emit.plain("IsNaN", &[x]),
                    value => {
                        let value = emit.number_like(value, x);
                        emit.plain("Equal", &[x, value])
                    }
                };
                (missing, float_constant(emit, &[numbers.len() as i64], &numbers))
            }
            (false, _, Some(numbers)) => {
                let value = emit.integer(imputer.replaced_value_int64);
                let value = emit.convert(value, &element);
                (emit.plain("Equal", &[x, value]), emit.integers(&numbers))
            }
            _ => return Err(Problem::input("has no values of its operand's type to impute")),
        };
        let numbers = emit.convert(numbers, &element);
        Ok(vec![Some(emit.plain("Where", &[missing, numbers, x]))])
    }),
    ..Operator::of(OnnxOp::MlImputer)
};

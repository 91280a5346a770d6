//! Imputer: replaces missing values, for each feature or for all.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::ml::Imputer;

use super::{float_constant, like_features};
use crate::graph::Problem;
use crate::operator::Operator;

pub(crate) const IMPUTER: Operator = Operator {
    shapes: Some(|node| {
        let imputer: Imputer = node.view();
        let floats = imputer.imputed_value_floats.as_ref().map(Vec::len);
        let integers = imputer.imputed_value_int64s.as_ref().map(|numbers| numbers.len());
        let is_float = node.element_of(imputer.x).is_float();
        let list = if is_float { ("imputed_value_floats", floats) } else { ("imputed_value_int64s", integers) };
        like_features(node, imputer.x, &[list])
    }),
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

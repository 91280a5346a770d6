//! Elementwise operators: the shape of the first operand, or of all operands broadcast together.

use ir::DimExpr;

use super::node::{Node, broadcast};
use super::{Answer, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "Abs" | "Acos" | "Acosh" | "Asin" | "Asinh" | "Atan" | "Atanh" | "Bernoulli" | "BitCast" | "BitwiseNot"
        | "Cast" | "CastLike" | "Ceil" | "Celu" | "Clip" | "Cos" | "Cosh" | "Elu" | "Erf" | "Exp" | "Floor"
        | "Gelu" | "HardSigmoid" | "HardSwish" | "Hardmax" | "Identity" | "IsInf" | "IsNaN" | "LeakyRelu" | "Log"
        | "LogSoftmax" | "Mish" | "Neg" | "Not" | "RandomNormalLike" | "RandomUniformLike" | "Reciprocal" | "Relu"
        | "Round" | "Selu" | "Shrink" | "Sigmoid" | "Sign" | "Sin" | "Sinh" | "Softmax" | "Softplus" | "Softsign"
        | "Sqrt" | "SwiGLU" | "Swish" | "Tan" | "Tanh" | "ThresholdedRelu" => like_first,
        "Dropout" => like_first_each,
        "Add" | "And" | "BitShift" | "BitwiseAnd" | "BitwiseOr" | "BitwiseXor" | "Div" | "Equal" | "Greater"
        | "GreaterOrEqual" | "Less" | "LessOrEqual" | "Max" | "Mean" | "Min" | "Mod" | "Mul" | "Or" | "Pow"
        | "StringConcat" | "Sub" | "Sum" | "Where" | "Xor" => broadcast_all,
        "PRelu" => slope,
        _ => return None,
    })
}

/// The first result is shaped like the first operand.
pub(super) fn like_first(node: &mut Node<'_, '_>) -> Answer {
    Ok(vec![node.shape(0)])
}

/// Every result is shaped like the first operand.
pub(super) fn like_first_each(node: &mut Node<'_, '_>) -> Answer {
    Ok(vec![node.shape(0); node.result_count()])
}

fn broadcast_all(node: &mut Node<'_, '_>) -> Answer {
    let mut joined = vec![];
    for index in 0..node.operand_count() {
        match node.shape(index) {
            Some(shape) => joined = broadcast(&joined, &shape)?,
            None => return Ok(vec![]),
        }
    }
    Ok(vec![Some(joined)])
}

/// The slope broadcasts to the input, never the other way.
fn slope(node: &mut Node<'_, '_>) -> Answer {
    if let (Some(input), Some(slope)) = (node.shape(0), node.shape(1)) {
        let joined = broadcast(&input, &slope)?;
        let grows = joined.iter().zip(&input).any(|(to, from)| *from == DimExpr::ONE && *to != DimExpr::ONE);
        if joined.len() != input.len() || grows {
            return Err("the slope does not broadcast to the input".to_string());
        }
    }
    like_first(node)
}

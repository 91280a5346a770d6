//! Simplifications of integer arithmetic that need a new constant.

use ir::rewrite::Rewriter;
use ir::{Attribute, Op, Type, constant_integer};

/// `(x + a) + b` is `x + (a + b)`.
pub(super) fn addi(rewriter: &mut Rewriter<'_>, op: Op) -> bool {
    combine_constants(rewriter, op, i64::wrapping_add)
}

/// `(x * a) * b` is `x * (a * b)`.
pub(super) fn muli(rewriter: &mut Rewriter<'_>, op: Op) -> bool {
    combine_constants(rewriter, op, i64::wrapping_mul)
}

/// `(x ∘ a) ∘ b` of an associative operation that wraps, on `index` and `i64`.
fn combine_constants(rewriter: &mut Rewriter<'_>, op: Op, combine: fn(i64, i64) -> i64) -> bool {
    let body = rewriter.body();
    let [left, right] = [body.operand(op, 0), body.operand(op, 1)];
    let r#type = body.value_type(left).clone();
    let Some(inner) = body.defining_op(left) else { return false };
    if !matches!(r#type, Type::Index | Type::I64) || body.op(inner).name != body.op(op).name {
        return false;
    }
    let source = body.operand(inner, 0);
    let (Some(a), Some(b)) = (constant_integer(body, body.operand(inner, 1)), constant_integer(body, right)) else {
        return false;
    };
    let value = Attribute::Integer(combine(a, b), r#type.clone());
    let constant = rewriter.value_before(op, super::CONSTANT, &[], r#type, [("value", value)]);
    rewriter.modify(op, |body, op| body.set_operands(op, &[source, constant]));
    true
}

//! BitShift by any count: counts that are negative or at least the width shift everything out.

use dialects::arith;
use dialects::arith::CmpIPredicate;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, ShiftDirection};
use ir::Type;

use crate::operator::Operator;

pub(crate) const BIT_SHIFT: Operator = Operator::elementwise(OnnxOp::BitShift, |s, element| {
    let shift: views::BitShift = element.view();
    let [x, count] = element.operands();
    let width = s.type_of(x).bit_width().unwrap_or(64);
    let (zero, last) = (s.like(0.0, x), s.like(width as f64 - 1.0, x));
    // unsigned, so that negative counts are large
    let inside = s.builder.value(arith::CMPI, &[count, last], Type::I1, [CmpIPredicate::Ule.attribute()]);
    if shift.direction == ShiftDirection::Right && !s.unsigned {
        let count = s.select(inside, count, last);
        return s.same(arith::SHRSI, &[x, count]);
    }
    let bounded = s.select(inside, count, zero);
    let operation = match shift.direction {
        ShiftDirection::Left => arith::SHLI,
        ShiftDirection::Right => arith::SHRUI,
    };
    let shifted = s.same(operation, &[x, bounded]);
    s.select(inside, shifted, zero)
});

//! Folds of integer arithmetic: constants and identities. Floats fold only if the result is the same bit for bit.

use super::{CmpIPredicate, INDEX_CAST, INDEX_CASTUI, NEGF};
use crate::{OpCode, OpCodes};
use ir::{Attribute, Body, Folded, Op, Type, Value, constant_integer, constant_value};

type Fold = Option<Vec<Folded>>;

/// The width of an integer or of `index`, for scalars only.
fn width(body: &Body, value: Value) -> Option<u32> {
    match body.value_type(value) {
        Type::Index => Some(64),
        Type::Integer(integer) => Some(integer.width),
        _ => None,
    }
}

/// The low `width` bits of a value as a signed number, the representation in attributes.
fn wrap(value: i128, width: u32) -> i64 {
    let unused = 64 - width;
    ((value as i64) << unused) >> unused
}

/// The low `width` bits as an unsigned number.
fn unsigned(value: i64, width: u32) -> i128 {
    (value as i128) & ((1i128 << width) - 1)
}

fn constant(body: &Body, op: Op, value: i128) -> Fold {
    let result = body.result(op, 0);
    let r#type = body.value_type(result).clone();
    let wrapped = wrap(value, width(body, result)?);
    let attribute =
        if r#type == Type::I1 { Attribute::Bool(value & 1 == 1) } else { Attribute::Integer(wrapped, r#type) };
    Some(vec![Folded::Constant(attribute)])
}

fn value(value: Value) -> Fold {
    Some(vec![Folded::Value(value)])
}

/// Both operands as numbers: sign extended from their width (also `i1`), and the width.
fn constants(body: &Body, op: Op) -> Option<(i64, i64, u32)> {
    let width = width(body, body.operand(op, 0))?;
    let read = |index| Some(wrap(constant_integer(body, body.operand(op, index))? as i128, width));
    Some((read(0)?, read(1)?, width))
}

fn signed_binary(body: &Body, op: Op, apply: impl FnOnce(i128, i128) -> Option<i128>) -> Fold {
    let (a, b, _) = constants(body, op)?;
    constant(body, op, apply(a as i128, b as i128)?)
}

fn unsigned_binary(body: &Body, op: Op, apply: impl FnOnce(i128, i128) -> Option<i128>) -> Fold {
    let (a, b, width) = constants(body, op)?;
    constant(body, op, apply(unsigned(a, width), unsigned(b, width))?)
}

/// Whether operand `index` is the integer constant, in every lane.
fn is(body: &Body, op: Op, index: usize, wanted: i64) -> bool {
    constant_integer(body, body.operand(op, index)) == Some(wanted)
}

fn is_float(body: &Body, op: Op, index: usize, wanted: f64) -> bool {
    let found = match constant_value(body, body.operand(op, index)) {
        Some(Attribute::Dense(elements)) if elements.is_splat() => elements.float(0),
        Some(attribute) => attribute.as_float(),
        None => None,
    };
    found.is_some_and(|found| found.to_bits() == wanted.to_bits())
}

fn same(body: &Body, op: Op) -> bool {
    body.operand(op, 0) == body.operand(op, 1)
}

pub(super) fn same_operands(body: &Body, op: Op) -> Fold {
    if same(body, op) { value(body.operand(op, 0)) } else { None }
}

pub(super) fn addi(body: &Body, op: Op) -> Fold {
    match () {
        () if is(body, op, 1, 0) => value(body.operand(op, 0)),
        () if is(body, op, 0, 0) => value(body.operand(op, 1)),
        () => signed_binary(body, op, |a, b| Some(a + b)),
    }
}

pub(super) fn subi(body: &Body, op: Op) -> Fold {
    match () {
        () if is(body, op, 1, 0) => value(body.operand(op, 0)),
        () if same(body, op) => constant(body, op, 0),
        () => signed_binary(body, op, |a, b| Some(a - b)),
    }
}

pub(super) fn muli(body: &Body, op: Op) -> Fold {
    match () {
        () if is(body, op, 1, 1) || is(body, op, 0, 0) => value(body.operand(op, 0)),
        () if is(body, op, 0, 1) || is(body, op, 1, 0) => value(body.operand(op, 1)),
        () => signed_binary(body, op, |a, b| Some(a * b)),
    }
}

/// `x / 1`, the identity of every division.
fn by_one(body: &Body, op: Op) -> Fold {
    let is_bit = body.value_type(body.operand(op, 0)).element() == &Type::I1;
    if is(body, op, 1, 1) && !is_bit { value(body.operand(op, 0)) } else { None }
}

/// A signed division that neither divides by zero nor overflows.
fn signed_division(body: &Body, op: Op, apply: impl FnOnce(i128, i128) -> i128) -> Fold {
    let (a, b, width) = constants(body, op)?;
    let overflows = b == -1 && a as i128 == -(1i128 << (width - 1));
    if b == 0 || overflows { None } else { constant(body, op, apply(a as i128, b as i128)) }
}

fn unsigned_division(body: &Body, op: Op, apply: impl FnOnce(i128, i128) -> i128) -> Fold {
    unsigned_binary(body, op, |a, b| (b != 0).then(|| apply(a, b)))
}

pub(super) fn divsi(body: &Body, op: Op) -> Fold {
    by_one(body, op).or_else(|| signed_division(body, op, |a, b| a / b))
}

pub(super) fn divui(body: &Body, op: Op) -> Fold {
    by_one(body, op).or_else(|| unsigned_division(body, op, |a, b| a / b))
}

pub(super) fn ceildivsi(body: &Body, op: Op) -> Fold {
    by_one(body, op).or_else(|| signed_division(body, op, |a, b| a / b + (a % b != 0 && (a < 0) == (b < 0)) as i128))
}

pub(super) fn ceildivui(body: &Body, op: Op) -> Fold {
    by_one(body, op).or_else(|| unsigned_division(body, op, |a, b| (a + b - 1) / b))
}

pub(super) fn floordivsi(body: &Body, op: Op) -> Fold {
    by_one(body, op).or_else(|| signed_division(body, op, |a, b| a / b - (a % b != 0 && (a < 0) != (b < 0)) as i128))
}

pub(super) fn remsi(body: &Body, op: Op) -> Fold {
    signed_division(body, op, |a, b| a % b)
}

pub(super) fn remui(body: &Body, op: Op) -> Fold {
    unsigned_division(body, op, |a, b| a % b)
}

/// Whether operand `index` is all ones in its width.
fn is_all_ones(body: &Body, op: Op, index: usize) -> bool {
    let operand = body.operand(op, index);
    match (width(body, operand), constant_integer(body, operand)) {
        (Some(width), Some(found)) => wrap(found as i128, width) == -1,
        _ => false,
    }
}

pub(super) fn andi(body: &Body, op: Op) -> Fold {
    match () {
        () if same(body, op) || is(body, op, 0, 0) || is_all_ones(body, op, 1) => value(body.operand(op, 0)),
        () if is(body, op, 1, 0) || is_all_ones(body, op, 0) => value(body.operand(op, 1)),
        () => signed_binary(body, op, |a, b| Some(a & b)),
    }
}

pub(super) fn ori(body: &Body, op: Op) -> Fold {
    match () {
        () if same(body, op) || is(body, op, 1, 0) || is_all_ones(body, op, 0) => value(body.operand(op, 0)),
        () if is(body, op, 0, 0) || is_all_ones(body, op, 1) => value(body.operand(op, 1)),
        () => signed_binary(body, op, |a, b| Some(a | b)),
    }
}

pub(super) fn xori(body: &Body, op: Op) -> Fold {
    match () {
        () if same(body, op) => constant(body, op, 0),
        () if is(body, op, 1, 0) => value(body.operand(op, 0)),
        () if is(body, op, 0, 0) => value(body.operand(op, 1)),
        () => signed_binary(body, op, |a, b| Some(a ^ b)),
    }
}

/// A shift by less than the width; more is undefined.
fn shift(body: &Body, op: Op, apply: impl FnOnce(i64, u32, u32) -> i128) -> Fold {
    if is(body, op, 1, 0) {
        return value(body.operand(op, 0));
    }
    let (a, by, width) = constants(body, op)?;
    let by = u32::try_from(by).ok().filter(|&by| by < width)?;
    constant(body, op, apply(a, by, width))
}

pub(super) fn shli(body: &Body, op: Op) -> Fold {
    shift(body, op, |a, by, _| (a as i128) << by)
}

pub(super) fn shrsi(body: &Body, op: Op) -> Fold {
    shift(body, op, |a, by, _| (a >> by) as i128)
}

pub(super) fn shrui(body: &Body, op: Op) -> Fold {
    shift(body, op, |a, by, width| unsigned(a, width) >> by)
}

pub(super) fn maxsi(body: &Body, op: Op) -> Fold {
    same_operands(body, op).or_else(|| signed_binary(body, op, |a, b| Some(a.max(b))))
}

pub(super) fn minsi(body: &Body, op: Op) -> Fold {
    same_operands(body, op).or_else(|| signed_binary(body, op, |a, b| Some(a.min(b))))
}

pub(super) fn maxui(body: &Body, op: Op) -> Fold {
    same_operands(body, op).or_else(|| unsigned_binary(body, op, |a, b| Some(a.max(b))))
}

pub(super) fn minui(body: &Body, op: Op) -> Fold {
    same_operands(body, op).or_else(|| unsigned_binary(body, op, |a, b| Some(a.min(b))))
}

/// `x - 0` is `x`, also for negative zero.
pub(super) fn subf(body: &Body, op: Op) -> Fold {
    if is_float(body, op, 1, 0.0) { value(body.operand(op, 0)) } else { None }
}

pub(super) fn mulf(body: &Body, op: Op) -> Fold {
    match () {
        () if is_float(body, op, 1, 1.0) => value(body.operand(op, 0)),
        () if is_float(body, op, 0, 1.0) => value(body.operand(op, 1)),
        () => None,
    }
}

pub(super) fn divf(body: &Body, op: Op) -> Fold {
    if is_float(body, op, 1, 1.0) { value(body.operand(op, 0)) } else { None }
}

/// `-(-x)`
pub(super) fn negf(body: &Body, op: Op) -> Fold {
    let inner = body.defining_op(body.operand(op, 0))?;
    if body.is(inner, NEGF) { value(body.operand(inner, 0)) } else { None }
}

pub(super) fn cmpi(body: &Body, op: Op) -> Fold {
    let predicate = CmpIPredicate::of(body, op)?;
    if same(body, op) && width(body, body.operand(op, 0)).is_some() {
        return constant(body, op, predicate.holds_for_equal() as i128);
    }
    let (a, b, width) = constants(body, op)?;
    let (ua, ub) = (unsigned(a, width), unsigned(b, width));
    let holds = match predicate {
        CmpIPredicate::Eq => a == b,
        CmpIPredicate::Ne => a != b,
        CmpIPredicate::Slt => a < b,
        CmpIPredicate::Sle => a <= b,
        CmpIPredicate::Sgt => a > b,
        CmpIPredicate::Sge => a >= b,
        CmpIPredicate::Ult => ua < ub,
        CmpIPredicate::Ule => ua <= ub,
        CmpIPredicate::Ugt => ua > ub,
        CmpIPredicate::Uge => ua >= ub,
    };
    constant(body, op, holds as i128)
}

pub(super) fn select(body: &Body, op: Op) -> Fold {
    let (yes, no) = (body.operand(op, 1), body.operand(op, 2));
    match constant_integer(body, body.operand(op, 0)) {
        _ if yes == no => value(yes),
        Some(condition) => value(if condition & 1 == 1 { yes } else { no }),
        None => None,
    }
}

fn convert(body: &Body, op: Op, is_unsigned: bool) -> Fold {
    let operand = body.operand(op, 0);
    let width = width(body, operand)?;
    let found = wrap(constant_integer(body, operand)? as i128, width);
    constant(body, op, if is_unsigned { unsigned(found, width) } else { found as i128 })
}

pub(super) fn extsi(body: &Body, op: Op) -> Fold {
    convert(body, op, false)
}

pub(super) fn extui(body: &Body, op: Op) -> Fold {
    convert(body, op, true)
}

pub(super) fn trunci(body: &Body, op: Op) -> Fold {
    convert(body, op, false)
}

/// The operand of a cast that this cast reverses, if the first one is exact.
fn round_trip(body: &Body, op: Op, code: OpCode) -> Fold {
    let inner = body.defining_op(body.operand(op, 0))?;
    let source = body.is(inner, code).then(|| body.operand(inner, 0))?;
    let keeps =
        body.value_type(source).element().bit_width()? <= body.value_type(body.operand(op, 0)).element().bit_width()?;
    if keeps && body.value_type(source) == body.value_type(body.result(op, 0)) { value(source) } else { None }
}

pub(super) fn index_cast(body: &Body, op: Op) -> Fold {
    round_trip(body, op, INDEX_CAST).or_else(|| convert(body, op, false))
}

pub(super) fn index_castui(body: &Body, op: Op) -> Fold {
    round_trip(body, op, INDEX_CASTUI).or_else(|| convert(body, op, true))
}

/// Integers that a float represents exactly; others are left to code that rounds once.
pub(super) fn sitofp(body: &Body, op: Op) -> Fold {
    let operand = body.operand(op, 0);
    let found = wrap(constant_integer(body, operand)? as i128, width(body, operand)?);
    let r#type = body.value_type(body.result(op, 0)).clone();
    let Type::Float(format) = r#type else { return None };
    let bits = ir::floats::encode(found as f64, format);
    let exact = found.unsigned_abs() <= 1 << 53 && ir::floats::decode(bits, format) == found as f64;
    exact.then(|| vec![Folded::Constant(Attribute::float(found as f64, Type::Float(format)))])
}

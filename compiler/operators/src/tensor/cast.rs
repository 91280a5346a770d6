//! Cast, CastLike and BitCast.

use dialects::arith;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, ScaleRounding, View};
use ir::{Attribute, DimExpr, FloatType, Op, Type, Value};
use proto::DataType;

use crate::graph::Problem;
use crate::operator::{Kind, Operator};
use crate::shape::elements::{mapped, quotient};
use crate::shape::{Elements, Node};
use crate::structured::elementwise::{self, Element};
use crate::structured::scalars::Scalars;
use crate::structured::{Lowering, Unsupported, strings};
use crate::types::{tensor_of, without_shape};
use crate::{graph, shape};

pub(crate) const CAST: Operator = Operator {
    kind: Kind::Conversion,
    types: Some(|node, _| tensor_of(views::Cast::read(node).to)),
    upgrades: &[(6, named_type)],
    elements: Some(cast_elements),
    lower: Some(lower_cast),
    derivative: Some(|emit, differential| {
        let ([x], _, adjoint) = differential.parts(emit);
        let element = emit.element(x);
        Ok(vec![Some(emit.convert(adjoint, &element))])
    }),
    ..Operator::elementwise(OnnxOp::Cast, |s, element| {
        let cast: views::Cast = element.view();
        convert(s, element, cast.saturate, cast.round_mode)
    })
};

/// Only the type of the second operand is used.
pub(crate) const CAST_LIKE: Operator = Operator {
    kind: Kind::Conversion,
    types: Some(|node, _| Some(without_shape(node.body.value_type(views::CastLike::read(node).target_type)))),
    shapes: Some(shape::like_first),
    elements: Some(cast_elements),
    lower: Some(lower_like),
    ..Operator::elementwise(OnnxOp::CastLike, |s, element| {
        let cast: views::CastLike = element.view();
        convert(s, element, cast.saturate, cast.round_mode)
    })
};

/// Reinterprets the bits as another type of the same width.
pub(crate) const BIT_CAST: Operator = Operator {
    kind: Kind::Conversion,
    types: Some(|node, _| tensor_of(views::BitCast::read(node).to)),
    lower: Some(lower_bits),
    ..Operator::elementwise(OnnxOp::BitCast, |s, element| {
        let [x] = element.operands();
        let result = element.result_type();
        match s.type_of(x) {
            from if from == result => x,
            from if from == Type::I1 || result == Type::I1 => s.cast(x, &result, true, true),
            _ => s.builder.value(arith::BITCAST, &[x], result, []),
        }
    })
};

/// Until opset 6, the type is given by name.
fn named_type(node: &mut graph::Node, _: &mut graph::Emitter) -> Result<(), Problem> {
    let name = node.attributes.str("to").unwrap_or_default().to_lowercase();
    let number = (1..=DataType::Float6e3m2 as i32).find(|&number| proto::type_name(number) == name);
    let number = number.ok_or_else(|| Problem::input(format!("casts to \"{name}\", which is not a type")))?;
    node.attributes.set("to", Attribute::i64(number as i64));
    Ok(())
}

/// A conversion that keeps integers; from a float division to an integer it rounds towards zero.
fn cast_elements(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    if node.element() == Some(&Type::I1) {
        return mapped(node, |a| Some(DimExpr::Constant((a.as_constant()? != 0) as i64)));
    }
    if let Some(elements) = node.elements(0) {
        return Some(elements.clone());
    }
    let rounded = quotient(node, extents, DimExpr::floor_div).filter(|_| node.is_whole())?;
    Some(rounded.into_iter().map(|element| element.filter(DimExpr::is_nonnegative)).collect())
}

fn lower_cast(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let cast = views::Cast::of(lowering.source, op);
    lower_operand(lowering, op, cast.input)
}

fn lower_like(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let cast = views::CastLike::of(lowering.source, op);
    lower_operand(lowering, op, cast.input)
}

fn lower_operand(lowering: &mut Lowering<'_>, op: Op, operand: Value) -> Result<(), Unsupported> {
    if strings::cast(lowering, op, operand)? {
        return Ok(());
    }
    elementwise::lower_on(lowering, op, &[operand]);
    Ok(())
}

fn lower_bits(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op);
    let (operand, result) = (operation.operands()[0], operation.results()[0]);
    if lowering.element(operand).byte_width() != lowering.element(result).byte_width() {
        return Err(Unsupported::new("its two types have different widths"));
    }
    elementwise::lower_on(lowering, op, &[operand]);
    Ok(())
}

/// Values that are too large for a narrow float become its largest number, or without `saturate` infinity or NaN.
fn convert(s: &mut Scalars<'_, '_>, element: &Element<'_>, saturate: i64, rounding: ScaleRounding) -> Value {
    let [x] = element.operands();
    let result = element.result_type();
    let x = if result == Type::Float(FloatType::F8E8M0FNU) { to_power_of_two(s, x, rounding) } else { x };
    let value = s.cast(x, &result, element.is_unsigned(0), element.is_result_unsigned());
    if let Some(op) = s.builder.body.defining_op(value).filter(|_| saturate == 0 && value != x) {
        s.builder.body.op_mut(op).attributes.set("saturate", Attribute::Bool(false));
    }
    value
}

/// The fields of an `f32`.
const EXPONENT: i64 = 0x7f80_0000;
const MANTISSA: i64 = 0x007f_ffff;

/// Rounds to a scale, which has no mantissa: to the next power of two in a direction; the conversion itself finds the
/// nearest.
fn to_power_of_two(s: &mut Scalars<'_, '_>, x: Value, rounding: ScaleRounding) -> Value {
    if rounding == ScaleRounding::Nearest || !matches!(s.type_of(x), Type::Float(_)) {
        return x;
    }
    let x = s.cast(x, &Type::F32, false, false);
    let bits = s.builder.value(arith::BITCAST, &[x], Type::I32, []);
    let constant = |s: &mut Scalars<'_, '_>, bits| s.builder.constant(Attribute::Integer(bits, Type::I32), Type::I32);
    let raised = match rounding {
        ScaleRounding::Up => {
            let carry = constant(s, MANTISSA);
            s.same(arith::ADDI, &[bits, carry])
        }
        ScaleRounding::Down | ScaleRounding::Nearest => bits,
    };
    let mask = constant(s, EXPONENT);
    let power = s.same(arith::ANDI, &[raised, mask]);
    let power = s.builder.value(arith::BITCAST, &[power], Type::F32, []);
    let nan = s.is_nan(x);
    s.select(nan, x, power)
}

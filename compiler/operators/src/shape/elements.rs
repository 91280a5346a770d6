//! The contents of small integer tensors, from which shapes are computed.
//!
//! Each operator's row has a rule for them; this is the shared code of those rules. Floats are followed while they are
//! integral, because exporters compute sizes in floats.

use ir::{DenseElements, DimExpr, FloatType, Type};

use super::node::Node;
use super::{ELEMENT_LIMIT, Elements};
use crate::operator::Operator;
use dialects::onnx::OnnxOp;

/// Floats in shape computations are factors, one per dimension; longer lists are weights, like lists of 8-bit elements.
const FACTOR_LIMIT: usize = 16;

/// Longer lists of `int32` and of bools are biases and masks: shapes are lists of `int64`.
const NARROW_LIMIT: usize = 64;

/// Extents are not computed in narrower integers than this.
const COUNT_WIDTH: u32 = 32;

/// The elements of the only result, as far as they follow from the operands'.
pub(super) fn infer(node: &Node<'_, '_>, row: &Operator) -> Option<Elements> {
    let rule = row.elements?;
    let result = node.analyser.body.result(node.op, 0);
    let fact = node.analyser.known.facts.get(&result)?;
    let element = fact.element.as_ref()?;
    let extents: Option<Vec<usize>> =
        fact.shape.as_ref()?.iter().map(|dim| usize::try_from(dim.as_constant()?).ok()).collect();
    let extents = extents?;
    let count = extents.iter().try_fold(1usize, |count, &extent| count.checked_mul(extent))?;
    if count > ELEMENT_LIMIT || !matches!(element, Type::Integer(_) | Type::Float(_)) {
        return None;
    }
    let elements = held(element, rule(node, &extents)?);
    (elements.is_empty() || elements.iter().any(Option::is_some)).then_some(elements)
}

impl Node<'_, '_> {
    /// The element type of the only result.
    pub(crate) fn element(&self) -> Option<&Type> {
        self.analyser.known.facts.get(&self.analyser.body.result(self.op, 0))?.element.as_ref()
    }

    /// Whether the result's elements are not floats.
    pub(crate) fn is_whole(&self) -> bool {
        self.element().is_some_and(|element| !element.is_float())
    }
}

/// The elements of the first operand, for operators that keep their order.
pub(crate) fn kept(node: &Node<'_, '_>, _: &[usize]) -> Option<Elements> {
    node.elements(0).cloned()
}

/// One element of the result from one of each operand, broadcast together.
pub(crate) type Join = fn(&DimExpr, &DimExpr) -> Option<DimExpr>;

/// The operands' elements, broadcast and combined one after the other.
pub(crate) fn joined(node: &Node<'_, '_>, extents: &[usize], join: Join) -> Option<Elements> {
    let first = spread(node, 0, extents)?;
    (1..node.operand_count()).try_fold(first, |joined, index| {
        let next = spread(node, index, extents)?;
        Some(joined.iter().zip(&next).map(|(a, b)| join(a.as_ref()?, b.as_ref()?)).collect())
    })
}

/// The elements of a constant.
pub(crate) fn constants(dense: &DenseElements) -> Option<Elements> {
    let limit = match dense.r#type.element() {
        Type::Integer(integer) if integer.width > COUNT_WIDTH => ELEMENT_LIMIT,
        Type::Integer(integer) if integer.width == 1 || integer.width == COUNT_WIDTH => NARROW_LIMIT,
        _ => FACTOR_LIMIT,
    };
    if dense.element_count() > limit || dense.r#type.element().byte_width().is_none() {
        return None;
    }
    if let Some(numbers) = dense.integers() {
        return Some(numbers.into_iter().map(|number| Some(DimExpr::Constant(number))).collect());
    }
    let element = |at: usize| whole_number(dense.float(at)?).map(DimExpr::Constant);
    Some((0..dense.element_count()).map(element).collect())
}

/// The elements, converted to an element type: integers wrap around, and values that may not fit become unknown. Counts
/// are assumed to fit `f32`, in which exporters compute sizes, and wider types.
fn held(element: &Type, elements: Elements) -> Elements {
    if let Type::Float(float) = element {
        let limit = whole_limit(*float);
        let fits = |value: &DimExpr| match value.as_constant() {
            Some(number) => number.unsigned_abs() <= limit,
            None => limit >= whole_limit(FloatType::F32),
        };
        return elements.into_iter().map(|value| value.filter(fits)).collect();
    }
    let Type::Integer(integer) = element else { return elements };
    let (width, unsigned) = (integer.width, element.is_unsigned());
    let hold = |value: DimExpr| {
        let value = value.as_constant().map_or(value, |number| DimExpr::Constant(wrapped(number, width, unsigned)));
        // counts are assumed to fit the types that models count with
        let fits = value.as_constant().is_some() || width >= COUNT_WIDTH;
        (fits && (!unsigned || value.is_nonnegative())).then_some(value)
    };
    elements.into_iter().map(|value| value.and_then(hold)).collect()
}

/// The lowest bits of a number as an integer of that width.
fn wrapped(number: i64, width: u32, unsigned: bool) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    let raised = number << unused;
    if unsigned || width == 1 { (raised as u64 >> unused) as i64 } else { raised >> unused }
}

/// The magnitude up to which a float format represents every integer, at most `2^31`, so that products of two are
/// exact.
fn whole_limit(float: FloatType) -> u64 {
    match float {
        FloatType::F64 => 1 << 31,
        FloatType::F32 => 1 << 24,
        FloatType::F16 => 1 << 11,
        FloatType::BF16 => 1 << 8,
        // the narrow formats are for weights
        _ => 0,
    }
}

/// An integral float that `f32` and wider formats represent; not `-0`, whose sign would be lost.
pub(crate) fn whole_number(value: f64) -> Option<i64> {
    let is_negative_zero = value == 0.0 && value.is_sign_negative();
    (value.fract() == 0.0 && value.abs() <= (1 << 24) as f64 && !is_negative_zero).then_some(value as i64)
}

/// `a + b` of elements. Integers wrap around, as at run time.
pub(crate) fn sum(a: &DimExpr, b: &DimExpr) -> Option<DimExpr> {
    computed(a, b, i64::wrapping_add, DimExpr::add)
}

/// `a - b` of elements.
pub(crate) fn difference(a: &DimExpr, b: &DimExpr) -> Option<DimExpr> {
    computed(a, b, i64::wrapping_sub, DimExpr::sub)
}

/// `a * b` of elements.
pub(crate) fn product(a: &DimExpr, b: &DimExpr) -> Option<DimExpr> {
    computed(a, b, i64::wrapping_mul, DimExpr::mul)
}

/// Constants are computed in 64 bits, which wrap around; symbolic arithmetic saturates, and the result is unknown if it
/// may have.
fn computed(
    a: &DimExpr,
    b: &DimExpr,
    numbers: fn(i64, i64) -> i64,
    symbols: fn(&DimExpr, &DimExpr) -> DimExpr,
) -> Option<DimExpr> {
    match (a.as_constant(), b.as_constant()) {
        (Some(a), Some(b)) => Some(DimExpr::Constant(numbers(a, b))),
        _ => Some(symbols(a, b)).filter(DimExpr::is_exact),
    }
}

/// One element of the result from one of the first operand.
pub(crate) fn mapped(node: &Node<'_, '_>, apply: fn(&DimExpr) -> Option<DimExpr>) -> Option<Elements> {
    let elements = node.elements(0)?;
    Some(elements.iter().map(|element| apply(element.as_ref()?)).collect())
}

/// The rounded quotient if operand 0 is a division of constants by positive ones.
pub(crate) fn quotient(
    node: &Node<'_, '_>,
    extents: &[usize],
    divide: fn(&DimExpr, &DimExpr) -> DimExpr,
) -> Option<Elements> {
    let body = node.analyser.body;
    let division = body.defining_op(node.operand(0)?)?;
    if OnnxOp::from_name(body.name(division)) != Some(OnnxOp::Div) {
        return None;
    }
    let facts = &node.analyser.known.facts;
    let operand = |index: usize| {
        let fact = facts.get(&body.operand(division, index))?;
        spread_elements(fact.elements.as_ref()?, fact.shape.as_ref()?, extents)
    };
    let (a, b) = (operand(0)?, operand(1)?);
    let quotients = a.iter().zip(&b).map(|(a, b)| {
        let divisor = b.as_ref().filter(|b| b.as_constant().is_some_and(|divisor| divisor > 0))?;
        Some(divide(a.as_ref()?, divisor))
    });
    Some(quotients.collect())
}

/// Operand `index` broadcast to the result's extents.
pub(crate) fn spread(node: &Node<'_, '_>, index: usize, extents: &[usize]) -> Option<Elements> {
    spread_elements(node.elements(index)?, &node.shape(index)?, extents)
}

fn spread_elements(elements: &Elements, shape: &[DimExpr], extents: &[usize]) -> Option<Elements> {
    let from: Vec<usize> = shape.iter().map(|dim| Some(dim.as_constant()? as usize)).collect::<Option<_>>()?;
    let shift = extents.len().checked_sub(from.len())?;
    let count: usize = extents.iter().product();
    match elements.as_slice() {
        [only] => return Some(vec![only.clone(); count]),
        all if from == extents[shift..] && all.len() == count => return Some(elements.clone()),
        _ => {}
    }
    let pick = |place: &[usize]| {
        let inner = place[shift..].iter().zip(&from).map(|(&at, &extent)| if extent == 1 { 0 } else { at });
        elements.get(offset(inner, &from)).cloned().flatten()
    };
    Some(places(extents).map(|place| pick(&place)).collect())
}

/// Every index of a tensor in row-major order.
pub(crate) fn places(extents: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..extents.iter().product::<usize>()).map(move |mut linear| {
        let mut place = vec![0; extents.len()];
        for (at, &extent) in place.iter_mut().zip(extents).rev() {
            *at = linear % extent;
            linear /= extent;
        }
        place
    })
}

/// The position of an index in row-major order.
pub(crate) fn offset(place: impl IntoIterator<Item = usize>, extents: &[usize]) -> usize {
    place.into_iter().zip(extents).fold(0, |linear, (at, extent)| linear * extent + at)
}

/// The extents of operand `index`, if all are static.
pub(crate) fn static_extents(node: &Node<'_, '_>, index: usize) -> Option<Vec<usize>> {
    node.shape(index)?.iter().map(|dim| usize::try_from(dim.as_constant()?).ok()).collect()
}

/// Operand 0 repeated over the result: element `index mod extent`.
pub(crate) fn repeat(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let (elements, from) = (node.elements(0)?, static_extents(node, 0)?);
    let shift = extents.len().checked_sub(from.len())?;
    let pick = |place: Vec<usize>| {
        let source = place[shift..].iter().zip(&from).map(|(&at, &extent)| at % extent);
        elements[offset(source, &from)].clone()
    };
    Some(places(extents).map(pick).collect())
}

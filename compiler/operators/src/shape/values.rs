//! The contents of small integer tensors, which later shapes are made of.
//!
//! Floats are followed while they are whole numbers, because exporters compute sizes in floats.

use ir::{Attribute, DenseElements, DimExpr, Type};

use super::node::{Node, normalize_axis};
use super::{ELEMENT_LIMIT, Elements, Fact};

/// Floats that take part in shapes are factors, one a dimension; longer lists are weights.
const FLOAT_LIMIT: usize = 16;

/// Integers of fewer bits are not what extents are computed in.
const COUNT_WIDTH: u32 = 32;

/// The elements of the only result, as far as they follow from the operands'.
pub(super) fn infer(node: &Node<'_, '_>, name: &str) -> Option<Elements> {
    let result = node.analyser.body.result(node.op, 0);
    let fact = node.analyser.known.facts.get(&result)?;
    Some(held(fact.element.as_ref()?, computed(node, name, fact)?))
}

/// The elements as computed in integers of any width.
fn computed(node: &Node<'_, '_>, name: &str, fact: &Fact) -> Option<Elements> {
    let extents: Option<Vec<usize>> =
        fact.shape.as_ref()?.iter().map(|dim| usize::try_from(dim.as_constant()?).ok()).collect();
    let extents = extents?;
    let count = extents.iter().try_fold(1usize, |count, &extent| count.checked_mul(extent))?;
    let integral = matches!(fact.element, Some(Type::Integer(_) | Type::Float(_)));
    if count > ELEMENT_LIMIT || !integral {
        return None;
    }
    let whole = fact.element.as_ref().is_some_and(|element| !element.is_float());
    match name {
        "Constant" => match node.attribute("value")? {
            Attribute::Dense(dense) => constants(dense),
            _ => None,
        },
        "ConstantOfShape" => match node.attribute("value") {
            Some(Attribute::Dense(dense)) => Some(vec![constants(dense)?.first()?.clone(); count]),
            Some(_) => None,
            None => Some(vec![Some(DimExpr::ZERO); count]),
        },
        "Shape" => {
            let shape = node.shape(0)?;
            let window = crate::tensor::shape_window(&node.view(), shape.len());
            Some(shape[window].iter().cloned().map(Some).collect())
        }
        "Size" => Some(vec![Some(DimExpr::product(&node.shape(0)?))]),
        "Identity" | "Reshape" | "Squeeze" | "Unsqueeze" | "Flatten" => node.elements(0).cloned(),
        "Cast" | "CastLike" => cast(node, whole),
        "Concat" => concat(node, &extents),
        "Gather" => gather(node, &extents),
        "Slice" => slice(node, &extents),
        "Transpose" => transpose(node, &extents),
        "Expand" | "Tile" => repeat(node, &extents),
        "Range" => {
            let (start, step) = (node.known(0)?.first()?.clone(), node.known(2)?.first()?.clone());
            Some((0..count).map(|at| Some(start.add(&step.mul(&DimExpr::Constant(at as i64))))).collect())
        }
        "Pow" => {
            let (bases, exponents) = (node.numbers(0)?, node.floats(1)?);
            let exponent = exponents.first().filter(|_| exponents.len() == 1)?;
            let power = |base: i64| whole_number((base as f64).powf(*exponent)).map(DimExpr::Constant);
            Some(bases.into_iter().map(power).collect())
        }
        "Sqrt" => unary(node, |a| whole_number((a.as_constant()? as f64).sqrt()).map(DimExpr::Constant)),
        "Neg" => unary(node, |a| Some(a.mul(&DimExpr::Constant(-1)))),
        "Abs" => unary(node, |a| a.is_nonnegative().then(|| a.clone())),
        "Not" => unary(node, |a| Some(DimExpr::Constant((a.as_constant()? == 0) as i64))),
        "Floor" => unary(node, |a| Some(a.clone())).or_else(|| quotient(node, &extents, DimExpr::floor_div)),
        "Ceil" => unary(node, |a| Some(a.clone())).or_else(|| quotient(node, &extents, DimExpr::ceil_div)),
        "Round" => unary(node, |a| Some(a.clone())),
        "Where" => select(node, &extents),
        "ReduceProd" | "ReduceSum" | "ReduceMax" | "ReduceMin" if extents.iter().all(|&extent| extent == 1) => {
            fold(node, name)
        }
        "Sum" | "Max" | "Min" => {
            let join = binary(name, whole)?;
            let first = spread(node, 0, &extents)?;
            (1..node.operand_count()).try_fold(first, |joined, index| {
                let next = spread(node, index, &extents)?;
                Some(joined.iter().zip(&next).map(|(a, b)| join(a.as_ref()?, b.as_ref()?)).collect())
            })
        }
        _ => {
            let join = binary(name, whole)?;
            let (a, b) = (spread(node, 0, &extents)?, spread(node, 1, &extents)?);
            Some(a.iter().zip(&b).map(|(a, b)| join(a.as_ref()?, b.as_ref()?)).collect())
        }
    }
}

fn constants(dense: &DenseElements) -> Option<Elements> {
    let limit = if dense.r#type.element().is_float() { FLOAT_LIMIT } else { ELEMENT_LIMIT };
    if dense.element_count() > limit || dense.r#type.element().byte_width().is_none() {
        return None;
    }
    let element = |at: usize| match dense.integer(at) {
        Some(number) => Some(DimExpr::Constant(number)),
        None => whole_number(dense.float(at)?).map(DimExpr::Constant),
    };
    Some((0..dense.element_count()).map(element).collect())
}

/// The elements as an element type holds them: integers wrap around, and what may not fit is not known.
fn held(element: &Type, elements: Elements) -> Elements {
    let Type::Integer(integer) = element else { return elements };
    let (width, unsigned) = (integer.width, element.is_unsigned());
    let hold = |value: DimExpr| {
        let value = value.as_constant().map_or(value, |number| DimExpr::Constant(wrapped(number, width, unsigned)));
        // a count is taken to fit what models count with
        let fits = value.as_constant().is_some() || width >= COUNT_WIDTH;
        (fits && (!unsigned || value.is_nonnegative())).then_some(value)
    };
    elements.into_iter().map(|value| value.and_then(hold)).collect()
}

/// The lowest bits of a number, read as an integer of that width.
fn wrapped(number: i64, width: u32, unsigned: bool) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    let raised = number << unused;
    if unsigned || width == 1 { (raised as u64 >> unused) as i64 } else { raised >> unused }
}

/// A float that is an integer no float format rounds.
fn whole_number(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() < (1 << 24) as f64).then_some(value as i64)
}

fn unary(node: &Node<'_, '_>, apply: fn(&DimExpr) -> Option<DimExpr>) -> Option<Elements> {
    let elements = node.elements(0)?;
    Some(elements.iter().map(|element| apply(element.as_ref()?)).collect())
}

/// A conversion that keeps whole numbers; from a float division to an integer it rounds towards zero.
fn cast(node: &Node<'_, '_>, whole: bool) -> Option<Elements> {
    let result = node.analyser.body.result(node.op, 0);
    let fact = node.analyser.known.facts.get(&result)?;
    if fact.element == Some(Type::I1) {
        return unary(node, |a| Some(DimExpr::Constant((a.as_constant()? != 0) as i64)));
    }
    if let Some(elements) = node.elements(0) {
        return Some(elements.clone());
    }
    if !whole {
        return None;
    }
    let extents: Option<Vec<usize>> =
        fact.shape.as_ref()?.iter().map(|dim| Some(dim.as_constant()? as usize)).collect();
    let rounded = quotient(node, &extents?, DimExpr::floor_div)?;
    Some(rounded.into_iter().map(|element| element.filter(DimExpr::is_nonnegative)).collect())
}

/// The rounded quotient when operand 0 is a division of known numbers by positive ones.
fn quotient(node: &Node<'_, '_>, extents: &[usize], divide: fn(&DimExpr, &DimExpr) -> DimExpr) -> Option<Elements> {
    let body = node.analyser.body;
    let division = body.defining_op(node.operand(0)?)?;
    if body.name(division) != "onnx.Div" {
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

type Join = fn(&DimExpr, &DimExpr) -> Option<DimExpr>;

/// The symbolic counterpart of an elementwise operator on integers, or on floats that are whole numbers.
fn binary(name: &str, whole: bool) -> Option<Join> {
    Some(match name {
        "Add" | "Sum" => |a, b| unsaturated(a.add(b)),
        "Sub" => |a, b| unsaturated(a.sub(b)),
        "Mul" => |a, b| unsaturated(a.mul(b)),
        "Div" if whole => integer_quotient,
        "Div" => |a, b| (*b != DimExpr::ZERO).then(|| a.divide_exactly(b)).flatten(),
        "Mod" if whole => |a, b| (b.as_constant().is_some_and(|by| by > 0) && a.is_nonnegative()).then(|| a.modulo(b)),
        "Max" => |a, b| Some(a.max(b)),
        "Min" => |a, b| Some(a.min(b)),
        "Equal" => |a, b| compare(a, b, |difference| difference == 0).or_else(|| never_equal(a, b)),
        "Greater" => |a, b| compare(a, b, |difference| difference > 0).or_else(|| ordered(a, b, 1)),
        "GreaterOrEqual" => |a, b| compare(a, b, |difference| difference >= 0).or_else(|| ordered(a, b, 0)),
        "Less" => |a, b| compare(a, b, |difference| difference < 0).or_else(|| ordered(b, a, 1)),
        "LessOrEqual" => |a, b| compare(a, b, |difference| difference <= 0).or_else(|| ordered(b, a, 0)),
        "And" => |a, b| Some(DimExpr::Constant((a.as_constant()? != 0 && b.as_constant()? != 0) as i64)),
        "Or" => |a, b| Some(DimExpr::Constant((a.as_constant()? != 0 || b.as_constant()? != 0) as i64)),
        "Xor" => |a, b| Some(DimExpr::Constant(((a.as_constant()? != 0) != (b.as_constant()? != 0)) as i64)),
        _ => return None,
    })
}

/// The result of symbolic arithmetic, unless that left the numbers it can hold.
fn unsaturated(value: DimExpr) -> Option<DimExpr> {
    (!matches!(value, DimExpr::Constant(i64::MAX | i64::MIN))).then_some(value)
}

/// Division rounds towards zero; the symbolic one towards minus infinity.
fn integer_quotient(a: &DimExpr, b: &DimExpr) -> Option<DimExpr> {
    match (a, b) {
        (_, DimExpr::Constant(0)) => None,
        (DimExpr::Constant(a), DimExpr::Constant(b)) => Some(DimExpr::Constant(a.wrapping_div(*b))),
        _ if a.is_nonnegative() && b.is_nonnegative() => Some(a.floor_div(b)),
        _ => a.divide_exactly(b),
    }
}

fn compare(a: &DimExpr, b: &DimExpr, holds: fn(i64) -> bool) -> Option<DimExpr> {
    Some(DimExpr::Constant(holds(a.sub(b).as_constant()?) as i64))
}

fn never_equal(a: &DimExpr, b: &DimExpr) -> Option<DimExpr> {
    let above = |a: &DimExpr, b: &DimExpr| a.sub(b).sub(&DimExpr::ONE).is_nonnegative();
    (above(a, b) || above(b, a)).then_some(DimExpr::ZERO)
}

/// Whether `a - b >= least`, when it holds or fails whatever the symbols are.
fn ordered(a: &DimExpr, b: &DimExpr, least: i64) -> Option<DimExpr> {
    let distance = a.sub(b).sub(&DimExpr::Constant(least));
    if distance.is_nonnegative() {
        return Some(DimExpr::ONE);
    }
    let shortfall = DimExpr::Constant(-1).sub(&distance);
    shortfall.is_nonnegative().then_some(DimExpr::ZERO)
}

/// Operand `index` broadcast to the result's extents.
fn spread(node: &Node<'_, '_>, index: usize, extents: &[usize]) -> Option<Elements> {
    spread_elements(node.elements(index)?, &node.shape(index)?, extents)
}

fn spread_elements(elements: &Elements, shape: &[DimExpr], extents: &[usize]) -> Option<Elements> {
    let from: Vec<usize> = shape.iter().map(|dim| Some(dim.as_constant()? as usize)).collect::<Option<_>>()?;
    let shift = extents.len().checked_sub(from.len())?;
    let pick = |place: &[usize]| {
        let inner = place[shift..].iter().zip(&from).map(|(&at, &extent)| if extent == 1 { 0 } else { at });
        elements.get(offset(inner, &from)).cloned().flatten()
    };
    Some(places(extents).map(|place| pick(&place)).collect())
}

/// Every place of a tensor in row-major order.
fn places(extents: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..extents.iter().product::<usize>()).map(move |mut linear| {
        let mut place = vec![0; extents.len()];
        for (at, &extent) in place.iter_mut().zip(extents).rev() {
            *at = linear % extent;
            linear /= extent;
        }
        place
    })
}

fn offset(place: impl IntoIterator<Item = usize>, extents: &[usize]) -> usize {
    place.into_iter().zip(extents).fold(0, |linear, (at, extent)| linear * extent + at)
}

fn static_extents(node: &Node<'_, '_>, index: usize) -> Option<Vec<usize>> {
    node.shape(index)?.iter().map(|dim| usize::try_from(dim.as_constant()?).ok()).collect()
}

fn concat(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let axis = node.axis("axis", 0, extents.len()).ok()?;
    let mut joined: Elements = vec![None; extents.iter().product()];
    let mut start = 0;
    for index in 0..node.operand_count() {
        let from = static_extents(node, index)?;
        if let Some(elements) = node.elements(index) {
            for (mut place, element) in places(&from).zip(elements) {
                place[axis] += start;
                joined[offset(place, extents)] = element.clone();
            }
        }
        start += from[axis];
    }
    Some(joined)
}

fn gather(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let (elements, from) = (node.elements(0)?, static_extents(node, 0)?);
    let (indices, index_extents) = (node.numbers(1)?, static_extents(node, 1)?);
    let axis = node.axis("axis", 0, from.len()).ok()?;
    let behind = axis + index_extents.len();
    let pick = |place: Vec<usize>| {
        let index = indices[offset(place[axis..behind].iter().copied(), &index_extents)];
        let index = normalize_axis(index, from[axis]).ok()?;
        let source = place[..axis].iter().copied().chain([index]).chain(place[behind..].iter().copied());
        elements[offset(source, &from)].clone()
    };
    Some(places(extents).map(pick).collect())
}

fn slice(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let (elements, from) = (node.elements(0)?, static_extents(node, 0)?);
    let mut starts = vec![0i64; from.len()];
    let mut steps = vec![1i64; from.len()];
    for window in super::slice::windows(node, from.len()).ok()?? {
        let extent = from[window.axis] as i64;
        let (start, step) = (window.start?.as_constant()?, window.step?);
        let start = if start < 0 { start.saturating_add(extent) } else { start };
        starts[window.axis] = start.clamp(0, if step < 0 { extent - 1 } else { extent });
        steps[window.axis] = step;
    }
    let pick = |place: Vec<usize>| {
        let source = place.iter().enumerate().map(|(axis, &at)| (starts[axis] + at as i64 * steps[axis]) as usize);
        elements.get(offset(source, &from)).cloned().flatten()
    };
    Some(places(extents).map(pick).collect())
}

fn transpose(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let (elements, from) = (node.elements(0)?, static_extents(node, 0)?);
    let order = node.integers("perm").unwrap_or_else(|| (0..from.len() as i64).rev().collect());
    let pick = |place: Vec<usize>| {
        let mut source = vec![0; from.len()];
        for (&axis, &at) in order.iter().zip(&place) {
            source[axis as usize] = at;
        }
        elements[offset(source, &from)].clone()
    };
    Some(places(extents).map(pick).collect())
}

/// Operand 0 repeated over the result: element `place mod extent`.
fn repeat(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let (elements, from) = (node.elements(0)?, static_extents(node, 0)?);
    let shift = extents.len().checked_sub(from.len())?;
    let pick = |place: Vec<usize>| {
        let source = place[shift..].iter().zip(&from).map(|(&at, &extent)| at % extent);
        elements[offset(source, &from)].clone()
    };
    Some(places(extents).map(pick).collect())
}

fn select(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let unknown = || vec![None; extents.iter().product()];
    let conditions = spread(node, 0, extents).unwrap_or_else(unknown);
    let yes = spread(node, 1, extents).unwrap_or_else(unknown);
    let no = spread(node, 2, extents).unwrap_or_else(unknown);
    let pick = |((condition, yes), no): ((Option<DimExpr>, Option<DimExpr>), Option<DimExpr>)| match condition
        .and_then(|condition| condition.as_constant())
    {
        Some(0) => no,
        Some(_) => yes,
        None => yes.filter(|yes| no.as_ref() == Some(yes)),
    };
    Some(conditions.into_iter().zip(yes).zip(no).map(pick).collect())
}

/// A reduction of all elements to one.
fn fold(node: &Node<'_, '_>, name: &str) -> Option<Elements> {
    let elements = node.known(0)?;
    let join: fn(&DimExpr, &DimExpr) -> DimExpr = match name {
        "ReduceProd" => DimExpr::mul,
        "ReduceSum" => DimExpr::add,
        "ReduceMax" => DimExpr::max,
        _ => DimExpr::min,
    };
    let folded = elements.into_iter().reduce(|a, b| join(&a, &b))?;
    Some(vec![Some(folded)])
}

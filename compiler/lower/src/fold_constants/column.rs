//! The values of scalars at many points. A uniform value is stored once.

use dialects::{OpCode, OpCodes, arith, linalg, math};
use ir::floats::{decode, encode};
use ir::{Attribute, Block, Body, DenseElements, FloatType, IndexMap, Type, Value};
use operators::literal::pairwise;

/// Integers up to this are exact in `f64`.
const EXACT: i64 = 1 << 53;

/// The values of a block at every point.
pub(super) fn evaluate_block(
    body: &Body,
    block: Block,
    extents: &[i64],
    columns: &mut IndexMap<Value, Column>,
) -> Option<()> {
    let (last, ops) = body.ops(block).split_last()?;
    for op in ops {
        let operation = body.op(op);
        let operands = operation.operands().iter().map(|operand| columns.get(operand)).collect::<Option<Vec<_>>>()?;
        let result = *operation.results().first()?;
        let to = body.value_type(result);
        let column = match body.code(op) {
            Some(arith::CONSTANT) => Column::of(operation.attributes.get("value")?)?,
            Some(linalg::INDEX) => Column::index(operation.attributes.integer("dim")?, extents),
            code => apply(code?, &operands, body.value_type(*operation.operands().first()?), to)?,
        };
        columns.insert(result, column.rounded(to)?);
    }
    body.is(last, linalg::YIELD).then_some(())
}

/// The values of one scalar at every point, or its uniform value.
#[derive(Clone)]
pub(super) enum Column {
    /// In any format, exactly.
    Floats(Vec<f64>),
    /// Of any width, sign-extended.
    Integers(Vec<i64>),
}

impl Column {
    /// A constant.
    pub(super) fn of(attribute: &Attribute) -> Option<Column> {
        let float = || attribute.as_float().map(|float| Column::Floats(vec![float]));
        float().or_else(|| attribute.as_integer().map(|integer| Column::Integers(vec![integer])))
    }

    /// The index of a loop, the last one varying fastest.
    fn index(dim: i64, extents: &[i64]) -> Column {
        let (outer, inner) = extents.split_at(dim as usize);
        let within: i64 = inner[1..].iter().product();
        let once = (0..inner[0]).flat_map(|index| std::iter::repeat_n(index, within as usize));
        let once: Vec<i64> = once.collect();
        Column::Integers(once.repeat(outer.iter().product::<i64>() as usize))
    }

    /// The elements of a constant, or its uniform value.
    pub(super) fn of_elements(constant: &DenseElements) -> Option<Column> {
        Some(match (constant.r#type.element(), constant.is_splat()) {
            (Type::Float(_), true) => Column::Floats(vec![constant.float(0)?]),
            (Type::Float(_), false) => Column::Floats(constant.floats()?),
            (_, true) => Column::Integers(vec![constant.integer(0)?]),
            (_, false) => Column::Integers(constant.integers()?),
        })
    }

    /// The values at some points.
    pub(super) fn at(&self, points: impl Iterator<Item = usize>) -> Column {
        match self {
            Column::Floats(all) if all.len() != 1 => Column::Floats(points.map(|point| all[point]).collect()),
            Column::Integers(all) if all.len() != 1 => Column::Integers(points.map(|point| all[point]).collect()),
            _ => self.clone(),
        }
    }

    /// A value for each of `points` points.
    pub(super) fn spread(self, points: usize) -> Column {
        match self {
            Column::Floats(all) if all.len() == 1 => Column::Floats(vec![all[0]; points]),
            Column::Integers(all) if all.len() == 1 => Column::Integers(vec![all[0]; points]),
            _ => self,
        }
    }

    /// The values, rounded to a type.
    pub(super) fn rounded(mut self, r#type: &Type) -> Option<Column> {
        match (&mut self, r#type) {
            (Column::Floats(_), Type::Float(FloatType::F64)) => {}
            (Column::Floats(values), Type::Float(FloatType::F32)) => {
                values.iter_mut().for_each(|value| *value = f64::from(*value as f32));
            }
            (Column::Floats(values), &Type::Float(format @ (FloatType::F16 | FloatType::BF16))) => {
                values.iter_mut().for_each(|value| *value = decode(encode(*value, format), format));
            }
            (Column::Integers(values), r#type) => {
                let unused = 64 - width(r#type)?;
                values.iter_mut().for_each(|value| *value = (*value << unused) >> unused);
            }
            (Column::Floats(_), _) => return None,
        }
        Some(self)
    }

    /// The values as a constant of a tensor type.
    pub(super) fn write(&self, r#type: &Type) -> Option<DenseElements> {
        match self {
            Column::Floats(values) => DenseElements::of_floats(r#type.clone(), values),
            Column::Integers(values) => DenseElements::of_integers(r#type.clone(), values),
        }
    }
}

/// The bits of an integer that fills its bytes, or of a bool.
fn width(r#type: &Type) -> Option<u32> {
    match r#type {
        Type::Index => Some(64),
        Type::Integer(integer) => Some(integer.width).filter(|width| [1, 8, 16, 32, 64].contains(width)),
        _ => None,
    }
}

/// A scalar operation at every point, before rounding; from the type of its first operand to that of its result.
fn apply(code: OpCode, operands: &[&Column], from: &Type, to: &Type) -> Option<Column> {
    Some(match operands {
        [Column::Floats(x)] => match code {
            arith::FPTOSI => Column::Integers(whole(x, width(to)? - 1)?),
            arith::FPTOUI => Column::Integers(whole(x, width(to)?).filter(|x| x.iter().all(|&x| x >= 0))?),
            _ => Column::Floats(float_function(code, x)?),
        },
        [Column::Floats(x), Column::Floats(y)] => Column::Floats(float_operation(code, x, y)?),
        [Column::Integers(x)] => match code {
            arith::SITOFP => Column::Floats(exact(x)?),
            arith::UITOFP => Column::Floats(exact(&unsigned(x, from)?)?),
            arith::EXTUI => Column::Integers(unsigned(x, from)?),
            arith::EXTSI | arith::TRUNCI | arith::INDEX_CAST => Column::Integers(x.clone()),
            _ => return None,
        },
        [Column::Integers(x), Column::Integers(y)] => Column::Integers(integer_operation(code, x, y)?),
        [Column::Integers(condition), Column::Floats(x), Column::Floats(y)] if code == arith::SELECT => {
            let chosen = pairwise(condition, x, |condition, x| (condition & 1 == 1).then_some(x))?;
            Column::Floats(pairwise(&chosen, y, |chosen, y| chosen.unwrap_or(y))?)
        }
        _ => return None,
    })
}

fn each<A: Copy, T>(x: &[A], number: impl Fn(A) -> T) -> Vec<T> {
    x.iter().map(|&x| number(x)).collect()
}

/// Truncated values, if their magnitudes fit that many bits.
fn whole(x: &[f64], bits: u32) -> Option<Vec<i64>> {
    let limit = f64::from(bits.min(53)).exp2();
    x.iter().all(|x| x.abs() < limit).then(|| each(x, |x| x as i64))
}

/// Integers as unsigned values.
fn unsigned(x: &[i64], from: &Type) -> Option<Vec<i64>> {
    let unused = 64 - width(from)?;
    let x = each(x, |x| (((x as u64) << unused) >> unused) as i64);
    x.iter().all(|&x| x >= 0).then_some(x)
}

/// Integers that are exact as floats.
fn exact(x: &[i64]) -> Option<Vec<f64>> {
    x.iter().all(|x| (-EXACT..=EXACT).contains(x)).then(|| each(x, |x| x as f64))
}

fn float_function(code: OpCode, x: &[f64]) -> Option<Vec<f64>> {
    Some(match code {
        arith::NEGF => each(x, |x| -x),
        arith::EXTF | arith::TRUNCF => x.to_vec(),
        math::ABSF => each(x, f64::abs),
        math::SQRT => each(x, f64::sqrt),
        math::FLOOR => each(x, f64::floor),
        math::CEIL => each(x, f64::ceil),
        math::ROUNDEVEN => each(x, f64::round_ties_even),
        _ => return None,
    })
}

/// `None` for operands whose result depends on the generated code.
fn float_operation(code: OpCode, x: &[f64], y: &[f64]) -> Option<Vec<f64>> {
    match code {
        arith::ADDF => pairwise(x, y, |x, y| x + y),
        arith::SUBF => pairwise(x, y, |x, y| x - y),
        arith::MULF => pairwise(x, y, |x, y| x * y),
        arith::DIVF => pairwise(x, y, |x, y| x / y),
        arith::MAXIMUMF | arith::MAXNUMF => extremes(x, y, |x, y| x > y),
        arith::MINIMUMF | arith::MINNUMF => extremes(x, y, |x, y| x < y),
        _ => None,
    }
}

/// The first of two values if it is chosen, else the second; `None` unless both are numbers of different value.
fn extremes(x: &[f64], y: &[f64], is_first: impl Fn(f64, f64) -> bool) -> Option<Vec<f64>> {
    let is_decided = |x: f64, y: f64| (x.to_bits() == y.to_bits()) | (x < y) | (x > y);
    let decided = pairwise(x, y, is_decided)?.into_iter().all(|is_decided| is_decided);
    decided.then(|| pairwise(x, y, |x, y| if is_first(x, y) { x } else { y })).flatten()
}

fn integer_operation(code: OpCode, x: &[i64], y: &[i64]) -> Option<Vec<i64>> {
    match code {
        arith::ADDI => pairwise(x, y, i64::wrapping_add),
        arith::SUBI => pairwise(x, y, i64::wrapping_sub),
        arith::MULI => pairwise(x, y, i64::wrapping_mul),
        arith::ANDI => pairwise(x, y, |x, y| x & y),
        arith::ORI => pairwise(x, y, |x, y| x | y),
        arith::XORI => pairwise(x, y, |x, y| x ^ y),
        arith::MAXSI => pairwise(x, y, i64::max),
        arith::MINSI => pairwise(x, y, i64::min),
        _ => None,
    }
}

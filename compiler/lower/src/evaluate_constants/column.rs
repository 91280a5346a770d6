//! Scalars at many points at once.

use std::cmp::Ordering;

use ir::floats::{decode, encode};
use ir::{Attribute, Blob, Block, Body, DenseElements, FloatType, IndexMap, Type, Value};

/// Whole numbers up to this are exact in `f64`.
const EXACT: i64 = 1 << 53;

/// What each value of a block is at every point.
pub(super) fn evaluate_block(
    body: &Body,
    block: Block,
    extents: &[i64],
    columns: &mut IndexMap<Value, Column>,
) -> Option<()> {
    let count = extents.iter().product::<i64>() as usize;
    let (last, ops) = body.ops(block).split_last()?;
    columns.reserve(ops.len());
    for &op in ops {
        let operation = body.op(op);
        let operands = operation.operands().iter().map(|operand| columns.get(operand)).collect::<Option<Vec<_>>>()?;
        let result = *operation.results().first()?;
        let to = body.value_type(result);
        let column = match body.name(op) {
            "arith.constant" => Column::of(operation.attributes.get("value")?, count)?,
            "linalg.index" => Column::index(operation.attributes.integer("dim")?, extents),
            name => apply(name, &operands, body.value_type(*operation.operands().first()?), to)?,
        };
        columns.insert(result, column.rounded(to)?);
    }
    (body.name(*last) == "linalg.yield").then_some(())
}

/// The values of one scalar at every point.
#[derive(Clone)]
pub(super) enum Column {
    /// Of any format, exactly.
    Floats(Vec<f64>),
    /// Of any width, sign extended.
    Integers(Vec<i64>),
}

impl Column {
    pub(super) fn of(attribute: &Attribute, count: usize) -> Option<Column> {
        let float = || attribute.as_float().map(|float| Column::Floats(vec![float; count]));
        float().or_else(|| attribute.as_integer().map(|integer| Column::Integers(vec![integer; count])))
    }

    /// The index of a loop, the last one running fastest.
    fn index(dim: i64, extents: &[i64]) -> Column {
        let (outer, inner) = extents.split_at(dim as usize);
        let within: i64 = inner[1..].iter().product();
        let once = (0..inner[0]).flat_map(|index| std::iter::repeat_n(index, within as usize));
        let once: Vec<i64> = once.collect();
        Column::Integers(once.repeat(outer.iter().product::<i64>() as usize))
    }

    /// All elements of a constant.
    pub(super) fn all(constant: &DenseElements) -> Option<Column> {
        Some(match constant.r#type.element() {
            Type::Float(_) => Column::Floats(constant.floats()?),
            _ => Column::Integers(constant.integers()?),
        })
    }

    /// The first element of a constant, so many times.
    pub(super) fn repeated(constant: &DenseElements, count: usize) -> Option<Column> {
        Some(match constant.r#type.element() {
            Type::Float(_) => Column::Floats(vec![constant.float(0)?; count]),
            _ => Column::Integers(vec![constant.integer(0)?; count]),
        })
    }

    /// The values at some points.
    pub(super) fn at(&self, points: impl Iterator<Item = usize>) -> Column {
        match self {
            Column::Floats(all) => Column::Floats(points.map(|point| all[point]).collect()),
            Column::Integers(all) => Column::Integers(points.map(|point| all[point]).collect()),
        }
    }

    /// The values as a type has them.
    pub(super) fn rounded(self, r#type: &Type) -> Option<Column> {
        Some(match (self, r#type) {
            (Column::Floats(values), Type::Float(FloatType::F64)) => Column::Floats(values),
            (Column::Floats(values), Type::Float(FloatType::F32)) => {
                Column::Floats(values.into_iter().map(|value| f64::from(value as f32)).collect())
            }
            (Column::Floats(values), &Type::Float(format @ (FloatType::F16 | FloatType::BF16))) => {
                Column::Floats(values.into_iter().map(|value| decode(encode(value, format), format)).collect())
            }
            (Column::Integers(values), r#type) => {
                let unused = 64 - width(r#type)?;
                Column::Integers(values.into_iter().map(|value| (value << unused) >> unused).collect())
            }
            (Column::Floats(_), _) => return None,
        })
    }

    /// The values as a constant of a tensor type.
    pub(super) fn write(&self, r#type: &Type) -> Option<DenseElements> {
        let element = r#type.element();
        match self {
            Column::Floats(values) => DenseElements::of_floats(r#type.clone(), values),
            Column::Integers(values) => {
                let bits = if *element == Type::I1 { 1 } else { -1 };
                let blob = match element.byte_width()? {
                    1 => written(values, |value| [(value & bits) as u8]),
                    2 => written(values, |value| (value as i16).to_le_bytes()),
                    4 => written(values, |value| (value as i32).to_le_bytes()),
                    _ => written(values, i64::to_le_bytes),
                };
                Some(DenseElements::new(r#type.clone(), blob))
            }
        }
    }
}

/// The bytes of numbers of one width.
fn written<const WIDTH: usize>(values: &[i64], bytes: impl Fn(i64) -> [u8; WIDTH]) -> Blob {
    Blob::build(values.len() * WIDTH, |target| {
        target.as_chunks_mut::<WIDTH>().0.iter_mut().zip(values).for_each(|(to, &value)| *to = bytes(value));
    })
}

/// Bits of an integer that fills its bytes, or of a truth value.
fn width(r#type: &Type) -> Option<u32> {
    match r#type {
        Type::Index => Some(64),
        Type::Integer(integer) => Some(integer.width).filter(|width| [1, 8, 16, 32, 64].contains(width)),
        _ => None,
    }
}

/// A scalar operation at every point, before it is rounded; from the type of its first operand to that of its result.
fn apply(name: &str, operands: &[&Column], from: &Type, to: &Type) -> Option<Column> {
    Some(match operands {
        [Column::Floats(x)] => match name {
            "arith.fptosi" => {
                let bits = width(to)? - 1;
                Column::Integers(each(x, |&x| whole(x, bits))?)
            }
            "arith.fptoui" => {
                let bits = width(to)?;
                Column::Integers(each(x, |&x| whole(x, bits).filter(|&x| x >= 0))?)
            }
            _ => {
                let function = float_function(name)?;
                Column::Floats(x.iter().map(|&x| function(x)).collect())
            }
        },
        [Column::Floats(x), Column::Floats(y)] => {
            let operation = float_operation(name)?;
            Column::Floats(each(x.iter().zip(y), |(&x, &y)| operation(x, y))?)
        }
        [Column::Integers(x)] => {
            let unused = 64 - width(from)?;
            let unsigned = |x: i64| i64::try_from(((x as u64) << unused) >> unused).ok();
            let exact = |x: i64| (x.abs() <= EXACT).then_some(x as f64);
            match name {
                "arith.sitofp" => Column::Floats(each(x, |&x| exact(x))?),
                "arith.uitofp" => Column::Floats(each(x, |&x| exact(unsigned(x)?))?),
                "arith.extui" => Column::Integers(each(x, |&x| unsigned(x))?),
                "arith.extsi" | "arith.trunci" | "arith.index_cast" => Column::Integers(x.clone()),
                _ => return None,
            }
        }
        [Column::Integers(x), Column::Integers(y)] => {
            let operation = integer_operation(name)?;
            Column::Integers(x.iter().zip(y).map(|(&x, &y)| operation(x, y)).collect())
        }
        [Column::Integers(condition), Column::Floats(x), Column::Floats(y)] if name == "arith.select" => {
            let chosen = condition.iter().zip(x.iter().zip(y));
            Column::Floats(chosen.map(|(condition, (&x, &y))| if condition & 1 == 1 { x } else { y }).collect())
        }
        _ => return None,
    })
}

/// A number for each point; none if one has none.
fn each<P, T>(
    points: impl IntoIterator<Item = P, IntoIter: ExactSizeIterator>,
    number: impl Fn(P) -> Option<T>,
) -> Option<Vec<T>> {
    let points = points.into_iter();
    let mut numbers = Vec::with_capacity(points.len());
    for point in points {
        numbers.push(number(point)?);
    }
    Some(numbers)
}

/// The part of a number in front of its point, if its magnitude fits that many bits.
fn whole(x: f64, bits: u32) -> Option<i64> {
    (x.abs() < f64::from(bits.min(53)).exp2()).then_some(x as i64)
}

fn float_function(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "arith.negf" => |x| -x,
        "arith.extf" | "arith.truncf" => |x| x,
        "math.absf" => f64::abs,
        "math.sqrt" => f64::sqrt,
        "math.floor" => f64::floor,
        "math.ceil" => f64::ceil,
        "math.roundeven" => f64::round_ties_even,
        _ => return None,
    })
}

/// Nothing comes of numbers for which code decides what comes.
fn float_operation(name: &str) -> Option<fn(f64, f64) -> Option<f64>> {
    Some(match name {
        "arith.addf" => |x, y| Some(x + y),
        "arith.subf" => |x, y| Some(x - y),
        "arith.mulf" => |x, y| Some(x * y),
        "arith.divf" => |x, y| Some(x / y),
        "arith.maximumf" | "arith.maxnumf" => |x, y| extreme(x, y, x > y),
        "arith.minimumf" | "arith.minnumf" => |x, y| extreme(x, y, x < y),
        _ => return None,
    })
}

/// The first of two numbers if it is chosen, else the second; none where they are no two numbers of different size.
fn extreme(x: f64, y: f64, first: bool) -> Option<f64> {
    match x.partial_cmp(&y) {
        _ if x.to_bits() == y.to_bits() => Some(x),
        Some(Ordering::Less | Ordering::Greater) => Some(if first { x } else { y }),
        Some(Ordering::Equal) | None => None,
    }
}

fn integer_operation(name: &str) -> Option<fn(i64, i64) -> i64> {
    Some(match name {
        "arith.addi" => i64::wrapping_add,
        "arith.subi" => i64::wrapping_sub,
        "arith.muli" => i64::wrapping_mul,
        "arith.andi" => |x, y| x & y,
        "arith.ori" => |x, y| x | y,
        "arith.xori" => |x, y| x ^ y,
        "arith.maxsi" => i64::max,
        "arith.minsi" => i64::min,
        _ => return None,
    })
}

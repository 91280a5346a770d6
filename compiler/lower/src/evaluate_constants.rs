//! Small constants are computed by the compiler: scales of normalisations, zero points, what quantized models say of theirs.
//!
//! What depends on constants alone could run before the first run, and large constants do
//! ([`fold_constants`](crate::fold_constants)). But a call of a kernel costs more to compile than a few elements cost to compute,
//! and a model may have hundreds of these.
//!
//! Invariants
//! - Every operation rounds once, as IEEE 754 says: sums, products, quotients and roots of numbers of at most 24 bits that are
//!   computed with 53 bits and rounded again are those that were rounded once (Figueroa, When is double rounding innocuous?, 1995).
//! - What the processor or a library decides (elementary functions, conversions out of range, NaN among maxima) is left to code.

use ir::floats::{decode, encode};
use ir::{
    AffineExpr, AffineMap, Attribute, Blob, Block, Body, Builder, DenseElements, FloatType, IndexMap, Module, Op, Type,
    Value,
};

use crate::known::captured;
use crate::outline::{all_blocks, remove_dead};
use crate::relayouts::zeros_around;
use dialects::linalg::generic::Generic;

/// Most elements that are computed so: with more the call costs less.
const ELEMENTS: usize = 4096;
/// Whole numbers up to this are exact in `f64`.
const EXACT: i64 = 1 << 53;

/// Computes the small constants of the function `name`.
pub(crate) fn evaluate_constants(module: &mut Module, name: &str) {
    let Some(host) = module.symbol(name) else { return };
    let mut body = module.body.take_isolated(host).expect("a function owns its body");
    for block in all_blocks(&body) {
        for op in body.ops(block).to_vec() {
            if let Some(results) = evaluate(&body, op) {
                replace(&mut body, op, results);
            }
        }
        remove_dead(&mut body, block);
    }
    module.body.set_isolated(host, body);
}

fn replace(body: &mut Body, op: Op, constants: Vec<DenseElements>) {
    let location = body.op(op).location.clone();
    for (index, constant) in constants.into_iter().enumerate() {
        let r#type = constant.r#type.clone();
        let mut builder = Builder::before(body, op).with_location(location.clone());
        let constant = builder.constant(Attribute::dense(constant), r#type);
        let result = body.result(op, index);
        body.replace_all_uses(result, constant);
    }
    body.erase(op);
}

/// The results of an operation on small constants.
fn evaluate(body: &Body, op: Op) -> Option<Vec<DenseElements>> {
    match body.name(op) {
        "linalg.generic" => evaluate_generic(body, &Generic::of(body, op)?),
        "tensor.pad" => evaluate_pad(body, op),
        "tensor.reshape" | "tensor.cast" => {
            let constant = small_constant(body, body.operand(op, 0))?;
            let r#type = body.value_type(body.result(op, 0)).clone();
            r#type.static_shape()?;
            Some(vec![DenseElements { r#type, key: None, ..constant.clone() }])
        }
        _ => None,
    }
}

fn small_constant(body: &Body, value: Value) -> Option<&DenseElements> {
    let constant = ir::constant_value(body, value)?.as_dense()?;
    let is_small = matches!(body.value_type(value), Type::Tensor(_)) && constant.element_count() <= ELEMENTS;
    (is_small && constant.is_available()).then_some(constant)
}

fn evaluate_generic(body: &Body, generic: &Generic) -> Option<Vec<DenseElements>> {
    let arguments = body.arguments(generic.block);
    let (inputs, olds) = arguments.split_at(generic.inputs.len());
    if generic.is_reduction() || olds.iter().any(|&old| !body.uses(old).is_empty()) {
        return None;
    }
    let constants = generic.inputs.iter().map(|&input| small_constant(body, input)).collect::<Option<Vec<_>>>()?;
    let extents = generic.extents(body).into_iter().collect::<Option<Vec<i64>>>()?;
    let is_plain = (0..generic.inits.len()).all(|index| generic.output_map(index).is_identity());
    let count = extents.iter().product::<i64>() as usize;
    if !is_plain || count > ELEMENTS {
        return None;
    }
    let mut columns: IndexMap<Value, Column> = IndexMap::default();
    for ((&argument, constant), map) in inputs.iter().zip(constants).zip(&generic.maps) {
        let places = places(map, &constant.r#type.static_shape()?, &extents)?;
        columns.insert(argument, Column::read(constant, &places)?.rounded(body.value_type(argument))?);
    }
    // what fills a tensor by itself stays a fill
    if !generic.inputs.is_empty() {
        let constant = |value: Value| Some((value, Column::of(ir::constant_value(body, value)?, count)?));
        columns.extend(captured(body, generic.op).into_iter().filter_map(constant));
    }
    evaluate_block(body, generic.block, &extents, &mut columns)?;
    let results = body.op(generic.op).results().iter().zip(generic.yields(body));
    results.map(|(&result, &yielded)| columns.get(&yielded)?.write(body.value_type(result))).collect()
}

fn evaluate_pad(body: &Body, op: Op) -> Option<Vec<DenseElements>> {
    let [low, _] = zeros_around(body, op)?;
    let constant = small_constant(body, body.operand(op, 0))?;
    let r#type = body.value_type(body.result(op, 0));
    let (from, to) = (constant.r#type.static_shape()?, r#type.static_shape()?);
    let width = r#type.element().byte_width()?;
    let count = usize::try_from(to.iter().product::<i64>()).ok().filter(|&count| count <= ELEMENTS)?;
    // where each of its elements goes
    let shift: Vec<AffineExpr> =
        (0..).zip(low.iter()).map(|(axis, &low)| AffineExpr::Dim(axis).add(AffineExpr::Constant(low))).collect();
    let places = places(&AffineMap::new(from.len() as u32, shift), &to, &from)?;
    let mut bytes = vec![0; count * width];
    // a splat has one element's bytes
    for (element, place) in constant.data.bytes().chunks_exact(width).cycle().zip(places) {
        bytes[place * width..][..width].copy_from_slice(element);
    }
    Some(vec![DenseElements::new(r#type.clone(), Blob::copy_of(&bytes))])
}

/// Which element of a tensor each point of a space reads, the last subscript running fastest.
fn places(map: &AffineMap, shape: &[i64], extents: &[i64]) -> Option<Vec<usize>> {
    let (mut start, mut strides, mut elements) = (0, vec![0; extents.len()], 1);
    for (subscript, &extent) in map.results.iter().zip(shape).rev() {
        let (coefficients, constant) = subscript.as_linear(map.dims)?;
        let reach = |sign: i64| -> i64 {
            let last = coefficients.iter().zip(extents).map(|(c, extent)| sign * (sign * c).max(0) * (extent - 1));
            constant + last.sum::<i64>()
        };
        if reach(-1) < 0 || reach(1) >= extent {
            return None;
        }
        start += constant * elements;
        strides.iter_mut().zip(coefficients).for_each(|(stride, c)| *stride += c * elements);
        elements *= extent;
    }
    let mut places = vec![start];
    for (&extent, stride) in extents.iter().zip(strides) {
        places = places.iter().flat_map(|place| (0..extent).map(move |at| place + at * stride)).collect();
    }
    Some(places.into_iter().map(|place| place as usize).collect())
}

/// What each value of a block is at every point.
fn evaluate_block(body: &Body, block: Block, extents: &[i64], columns: &mut IndexMap<Value, Column>) -> Option<()> {
    let count = extents.iter().product::<i64>() as usize;
    let (last, ops) = body.ops(block).split_last()?;
    for &op in ops {
        let operands = body.op(op).operands().iter().map(|operand| columns.get(operand)).collect::<Option<Vec<_>>>()?;
        let result = *body.op(op).results().first()?;
        let to = body.value_type(result);
        let column = match body.name(op) {
            "arith.constant" => Column::of(body.op(op).attributes.get("value")?, count)?,
            "linalg.index" => Column::index(body.op(op).attributes.integer("dim")?, extents),
            name => apply(name, &operands, body.value_type(*body.op(op).operands().first()?), to)?,
        };
        columns.insert(result, column.rounded(to)?);
    }
    (body.name(*last) == "linalg.yield").then_some(())
}

/// The values of one scalar at every point.
#[derive(Clone)]
enum Column {
    /// Of any format, exactly.
    Floats(Vec<f64>),
    /// Of any width, sign extended.
    Integers(Vec<i64>),
}

impl Column {
    fn of(attribute: &Attribute, count: usize) -> Option<Column> {
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

    fn read(constant: &DenseElements, places: &[usize]) -> Option<Column> {
        match constant.r#type.element() {
            Type::Float(_) => constant.floats().map(|all| Column::Floats(places.iter().map(|&at| all[at]).collect())),
            _ => constant.integers().map(|all| Column::Integers(places.iter().map(|&at| all[at]).collect())),
        }
    }

    /// The values as a type has them.
    fn rounded(self, r#type: &Type) -> Option<Column> {
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
    fn write(&self, r#type: &Type) -> Option<DenseElements> {
        let element = r#type.element();
        match self {
            Column::Floats(values) => DenseElements::of_floats(r#type.clone(), values),
            Column::Integers(values) => {
                let width = element.byte_width()?;
                let bits = if *element == Type::I1 { 1 } else { -1 };
                let mut bytes = Vec::with_capacity(values.len() * width);
                values.iter().for_each(|&value| bytes.extend(&(value & bits).to_le_bytes()[..width]));
                Some(DenseElements::new(r#type.clone(), Blob::copy_of(&bytes)))
            }
        }
    }
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
            "arith.fptosi" => Column::Integers(x.iter().map(|&x| whole(x, width(to)? - 1)).collect::<Option<_>>()?),
            "arith.fptoui" => {
                Column::Integers(x.iter().map(|&x| whole(x, width(to)?).filter(|&x| x >= 0)).collect::<Option<_>>()?)
            }
            _ => Column::Floats(x.iter().map(|&x| float_function(name, x)).collect::<Option<_>>()?),
        },
        [Column::Floats(x), Column::Floats(y)] => {
            Column::Floats(x.iter().zip(y).map(|(&x, &y)| float_operation(name, x, y)).collect::<Option<_>>()?)
        }
        [Column::Integers(x)] => {
            let unused = 64 - width(from)?;
            let unsigned = |x: i64| i64::try_from(((x as u64) << unused) >> unused).ok();
            let exact = |x: i64| (x.abs() <= EXACT).then_some(x as f64);
            match name {
                "arith.sitofp" => Column::Floats(x.iter().map(|&x| exact(x)).collect::<Option<_>>()?),
                "arith.uitofp" => Column::Floats(x.iter().map(|&x| exact(unsigned(x)?)).collect::<Option<_>>()?),
                "arith.extui" => Column::Integers(x.iter().map(|&x| unsigned(x)).collect::<Option<_>>()?),
                "arith.extsi" | "arith.trunci" | "arith.index_cast" => Column::Integers(x.clone()),
                _ => return None,
            }
        }
        [Column::Integers(x), Column::Integers(y)] => {
            Column::Integers(x.iter().zip(y).map(|(&x, &y)| integer_operation(name, x, y)).collect::<Option<_>>()?)
        }
        [Column::Integers(condition), Column::Floats(x), Column::Floats(y)] if name == "arith.select" => {
            let chosen = condition.iter().zip(x.iter().zip(y));
            Column::Floats(chosen.map(|(condition, (&x, &y))| if condition & 1 == 1 { x } else { y }).collect())
        }
        _ => return None,
    })
}

/// The part of a number in front of its point, if its magnitude fits that many bits.
fn whole(x: f64, bits: u32) -> Option<i64> {
    (x.abs() < f64::from(bits.min(53)).exp2()).then_some(x as i64)
}

fn float_function(name: &str, x: f64) -> Option<f64> {
    Some(match name {
        "arith.negf" => -x,
        "arith.extf" | "arith.truncf" => x,
        "math.absf" => x.abs(),
        "math.sqrt" => x.sqrt(),
        "math.floor" => x.floor(),
        "math.ceil" => x.ceil(),
        "math.roundeven" => x.round_ties_even(),
        _ => return None,
    })
}

fn float_operation(name: &str, x: f64, y: f64) -> Option<f64> {
    Some(match name {
        "arith.addf" => x + y,
        "arith.subf" => x - y,
        "arith.mulf" => x * y,
        "arith.divf" => x / y,
        "arith.maximumf" | "arith.maxnumf" | "arith.minimumf" | "arith.minnumf" if x.to_bits() == y.to_bits() => x,
        "arith.maximumf" | "arith.maxnumf" if x > y => x,
        "arith.maximumf" | "arith.maxnumf" if x < y => y,
        "arith.minimumf" | "arith.minnumf" if x < y => x,
        "arith.minimumf" | "arith.minnumf" if x > y => y,
        _ => return None,
    })
}

fn integer_operation(name: &str, x: i64, y: i64) -> Option<i64> {
    Some(match name {
        "arith.addi" => x.wrapping_add(y),
        "arith.subi" => x.wrapping_sub(y),
        "arith.muli" => x.wrapping_mul(y),
        "arith.andi" => x & y,
        "arith.ori" => x | y,
        "arith.xori" => x ^ y,
        "arith.maxsi" => x.max(y),
        "arith.minsi" => x.min(y),
        _ => return None,
    })
}

//! Random numbers: RandomUniform, RandomNormal, their `Like` forms, and Bernoulli.
//!
//! Number `i` of a tensor is a hash of `i` and the seed (SplitMix64; Steele, Lea and Flood 2014), so that elements do
//! not depend on each other, on threads or on vectors, and every run gives the same ones. Without the attribute `seed`
//! the node's name is the seed.

use dialects::{arith, linalg, math};
use std::hash::{Hash, Hasher};

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, Reader, View};
use ir::{Attribute, Builder, DimExpr, FloatType, Location, Op, Type, Value};

use crate::operator::Operator;
use crate::shape::{self, Answer};
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported};
use crate::types::{tensor_of, without_shape};

/// The distribution of a number.
#[derive(Clone, Copy)]
enum Distribution {
    /// `[low, high)`
    Uniform { low: f64, high: f64 },
    /// The normal distribution.
    Normal { mean: f64, scale: f64 },
}

/// Also with a seed: no document defines the numbers that follow from it.
const DRAWN: &str = "its results are random";

pub(crate) const RANDOM_UNIFORM: Operator = Operator {
    types: Some(|node, _| tensor_of(views::RandomUniform::read(node).dtype)),
    shapes: Some(|node| stated_shape(&node.view::<views::RandomUniform>().shape)),
    lower: Some(|lowering, op| {
        let views::RandomUniform { low, high, seed, .. } = View::of(lowering.source, op);
        draw(lowering, op, Distribution::Uniform { low, high }, seed);
        Ok(())
    }),
    undetermined: Some(DRAWN),
    ..Operator::of(OnnxOp::RandomUniform)
};

pub(crate) const RANDOM_UNIFORM_LIKE: Operator = Operator {
    types: Some(|node, _| {
        let like = views::RandomUniformLike::read(node);
        stated_or_own(node, like.dtype, like.input)
    }),
    shapes: Some(shape::like_first),
    lower: Some(|lowering, op| {
        let views::RandomUniformLike { low, high, seed, .. } = View::of(lowering.source, op);
        draw(lowering, op, Distribution::Uniform { low, high }, seed);
        Ok(())
    }),
    undetermined: Some(DRAWN),
    ..Operator::of(OnnxOp::RandomUniformLike)
};

pub(crate) const RANDOM_NORMAL: Operator = Operator {
    types: Some(|node, _| tensor_of(views::RandomNormal::read(node).dtype)),
    shapes: Some(|node| stated_shape(&node.view::<views::RandomNormal>().shape)),
    lower: Some(|lowering, op| {
        let views::RandomNormal { mean, scale, seed, .. } = View::of(lowering.source, op);
        draw(lowering, op, Distribution::Normal { mean, scale }, seed);
        Ok(())
    }),
    undetermined: Some(DRAWN),
    ..Operator::of(OnnxOp::RandomNormal)
};

pub(crate) const RANDOM_NORMAL_LIKE: Operator = Operator {
    types: Some(|node, _| {
        let like = views::RandomNormalLike::read(node);
        stated_or_own(node, like.dtype, like.input)
    }),
    shapes: Some(shape::like_first),
    lower: Some(|lowering, op| {
        let views::RandomNormalLike { mean, scale, seed, .. } = View::of(lowering.source, op);
        draw(lowering, op, Distribution::Normal { mean, scale }, seed);
        Ok(())
    }),
    undetermined: Some(DRAWN),
    ..Operator::of(OnnxOp::RandomNormalLike)
};

/// 1 with the probability in the operand, else 0.
pub(crate) const BERNOULLI: Operator = Operator {
    types: Some(|node, _| {
        let bernoulli = views::Bernoulli::read(node);
        stated_or_own(node, bernoulli.dtype, bernoulli.input)
    }),
    shapes: Some(shape::like_first),
    lower: Some(bernoulli),
    undetermined: Some(DRAWN),
    ..Operator::of(OnnxOp::Bernoulli)
};

fn stated_shape(shape: &[i64]) -> Answer {
    Ok(vec![Some(shape.iter().map(|&extent| DimExpr::Constant(extent)).collect())])
}

fn stated_or_own(node: &Reader<'_>, stated: Option<i64>, input: Value) -> Option<Type> {
    stated.and_then(tensor_of).or_else(|| Some(without_shape(node.body.value_type(input))))
}

/// The type that random numbers are computed in: f64 for f64, else f32.
fn work_type(element: &Type) -> Type {
    if *element == Type::F64 { Type::F64 } else { Type::Float(FloatType::F32) }
}

fn draw(lowering: &mut Lowering<'_>, op: Op, distribution: Distribution, seed: Option<f64>) {
    let result = lowering.source.op(op).results()[0];
    let (shape, element) = (lowering.shape(result), lowering.element(result));
    let stream = Stream::new(lowering, op, &shape, seed);
    let value = lowering.pointwise(&[], &shape, element.clone(), |builder, _| {
        let mut s = Scalars { builder, unsigned: false };
        let work = work_type(&element);
        let counter = stream.counter(s.builder);
        let value = match distribution {
            Distribution::Uniform { low, high } => {
                let uniform = stream.uniform(&mut s, counter, &work);
                let (low, span) = (s.number(low, &work), s.number(high - low, &work));
                let scaled = s.mul(span, uniform);
                s.add(low, scaled)
            }
            Distribution::Normal { mean, scale } => {
                let normal = stream.normal(&mut s, counter, &work);
                let (mean, scale) = (s.number(mean, &work), s.number(scale, &work));
                let scaled = s.mul(scale, normal);
                s.add(mean, scaled)
            }
        };
        s.cast(value, &element, false, false)
    });
    lowering.bind(result, value);
}

fn bernoulli(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let bernoulli = views::Bernoulli::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let (shape, element) = (lowering.shape(result), lowering.element(result));
    let stream = Stream::new(lowering, op, &shape, bernoulli.seed);
    let input = lowering.value(bernoulli.input);
    let input = lowering.broadcast_input(input, &shape, &shape);
    let unsigned = lowering.is_unsigned(result);
    let value = lowering.pointwise(&[input], &shape, element.clone(), |builder, elements| {
        let mut s = Scalars { builder, unsigned: false };
        let work = work_type(&s.type_of(elements[0]));
        let probability = s.cast(elements[0], &work, false, false);
        let counter = stream.counter(s.builder);
        let uniform = stream.uniform(&mut s, counter, &work);
        let chosen = s.compare(Comparison::Less, uniform, probability);
        s.cast(chosen, &element, true, unsigned)
    });
    lowering.bind(result, value);
    Ok(())
}

/// A sequence of random words, one for each element of a tensor.
struct Stream {
    seed: u64,
    extents: Vec<Value>,
}

impl Stream {
    fn new(lowering: &mut Lowering<'_>, op: Op, shape: &[DimExpr], seed: Option<f64>) -> Stream {
        let seed = match seed {
            Some(seed) => seed.to_bits(),
            None => seed_of(&lowering.source.op(op).location),
        };
        Stream { seed, extents: shape.iter().map(|dim| lowering.dim(dim)).collect() }
    }

    /// The index of the current element, an `i64`.
    fn counter(&self, builder: &mut Builder<'_>) -> Value {
        let mut linear = builder.constant_index(0);
        for (axis, &extent) in self.extents.iter().enumerate() {
            let index = builder.value(linalg::INDEX, &[], Type::Index, [("dim", Attribute::i64(axis as i64))]);
            let scaled = builder.value(arith::MULI, &[linear, extent], Type::Index, []);
            linear = builder.value(arith::ADDI, &[scaled, index], Type::Index, []);
        }
        builder.value(arith::INDEX_CAST, &[linear], Type::I64, [])
    }

    /// The hash of a counter in stream number `number`.
    fn word(&self, s: &mut Scalars<'_, '_>, counter: Value, number: u64) -> Value {
        let start = self.seed.wrapping_add(number.wrapping_mul(0xd1b5_4a32_d192_ed03));
        let step = integer(s, 0x9e37_79b9_7f4a_7c15);
        let start = integer(s, start);
        let product = s.same(arith::MULI, &[counter, step]);
        let mut word = s.same(arith::ADDI, &[product, start]);
        for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9), (27, 0x94d0_49bb_1331_11eb)] {
            word = mixed(s, word, shift);
            let factor = integer(s, factor);
            word = s.same(arith::MULI, &[word, factor]);
        }
        mixed(s, word, 31)
    }

    /// A number in `[0, 1)`.
    fn uniform(&self, s: &mut Scalars<'_, '_>, counter: Value, work: &Type) -> Value {
        self.fraction(s, counter, 0, work)
    }

    /// A number with as many random bits as the type has digits.
    fn fraction(&self, s: &mut Scalars<'_, '_>, counter: Value, number: u64, work: &Type) -> Value {
        let digits = if *work == Type::F64 { 53 } else { 24 };
        let word = self.word(s, counter, number);
        let surplus = integer(s, 64 - digits);
        let bits = s.same(arith::SHRUI, &[word, surplus]);
        let whole = s.cast(bits, work, false, false);
        let unit = s.number(ir::floats::power_of_two(-(digits as i32)), work);
        s.mul(whole, unit)
    }

    /// Mean 0, standard deviation 1: `√(-2 ln u) · cos(2π v)` (Box and Muller 1958).
    fn normal(&self, s: &mut Scalars<'_, '_>, counter: Value, work: &Type) -> Value {
        let (u, v) = (self.fraction(s, counter, 0, work), self.fraction(s, counter, 1, work));
        // in (0, 1], so that the logarithm is finite
        let one = s.number(1.0, work);
        let u = s.sub(one, u);
        let logarithm = s.same(math::LOG, &[u]);
        let (minus_two, turn) = (s.number(-2.0, work), s.number(std::f64::consts::TAU, work));
        let square = s.mul(minus_two, logarithm);
        let radius = s.same(math::SQRT, &[square]);
        let angle = s.mul(turn, v);
        let cosine = s.same(math::COS, &[angle]);
        s.mul(radius, cosine)
    }
}

fn integer(s: &mut Scalars<'_, '_>, bits: u64) -> Value {
    s.builder.constant(Attribute::Integer(bits as i64, Type::I64), Type::I64)
}

/// `word ^ (word >> shift)`
fn mixed(s: &mut Scalars<'_, '_>, word: Value, shift: u64) -> Value {
    let shift = integer(s, shift);
    let shifted = s.same(arith::SHRUI, &[word, shift]);
    s.same(arith::XORI, &[word, shifted])
}

/// A number derived from the names in a node's location, the same on every machine.
fn seed_of(location: &Location) -> u64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    location.names().hash(&mut hasher);
    hasher.finish()
}

/// FNV-1a (Fowler, Noll, Vo).
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

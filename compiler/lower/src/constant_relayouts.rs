//! Relayouts of constants: chains of data movement on weights become one routine call.
//!
//! Weights are transposed, sliced, padded, scaled per channel and packed, once, when the model is initialised. A kernel
//! for each step would take longer to compile than to run, so any number of them is composed into one affine
//! `relayout`.
//!
//! Invariants
//! - An out-of-bounds subscript means zero, and only zero padding produces such.

use dialects::rt::attributes::ORIGIN;
use dialects::{OpCodes, arith, linalg, rt, tensor};
use std::sync::Arc;

use abi::RELAYOUT_AXES;
use dialects::linalg::generic::Generic;
use dialects::rt::routines::{RELAYOUT, SCALED_RELAYOUT};
use ir::{AffineExpr, AffineMap, Attribute, Body, Builder, DenseElements, IndexMap, Module, Op, Type, Value};

use crate::fold_constants::filled_with;
use crate::known::depends_on_constants_alone;
use crate::outline::{all_blocks, remove_dead};

/// How much larger than the constants that it reads a result in an object file may be.
pub const STORED_GROWTH: f64 = 1.25;

/// Replaces data movement on constants in the function `name`; with `evaluated`, only where the compiler can evaluate the call
/// and may store its result.
pub(crate) fn use_relayouts(module: &mut Module, name: &str, evaluated: bool) {
    let Some((host, mut body)) = module.take_function(name) else { return };
    let blocks = match evaluated {
        // the compiler evaluates what is not in a branch or a loop
        true => body.entry().into_iter().collect(),
        false => all_blocks(&body),
    };
    for block in blocks {
        let mut moved: IndexMap<Value, Moved> = IndexMap::default();
        for op in body.ops(block) {
            if let Some(found) = Moved::of(&body, op, &moved) {
                moved.insert(body.result(op, 0), found);
            }
        }
        let mut replaced: IndexMap<Value, Value> = IndexMap::default();
        let mut made: Vec<(Moved, Value)> = Vec::new();
        for (value, found) in needed(&body, &moved, evaluated) {
            let found = found.replaced(&replaced);
            // weights that several nodes share are moved once
            let is_equal =
                |(other, call): &&(Moved, Value)| *other == found && body.value_type(*call) == body.value_type(value);
            let call = match made.iter().find(is_equal).map(|(_, call)| *call) {
                Some(call) => {
                    body.replace_all_uses(value, call);
                    call
                }
                None => {
                    let call = found.replace(&mut body, value);
                    made.push((found, call));
                    call
                }
            };
            replaced.insert(value, call);
        }
        remove_dead(&mut body, block);
    }
    module.body.set_isolated(host, body);
}

/// Moved constants with readers that are not moves of the same tensor themselves.
fn needed(body: &Body, moved: &IndexMap<Value, Moved>, evaluated: bool) -> Vec<(Value, Moved)> {
    let mut needed: IndexMap<Value, Moved> = IndexMap::default();
    for (&value, found) in moved.iter().rev() {
        let is_read_here = body.uses(value).iter().any(|reader| {
            let results = body.op(reader.op).results();
            !results.first().is_some_and(|result| moved.contains_key(result))
        });
        let is_read = is_read_here || needed.values().any(|reader| reader.reads(value));
        let is_constant = match evaluated {
            true => is_stored(body, moved, value),
            false => found.inputs().all(|input| depends_on_constants_alone(body, input)),
        };
        if is_read && is_constant {
            needed.insert(value, found.clone());
        }
    }
    needed.into_iter().rev().collect()
}

/// Whether a value is a constant with known bytes, or moved ones that are not much more.
fn is_stored(body: &Body, moved: &IndexMap<Value, Moved>, value: Value) -> bool {
    let value = viewed_root(body, value);
    let Some(found) = moved.get(&value) else {
        let literal = ir::constant_value(body, value).and_then(Attribute::as_dense);
        return literal.is_some_and(|elements| elements.is_available()) || filled_with(body, value).is_some();
    };
    let bytes = |value: Value| {
        let r#type = body.value_type(value);
        let count = r#type.static_shape().map_or(0, |shape| shape.iter().product::<i64>());
        count as f64 * r#type.element().byte_width().unwrap_or(1) as f64
    };
    let read: f64 = found.inputs().map(bytes).sum();
    bytes(value) <= STORED_GROWTH * read && found.inputs().all(|input| is_stored(body, moved, input))
}

/// The tensor that a value is a view of.
pub fn viewed_root(body: &Body, value: Value) -> Value {
    match body.defining_op(value).and_then(|op| tensor::viewed(body, op)) {
        Some(source) => viewed_root(body, source),
        None => value,
    }
}

/// An affine relayout of a tensor.
#[derive(Clone, PartialEq)]
struct Moved {
    /// The tensor.
    tensor: Value,
    /// Maps indices to subscripts of the tensor.
    map: AffineMap,
    /// Scale factors, and a map from indices to their subscripts.
    factors: Option<(Value, AffineMap)>,
    /// The bits that are flipped in each byte.
    flips: i64,
    /// Whether some subscripts are out of bounds.
    has_border: bool,
}

impl Moved {
    /// The result of an operation, given the relayouts of its operands.
    fn of(body: &Body, op: Op, moved: &IndexMap<Value, Moved>) -> Option<Moved> {
        let &[result] = body.op(op).results() else { return None };
        let found = match body.code(op) {
            Some(linalg::GENERIC) => Moved::by_generic(body, &Generic::of(body, op)?, moved)?,
            Some(tensor::PAD) => Moved::by_pad(body, op, moved)?,
            _ => return None,
        };
        let is_small = |value: Value| {
            let r#type = body.value_type(value);
            r#type.static_shape().is_some_and(|shape| shape.len() <= RELAYOUT_AXES && !shape.contains(&0))
        };
        let same = body.value_type(found.tensor).element() == body.value_type(result).element();
        // broadcasts are part of the kernels that read them
        let shape = body.value_type(result).static_shape()?;
        let repeats =
            (0..).zip(shape).any(|(axis, extent)| extent != 1 && !found.map.results.iter().any(|e| e.uses_dim(axis)));
        let fits =
            same && !repeats && kind(body.value_type(result)).is_some() && found.inputs().chain([result]).all(is_small);
        fits.then_some(found)
    }

    /// `tensor[map]`, composed with the relayout of the tensor.
    fn from(tensor: Value, map: &AffineMap, moved: &IndexMap<Value, Moved>) -> Option<Moved> {
        is_linear(map).then(|| match moved.get(&tensor) {
            None => Moved::alone(tensor, map),
            Some(inner) => Moved {
                map: inner.map.compose(map),
                factors: inner.factors.as_ref().map(|(factors, inner)| (*factors, inner.compose(map))),
                ..inner.clone()
            },
        })
    }

    /// `tensor[map]`, without composition.
    fn alone(tensor: Value, map: &AffineMap) -> Moved {
        Moved { tensor, map: map.clone(), factors: None, flips: 0, has_border: false }
    }

    /// `tensor[map]`, composed if the tensor's relayout has no padding and no factors.
    fn plain(tensor: Value, map: &AffineMap, moved: &IndexMap<Value, Moved>) -> Option<Moved> {
        let found = Moved::from(tensor, map, moved)?;
        let is_plain = !found.has_border && found.factors.is_none();
        Some(if is_plain { found } else { Moved::alone(tensor, map) })
    }

    fn by_generic(body: &Body, generic: &Generic, moved: &IndexMap<Value, Moved>) -> Option<Moved> {
        let arguments = body.arguments(generic.block);
        let is_plain = !generic.is_reduction() && generic.inits.len() == 1 && generic.output_map(0).is_identity();
        let yielded = generic.yields(body)[0];
        match generic.inputs[..] {
            [tensor] if is_plain && yielded == arguments[0] => Moved::from(tensor, &generic.maps[0], moved),
            [tensor] if is_plain && *body.value_type(yielded) == Type::I8 => {
                let op = body.defining_op(yielded).filter(|&op| body.is(op, arith::XORI))?;
                let (byte, flips) = body.sides(op);
                let flips = ir::constant_integer(body, flips).filter(|_| byte == arguments[0])?;
                let found = Moved::plain(tensor, &generic.maps[0], moved)?;
                Some(Moved { flips: found.flips ^ (flips & 0xff), ..found })
            }
            [a, b] if is_plain && *body.value_type(a).element() == Type::F32 => {
                let op = body.defining_op(yielded).filter(|&op| body.is(op, arith::MULF))?;
                let operands = body.op(op).operands();
                let is_product = *operands == [arguments[0], arguments[1]] || *operands == [arguments[1], arguments[0]];
                let count =
                    |value: Value| body.value_type(value).static_shape().map(|shape| shape.iter().product::<i64>());
                let [a, b] = [(a, &generic.maps[0]), (b, &generic.maps[1])];
                let (tensor, factors) = if count(b.0)? <= count(a.0)? { (a, b) } else { (b, a) };
                let found = Moved::plain(tensor.0, tensor.1, moved).filter(|_| is_product && is_linear(factors.1))?;
                Some(Moved { factors: Some((factors.0, factors.1.clone())), ..found })
            }
            _ => None,
        }
    }

    fn by_pad(body: &Body, op: Op, moved: &IndexMap<Value, Moved>) -> Option<Moved> {
        let [low, high] = zeros_around(body, op)?;
        let tensor = tensor::Pad::of(body, op).source;
        let shape = body.value_type(tensor).static_shape()?;
        let dim = |axis: usize| AffineExpr::Dim(axis as u32);
        let subscripts = low.iter().enumerate().map(|(axis, &low)| dim(axis).add(AffineExpr::Constant(-low)));
        let map = AffineMap::new(shape.len() as u32, subscripts.collect());
        // out-of-bounds subscripts of a padded axis must be out of bounds of the original tensor
        let is_whole = |axis: usize, inner: &Moved| {
            let extents = body.value_type(inner.tensor).static_shape().unwrap_or_default();
            inner.map.results.iter().zip(extents).any(|(e, extent)| *e == dim(axis) && extent == shape[axis])
        };
        let is_padded = |&axis: &usize| low[axis] != 0 || high[axis] != 0;
        let is_border = moved.get(&tensor).is_none_or(|inner| {
            inner.flips == 0 && (0..shape.len()).filter(is_padded).all(|axis| is_whole(axis, inner))
        });
        let found = if is_border { Moved::from(tensor, &map, moved)? } else { Moved::alone(tensor, &map) };
        Some(Moved { has_border: true, ..found })
    }

    fn inputs(&self) -> impl Iterator<Item = Value> {
        std::iter::once(self.tensor).chain(self.factors.as_ref().map(|(factors, _)| *factors))
    }

    fn reads(&self, value: Value) -> bool {
        self.inputs().any(|input| input == value)
    }

    /// The same with some tensors replaced.
    fn replaced(self, by: &IndexMap<Value, Value>) -> Moved {
        let of = |value: Value| by.get(&value).copied().unwrap_or(value);
        let factors = self.factors.map(|(factors, map)| (of(factors), map));
        Moved { tensor: of(self.tensor), factors, ..self }
    }

    /// Replaces the definition of `value` by a routine call.
    fn replace(&self, body: &mut Body, value: Value) -> Value {
        let op = body.defining_op(value).expect("operations move elements");
        let location = body.op(op).location.clone();
        let origin = body.attribute(op, ORIGIN).cloned();
        let r#type = body.value_type(value).clone();
        let mut builder = Builder::before(body, op).with_location(location);
        let room = builder.value_from(tensor::Empty { sizes: &[] }, r#type.clone(), []);
        let inputs = std::iter::once((self.tensor, &self.map)).chain(self.factors.as_ref().map(|(f, map)| (*f, map)));
        let mut operands = Vec::new();
        let mut kinds = Vec::new();
        for (input, map) in inputs {
            let input = match filled_with(builder.body, input) {
                Some(number) => builder.constant(Attribute::dense(number), builder.body.value_type(input).clone()),
                None => input,
            };
            operands.extend([input, rows(&mut builder, map)]);
            kinds.extend([kind(builder.body.value_type(input)), kind(&Type::I64)]);
        }
        if self.factors.is_none() {
            operands.push(builder.constant_index(self.flips));
        }
        operands.push(room);
        kinds.push(kind(&r#type));
        let kinds: Vec<i64> = kinds.into_iter().map(|kind| kind.expect("looked at")).collect();
        let routine = if self.factors.is_some() { SCALED_RELAYOUT } else { RELAYOUT };
        let attributes = [("routine", Attribute::string(routine)), ("kinds", Attribute::i64_dense_array(&kinds))];
        let moved = builder.value(rt::CALL, &operands, r#type, attributes);
        let call = builder.body.defining_op(moved).expect("just made");
        if let Some(origin) = origin {
            builder.body.op_mut(call).attributes.set(ORIGIN, origin);
        }
        body.replace_all_uses(value, moved);
        body.erase(op);
        moved
    }
}

/// Whether every subscript is affine in the indices.
fn is_linear(map: &AffineMap) -> bool {
    map.results.iter().all(|subscript| subscript.as_linear(map.dims).is_some())
}

/// For each subscript an offset and a coefficient for each index.
fn rows(builder: &mut Builder<'_>, map: &AffineMap) -> Value {
    let row = |subscript: &AffineExpr| {
        let (coefficients, start) = subscript.as_linear(map.dims).expect("looked at");
        std::iter::once(start).chain(coefficients)
    };
    let words: Vec<u8> = map.results.iter().flat_map(row).flat_map(i64::to_le_bytes).collect();
    let r#type = Type::tensor([Some(map.results.len() as i64), Some(i64::from(map.dims) + 1)], Type::I64);
    builder.constant(Attribute::dense(DenseElements::new(r#type.clone(), ir::Blob::copy_of(&words))), r#type)
}

/// The element kind of the same width, or float if elements are scaled; `None` for types that do not fill their bytes.
fn kind(r#type: &Type) -> Option<i64> {
    let kind = match r#type.element() {
        &Type::F32 => proto::DataType::Float,
        Type::Float(_) | Type::Integer(_) => match r#type.element().bit_width()? {
            8 => proto::DataType::Int8,
            16 => proto::DataType::Int16,
            32 => proto::DataType::Int32,
            64 => proto::DataType::Int64,
            _ => return None,
        },
        _ => return None,
    };
    Some(kind as i64)
}

/// The zero padding of a `tensor.pad` before and after each axis, if it pads with zeros.
pub(crate) fn zeros_around(body: &Body, op: Op) -> Option<[Arc<[i64]>; 2]> {
    let block = body.blocks(*body.op(op).regions().first()?)[0];
    let filling = body.operand(body.terminator(block)?, 0);
    let is_float_zero = ir::constant_float(body, filling).is_some_and(|number| number.to_bits() == 0);
    let is_zero = is_float_zero || ir::constant_integer(body, filling) == Some(0);
    let [low, high] = ["static_low", "static_high"].map(|side| body.op(op).attributes.integers(side));
    is_zero.then_some([low?, high?])
}

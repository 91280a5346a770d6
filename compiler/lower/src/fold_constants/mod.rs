//! Evaluates small constants at compile time: scales of normalisations, zero points, parameters of quantised models.
//! Weights are packed by `compiler/engine/src/prepare_constants.rs`.
//!
//! Operations on constants alone could run before the first run, and those on large constants do
//! ([`outline_initialization`](crate::outline_initialization)). But compiling a kernel call costs more than computing a
//! few elements, and a model may have hundreds of these.
//!
//! Invariants
//! - Every operation rounds once, as in IEEE 754: sums, products, quotients and roots of numbers of at most 24 bits
//!   that are computed with 53 bits and rounded again are correctly rounded (Figueroa, When is double rounding
//!   innocuous?, 1995).
//! - Operations whose results depend on the processor or a library (elementary functions, conversions out of range, NaN
//!   in maxima) are left to generated code.

mod column;
mod reduction;

use dialects::{OpCodes, linalg, tensor};
use std::borrow::Cow;

use ir::{AffineMap, Attribute, Body, Builder, DenseElements, IndexMap, Module, Op, Type, Value};

use crate::constant_relayouts::zeros_around;
use crate::known::captured;
use crate::outline::{all_blocks, remove_dead};
use column::{Column, evaluate_block};
use dialects::linalg::generic::Generic;
use operators::literal;

/// The maximum number of elements: for more, a call costs less.
const ELEMENTS: usize = 4096;

/// Evaluates the small constants of the function `name`.
pub(crate) fn fold_constants(module: &mut Module, name: &str) {
    let Some((host, mut body)) = module.take_function(name) else { return };
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

/// Replaces the results of an operation by constants.
fn replace(body: &mut Body, op: Op, constants: Vec<DenseElements>) {
    let location = body.op(op).location.clone();
    for (index, constant) in constants.into_iter().enumerate() {
        let r#type = constant.r#type.clone();
        let mut builder = Builder::before(body, op).with_location(location.clone());
        let constant = builder.constant(Attribute::dense(constant), r#type);
        let result = body.result(op, index);
        body.replace_all_uses(result, constant);
    }
}

/// The results of an operation on small constants.
fn evaluate(body: &Body, op: Op) -> Option<Vec<DenseElements>> {
    match body.code(op) {
        Some(linalg::GENERIC) => {
            let generic = Generic::of(body, op)?;
            match generic.is_reduction() {
                true => reduction::evaluate(body, &generic),
                false => evaluate_elementwise(body, &generic),
            }
        }
        Some(tensor::PAD) => evaluate_pad(body, op),
        Some(tensor::RESHAPE | tensor::CAST) => {
            let constant = small_constant(body, tensor::viewed(body, op)?)?;
            let r#type = body.value_type(body.result(op, 0)).clone();
            r#type.static_shape()?;
            Some(vec![DenseElements { r#type, key: None, ..constant.into_owned() }])
        }
        _ => None,
    }
}

/// The contents of a small constant tensor.
fn small_constant(body: &Body, value: Value) -> Option<Cow<'_, DenseElements>> {
    let is_small = |elements: &DenseElements| elements.element_count() <= ELEMENTS && elements.is_available();
    if !matches!(body.value_type(value), Type::Tensor(_)) {
        return None;
    }
    match ir::constant_value(body, value).and_then(Attribute::as_dense) {
        Some(elements) => is_small(elements).then_some(Cow::Borrowed(elements)),
        None => filled_with(body, value).filter(is_small).map(Cow::Owned),
    }
}

/// The constant of a tensor that is filled with one value.
pub(crate) fn filled_with(body: &Body, value: Value) -> Option<DenseElements> {
    // a fill only reads its initial value
    let op = body.defining_op(value).filter(|&op| body.op(op).operands().len() == 1)?;
    let fill = Generic::of(body, op).filter(|generic| generic.inputs.is_empty() && !generic.is_reduction())?;
    let [yielded] = *fill.yields(body) else { return None };
    let r#type = body.value_type(value);
    r#type.static_shape()?;
    let one = Type::tensor([Some(1)], r#type.element().clone());
    let number = Column::of(ir::constant_value(body, yielded)?)?.rounded(r#type.element())?.write(&one)?;
    Some(DenseElements::splat(r#type.clone(), number.element_bytes(0)))
}

fn evaluate_elementwise(body: &Body, generic: &Generic) -> Option<Vec<DenseElements>> {
    let arguments = body.arguments(generic.block);
    let (inputs, olds) = arguments.split_at(generic.inputs.len());
    if olds.iter().any(|&old| !body.uses(old).is_empty()) {
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
        columns.insert(argument, read(&constant, map, &extents)?.rounded(body.value_type(argument))?);
    }
    // a plain fill stays a fill
    if !generic.inputs.is_empty() {
        columns.extend(captured_numbers(body, generic));
    }
    evaluate_block(body, generic.block, &extents, &mut columns)?;
    let results = body.op(generic.op).results().iter().zip(generic.yields(body));
    results
        .map(|(&result, yielded)| columns.get(yielded)?.clone().spread(count).write(body.value_type(result)))
        .collect()
}

/// The constants that the block of an operation reads from outside.
fn captured_numbers(body: &Body, generic: &Generic) -> impl Iterator<Item = (Value, Column)> {
    let constant = move |value: Value| Some((value, Column::of(ir::constant_value(body, value)?)?));
    captured(body, generic.op).filter_map(constant)
}

fn evaluate_pad(body: &Body, op: Op) -> Option<Vec<DenseElements>> {
    let [low, _] = zeros_around(body, op)?;
    let constant = small_constant(body, tensor::Pad::of(body, op).source)?;
    let shape = body.value_type(body.result(op, 0)).static_shape()?;
    if shape.iter().product::<i64>() > ELEMENTS as i64 {
        return None;
    }
    Some(vec![literal::padded(&constant, &low, &shape)?])
}

/// The element of a constant that each point of a loop nest reads, the last subscript varying fastest.
fn read(constant: &DenseElements, map: &AffineMap, extents: &[i64]) -> Option<Column> {
    Column::of_elements(&literal::read(constant, map, extents)?)
}

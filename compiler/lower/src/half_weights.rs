//! Keeps weights in f16 and bf16 narrow in memory; kernels widen them.
//!
//! A contraction sums in `f32`, so that f16 weights are widened. If constant weights were widened at compile time, they
//! would take twice the memory, and every run would read them in this size; instead, the contraction widens them in
//! registers.

use dialects::arith;
use dialects::linalg::generic::{Generic, widened_from};
use dialects::rt::tile::Kind;
use ir::{Body, Builder, Module, Op, Type, Value};

use crate::contraction::{Columns, Contraction};
use crate::known::depends_on_constants_alone;
use crate::outline::{all_blocks, remove_dead};

/// The number of rows from which on reading small weights costs less than widening them.
const MANY_ROWS: i64 = 16;
/// The maximum number of weights that fit the L2 cache as `f32`.
const SMALL_WEIGHTS: i64 = 1 << 18;

/// Lets the contractions of the function `name` read weights in f16 or bf16.
pub(crate) fn use_halves(module: &mut Module, name: &str) {
    let Some((host, mut body)) = module.take_function(name) else { return };
    for block in all_blocks(&body) {
        let mut is_changed = false;
        for op in body.ops(block).to_vec() {
            if let Some((generic, right, halves)) = widened_weights(&body, op) {
                read_halves(&mut body, &generic, right, halves);
                is_changed = true;
            }
        }
        if is_changed {
            remove_dead(&mut body, block);
        }
    }
    module.body.set_isolated(host, body);
}

/// A contraction whose right operand is widened from f16 or bf16 weights: the index of the operand, and the weights.
fn widened_weights(body: &Body, op: Op) -> Option<(Generic, usize, Value)> {
    let generic = Generic::reducing(body, op)?;
    let contraction = Contraction::of(body, &generic).filter(|contraction| contraction.kind == Kind::F32)?;
    let is_padded = !matches!(contraction.columns, Columns::Single { packed: false, .. });
    let halves = widened_from(body, generic.inputs[contraction.right])?;
    let pays = is_padded && depends_on_constants_alone(body, halves) && !is_small(body, &generic, &contraction, halves);
    pays.then_some((generic, contraction.right, halves))
}

/// Whether weights stay in a near cache while there may be many rows, so that widening them once is better.
fn is_small(body: &Body, generic: &Generic, contraction: &Contraction, halves: Value) -> bool {
    let rows = contraction.known_rows(body, generic);
    let weights: Option<i64> = body.value_type(halves).static_shape().map(|shape| shape.iter().product());
    // for a dynamic number of rows, near weights cost little in either size
    rows.is_none_or(|rows| rows >= MANY_ROWS) && weights.is_some_and(|weights| weights <= SMALL_WEIGHTS)
}

/// Lets a contraction read `halves` as its operand `right`, and widen them in its body.
fn read_halves(body: &mut Body, generic: &Generic, right: usize, halves: Value) {
    let argument = body.arguments(generic.block)[right];
    let element = body.value_type(halves).element().clone();
    let first = body.first_op(generic.block).expect("a body has an end");
    let mut builder = Builder::before(body, first);
    let wide = builder.value(arith::EXTF, &[argument], Type::F32, []);
    body.replace_all_uses(argument, wide);
    let widening = body.defining_op(wide).expect("just made");
    body.set_operand(widening, 0, argument);
    body.set_value_type(argument, element);
    body.set_operand(generic.op, right, halves);
}

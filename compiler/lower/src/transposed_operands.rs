//! Transposed right operands of contractions.
//!
//! A contraction reads its right operand along columns. If it is contiguous along the reduction instead, like the keys
//! of attention, it would have to be transposed in memory. Operands that are in memory anyway are read without
//! transposition by contractions with few rows: each of their tiles transposes in registers, or multiplies along the
//! reduction.

use dialects::linalg::generic::Generic;
use dialects::rt::attributes::TRANSPOSED;
use dialects::rt::tile::Kind;
use dialects::tensor;
use ir::{AffineMap, Attribute, Body, Module, Op, Value};

use crate::contraction::{Columns, Contraction, Shape, along_last};
use crate::known::depends_on_constants_alone;
use crate::outline::{all_blocks, remove_dead};

/// The number of rows from which on transposing an operand once is better than in every tile.
const MANY_ROWS: i64 = 128;

/// Lets contractions of the function `name` read transposed operands directly.
pub(crate) fn use_transposes(module: &mut Module, name: &str) {
    let Some((host, mut body)) = module.take_function(name) else { return };
    for block in all_blocks(&body) {
        let mut is_changed = false;
        for op in body.ops(block).to_vec() {
            if let Some(found) = Transposed::of(&body, op) {
                found.read(&mut body);
                is_changed = true;
            }
        }
        if is_changed {
            remove_dead(&mut body, block);
        }
    }
    module.body.set_isolated(host, body);
}

/// A contraction and the tensor that its right operand is a transpose of.
struct Transposed {
    generic: Generic,
    right: usize,
    tensor: Value,
    map: AffineMap,
}

impl Transposed {
    fn of(body: &Body, op: Op) -> Option<Transposed> {
        let generic = Generic::reducing(body, op)?;
        let roles = Contraction::of(body, &generic)?;
        let is_plain = roles.shape == Shape::Product && roles.kind == Kind::F32;
        let Columns::Single { dim, packed: false } = roles.columns else { return None };
        let moving = Generic::defining(body, generic.inputs[roles.right]).filter(|_| is_plain)?;
        let &[tensor] = &moving.inputs[..] else { return None };
        let is_move = !moving.is_reduction()
            && !moving.is_partial
            && moving.output_map(0).is_identity()
            && moving.yields(body)[..] == body.arguments(moving.block)[..1];
        let map = moving.maps[0].compose(&generic.maps[roles.right]);
        let step = *roles.reduction.last()?;
        let is_linear = map.results.iter().all(|e| e.as_linear(map.dims).is_some());
        let is_transposed = is_linear
            && along_last(&map.results, step)
            && along_last(&generic.maps[roles.left].results, step)
            && map.results.iter().any(|e| e.uses_dim(dim as u32));
        let has_few_rows = roles.known_rows(body, &generic).is_none_or(|rows| rows < MANY_ROWS);
        let fits = is_move && is_transposed && has_few_rows;
        let pays = fits && is_in_memory(body, tensor) && !depends_on_constants_alone(body, tensor);
        pays.then_some(Transposed { right: roles.right, generic, tensor, map })
    }

    fn read(self, body: &mut Body) {
        let Transposed { generic, right, tensor, map } = self;
        body.set_operand(generic.op, right, tensor);
        let mut maps = generic.maps.clone();
        maps[right] = map;
        let attributes = &mut body.op_mut(generic.op).attributes;
        attributes.set("indexing_maps", Attribute::Array(maps.into_iter().map(Attribute::affine_map).collect()));
        attributes.set(TRANSPOSED, Attribute::Unit);
    }
}

/// Whether a tensor comes from outside, or has other readers; reshapes are ignored.
fn is_in_memory(body: &Body, tensor: Value) -> bool {
    let Some(op) = body.defining_op(tensor) else { return true };
    body.uses(tensor).len() > 1 || tensor::viewed(body, op).is_some_and(|source| is_in_memory(body, source))
}

//! TensorScatter: updates written into a cache, seen from the result: each element finds the one that comes there. Since 24.

use dialects::linalg::generic::Input;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, CacheMode, View};
use ir::{AffineMap, Op, Type, Value};

use crate::operator::{Operator, Rank};
use crate::shape::like_first;
use crate::structured::blocked::loop_index;
use crate::structured::gather::as_index;
use crate::structured::reduction::normalize_axis;
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported};

pub(crate) const TENSOR_SCATTER: Operator = Operator {
    ranks: &[(2, Rank::Exactly(1))],
    shapes: Some(like_first),
    lower: Some(lower),
    ..Operator::of(OnnxOp::TensorScatter)
};

/// A run of updates along an axis from an index a batch on, in a circle if that is the mode.
fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let scatter = views::TensorScatter::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let past = lowering.shaped(scatter.past_cache);
    let updates = lowering.shaped(scatter.update);
    let rank = past.shape.len();
    let axis = normalize_axis(scatter.axis, rank)?;
    let circular = scatter.mode == CacheMode::Circular;
    for (_, (own, wanted)) in updates.shape.iter().zip(&past.shape).enumerate().filter(|(at, _)| *at != axis) {
        lowering.check_equal(own, wanted, "update and cache of TensorScatter differ in shape");
    }
    let element = lowering.element(scatter.past_cache);
    let starts = scatter.write_indices.map(|starts| lowering.value(starts));
    let (extent, count) = (lowering.dim(&past.shape[axis]), lowering.dim(&updates.shape[axis]));
    let some = lowering.scalars(|s| {
        let zero = s.number(0.0, &Type::Index);
        s.compare(Comparison::Greater, count, zero)
    });
    lowering.check(some, "the update of TensorScatter is empty");
    let mut inputs = vec![Input { value: past.value, map: AffineMap::identity(rank) }];
    inputs.extend(starts.map(|value| Input { value, map: AffineMap::select(rank, &[0]) }));
    let value = lowering.pointwise(&inputs, &past.shape, element.clone(), |builder, e| {
        let mut at: Vec<Value> = (0..rank).map(|axis| loop_index(builder, axis)).collect();
        let mut s = Scalars { builder, unsigned: false };
        let zero = s.number(0.0, &Type::Index);
        let start = e.get(1).map_or(zero, |&start| as_index(&mut s, start));
        let mut position = s.sub(at[axis], start);
        if circular {
            let rest = s.same("arith.remsi", &[position, extent]);
            let negative = s.compare(Comparison::Less, rest, zero);
            let wrapped = s.add(rest, extent);
            position = s.select(negative, wrapped, rest);
        }
        let (from, to) =
            (s.compare(Comparison::GreaterOrEqual, position, zero), s.compare(Comparison::Less, position, count));
        let hit = s.same("arith.andi", &[from, to]);
        let (one, past) = (s.number(1.0, &Type::Index), e[0]);
        let last = s.sub(count, one);
        at[axis] = s.clamp(position, [zero, last]);
        let operands: Vec<Value> = std::iter::once(updates.value).chain(at).collect();
        let update = s.builder.value("tensor.extract", &operands, element, []);
        s.select(hit, update, past)
    });
    lowering.bind(result, value);
    Ok(())
}

//! Operations that move lanes or combine them.

use std::sync::Arc;

use dialects::vector::{combining_kind, combining_operation};
use dialects::{OpCode, OpCodes, shape_ops, vector};
use ir::{Op, Value};
use smallvec::smallvec;

use crate::Bits;
use crate::function::{Executed, Frame, lane};
use crate::lanewise::compute;

impl Frame<'_, '_> {
    /// Operations of `vector` other than accesses of memory.
    pub(crate) fn lanes(&self, op: Op, code: OpCode) -> Executed<Bits> {
        let (body, count) = (self.body, self.result_lanes(op));
        match code {
            vector::BROADCAST => {
                let source = self.bits(body.sole_operand(op));
                Ok(if source.len() == count { source.clone() } else { smallvec![source[0]; count] })
            }
            vector::FROM_ELEMENTS => Ok(body.op(op).operands().iter().map(|&element| self.bits(element)[0]).collect()),
            vector::STEP => Ok((0..count as u128).collect()),
            vector::CREATE_MASK => match vector::CreateMask::of(body, op).operands {
                &[set] => Ok(first_lanes(self.word(set) as i64, count)),
                _ => Err(self.unknown(op)),
            },
            vector::CONSTANT_MASK => match self.integers(op, "mask_dim_sizes")[..] {
                [set] => Ok(first_lanes(set, count)),
                _ => Err(self.unknown(op)),
            },
            vector::EXTRACT => {
                let vector::Extract { source, dynamic_position } = vector::Extract::of(body, op);
                let lanes = self.bits(source);
                Ok(smallvec![lanes[self.position(op, dynamic_position, lanes.len())?]])
            }
            vector::INSERT => {
                let vector::Insert { value_to_store, dest, dynamic_position } = vector::Insert::of(body, op);
                let mut lanes = self.bits(dest).clone();
                lanes[self.position(op, dynamic_position, count)?] = self.bits(value_to_store)[0];
                Ok(lanes)
            }
            vector::SHUFFLE => {
                let both: Vec<u128> =
                    body.op(op).operands().iter().flat_map(|&lanes| self.bits(lanes).iter().copied()).collect();
                let lanes = self.integers(op, "mask").iter().map(|&at| both.get(at as usize).copied()).collect();
                Option::ok_or_else(lanes, || self.broken(op, "has a mask that does not match its operands"))
            }
            vector::REDUCTION => self.reduction(op),
            _ => Err(self.unknown(op)),
        }
    }

    fn integers(&self, op: Op, name: &str) -> Arc<[i64]> {
        self.body.op(op).attributes.integers(name).unwrap_or_default()
    }

    /// The lane that an operation reads or replaces: a constant, or an operand.
    fn position(&self, op: Op, dynamic: &[Value], count: usize) -> Executed<usize> {
        let position = match (&self.integers(op, "static_position")[..], dynamic) {
            (&[shape_ops::DYNAMIC], &[position]) => self.word(position) as i64,
            (&[position], []) => position,
            _ => return Err(self.unknown(op)),
        };
        let lane = usize::try_from(position).ok().filter(|&lane| lane < count);
        lane.ok_or_else(|| self.broken(op, "has a position outside of its vector"))
    }

    /// Combines the lanes in their order, after the accumulator if there is one.
    fn reduction(&self, op: Op) -> Executed<Bits> {
        let vector::Reduction { vector, acc } = vector::Reduction::of(self.body, op);
        let r#type = lane(self.body.value_type(vector));
        let kind = combining_kind(self.body.attribute(op, "kind"));
        let code =
            kind.and_then(|kind| combining_operation(kind, r#type.is_float())).ok_or_else(|| self.unknown(op))?;
        let mut all = acc.iter().chain([&vector]).flat_map(|&value| self.bits(value).iter().copied());
        let first = all.next().ok_or_else(|| self.broken(op, "needs lanes"))?;
        let total = all.try_fold(first, |total, lane| compute(code, r#type, &[total, lane]));
        total.map(|total| smallvec![total]).ok_or_else(|| self.unknown(op))
    }
}

/// A mask of the first lanes.
fn first_lanes(set: i64, count: usize) -> Bits {
    (0..count as i64).map(|at| u128::from(at < set)).collect()
}

//! The channels-blocked layout: `[N, C, S…]` kept as `[N, ceil(C / b), S…, b]` with `b = min(16, C)`.
//!
//! A value that is produced in blocked form stays so until a reader needs the plain form; each form is converted to the
//! other at most once. Elementwise readers keep the layout of their operands.
//!
//! Invariants
//! - Lanes after the last channel contain zeros, or results of elementwise operations on them; they never affect other
//!   lanes.
//! - A tensor whose channel count is dynamic has `b = 1`, which is a reshape of the plain form.

use dialects::{arith, linalg};
use ir::{AffineExpr, AffineMap, Attribute, Builder, DimExpr, Type, Value};

use super::Lowering;
use super::reduction::Shaped;
use dialects::linalg::GROUP;
use dialects::linalg::generic::Input;

/// The block size for a channel extent.
pub(crate) fn block_size(channels: &DimExpr) -> i64 {
    channels.as_constant().map_or(1, |channels| channels.clamp(1, GROUP))
}

/// The blocked form of a shape `[N, C, S…]`.
pub(crate) fn blocked_shape(shape: &[DimExpr]) -> Vec<DimExpr> {
    blocks_of(shape, block_size(&shape[1]))
}

fn blocks_of(shape: &[DimExpr], block: i64) -> Vec<DimExpr> {
    let block = DimExpr::Constant(block);
    let mut blocked = vec![shape[0].clone(), shape[1].ceil_div(&block)];
    blocked.extend(shape[2..].iter().cloned());
    blocked.push(block);
    blocked
}

/// `d_block * b + d_lane` for a channel and the map of the plain form over blocked loops.
fn plain_over_blocked(rank: usize, block: i64) -> Vec<AffineExpr> {
    let lane = AffineExpr::Dim(rank as u32);
    let channel = AffineExpr::Dim(1).mul(AffineExpr::Constant(block)).add(lane);
    (0..rank).map(|axis| if axis == 1 { channel.clone() } else { AffineExpr::Dim(axis as u32) }).collect()
}

/// The map of the blocked form over plain loops.
pub(crate) fn blocked_over_plain(rank: usize, block: i64) -> AffineMap {
    let channel = AffineExpr::Dim(1);
    let mut results: Vec<AffineExpr> = (0..rank as u32).map(AffineExpr::Dim).collect();
    results[1] = channel.clone().floor_div(block);
    results.push(channel.modulo(block));
    AffineMap::new(rank as u32, results)
}

impl Lowering<'_> {
    /// Records that a result was produced in blocked form.
    pub fn bind_blocked(&mut self, result: Value, value: Value) {
        let block = self.body.value_type(value).shape().and_then(|shape| shape.last().copied().flatten());
        assert_eq!(block, Some(block_size(&self.shape(result)[1])), "the channels of a result say its blocks' size");
        self.blocked.insert(result, value);
    }

    /// Whether a source value has a blocked form.
    pub fn is_blocked(&self, value: Value) -> bool {
        self.blocked.contains_key(&value)
    }

    /// A source value of rank 2 or more in blocked form.
    pub fn blocked(&mut self, value: Value) -> Shaped {
        let shape = self.shape(value);
        if let Some(&known) = self.blocked.get(&value) {
            return Shaped { value: known, shape: blocked_shape(&shape) };
        }
        let plain = Shaped { value: self.value(value), shape };
        let blocked = self.pack(&plain);
        self.blocked.insert(value, blocked.value);
        blocked
    }

    /// The blocked form of a plain tensor; lanes after the last channel are zero.
    pub fn pack(&mut self, plain: &Shaped) -> Shaped {
        self.pack_by(plain, block_size(&plain.shape[1]))
    }

    /// The same with another block size.
    pub fn pack_by(&mut self, plain: &Shaped, block: i64) -> Shaped {
        let rank = plain.shape.len();
        // full blocks are transposed in registers, others would be loaded element by element
        let plain = &self.in_whole(plain, &[(1, block)]);
        let shape = blocks_of(&plain.shape, block);
        if block == 1 || plain.shape[2..].iter().all(|dim| *dim == DimExpr::Constant(1)) {
            return Shaped { value: self.reshape(plain.value, &shape), shape };
        }
        let map = AffineMap::new(rank as u32 + 1, plain_over_blocked(rank, block));
        Shaped { value: self.copied(plain.value, map, &shape), shape }
    }

    /// The plain form of a blocked tensor.
    pub fn unpack(&mut self, blocked: Value, shape: &[DimExpr]) -> Value {
        let block = block_size(&shape[1]);
        let one = DimExpr::Constant(1);
        let exact = shape[1].as_constant().is_none_or(|channels| channels % block == 0);
        if exact && (block == 1 || shape[2..].iter().all(|dim| *dim == one)) {
            return self.reshape(blocked, shape);
        }
        let element = self.body.value_type(blocked).element().clone();
        let input = Input { value: blocked, map: blocked_over_plain(shape.len(), block) };
        self.pointwise(&[input], shape, element, |_, e| e[0])
    }

    /// The operands of an elementwise operator in blocked form, if one of them is blocked and the others are
    /// compatible.
    pub fn blocked_operands(&mut self, operands: &[Value], result: Value) -> Option<Vec<Input>> {
        let shape = self.shapes.shape(result).unwrap_or_default();
        let rank = shape.len();
        let leads = |lowering: &Self, value: Value| {
            let own = lowering.shapes.shape(value).unwrap_or_default();
            lowering.is_blocked(value) && own.len() == rank && own[1] == shape[1]
        };
        if rank < 3 || !operands.iter().any(|&value| leads(self, value)) {
            return None;
        }
        let fits = |own: &[DimExpr]| {
            own.len() < rank.saturating_sub(1) || {
                let channels = &own[own.len() + 1 - rank];
                *channels == shape[1] || *channels == DimExpr::Constant(1)
            }
        };
        let present: Vec<Value> = operands.iter().copied().filter(|&value| self.is_present(value)).collect();
        if !present.iter().all(|&value| fits(self.shapes.shape(value).unwrap_or_default())) {
            return None;
        }
        Some(present.into_iter().map(|value| self.blocked_input(value, shape)).collect())
    }

    /// How loops over the blocked form of a shape read a source value: directly, if it is the same for all channels.
    fn blocked_input(&mut self, value: Value, shape: &[DimExpr]) -> Input {
        let (rank, own) = (shape.len(), self.shapes.shape(value).unwrap_or_default());
        let loops = blocked_shape(shape);
        let channels = (own.len() + 1).checked_sub(rank).map(|axis| &own[axis]);
        if channels.is_none_or(|channels| *channels == DimExpr::ONE) && !self.is_blocked(value) {
            let value = self.value(value);
            let Input { value, map } = self.broadcast_input(value, own, &loops[..rank]);
            return Input { value, map: AffineMap::new(loops.len() as u32, map.results) };
        }
        let operand = self.blocked_aligned(value, rank);
        self.broadcast_input(operand.value, &operand.shape, &loops)
    }

    /// A source value with leading dimensions of extent 1 up to `rank`, in blocked form.
    fn blocked_aligned(&mut self, value: Value, rank: usize) -> Shaped {
        let own = self.shape(value);
        if own.len() == rank {
            return self.blocked(value);
        }
        let mut shape = vec![DimExpr::Constant(1); rank - own.len()];
        shape.extend(own);
        let value = self.value(value);
        let plain = Shaped { value: self.reshape(value, &shape), shape };
        self.pack(&plain)
    }

    /// Concatenation in blocked form: along channels in full blocks, or along another axis if all have the same
    /// channels, by the same expression: an unknown number of them has blocks of another size.
    pub fn concat_blocked(&mut self, operands: &[Value], result: Value, axis: usize) -> bool {
        let whole = |lowering: &Self, value: Value| {
            lowering.shape(value).get(1).and_then(DimExpr::as_constant).is_some_and(|channels| channels % GROUP == 0)
        };
        let shape = self.shape(result);
        let has_all_channels = |lowering: &Self, value: Value| lowering.shape(value)[1] == shape[1];
        shape.len() >= 3
            && operands.iter().any(|&operand| self.is_blocked(operand))
            && operands.iter().all(|&operand| match axis {
                1 => whole(self, operand),
                _ => has_all_channels(self, operand),
            })
    }
}

/// The index of one loop of the generic operation being built.
pub(crate) fn loop_index(builder: &mut Builder<'_>, axis: usize) -> Value {
    builder.value(linalg::INDEX, &[], Type::Index, [("dim", Attribute::i64(axis as i64))])
}

/// `block index * block + lane`, where the lane is loop `lane`.
pub(crate) fn channel_index(builder: &mut Builder<'_>, block_index: Value, lane: usize, block: i64) -> Value {
    let lane = loop_index(builder, lane);
    let width = builder.constant_index(block);
    let first = builder.value(arith::MULI, &[block_index, width], Type::Index, []);
    builder.value(arith::ADDI, &[first, lane], Type::Index, [])
}

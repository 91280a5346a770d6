//! Contractions of int8 and uint8, with elements `q - zero point`.
//!
//! One factor is made unsigned and the other signed, as the instructions require: a factor of the other signedness is
//! shifted by 128, and so is its zero point. The contraction runs on the raw values; the terms of the zero points `z`
//! and `y` follow from sums of one factor:
//!
//! `Σ (a - z)(b - y) = Σ a b - z Σ (b - y) - y Σ a`

use dialects::arith;
use std::ops::Range;
use std::sync::Arc;

use dialects::linalg::GROUP;
use dialects::linalg::generic::{Input, Iterator};
use dialects::rt::tile::QUAD;
use ir::{AffineExpr, AffineMap, Attribute, Builder, DenseElements, DimExpr, Type, Value};

use super::Lowering;
use super::reduction::{Combine, Fold, Shaped};
use super::scalars::Scalars;
use crate::literal::pairwise;

/// The offset between the two signednesses.
const OFFSET: i64 = 128;

/// An 8-bit factor.
pub(crate) struct Bytes {
    /// The elements, with the requested signedness.
    pub(crate) tensor: Shaped,
    /// The zero point, as `i32`; absent if it is 0.
    pub(crate) zero_point: Option<Shaped>,
    known: Option<Known>,
}

/// Elements that are known at compile time.
struct Known {
    elements: Arc<DenseElements>,
    /// The bits that differ in the factor's elements.
    flipped: u8,
}

/// The maximum number of elements that are summed at compile time.
const ADDED_UP: usize = 1 << 20;
/// The maximum number of elements whose sum fits in 16 bits.
const RUN: usize = 257;

impl Lowering<'_> {
    /// A source value and its zero point with the requested signedness.
    pub(crate) fn bytes(&mut self, value: Value, zero_point: Option<Value>, unsigned: bool) -> Bytes {
        let tensor = self.shaped(value);
        let moves = self.is_unsigned(value) != unsigned;
        let tensor = if moves { self.other_sign(&tensor) } else { tensor };
        let elements = ir::constant_value(self.source, value).and_then(Attribute::as_dense);
        let is_read = |elements: &&Arc<DenseElements>| {
            !elements.is_splat() && elements.is_available() && elements.element_count() <= ADDED_UP
        };
        let flipped = if moves { OFFSET as u8 } else { 0 };
        let known = elements.filter(is_read).map(|elements| Known { elements: elements.clone(), flipped });
        Bytes { tensor, zero_point: self.moved_zero_point(value, zero_point, unsigned), known }
    }

    /// Elements shifted by 128.
    pub(crate) fn other_sign(&mut self, tensor: &Shaped) -> Shaped {
        self.map(&[tensor], &tensor.shape, Type::I8, |s, e| {
            let top = s.number(-OFFSET as f64, &Type::I8);
            s.same(arith::XORI, &[e[0], top])
        })
    }

    /// The zero point of a source value with the requested signedness; absent if it is 0.
    pub(crate) fn moved_zero_point(
        &mut self,
        value: Value,
        zero_point: Option<Value>,
        unsigned: bool,
    ) -> Option<Shaped> {
        let offset = match (self.is_unsigned(value), unsigned) {
            (false, true) => OFFSET,
            (true, false) => -OFFSET,
            (false, false) | (true, true) => 0,
        };
        let Some(zero_point) = zero_point else {
            let value = (offset != 0).then(|| self.filled(&[], Type::I32, offset as f64));
            return value.map(|value| Shaped { value, shape: vec![] });
        };
        let known = ir::constant_value(self.source, zero_point).and_then(|value| value.as_dense()?.integers());
        if known.as_ref().is_some_and(|known| known.iter().all(|&number| number + offset == 0)) {
            return None;
        }
        let shape = self.shape(zero_point);
        if let Some(known) = known {
            let moved: Vec<i64> = known.iter().map(|number| number + offset).collect();
            return Some(self.integers(&moved, &shape, Type::I32));
        }
        let unsigned = self.is_unsigned(zero_point);
        let tensor = self.shaped(zero_point);
        Some(self.map(&[&tensor], &shape, Type::I32, |s, e| {
            let wide = s.cast(e[0], &Type::I32, unsigned, false);
            let offset = s.number(offset as f64, &Type::I32);
            s.add(wide, offset)
        }))
    }

    /// Sums of elements along axes, which keep extent 1.
    pub(crate) fn sums_of_bytes(&mut self, tensor: &Shaped, axes: &[usize], unsigned: bool) -> Shaped {
        let fold = Fold::new(Combine::Add, Type::I32, false);
        self.reduce(tensor, axes, true, fold, |s, e| s.cast(e, &Type::I32, unsigned, false))
    }

    /// `Σ (b - y)` over neighbouring axes of a signed factor.
    pub(crate) fn centred_sums(&mut self, factor: &Bytes, axes: Range<usize>) -> Shaped {
        if let Some(sums) = self.known_sums(factor, &axes) {
            return sums;
        }
        let axes = &axes.collect::<Vec<_>>();
        let sums = self.sums_of_bytes(&factor.tensor, axes, false);
        let Some(zero_point) = &factor.zero_point else { return sums };
        let count = self.count(&factor.tensor.shape, axes, &Type::I32);
        // separately, because they are constants if zero points are
        let zeros = self.map(&[zero_point], &zero_point.shape, Type::I32, |s, e| s.mul(count, e[0]));
        self.map(&[&sums, &zeros], &sums.shape, Type::I32, |s, e| s.sub(e[0], e[1]))
    }

    /// The same at compile time.
    fn known_sums(&mut self, factor: &Bytes, axes: &Range<usize>) -> Option<Shaped> {
        let known = factor.known.as_ref()?;
        let extents: Vec<i64> = factor.tensor.shape.iter().map(DimExpr::as_constant).collect::<Option<_>>()?;
        let [depth, inner] = [axes.clone(), axes.end..extents.len()].map(|axes| extents[axes].iter().product::<i64>());
        let zeros = match &factor.zero_point {
            Some(zero_point) => self.known_integers_of(zero_point)?,
            None => vec![0],
        };
        let sums = known.sums(depth as usize, inner as usize);
        if zeros.len() != 1 && zeros.len() != sums.len() {
            return None;
        }
        let centred = pairwise(&sums, &zeros, |sum, zero| sum - depth * zero)?;
        let mut shape = factor.tensor.shape.clone();
        shape[axes.clone()].fill(DimExpr::ONE);
        Some(self.integers(&centred, &shape, Type::I32))
    }

    /// `-z · s`
    pub(crate) fn negated_product(&mut self, z: &Shaped, s: &Shaped) -> Shaped {
        let known = [z, s].map(|factor| self.known_integers_of(factor));
        if let [Some(z), Some(numbers)] = known
            && let Some(products) = pairwise(&z, &numbers, |z, s| -z * s)
        {
            return self.integers(&products, &s.shape, Type::I32);
        }
        self.map(&[z, s], &s.shape, Type::I32, |s, e| {
            let product = s.mul(e[0], e[1]);
            let none = s.number(0.0, &Type::I32);
            s.sub(none, product)
        })
    }

    /// `left [batch…, m, k] · right [batch…, k, n]` for an unsigned and a signed factor, whose zero points broadcast to
    /// the sums.
    pub(crate) fn byte_product(&mut self, left: &Bytes, right: &Bytes, batch: &[DimExpr]) -> Shaped {
        let mut terms = vec![];
        if let Some(zero_point) = &left.zero_point {
            let depth = right.tensor.shape.len() - 2;
            terms.push((zero_point.clone(), self.centred_sums(right, depth..depth + 1)));
        }
        if let Some(zero_point) = &right.zero_point {
            let depth = left.tensor.shape.len() - 1;
            terms.push((zero_point.clone(), self.sums_of_bytes(&left.tensor, &[depth], true)));
        }
        // after the terms, so that elementwise consumers are fused with the product
        let sums = self.raw_product(&left.tensor, &right.tensor, batch);
        terms.into_iter().fold(sums, |sums, (zero_point, of_other)| {
            self.map(&[&sums, &zero_point, &of_other], &sums.shape, Type::I32, |s, e| {
                let product = s.mul(e[1], e[2]);
                s.sub(e[0], product)
            })
        })
    }

    /// The contraction of the raw values.
    fn raw_product(&mut self, left: &Shaped, right: &Shaped, batch: &[DimExpr]) -> Shaped {
        let rank = batch.len();
        let [.., m, depth] = &left.shape[..] else { unreachable!("a matrix has two axes") };
        let [.., rows, n] = &right.shape[..] else { unreachable!("a matrix has two axes") };
        self.check_equal(depth, rows, "the inner dimensions of a matrix product differ");
        let packed = self.pack_quads(right);
        let loops = rank + 3;
        let dim = |index: usize| AffineExpr::Dim(index as u32);
        let (row, column, k) = (dim(rank), dim(rank + 1), dim(rank + 2));
        let outer = |shape: &[DimExpr]| -> Vec<AffineExpr> {
            let own = shape.len() - 2;
            let subscript = |axis: usize| match shape[axis].as_constant() == Some(1) {
                true => AffineExpr::Constant(0),
                false => dim(rank - own + axis),
            };
            (0..own).map(subscript).collect()
        };
        let left_map = outer(&left.shape).into_iter().chain([row, k.clone()]).collect();
        let within = [column.clone().floor_div(GROUP), k.clone().floor_div(QUAD), column.modulo(GROUP), k.modulo(QUAD)];
        let right_map = outer(&right.shape).into_iter().chain(within).collect();
        let inputs = [
            Input { value: left.value, map: AffineMap::new(loops as u32, left_map) },
            Input { value: packed, map: AffineMap::new(loops as u32, right_map) },
        ];
        let shape: Vec<DimExpr> = batch.iter().chain([m, n]).cloned().collect();
        let init = self.filled(&shape, Type::I32, 0.0);
        let mut iterators = vec![Iterator::Parallel; loops];
        iterators[loops - 1] = Iterator::Reduction;
        let output: Vec<usize> = (0..loops - 1).collect();
        let output = AffineMap::select(loops, &output);
        let value = self.generic_onto(&inputs, init, output, &iterators, multiply_add_bytes);
        Shaped { value, shape }
    }

    /// Matrices `[batch…, k, n]` as `[batch…, ceil(n / 16), ceil(k / 4), 16, 4]`, zero after the last row.
    fn pack_quads(&mut self, matrix: &Shaped) -> Value {
        let axis = matrix.shape.len() - 2;
        let matrix = self.in_whole(matrix, &[(axis, QUAD), (axis + 1, GROUP)]);
        let [group, quad] = [DimExpr::Constant(GROUP), DimExpr::Constant(QUAD)];
        let (k, n) = (&matrix.shape[axis], &matrix.shape[axis + 1]);
        let mut shape = matrix.shape[..axis].to_vec();
        shape.extend([n.ceil_div(&group), k.ceil_div(&quad), group, quad]);
        let dim = |index: usize| AffineExpr::Dim(index as u32);
        let place = |whole: usize, width: i64| dim(axis + whole).mul(AffineExpr::Constant(width));
        let within = [place(1, QUAD).add(dim(axis + 3)), place(0, GROUP).add(dim(axis + 2))];
        let map = AffineMap::new(shape.len() as u32, (0..axis).map(dim).chain(within).collect());
        self.copied(matrix.value, map, &shape)
    }
}

impl Known {
    /// Sums of `depth` signed elements each, `inner` apart.
    fn sums(&self, depth: usize, inner: usize) -> Vec<i64> {
        // unsigned ones are 128 larger
        let moved = |&byte: &u8| byte ^ self.flipped ^ OFFSET as u8;
        let excess = OFFSET * depth as i64;
        let blocks = self.elements.data.bytes().chunks_exact((depth * inner).max(1));
        if inner == 1 {
            let sum = |run: &[u8]| i64::from(run.iter().map(|byte| u16::from(moved(byte))).sum::<u16>());
            return blocks.map(|block| block.chunks(RUN).map(sum).sum::<i64>() - excess).collect();
        }
        let mut sums = Vec::new();
        for block in blocks {
            let first = sums.len();
            sums.resize(first + inner, -excess);
            for rows in block.chunks(inner * RUN) {
                let mut few = vec![0u16; inner];
                let rows = rows.chunks_exact(inner);
                rows.for_each(|row| few.iter_mut().zip(row).for_each(|(sum, byte)| *sum += u16::from(moved(byte))));
                sums[first..].iter_mut().zip(few).for_each(|(sum, few)| *sum += i64::from(few));
            }
        }
        sums
    }
}

/// Adds the product of an unsigned and a signed byte.
pub(crate) fn multiply_add_bytes(builder: &mut Builder<'_>, e: &[Value]) -> Value {
    let mut s = Scalars { builder, unsigned: false };
    let left = s.cast(e[0], &Type::I32, true, false);
    let right = s.cast(e[1], &Type::I32, false, false);
    let product = s.mul(left, right);
    s.add(e[2], product)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 3;
    const COLUMNS: usize = 2000;

    /// Elements with flipped bits, and their values.
    fn known(flipped: u8) -> (Known, Vec<i64>) {
        let bytes: Vec<u8> = (0..ROWS * COLUMNS).map(|at| (at * at % 251) as u8).collect();
        let numbers = bytes.iter().map(|byte| i64::from((byte ^ flipped) as i8)).collect();
        let shape = [ROWS, COLUMNS].map(|extent| extent as i64);
        let elements = DenseElements::new(Type::static_tensor(&shape, Type::I8), ir::Blob::copy_of(&bytes));
        (Known { elements: elements.into(), flipped }, numbers)
    }

    #[test]
    fn rows_and_columns_are_added_up() {
        for flipped in [0, OFFSET as u8] {
            let (known, numbers) = known(flipped);
            let rows: Vec<i64> = numbers.chunks(COLUMNS).map(|row| row.iter().sum()).collect();
            assert_eq!(known.sums(COLUMNS, 1), rows);
            let column = |at: usize| numbers.iter().skip(at).step_by(COLUMNS).sum::<i64>();
            assert_eq!(known.sums(ROWS, COLUMNS), (0..COLUMNS).map(column).collect::<Vec<i64>>());
            // more rows than are summed in 16 bits
            let column = |at: usize| numbers.iter().skip(at).step_by(2).sum::<i64>();
            assert_eq!(known.sums(ROWS * COLUMNS / 2, 2), [0, 1].map(column));
        }
    }
}

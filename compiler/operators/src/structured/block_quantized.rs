//! Matrix products with block-quantised weights.
//!
//! Quantised values are packed into words of 32 bits along a column; words, scales and zero points are in groups of 16
//! columns. The values are dequantised where they are multiplied:
//!
//! `y[…, n] += x[…, k] · ((word(k, n) >> place(k) & mask) - zero point(k / block, n)) · scale(k / block, n)`

use dialects::arith;
use dialects::linalg::GROUP;
use dialects::linalg::generic::{Input, Iterator};
use dialects::rt::attributes::BLOCK;
use dialects::rt::tile::place_in_word;
use ir::{AffineExpr, AffineMap, Attribute, Builder, DimExpr, Type, Value};

use super::Lowering;
use super::channel_blocks::loop_index;
use super::reduction::Shaped;
use super::scalars::Scalars;

/// Bytes of a word.
const WORD: i64 = 4;

/// A quantised matrix `[n, k]` with blocks along `k`.
pub(crate) struct BlockMatrix {
    /// `[n, blocks, …]`: bytes, with values in the lowest bits first.
    pub(crate) numbers: Value,
    /// `[n, blocks]`, in any shape of this size.
    pub(crate) scales: Value,
    /// `[n, ceil(blocks · bits / 8)]`, packed like the values; the middle of the range if absent.
    pub(crate) zero_points: Option<Value>,
    pub(crate) outputs: i64,
    pub(crate) inputs: i64,
    pub(crate) block: i64,
    /// 4 or 8.
    pub(crate) bits: i64,
}

impl BlockMatrix {
    fn blocks(&self) -> i64 {
        (self.inputs + self.block - 1) / self.block
    }
}

impl Lowering<'_> {
    /// `rows [batch…, k]` times the transposed matrix, in `f32`.
    pub(crate) fn block_product(&mut self, rows: &Shaped, matrix: &BlockMatrix) -> Shaped {
        let words = self.pack_words(matrix);
        let scales = self.pack_scales(matrix);
        let zero_points = matrix.zero_points.map(|zero_points| self.pack_zero_points(matrix, zero_points));
        let rank = rows.shape.len();
        let dim = |index: usize| AffineExpr::Dim(index as u32);
        let (column, k) = (dim(rank - 1), dim(rank));
        let in_group =
            |by: i64| vec![column.clone().floor_div(GROUP), k.clone().floor_div(by), column.clone().modulo(GROUP)];
        let row_map = (0..rank - 1).map(dim).chain([k.clone()]).collect();
        let per_word = 8 * WORD / matrix.bits;
        let input = |value: Value, map: Vec<AffineExpr>| Input { value, map: AffineMap::new(rank as u32 + 1, map) };
        let mut inputs =
            vec![input(rows.value, row_map), input(words, in_group(per_word)), input(scales, in_group(matrix.block))];
        inputs.extend(zero_points.map(|zero_points| input(zero_points, in_group(matrix.block))));
        let mut shape = rows.shape[..rank - 1].to_vec();
        shape.push(DimExpr::Constant(matrix.outputs));
        let init = self.filled(&shape, Type::F32, 0.0);
        let mut iterators = vec![Iterator::Parallel; rank + 1];
        iterators[rank] = Iterator::Reduction;
        let output: Vec<usize> = (0..rank).collect();
        let output = AffineMap::select(rank + 1, &output);
        let value = self.generic_onto(&inputs, init, output, &iterators, |builder, e| {
            let (zero_point, sum) = (e.get(4).map(|_| e[3]), e[e.len() - 1]);
            let number = number_of(builder, e[1], rank, matrix.bits);
            let mut s = Scalars { builder, unsigned: true };
            let zero_point = match zero_point {
                Some(zero_point) => s.cast(zero_point, &Type::I32, true, false),
                None => s.number((1i64 << (matrix.bits - 1)) as f64, &Type::I32),
            };
            let centred = s.sub(number, zero_point);
            let centred = s.cast(centred, &Type::F32, false, false);
            let weight = s.mul(centred, e[2]);
            let product = s.mul(e[0], weight);
            s.add(sum, product)
        });
        let op = self.body.defining_op(value).expect("a generic defines its result");
        self.body.op_mut(op).attributes.set(BLOCK, Attribute::i64(matrix.block));
        Shaped { value, shape }
    }

    /// `[ceil(n / 16), words, 16]`
    fn pack_words(&mut self, matrix: &BlockMatrix) -> Value {
        let bits = matrix.bits;
        let bytes = matrix.blocks() * matrix.block * bits / 8;
        let numbers = self.rows_of(matrix.numbers, matrix.outputs, bytes);
        self.side_by_side(numbers, WORD, |builder, bytes| {
            let mut s = Scalars { builder, unsigned: true };
            let bytes: Vec<Value> = bytes.iter().map(|&byte| s.cast(byte, &Type::I32, true, false)).collect();
            let mask = s.number(((1i64 << bits) - 1) as f64, &Type::I32);
            let zero = s.number(0.0, &Type::I32);
            (0..8 * WORD / bits).fold(zero, |word, number| {
                let byte = bytes[(number * bits / 8) as usize];
                let places = [number * bits % 8, place_in_word(number, bits)];
                let [down, up] = places.map(|place| s.number(place as f64, &Type::I32));
                let number = s.same(arith::SHRUI, &[byte, down]);
                let number = s.same(arith::ANDI, &[number, mask]);
                let number = s.same(arith::SHLI, &[number, up]);
                s.same(arith::ORI, &[word, number])
            })
        })
    }

    /// `[ceil(n / 16), blocks, 16]`
    fn pack_scales(&mut self, matrix: &BlockMatrix) -> Value {
        let scales = self.rows_of(matrix.scales, matrix.outputs, matrix.blocks());
        let scales = self.in_type(&scales, &Type::F32);
        self.side_by_side(scales, 1, |_, e| e[0])
    }

    /// The same for zero points, which become bytes.
    fn pack_zero_points(&mut self, matrix: &BlockMatrix, zero_points: Value) -> Value {
        let (bits, in_byte) = (matrix.bits, 8 / matrix.bits);
        let bytes = (matrix.blocks() + in_byte - 1) / in_byte;
        let packed = self.rows_of(zero_points, matrix.outputs, bytes);
        let shape = [matrix.outputs, matrix.blocks()].map(DimExpr::Constant).to_vec();
        let map = AffineMap::new(2, vec![AffineExpr::Dim(0), AffineExpr::Dim(1).floor_div(in_byte)]);
        let value = self.pointwise(&[Input { value: packed.value, map }], &shape, Type::I8, |builder, e| {
            let block = loop_index(builder, 1);
            let mut s = Scalars { builder, unsigned: true };
            let [in_byte, bits] = [in_byte, bits].map(|number| s.number(number as f64, &Type::Index));
            let place = s.same(arith::REMUI, &[block, in_byte]);
            let place = s.mul(place, bits);
            let place = s.builder.value(arith::INDEX_CAST, &[place], Type::I8, []);
            let number = s.same(arith::SHRUI, &[e[0], place]);
            let mask = s.number(((1i64 << matrix.bits) - 1) as f64, &Type::I8);
            s.same(arith::ANDI, &[number, mask])
        });
        self.side_by_side(Shaped { value, shape }, 1, |_, e| e[0])
    }

    /// A source value as a matrix with the given rows and columns.
    fn rows_of(&mut self, value: Value, rows: i64, columns: i64) -> Shaped {
        let shape = [rows, columns].map(DimExpr::Constant).to_vec();
        let value = self.value(value);
        Shaped { value: self.reshape(value, &shape), shape }
    }

    /// A matrix `[n, width · m]` as `[ceil(n / 16), m, 16]`, zero after the last row, where `width` elements of a row
    /// are packed into one.
    fn side_by_side(
        &mut self,
        matrix: Shaped,
        width: i64,
        body: impl Fn(&mut Builder<'_>, &[Value]) -> Value,
    ) -> Value {
        let matrix = self.in_whole(&matrix, &[(0, GROUP)]);
        let [rows, columns] =
            [0, 1].map(|axis| matrix.shape[axis].as_constant().expect("the weights have known extents"));
        let shape = [rows / GROUP, columns / width, GROUP].map(DimExpr::Constant);
        let element = if width == 1 { self.body.value_type(matrix.value).element().clone() } else { Type::I32 };
        let dim = |index: usize| AffineExpr::Dim(index as u32);
        let place = |whole: usize, width: i64| dim(whole).mul(AffineExpr::Constant(width));
        let row = place(0, GROUP).add(dim(2));
        let input = |at: i64| {
            let map = vec![row.clone(), place(1, width).add(AffineExpr::Constant(at))];
            Input { value: matrix.value, map: AffineMap::new(3, map) }
        };
        let inputs: Vec<Input> = (0..width).map(input).collect();
        self.pointwise(&inputs, &shape, element, |builder, e| body(builder, e))
    }
}

/// The value in a word for the iteration of loop `dim`.
fn number_of(builder: &mut Builder<'_>, word: Value, dim: usize, bits: i64) -> Value {
    let k = loop_index(builder, dim);
    let mut s = Scalars { builder, unsigned: true };
    let mut index = |number: i64| s.number(number as f64, &Type::Index);
    let [in_word, in_byte_step, byte, bits_of] = [8 * WORD / bits, WORD, 8, bits].map(&mut index);
    let number = s.same(arith::REMUI, &[k, in_word]);
    let (low, high) = (s.same(arith::REMUI, &[number, in_byte_step]), s.same(arith::DIVUI, &[number, in_byte_step]));
    let (low, high) = (s.mul(low, byte), s.mul(high, bits_of));
    let place = s.add(low, high);
    let place = s.builder.value(arith::INDEX_CAST, &[place], Type::I32, []);
    let number = s.same(arith::SHRUI, &[word, place]);
    let mask = s.number(((1i64 << bits) - 1) as f64, &Type::I32);
    s.same(arith::ANDI, &[number, mask])
}

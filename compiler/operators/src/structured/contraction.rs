//! Matrix products of lowered tensors.

use dialects::onnx::is_random;
use ir::{AffineExpr, AffineMap, DimExpr, IndexSet, Op, Type, Value};

use super::Lowering;
use super::reduction::{Shaped, accumulator};
use super::scalars::Scalars;
use dialects::linalg::GROUP;
use dialects::linalg::generic::{Input, Iterator, widened_from};

/// Multiplies and adds, whatever the element type.
pub(crate) fn multiply_add(s: &mut Scalars<'_, '_>, e: &[Value]) -> Value {
    let product = s.mul(e[0], e[1]);
    s.add(e[2], product)
}

/// `left [batch…, m, k] · right [batch…, k, n] + start`, with batch dimensions broadcast; f16 and bf16 are summed in
/// f32.
pub(crate) fn matmul(
    lowering: &mut Lowering<'_>,
    left: &Shaped,
    right: &Shaped,
    element: &Type,
    right_constant: bool,
    start: Option<Shaped>,
    batch: &[DimExpr],
) -> Shaped {
    let rank = batch.len();
    let m = left.shape[left.shape.len() - 2].clone();
    let n = right.shape[right.shape.len() - 1].clone();
    let work = accumulator(element);
    let left = &lowering.in_type(left, &work);
    let (columns, rows) = (&left.shape[left.shape.len() - 1], &right.shape[right.shape.len() - 2]);
    lowering.check_equal(columns, rows, "the inner dimensions of a matrix product differ");
    let loops = rank + 3;
    let (dim_m, dim_n, dim_k) = (rank as u32, rank as u32 + 1, rank as u32 + 2);
    let batch_map = |shape: &[DimExpr]| -> Vec<AffineExpr> {
        let own = shape.len() - 2;
        (0..own)
            .map(|axis| match shape[axis].as_constant() == Some(1) {
                true => AffineExpr::Constant(0),
                false => AffineExpr::Dim((rank - own + axis) as u32),
            })
            .collect()
    };
    let left_map = batch_map(&left.shape).into_iter().chain([AffineExpr::Dim(dim_m), AffineExpr::Dim(dim_k)]).collect();
    let pack = right_constant && work.is_float() && right.shape.len() == 2;
    let (right_value, right_map) = match pack {
        true => {
            let packed = pack_columns(lowering, &lowering.before_widening(right));
            let packed = lowering.in_type(&packed, &work).value;
            let column = AffineExpr::Dim(dim_n);
            (packed, vec![column.clone().floor_div(GROUP), AffineExpr::Dim(dim_k), column.modulo(GROUP)])
        }
        false => (
            lowering.in_type(right, &work).value,
            batch_map(&right.shape).into_iter().chain([AffineExpr::Dim(dim_k), AffineExpr::Dim(dim_n)]).collect(),
        ),
    };
    let shape: Vec<DimExpr> = batch.iter().cloned().chain([m, n]).collect();
    let init = match start {
        Some(start) => lowering.map(&[&start], &shape, work.clone(), |s, x| s.cast(x[0], &work, false, false)).value,
        None => lowering.filled(&shape, work, 0.0),
    };
    let mut iterators = vec![Iterator::Parallel; loops];
    iterators[loops - 1] = Iterator::Reduction;
    let output: Vec<usize> = (0..loops - 1).collect();
    let inputs = [
        Input { value: left.value, map: AffineMap::new(loops as u32, left_map) },
        Input { value: right_value, map: AffineMap::new(loops as u32, right_map) },
    ];
    let value = lowering.generic_onto(&inputs, init, AffineMap::select(loops, &output), &iterators, |builder, e| {
        multiply_add(&mut Scalars { builder, unsigned: false }, e)
    });
    lowering.in_type(&Shaped { value, shape }, element)
}

/// Packs a constant matrix `[k, n]` as `[ceil(n / 16), k, 16]`, zero after the last column.
fn pack_columns(lowering: &mut Lowering<'_>, matrix: &Shaped) -> Shaped {
    let matrix = lowering.in_whole(matrix, &[(1, GROUP)]);
    let group = DimExpr::Constant(GROUP);
    let shape = vec![matrix.shape[1].ceil_div(&group), matrix.shape[0].clone(), group];
    let element = lowering.body.value_type(matrix.value).element().clone();
    let column = AffineExpr::Dim(0).mul(AffineExpr::Constant(GROUP)).add(AffineExpr::Dim(2));
    let map = AffineMap::new(3, vec![AffineExpr::Dim(1), column]);
    let value = lowering.pointwise(&[Input { value: matrix.value, map }], &shape, element, |_, e| e[0]);
    Shaped { value, shape }
}

/// The matrix with rows as columns.
pub(crate) fn transpose(lowering: &mut Lowering<'_>, matrix: &Shaped) -> Shaped {
    let shape = vec![matrix.shape[1].clone(), matrix.shape[0].clone()];
    let element = lowering.body.value_type(matrix.value).element().clone();
    let input = Input { value: matrix.value, map: AffineMap::select(2, &[1, 0]) };
    let value = lowering.pointwise(&[input], &shape, element, |_, e| e[0]);
    Shaped { value, shape }
}

impl Lowering<'_> {
    /// The f16 or bf16 tensor that a tensor in f32 is widened from, or else the tensor: data movement before widening
    /// moves half the bytes, and a contraction may read it without conversion.
    pub(crate) fn before_widening(&self, tensor: &Shaped) -> Shaped {
        let value = widened_from(&self.body, tensor.value).unwrap_or(tensor.value);
        Shaped { value, shape: tensor.shape.clone() }
    }

    /// Whether a source value is computed from constants alone.
    pub fn is_constant(&self, value: Value) -> bool {
        let mut pending = vec![value];
        let mut seen: IndexSet<Op> = IndexSet::default();
        while let Some(value) = pending.pop() {
            let Some(op) = self.source.defining_op(value) else { return false };
            if !seen.insert(op) {
                continue;
            }
            let operation = self.source.op(op);
            if !operation.regions().is_empty() || is_random(operation.name.as_str()) {
                return false;
            }
            pending.extend(operation.operands());
        }
        true
    }
}

//! MatMul and Gemm.

use ir::{AffineExpr, AffineMap, Attribute, DimExpr, IndexSet, Op, Type, Value};

use super::reduction::{Shaped, accumulator};
use super::scalars::{Comparison, Scalars};
use super::{Lowering, Unsupported};
use dialects::linalg::GROUP;
use dialects::linalg::generic::{Input, Iterator};

/// Lowers `MatMul` and `Gemm`.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    match name {
        "MatMul" => lower_matmul(lowering, op),
        _ => lower_gemm(lowering, op),
    }
}

/// Multiplies and adds, whatever the element type.
pub(super) fn multiply_add(s: &mut Scalars<'_, '_>, e: &[Value]) -> Value {
    let product = s.mul(e[0], e[1]);
    s.add(e[2], product)
}

fn lower_matmul(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (a, b, result) = (operation.operands()[0], operation.operands()[1], operation.results()[0]);
    let element = lowering.element(a);
    let (mut left, mut right) = (lowering.shaped(a), lowering.shaped(b));
    // vectors become matrices of one row or one column
    if left.shape.len() == 1 {
        left.shape.insert(0, DimExpr::Constant(1));
        left.value = lowering.reshape(left.value, &left.shape.clone());
    }
    if right.shape.len() == 1 {
        right.shape.push(DimExpr::Constant(1));
        right.value = lowering.reshape(right.value, &right.shape.clone());
    }
    let constant = lowering.is_constant(b);
    let batch = batch_shape(&left, &right);
    let (left, right) = (with_batch(lowering, left, &batch), with_batch(lowering, right, &batch));
    let product = matmul(lowering, &left, &right, &element, constant, None, &batch);
    let shape = lowering.shape(result);
    let value =
        if shape.len() == product.shape.len() { product.value } else { lowering.reshape(product.value, &shape) };
    lowering.bind(result, value);
    Ok(())
}

fn batch_shape(left: &Shaped, right: &Shaped) -> Vec<DimExpr> {
    let (l, r) = (&left.shape[..left.shape.len() - 2], &right.shape[..right.shape.len() - 2]);
    let rank = l.len().max(r.len());
    let at = |dims: &[DimExpr], axis: usize| match (axis + dims.len()).checked_sub(rank) {
        Some(index) => dims[index].clone(),
        None => DimExpr::Constant(1),
    };
    (0..rank).map(|axis| at(l, axis).broadcast(&at(r, axis))).collect()
}

/// The operand with its batch dimensions repeated, where it is not known whether they are 1.
fn with_batch(lowering: &mut Lowering<'_>, operand: Shaped, batch: &[DimExpr]) -> Shaped {
    let own = operand.shape.len() - 2;
    let wanted = &batch[batch.len() - own..];
    let mut pairs = operand.shape.iter().zip(wanted);
    if pairs.all(|(dim, wanted)| *dim == DimExpr::ONE || dim == wanted) {
        return operand;
    }
    let shape: Vec<DimExpr> = wanted.iter().chain(&operand.shape[own..]).cloned().collect();
    let element = lowering.body.value_type(operand.value).element().clone();
    lowering.map(&[&operand], &shape, element, |_, e| e[0])
}

/// `left [batch…, m, k] · right [batch…, k, n] + start`, with batch dimensions broadcast; half precision is summed up in f32.
fn matmul(
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
    let (left, right) = (&lowering.in_type(left, &work), &lowering.in_type(right, &work));
    let (columns, rows) = (&left.shape[left.shape.len() - 1], &right.shape[right.shape.len() - 2]);
    lowering.check_equal(columns, rows, "the factors of a matrix product do not fit");
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
    let pack = right_constant && work == Type::F32 && right.shape.len() == 2;
    let (right_value, right_map) = match pack {
        true => {
            let packed = pack_columns(lowering, right, false);
            let column = AffineExpr::Dim(dim_n);
            (packed, vec![column.clone().floor_div(GROUP), AffineExpr::Dim(dim_k), column.modulo(GROUP)])
        }
        false => (
            right.value,
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

/// Packs a constant matrix `[k, n]` (or `[n, k]` when transposed) as `[ceil(n / 16), k, 16]`, zero behind the last column.
fn pack_columns(lowering: &mut Lowering<'_>, matrix: &Shaped, transposed: bool) -> Value {
    let (k_axis, n_axis) = if transposed { (1, 0) } else { (0, 1) };
    let (k, n) = (matrix.shape[k_axis].clone(), matrix.shape[n_axis].clone());
    let group = DimExpr::Constant(GROUP);
    let shape = [n.ceil_div(&group), k, group];
    let column = AffineExpr::Dim(0).mul(AffineExpr::Constant(GROUP)).add(AffineExpr::Dim(2));
    let order = |k: AffineExpr, n: AffineExpr| if transposed { vec![n, k] } else { vec![k, n] };
    if n.as_constant().is_some_and(|n| n % GROUP == 0) {
        let map = AffineMap::new(3, order(AffineExpr::Dim(1), column));
        return lowering.pointwise(&[Input { value: matrix.value, map }], &shape, Type::F32, |_, e| e[0]);
    }
    let extent = lowering.extent(matrix.value, n_axis);
    let value = matrix.value;
    lowering.pointwise(&[], &shape, Type::F32, |builder, _| {
        let index = |builder: &mut ir::Builder<'_>, dim: i64| {
            builder.value("linalg.index", &[], Type::Index, [("dim", Attribute::i64(dim))])
        };
        let (group, k, lane) = (index(builder, 0), index(builder, 1), index(builder, 2));
        let width = builder.constant_index(GROUP);
        let first = builder.value("arith.muli", &[group, width], Type::Index, []);
        let column = builder.value("arith.addi", &[first, lane], Type::Index, []);
        let one = builder.constant_index(1);
        let last = builder.value("arith.subi", &[extent, one], Type::Index, []);
        let safe = builder.value("arith.minsi", &[column, last], Type::Index, []);
        let operands = if transposed { [value, safe, k] } else { [value, k, safe] };
        let element = builder.value("tensor.extract", &operands, Type::F32, []);
        let mut s = Scalars { builder, unsigned: false };
        let inside = s.compare(Comparison::Less, column, extent);
        let zero = s.number(0.0, &Type::F32);
        s.select(inside, element, zero)
    })
}

/// `alpha · A' · B' + beta · C`
fn lower_gemm(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (a, b, result) = (operation.operands()[0], operation.operands()[1], operation.results()[0]);
    let element = lowering.element(a);
    let flag = |name: &str| operation.attributes.integer(name) == Some(1);
    let factor = |name: &str| operation.attributes.float(name).unwrap_or(1.0);
    let (alpha, beta) = (factor("alpha"), factor("beta"));
    let mut left = lowering.shaped(a);
    if flag("transA") {
        left = transpose(lowering, &left);
    }
    let mut right = lowering.shaped(b);
    let constant = lowering.is_constant(b);
    if flag("transB") {
        right = transpose(lowering, &right);
    }
    let mut addend = lowering.operand(op, 2).map(|c| lowering.shaped(c));
    if let (Some(c), true) = (&addend, beta != 1.0) {
        let shape = c.shape.clone();
        let c = c.clone();
        addend = Some(lowering.map(&[&c], &shape, element.clone(), |s, x| {
            let factor = s.number(beta, &element);
            s.mul(factor, x[0])
        }));
    }
    let start = if alpha == 1.0 { addend.take() } else { None };
    let mut product = matmul(lowering, &left, &right, &element, constant, start, &[]);
    if alpha != 1.0 {
        let shape = product.shape.clone();
        let inputs: Vec<&Shaped> = std::iter::once(&product).chain(&addend).collect();
        product = lowering.map(&inputs, &shape, element.clone(), |s, x| {
            let factor = s.number(alpha, &element);
            let scaled = s.mul(factor, x[0]);
            x.get(1).map_or(scaled, |&c| s.add(scaled, c))
        });
    }
    lowering.bind(result, product.value);
    Ok(())
}

fn transpose(lowering: &mut Lowering<'_>, matrix: &Shaped) -> Shaped {
    let shape = vec![matrix.shape[1].clone(), matrix.shape[0].clone()];
    let element = lowering.body.value_type(matrix.value).element().clone();
    let input = Input { value: matrix.value, map: AffineMap::select(2, &[1, 0]) };
    let value = lowering.pointwise(&[input], &shape, element, |_, e| e[0]);
    Shaped { value, shape }
}

impl Lowering<'_> {
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
            if !operation.regions().is_empty() || operation.name.as_str().starts_with("onnx.Random") {
                return false;
            }
            pending.extend(operation.operands());
        }
        true
    }
}

//! Trilu: the upper or lower triangles of matrices, zero elsewhere. Since 14.

use dialects::linalg::generic::Input;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::{arith, linalg};
use ir::{AffineMap, Attribute, Op, Type, Value};

use crate::operator::{Operator, Rank};
use crate::shape;
use crate::structured::data_dependent_sizes::within_limit;
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported};

pub(crate) const TRILU: Operator = Operator {
    ranks: &[(0, Rank::AtLeast(2))],
    shapes: Some(shape::like_first),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Trilu)
};

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let trilu = views::Trilu::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let (shape, element) = (lowering.shape(result), lowering.element(result));
    let diagonal = match trilu.k {
        Some(k) => {
            let k = lowering.scalar_index(k);
            lowering.scalars(|s| within_limit(s, k))
        }
        None => lowering.index(0),
    };
    let rank = shape.len();
    let input = Input { value: lowering.value(trilu.input), map: AffineMap::identity(rank) };
    let value = lowering.pointwise(&[input], &shape, element, |builder, e| {
        let difference = diagonal_offset(builder, rank);
        let mut s = Scalars { builder, unsigned: false };
        let what = if trilu.upper != 0 { Comparison::GreaterOrEqual } else { Comparison::LessOrEqual };
        let keep = s.compare(what, difference, diagonal);
        let zero = s.like(0.0, e[0]);
        s.select(keep, e[0], zero)
    });
    lowering.bind(result, value);
    Ok(())
}

/// Column minus row of the innermost matrix.
pub(crate) fn diagonal_offset(builder: &mut ir::Builder<'_>, rank: usize) -> Value {
    let mut index =
        |axis: usize| builder.value(linalg::INDEX, &[], Type::Index, [("dim", Attribute::i64(axis as i64))]);
    let (row, column) = (index(rank - 2), index(rank - 1));
    builder.value(arith::SUBI, &[column, row], Type::Index, [])
}

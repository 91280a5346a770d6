//! The index of the extreme element along an axis.

use dialects::arith;
use ir::{AffineExpr, AffineMap, DimExpr, Type};

use super::Lowering;
use super::channel_blocks::loop_index;
use super::reduction::{Combine, Fold, Shaped};
use super::scalars::{Comparison, Scalars};
use dialects::linalg::generic::{Input, Iterator};

/// Rows with at least this many elements are searched in vectors.
const LONG: i64 = 32;

/// The integer type of indices below `extent` next to elements of a type: of the same width, if it can represent the
/// indices, so that both are vectorised.
pub(crate) fn index_type_for(element: &Type, extent: &DimExpr) -> Type {
    let is_narrow = extent.as_constant().is_some_and(|extent| i32::try_from(extent).is_ok());
    if is_narrow && element.bit_width() != Some(64) { Type::I32 } else { Type::I64 }
}

/// The index along an axis, which keeps extent 1, of the element that is `better` than all before it. NaN is better
/// than any number, as in NumPy, and no NaN is better than another.
pub(crate) fn arg_extreme(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    axis: usize,
    better: Comparison,
    element: &Type,
    unsigned: bool,
) -> Shaped {
    let length = input.shape[axis].as_constant().filter(|&length| i32::try_from(length).is_ok());
    match length.filter(|&length| length >= LONG && axis + 1 == input.shape.len()) {
        Some(length) => along_rows(lowering, input, better, (element, unsigned), length),
        None => in_order(lowering, input, axis, better, (element, unsigned)),
    }
}

/// Element by element, each compared with the best so far.
fn in_order(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    axis: usize,
    better: Comparison,
    (element, unsigned): (&Type, bool),
) -> Shaped {
    let rank = input.shape.len();
    let mut shape = input.shape.clone();
    shape[axis] = DimExpr::Constant(1);
    let subscript = |d: usize| if d == axis { AffineExpr::Constant(0) } else { AffineExpr::Dim(d as u32) };
    let output = AffineMap::new(rank as u32, (0..rank).map(subscript).collect());
    let mut kinds = vec![Iterator::Parallel; rank];
    kinds[axis] = Iterator::Reduction;
    let counted = index_type_for(element, &input.shape[axis]);
    let starts = [element, &counted].map(|element| lowering.filled(&shape, element.clone(), 0.0));
    let inputs = [Input { value: input.value, map: AffineMap::identity(rank) }];
    let found = lowering.generic_onto_all(&inputs, &starts, output, &kinds, |builder, e| {
        let here = loop_index(builder, axis);
        let mut s = Scalars { builder, unsigned };
        let zero = s.number(0.0, &Type::Index);
        let first = s.compare(Comparison::Equal, here, zero);
        let mut taken = s.compare(better, e[0], e[1]);
        if element.is_float() {
            let mut missing = s.is_nan(e[0]);
            if matches!(better, Comparison::Less | Comparison::Greater) {
                let known = s.compare(Comparison::Equal, e[1], e[1]);
                missing = s.same(arith::ANDI, &[missing, known]);
            }
            taken = s.same(arith::ORI, &[taken, missing]);
        }
        let taken = s.same(arith::ORI, &[first, taken]);
        let here = s.builder.value(arith::INDEX_CAST, &[here], counted.clone(), []);
        vec![s.select(taken, e[0], e[1]), s.select(taken, here, e[2])]
    });
    lowering.in_type(&Shaped { value: found[1], shape }, &Type::I64)
}

/// First the extreme element of each row, then its first or last index.
fn along_rows(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    better: Comparison,
    (element, unsigned): (&Type, bool),
    length: i64,
) -> Shaped {
    let (extreme, place) = match better {
        Comparison::Less => (Combine::Min, Combine::Min),
        Comparison::LessOrEqual => (Combine::Min, Combine::Max),
        Comparison::Greater | Comparison::Equal => (Combine::Max, Combine::Min),
        Comparison::GreaterOrEqual => (Combine::Max, Combine::Max),
    };
    let axis = input.shape.len() - 1;
    // NaN if there is one
    let best = lowering.reduce(input, &[axis], true, Fold::new(extreme, element.clone(), unsigned), |_, x| x);
    let counted = index_type_for(element, &input.shape[axis]);
    // an index outside of the row
    let nowhere = if place == Combine::Min { length } else { -1 };
    let rank = input.shape.len();
    let subscript = |d: usize| if d == axis { AffineExpr::Constant(0) } else { AffineExpr::Dim(d as u32) };
    let of_row = AffineMap::new(rank as u32, (0..rank).map(subscript).collect());
    let mut kinds = vec![Iterator::Parallel; rank];
    kinds[axis] = Iterator::Reduction;
    let start = lowering.filled(&best.shape, counted.clone(), nowhere as f64);
    let inputs = [
        Input { value: input.value, map: AffineMap::identity(rank) },
        Input { value: best.value, map: of_row.clone() },
    ];
    let found = lowering.generic_onto(&inputs, start, of_row, &kinds, |builder, e| {
        let here = loop_index(builder, axis);
        let here = builder.value(arith::INDEX_CAST, &[here], counted.clone(), []);
        let mut s = Scalars { builder, unsigned: false };
        let (mut is_best, nowhere) = (s.compare(Comparison::Equal, e[0], e[1]), s.number(nowhere as f64, &counted));
        if element.is_float() {
            let missing = s.is_nan(e[0]);
            is_best = s.same(arith::ORI, &[is_best, missing]);
        }
        let here = s.select(is_best, here, nowhere);
        place.apply(&mut s, e[2], here)
    });
    let found = Shaped { value: found, shape: best.shape.clone() };
    lowering.in_type(&found, &Type::I64)
}

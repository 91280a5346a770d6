//! Shared code of normalizations.

use dialects::math;
use ir::{Type, Value};

use crate::structured::Lowering;
use crate::structured::reduction::{Combine, Fold, Shaped};
use crate::structured::scalars::Scalars;

/// `[rows, columns]` normalized along its columns: `(x - mean) / sqrt(variance + epsilon)`. Returns the normalized rows,
/// the mean and the reciprocal deviation of each row, all in the wide type.
pub(super) fn normalize_rows(
    lowering: &mut Lowering<'_>,
    rows: &Shaped,
    work: &Type,
    epsilon: f64,
    centered: bool,
) -> [Shaped; 3] {
    let cast = |s: &mut Scalars<'_, '_>, x: Value| s.cast(x, work, false, false);
    let axis = rows.shape.len() - 1;
    let count = lowering.count(&rows.shape, &[axis], work);
    let sum = lowering.reduce(rows, &[axis], true, Fold::new(Combine::Add, work.clone(), false), cast);
    let shape = sum.shape.clone();
    let mean = lowering
        .map(&[&sum], &shape, work.clone(), |s, e| if centered { s.div(e[0], count) } else { s.like(0.0, e[0]) });
    let difference = lowering.map(&[rows, &mean], &rows.shape, work.clone(), |s, e| {
        let x = cast(s, e[0]);
        if centered { s.sub(x, e[1]) } else { x }
    });
    let squares =
        lowering.reduce(&difference, &[axis], true, Fold::new(Combine::Add, work.clone(), false), |s, x| s.mul(x, x));
    let reciprocal = lowering.map(&[&squares], &shape, work.clone(), |s, e| {
        let variance = s.div(e[0], count);
        let epsilon = s.number(epsilon, work);
        let sum = s.add(variance, epsilon);
        let (deviation, one) = (s.same(math::SQRT, &[sum]), s.number(1.0, work));
        s.div(one, deviation)
    });
    let normalized = lowering.map(&[&difference, &reciprocal], &rows.shape, work.clone(), |s, e| s.mul(e[0], e[1]));
    [normalized, mean, reciprocal]
}

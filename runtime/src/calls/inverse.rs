//! Inverse matrices by elimination, in f64.

use super::element::{Element, Generic};
use super::{Call, Failure, Outcome, Output, Tensor};

struct Inverses<'s, 'c> {
    matrices: &'s Tensor<'c>,
    output: &'s mut Output<'c>,
    side: usize,
}

impl Generic for Inverses<'_, '_> {
    type Result = ();

    fn run<T: Element>(self) {
        let size = self.side * self.side;
        if size == 0 {
            return;
        }
        let elements = self.matrices.elements::<T>();
        let results = self.output.elements::<T>().chunks_exact_mut(size);
        for (matrix, result) in elements.chunks_exact(size).zip(results) {
            let matrix: Vec<f64> = matrix.iter().map(|x| x.to_f64()).collect();
            let inverse = inverse(&matrix, self.side);
            result.iter_mut().zip(inverse).for_each(|(to, from)| *to = T::of_f64(from));
        }
    }
}

/// Turns the matrix into the identity, and does the same to an identity beside it. A matrix without inverse leaves
/// numbers that are not finite.
fn inverse(matrix: &[f64], side: usize) -> Vec<f64> {
    let width = 2 * side;
    let mut rows: Vec<f64> = Vec::with_capacity(side * width);
    for (number, row) in matrix.chunks_exact(side).enumerate() {
        rows.extend(row);
        rows.extend((0..side).map(|column| f64::from(u8::from(column == number))));
    }
    for step in 0..side {
        let column = |row: usize| rows[row * width + step].abs();
        let pivot = (step..side).reduce(|best, row| if column(row) > column(best) { row } else { best });
        let pivot = pivot.expect("there is a row left");
        (0..width).for_each(|at| rows.swap(pivot * width + at, step * width + at));
        let factor = rows[step * width + step].recip();
        let leading: Vec<f64> = rows[step * width..][..width].iter().map(|x| x * factor).collect();
        for (number, row) in rows.chunks_exact_mut(width).enumerate() {
            if number == step {
                row.copy_from_slice(&leading);
                continue;
            }
            let factor = row[step];
            row.iter_mut().zip(&leading).for_each(|(x, &y)| *x -= factor * y);
        }
    }
    rows.chunks_exact(width).flat_map(|row| &row[side..]).copied().collect()
}

pub(super) fn inverse_of(call: &mut Call<'_>) -> Outcome {
    let matrices = call.tensor();
    let mut output = call.output();
    match matrices.extents.as_slice() {
        &[.., rows, columns] if rows == columns => {
            matrices.kind.dispatch(Inverses { matrices: &matrices, output: &mut output, side: rows });
            Ok(())
        }
        _ => Err(Failure::Reason(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::inverse;

    #[test]
    fn rows_change_places() {
        assert_eq!(inverse(&[0.0, 2.0, 4.0, 0.0], 2), [0.0, 0.25, 0.5, 0.0]);
        assert_eq!(inverse(&[1.0, 1.0, 0.0, 1.0], 2), [1.0, -1.0, 0.0, 1.0]);
    }

    #[test]
    fn what_has_no_inverse_is_not_finite() {
        assert!(inverse(&[1.0, 2.0, 2.0, 4.0], 2).iter().any(|x| !x.is_finite()));
    }
}

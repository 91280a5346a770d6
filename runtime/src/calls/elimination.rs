//! Determinants and inverses of matrices by Gaussian elimination, in f64.

use super::element::{Element, Generic};
use super::{Call, Failure, Outcome, Output, Tensor};
use crate::stop::Looks;

struct Determinants<'s, 'c> {
    matrices: &'s Tensor<'c>,
    output: &'s mut Output<'c>,
    side: usize,
}

impl Generic for Determinants<'_, '_> {
    type Result = ();

    fn run<T: Element>(self) {
        let elements = self.matrices.elements::<T>();
        let size = self.side * self.side;
        let mut looks = Looks::new();
        for (at, result) in self.output.elements::<T>().iter_mut().enumerate() {
            let mut matrix: Vec<f64> = elements[at * size..(at + 1) * size].iter().map(|x| x.to_f64()).collect();
            *result = T::of_f64(determinant(&mut matrix, self.side, &mut looks));
        }
    }
}

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
        let mut looks = Looks::new();
        for (matrix, result) in elements.chunks_exact(size).zip(results) {
            let matrix: Vec<f64> = matrix.iter().map(|x| x.to_f64()).collect();
            let inverse = inverse(&matrix, self.side, &mut looks);
            result.iter_mut().zip(inverse).for_each(|(to, from)| *to = T::of_f64(from));
        }
    }
}

/// The row from `step` on with the largest element in column `step`.
fn pivot(matrix: &[f64], width: usize, step: usize) -> usize {
    let column = |row: usize| matrix[row * width + step].abs();
    let rows = step..matrix.len() / width;
    rows.reduce(|best, row| if column(row) > column(best) { row } else { best }).expect("there is a row left")
}

/// The product of the pivots, each the largest of its column, with the sign of the row exchanges.
fn determinant(matrix: &mut [f64], side: usize, looks: &mut Looks) -> f64 {
    let mut product = 1.0;
    for step in 0..side {
        let pivot = pivot(matrix, side, step);
        if pivot != step {
            (0..side).for_each(|at| matrix.swap(pivot * side + at, step * side + at));
            product = -product;
        }
        let (upper, lower) = matrix.split_at_mut((step + 1) * side);
        let leading = &upper[step * side..];
        product *= leading[step];
        if leading[step] == 0.0 {
            return product;
        }
        looks.pass(lower.len() + side);
        for row in lower.chunks_exact_mut(side) {
            let factor = row[step] / leading[step];
            row[step..].iter_mut().zip(&leading[step..]).for_each(|(x, &y)| *x -= factor * y);
        }
    }
    product
}

/// Turns the matrix into the identity, and applies the same steps to an identity matrix. A singular matrix leaves
/// values that are not finite.
fn inverse(matrix: &[f64], side: usize, looks: &mut Looks) -> Vec<f64> {
    let width = 2 * side;
    let mut rows: Vec<f64> = Vec::with_capacity(side * width);
    for (number, row) in matrix.chunks_exact(side).enumerate() {
        rows.extend(row);
        rows.extend((0..side).map(|column| f64::from(u8::from(column == number))));
    }
    for step in 0..side {
        let pivot = pivot(&rows, width, step);
        (0..width).for_each(|at| rows.swap(pivot * width + at, step * width + at));
        let factor = rows[step * width + step].recip();
        let leading: Vec<f64> = rows[step * width..][..width].iter().map(|x| x * factor).collect();
        looks.pass(rows.len());
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

/// The side of square matrices.
fn side(matrices: &Tensor<'_>) -> Result<usize, Failure> {
    match matrices.extents.as_slice() {
        &[.., rows, columns] if rows == columns => Ok(rows),
        _ => Err(Failure::Reason(1)),
    }
}

pub(super) fn determinant_of(call: &mut Call<'_>) -> Outcome {
    let matrices = call.tensor();
    let mut output = call.output();
    let side = side(&matrices)?;
    matrices.kind.dispatch(Determinants { matrices: &matrices, output: &mut output, side });
    Ok(())
}

pub(super) fn inverse_of(call: &mut Call<'_>) -> Outcome {
    let matrices = call.tensor();
    let mut output = call.output();
    let side = side(&matrices)?;
    matrices.kind.dispatch(Inverses { matrices: &matrices, output: &mut output, side });
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use crate::stop::{Ended, Looks, Stop, within};

    fn determinant(matrix: &mut [f64], side: usize) -> f64 {
        super::determinant(matrix, side, &mut Looks::new())
    }

    fn inverse(matrix: &[f64], side: usize) -> Vec<f64> {
        super::inverse(matrix, side, &mut Looks::new())
    }

    #[test]
    #[cfg_attr(miri, ignore = "it takes a million of them")]
    fn many_small_matrices_are_looked_at_together() {
        let stop = Stop::default();
        stop.request();
        let determinants = || {
            let mut looks = Looks::new();
            (0..1_000_000).for_each(|_| assert_eq!(super::determinant(&mut [0.0, 2.0, 3.0, 4.0], 2, &mut looks), -6.0));
        };
        let end = within(Some(&stop), || catch_unwind(determinants)).expect_err("the run is to end");
        assert!(end.is::<Ended>());
    }

    #[test]
    fn rows_of_a_determinant_change_places() {
        assert_eq!(determinant(&mut [0.0, 2.0, 3.0, 4.0], 2), -6.0);
        assert_eq!(determinant(&mut [1.0, 2.0, 2.0, 4.0], 2), 0.0);
        assert_eq!(determinant(&mut [], 0), 1.0);
        let mut matrix = [2.0, 0.0, 1.0, 1.0, 3.0, 2.0, 1.0, 1.0, 4.0];
        assert!((determinant(&mut matrix, 3) - 18.0).abs() < 1e-12);
    }

    #[test]
    fn rows_of_an_inverse_change_places() {
        assert_eq!(inverse(&[0.0, 2.0, 4.0, 0.0], 2), [0.0, 0.25, 0.5, 0.0]);
        assert_eq!(inverse(&[1.0, 1.0, 0.0, 1.0], 2), [1.0, -1.0, 0.0, 1.0]);
    }

    #[test]
    fn inverses_of_singular_matrices_are_not_finite() {
        assert!(inverse(&[1.0, 2.0, 2.0, 4.0], 2).iter().any(|x| !x.is_finite()));
    }
}

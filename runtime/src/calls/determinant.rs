//! Determinants by elimination, in f64.

use super::element::{Element, Generic};
use super::{Call, Failure, Outcome, Output, Tensor};

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
        for (at, result) in self.output.elements::<T>().iter_mut().enumerate() {
            let mut matrix: Vec<f64> = elements[at * size..(at + 1) * size].iter().map(|x| x.to_f64()).collect();
            *result = T::of_f64(determinant(&mut matrix, self.side));
        }
    }
}

/// The product of the pivots, each the largest of its column, with the sign of the exchanges of rows.
fn determinant(matrix: &mut [f64], side: usize) -> f64 {
    let mut product = 1.0;
    for step in 0..side {
        let column = |row: usize| matrix[row * side + step].abs();
        let pivot = (step..side).reduce(|best, row| if column(row) > column(best) { row } else { best });
        let pivot = pivot.expect("there is a row left");
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
        for row in lower.chunks_exact_mut(side) {
            let factor = row[step] / leading[step];
            row[step..].iter_mut().zip(&leading[step..]).for_each(|(x, &y)| *x -= factor * y);
        }
    }
    product
}

pub(super) fn determinant_of(call: &mut Call<'_>) -> Outcome {
    let matrices = call.tensor();
    let mut output = call.output();
    match matrices.extents.as_slice() {
        &[.., rows, columns] if rows == columns => {
            matrices.kind.dispatch(Determinants { matrices: &matrices, output: &mut output, side: rows });
            Ok(())
        }
        _ => Err(Failure::Reason(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::determinant;

    #[test]
    fn rows_change_places() {
        assert_eq!(determinant(&mut [0.0, 2.0, 3.0, 4.0], 2), -6.0);
        assert_eq!(determinant(&mut [1.0, 2.0, 2.0, 4.0], 2), 0.0);
        assert_eq!(determinant(&mut [], 0), 1.0);
        let mut matrix = [2.0, 0.0, 1.0, 1.0, 3.0, 2.0, 1.0, 1.0, 4.0];
        assert!((determinant(&mut matrix, 3) - 18.0).abs() < 1e-12);
    }
}

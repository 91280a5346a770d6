//! Transforms weights of 3×3 convolutions for F(4×4, 3×3) or F(2×2, 3×3), see `kernels::winograd`.

use abi::{WINDOW, points};

use super::{Call, Outcome};

const GROUP: usize = abi::COLUMN_GROUP as usize;

/// The values of one group of channels.
type Channels = [f32; GROUP];

/// `G`
type Matrix<const POINTS: usize> = [[f32; WINDOW]; POINTS];

/// For the points 0, 1, -1 and ∞.
const OF_2: Matrix<4> = [[1.0, 0.0, 0.0], [1.0 / 2.0; 3], [1.0 / 2.0, -1.0 / 2.0, 1.0 / 2.0], [0.0, 0.0, 1.0]];

/// For the points 0, 1, -1, 2, -2 and ∞.
const OF_4: Matrix<6> = [
    [1.0 / 4.0, 0.0, 0.0],
    [-1.0 / 6.0; 3],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

/// `G w`
fn to_points<const POINTS: usize>(matrix: &Matrix<POINTS>, [w0, w1, w2]: [Channels; WINDOW]) -> [Channels; POINTS] {
    matrix.map(|[f0, f1, f2]| std::array::from_fn(|lane| f0 * w0[lane] + f1 * w1[lane] + f2 * w2[lane]))
}

pub(super) fn winograd_points(call: &mut Call<'_>) -> Outcome {
    let weights = call.tensor();
    let mut output = call.output();
    let extents = [weights.extents[0], weights.extents[1]];
    let (weights, count) = (weights.elements::<f32>(), output.extents[0]);
    let to = output.elements::<f32>();
    match count == points(2) {
        true => all_points(&OF_2, &weights, extents, to),
        false => all_points(&OF_4, &weights, extents, to),
    }
    Ok(())
}

/// `G w Gᵀ` for each input channel and group of output channels.
fn all_points<const POINTS: usize>(
    matrix: &Matrix<POINTS>,
    weights: &[f32],
    [groups, blocks]: [usize; 2],
    points: &mut [f32],
) {
    let channels = blocks * GROUP;
    let window = |group: usize, channel: usize, place: usize| -> Channels {
        let block = group * blocks + channel / GROUP;
        let at = ((block * WINDOW * WINDOW + place) * GROUP + channel % GROUP) * GROUP;
        weights[at..at + GROUP].try_into().expect("as long")
    };
    for group in 0..groups {
        for channel in 0..channels {
            let columns: [[Channels; POINTS]; WINDOW] = std::array::from_fn(|column| {
                to_points(matrix, std::array::from_fn(|row| window(group, channel, row * WINDOW + column)))
            });
            let lines = (0..POINTS).map(|row| to_points(matrix, columns.map(|column| column[row])));
            for (row, line) in lines.enumerate() {
                for (column, numbers) in line.into_iter().enumerate() {
                    let at = (((row * POINTS + column) * groups + group) * channels + channel) * GROUP;
                    points[at..at + GROUP].copy_from_slice(&numbers);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_one_pixel_is_that_pixel_at_the_last_point() {
        // a kernel with weight at (2, 2) alone: its transform is that weight at (∞, ∞) and nothing at (0, 0)
        let mut weights = vec![0.0; 9 * GROUP * GROUP];
        for (at, weight) in weights[8 * GROUP * GROUP..].iter_mut().enumerate() {
            *weight = at as f32;
        }
        // at (1, 1): the last factor in G's second row, squared
        check(&OF_2, 4.0, &weights);
        check(&OF_4, 36.0, &weights);
    }

    fn check<const POINTS: usize>(matrix: &Matrix<POINTS>, inverse: f32, weights: &[f32]) {
        let mut points = vec![f32::NAN; POINTS * POINTS * GROUP * GROUP];
        all_points(matrix, weights, [1, 1], &mut points);
        let at = |point: usize| &points[point * GROUP * GROUP..][..GROUP * GROUP];
        assert!(at(0).iter().all(|&value| value == 0.0));
        assert_eq!(at(POINTS * POINTS - 1), &weights[8 * GROUP * GROUP..]);
        let scaled: Vec<f32> = at(POINTS + 1).iter().map(|value| (value * inverse).round()).collect();
        assert_eq!(scaled, weights[8 * GROUP * GROUP..]);
    }
}

//! Weights of convolutions with 3×3 windows at the points of F(4×4, 3×3), see `kernels::winograd`.

use abi::WINDOW_IN;

use super::{Call, Outcome};

const GROUP: usize = abi::COLUMN_GROUP as usize;
/// Rows and columns of a window.
const WINDOW: usize = 3;

/// Numbers of the channels of a group.
type Channels = [f32; GROUP];

/// `G w`
fn to_points([w0, w1, w2]: [Channels; WINDOW]) -> [Channels; WINDOW_IN] {
    let of = |combine: fn(f32, f32, f32) -> f32| std::array::from_fn(|lane| combine(w0[lane], w1[lane], w2[lane]));
    [
        of(|a, _, _| a / 4.0),
        of(|a, b, c| -(a + c + b) / 6.0),
        of(|a, b, c| -(a + c - b) / 6.0),
        of(|a, b, c| (a + 4.0 * c + 2.0 * b) / 24.0),
        of(|a, b, c| (a + 4.0 * c - 2.0 * b) / 24.0),
        of(|_, _, c| c),
    ]
}

pub(super) fn winograd_points(call: &mut Call<'_>) -> Outcome {
    let weights = call.tensor();
    let mut output = call.output();
    let extents = [weights.extents[0], weights.extents[1]];
    all_points(&weights.elements::<f32>(), extents, output.elements::<f32>());
    Ok(())
}

/// `G w Gᵀ` for each channel of the operand and group of channels of the result.
fn all_points(weights: &[f32], [groups, blocks]: [usize; 2], points: &mut [f32]) {
    let channels = blocks * GROUP;
    let window = |group: usize, channel: usize, place: usize| -> Channels {
        let block = group * blocks + channel / GROUP;
        let at = ((block * WINDOW * WINDOW + place) * GROUP + channel % GROUP) * GROUP;
        weights[at..at + GROUP].try_into().expect("as long")
    };
    for group in 0..groups {
        for channel in 0..channels {
            let columns: [[Channels; WINDOW_IN]; WINDOW] = std::array::from_fn(|column| {
                to_points(std::array::from_fn(|row| window(group, channel, row * WINDOW + column)))
            });
            let lines = (0..WINDOW_IN).map(|row| to_points(columns.map(|column| column[row])));
            for (row, line) in lines.enumerate() {
                for (column, numbers) in line.into_iter().enumerate() {
                    let at = (((row * WINDOW_IN + column) * groups + group) * channels + channel) * GROUP;
                    points[at..at + GROUP].copy_from_slice(&numbers);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use abi::POINTS;

    use super::*;

    #[test]
    fn a_window_of_one_pixel_is_that_pixel_at_the_last_point() {
        // window (2, 2) alone: at the point (∞, ∞) its weight, at (0, 0) nothing
        let mut weights = vec![0.0; 9 * GROUP * GROUP];
        for (at, weight) in weights[8 * GROUP * GROUP..].iter_mut().enumerate() {
            *weight = at as f32;
        }
        let mut points = vec![f32::NAN; POINTS * GROUP * GROUP];
        all_points(&weights, [1, 1], &mut points);
        let at = |point: usize| &points[point * GROUP * GROUP..][..GROUP * GROUP];
        assert!(at(0).iter().all(|&value| value == 0.0));
        assert_eq!(at(POINTS - 1), &weights[8 * GROUP * GROUP..]);
        // G's second row has -1/6 for the last place
        let scaled: Vec<f32> = at(WINDOW_IN + 1).iter().map(|value| (value * 36.0).round()).collect();
        assert_eq!(scaled, weights[8 * GROUP * GROUP..]);
    }
}

//! NonMaxSuppression.

use super::{Call, Failure, Outcome};
use crate::stop::Looks;

/// The corners of a box, ordered, and its area.
#[derive(Clone, Copy)]
struct Corners {
    low: [f32; 2],
    high: [f32; 2],
    area: f32,
}

impl Corners {
    /// From two opposite corners `[y, x, y, x]`, or from `[x, y, width, height]` around a center.
    fn of(numbers: &[f32], centered: bool) -> Corners {
        let [a, b, c, d] = [numbers[0], numbers[1], numbers[2], numbers[3]];
        let ([y0, x0], [y1, x1]) = match centered {
            true => ([b - d / 2.0, a - c / 2.0], [b + d / 2.0, a + c / 2.0]),
            false => ([a, b], [c, d]),
        };
        let (low, high) = ([y0.min(y1), x0.min(x1)], [y0.max(y1), x0.max(x1)]);
        Corners { low, high, area: (high[0] - low[0]) * (high[1] - low[1]) }
    }

    /// Whether intersection over union is above a threshold.
    fn overlaps(&self, other: &Corners, threshold: f32) -> bool {
        let side = |axis: usize| (self.high[axis].min(other.high[axis]) - self.low[axis].max(other.low[axis])).max(0.0);
        let common = side(0) * side(1);
        let all = self.area + other.area - common;
        all > 0.0 && common / all > threshold
    }
}

pub(super) fn non_max_suppression(call: &mut Call<'_>) -> Outcome {
    let (boxes, scores, most) = (call.tensor(), call.tensor(), call.index().max(0) as usize);
    let (threshold, least, centered) = (call.real() as f32, call.real() as f32, call.flag());
    let (&[batches, count, 4], &[batches_of_scores, classes, count_of_scores]) =
        (&boxes.extents[..], &scores.extents[..])
    else {
        return Err(Failure::Reason(1));
    };
    if (batches, count) != (batches_of_scores, count_of_scores) {
        return Err(Failure::Reason(1));
    }
    let (boxes, scores) = (boxes.elements::<f32>(), scores.elements::<f32>());
    let mut chosen: Vec<[i64; 3]> = Vec::new();
    let mut looks = Looks::new();
    for batch in 0..batches {
        let corners: Vec<Corners> = boxes[batch * count * 4..(batch + 1) * count * 4]
            .chunks_exact(4)
            .map(|numbers| Corners::of(numbers, centered))
            .collect();
        for class in 0..classes {
            let scores = &scores[(batch * classes + class) * count..][..count];
            let boxes = suppress(&corners, scores, [threshold, least], most, &mut looks);
            chosen.extend(boxes.into_iter().map(|index| [batch as i64, class as i64, index as i64]));
        }
    }
    let mut output = call.returned(&[chosen.len(), 3])?;
    output.elements::<i64>().copy_from_slice(chosen.as_flattened());
    Ok(())
}

/// At most `most` boxes of a class with the highest scores, of which no two overlap.
fn suppress(
    corners: &[Corners],
    scores: &[f32],
    [threshold, least]: [f32; 2],
    most: usize,
    looks: &mut Looks,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|&index| scores[index] > least).collect();
    order.sort_by(|&a, &b| {
        looks.pass(1);
        scores[b].total_cmp(&scores[a])
    });
    let mut kept: Vec<usize> = Vec::new();
    for index in order {
        if kept.len() >= most {
            break;
        }
        looks.pass(4 * kept.len());
        if !kept.iter().any(|&other| corners[other].overlaps(&corners[index], threshold)) {
            kept.push(index);
        }
    }
    kept
}

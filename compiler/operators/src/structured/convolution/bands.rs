//! Dilated convolutions of which most kernel elements are in the padding for most positions: bands of positions that
//! see the same kernel elements, each a convolution with these alone.

use std::ops::Range;

use ir::{DimExpr, Value};

use super::super::Lowering;
use super::super::channel_blocks::blocked_shape;
use super::super::reduction::Shaped;
use super::super::slicing::{Axis, select};
use super::super::window::Window;
use super::{Convolution, dense, taps_of};

/// The maximum number of bands: each packs its own weights.
const MOST: usize = 5;

/// The result of [`dense`] for an ungrouped convolution, in bands along the first spatial axis if that saves
/// multiplications.
pub(super) fn dense_in_bands(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    convolution: &Convolution,
    output: &[DimExpr],
) -> Value {
    let spatial = &input.shape[2..input.shape.len() - 1];
    let bands = bands(&convolution.window, &spatial[0], &output[2]).filter(|_| convolution.bytes.is_none());
    let Some(bands) = bands else { return dense(lowering, input, convolution, output) };
    let pieces: Vec<Value> = bands
        .into_iter()
        .map(|places| {
            let mut band = output.to_vec();
            band[2] = DimExpr::Constant(places.end - places.start);
            let window = from_place(&convolution.window, places.start, &spatial[0], &band[2]);
            let (mut window, first) = window.seeing(spatial, &band[2..]);
            let weights = taps_of(lowering, convolution.weights.clone(), &window, &first);
            let seen = cut(lowering, input, &mut window);
            let (bias, element) = (convolution.bias.clone(), convolution.element.clone());
            let convolution = Convolution { weights, bias, groups: 1, window, element, bytes: None };
            dense(lowering, &seen, &convolution, &band)
        })
        .collect();
    lowering.concat(&pieces, &blocked_shape(output), 2)
}

/// Runs of positions of the first axis that see the same kernel elements, if most see few.
fn bands(window: &Window, extent: &DimExpr, places: &DimExpr) -> Option<Vec<Range<i64>>> {
    let numbers = [&window.kernel[0], extent, places, &window.pads[0][0]].map(DimExpr::as_constant);
    let [Some(kernel), Some(extent), Some(places), Some(low)] = numbers else { return None };
    let (stride, dilation) = (window.strides[0], window.dilations[0]);
    if dilation == 1 {
        return None;
    }
    let seen = |place: i64| -> Vec<i64> {
        (0..kernel).filter(|tap| (0..extent).contains(&(place * stride + tap * dilation - low))).collect()
    };
    let taps: Vec<Vec<i64>> = (0..places).map(seen).collect();
    let mut bands: Vec<Range<i64>> = vec![];
    for place in 0..places {
        match bands.last_mut() {
            Some(band) if taps[band.start as usize] == taps[place as usize] => band.end = place + 1,
            _ => bands.push(place..place + 1),
        }
    }
    let products: usize = taps.iter().map(Vec::len).sum();
    let saves = 4 * products as i64 <= 3 * kernel * places && taps.iter().all(|taps| !taps.is_empty());
    (saves && (2..=MOST).contains(&bands.len())).then_some(bands)
}

/// A window that starts at another position of the first axis, for `places` positions.
fn from_place(window: &Window, start: i64, extent: &DimExpr, places: &DimExpr) -> Window {
    let mut window = window.clone();
    let low = window.pads[0][0].sub(&DimExpr::Constant(start * window.strides[0]));
    let high = window.end(0, places).sub(extent).sub(&low);
    window.pads[0] = [low, high];
    window
}

/// The rows of a blocked operand that a window sees; the remaining padding is not negative.
fn cut(lowering: &mut Lowering<'_>, input: &Shaped, window: &mut Window) -> Shaped {
    let [low, high] = window.pads[0].each_ref().map(|pad| pad.as_constant().expect("bands have known extents"));
    let (before, after) = ((-low).max(0), (-high).max(0));
    window.pads[0] = [low.max(0).into(), high.max(0).into()];
    if before == 0 && after == 0 {
        return input.clone();
    }
    let mut shape = input.shape.clone();
    shape[2] = shape[2].sub(&DimExpr::Constant(before + after));
    let mut plan = vec![Axis::whole(); shape.len()];
    plan[2] = Axis::from(before);
    Shaped { value: select(lowering, input, &plan, &shape), shape }
}

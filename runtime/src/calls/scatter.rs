//! ScatterElements and ScatterND: one visit to each update, in order.

use super::element::{Element, Generic};
use super::{Call, Failure, Outcome, Output, Tensor};

const OUT_OF_BOUNDS: Failure = Failure::Reason(1);
const NO_FIT: Failure = Failure::Reason(2);

/// How an update joins the element it is meant for.
#[derive(Clone, Copy)]
enum Reduction {
    Replace,
    Add,
    Mul,
    Max,
    Min,
}

impl Reduction {
    fn of(number: i64) -> Reduction {
        match number {
            0 => Reduction::Replace,
            1 => Reduction::Add,
            2 => Reduction::Mul,
            3 => Reduction::Max,
            _ => Reduction::Min,
        }
    }

    fn apply<T: Element>(self, element: T, update: T) -> T {
        match self {
            Reduction::Replace => update,
            Reduction::Add => element.add(update),
            Reduction::Mul => element.mul(update),
            Reduction::Max => element.greater(update),
            Reduction::Min => element.lesser(update),
        }
    }
}

/// Runs of updates side by side, each with the place it goes to.
struct Scatter<'s, 'c> {
    updates: &'s Tensor<'c>,
    output: &'s mut Output<'c>,
    /// Where each run goes, in elements.
    places: &'s [usize],
    /// Elements in a run.
    run: usize,
    reduction: Reduction,
}

impl Generic for Scatter<'_, '_> {
    type Result = ();

    fn run<T: Element>(self) {
        let updates = self.updates.elements::<T>();
        let elements = self.output.elements::<T>();
        if self.run == 0 {
            return;
        }
        for (&place, updates) in self.places.iter().zip(updates.chunks_exact(self.run)) {
            for (element, &update) in elements[place..place + self.run].iter_mut().zip(updates) {
                *element = self.reduction.apply(*element, update);
            }
        }
    }
}

/// An index counted from the end when negative.
fn place(index: i64, extent: usize) -> Result<usize, Failure> {
    let counted = if index < 0 { index + extent as i64 } else { index };
    usize::try_from(counted).ok().filter(|&place| place < extent).ok_or(OUT_OF_BOUNDS)
}

/// Indices may be of either integer type.
fn indices(tensor: &Tensor<'_>) -> Vec<i64> {
    match tensor.kind.width() {
        4 => tensor.elements::<i32>().iter().map(|&index| index as i64).collect(),
        _ => tensor.elements::<i64>().to_vec(),
    }
}

pub(super) fn scatter_elements(call: &mut Call<'_>) -> Outcome {
    let (data, picks, updates) = (call.tensor(), call.tensor(), call.tensor());
    let (axis, reduction) = (call.index() as usize, Reduction::of(call.index()));
    let mut output = call.output();
    let fits = |(at, (pick, extent)): (usize, (&usize, &usize))| at == axis || pick <= extent;
    let same_rank = data.extents.len() == picks.extents.len();
    if picks.extents != updates.extents || !same_rank || output.extents != data.extents {
        return Err(NO_FIT);
    }
    if !picks.bytes.is_empty() && !picks.extents.iter().zip(&data.extents).enumerate().all(fits) {
        return Err(NO_FIT);
    }
    let strides = strides(&data.extents);
    let mut at = vec![0; picks.extents.len()];
    let mut places = Vec::new();
    for index in indices(&picks) {
        let offset: usize = at.iter().zip(&strides).map(|(position, stride)| position * stride).sum();
        let here = place(index, data.extents[axis])?;
        places.push(offset - at[axis] * strides[axis] + here * strides[axis]);
        advance(&mut at, &picks.extents);
    }
    output.bytes.copy_from_slice(data.bytes);
    data.kind.dispatch(Scatter { updates: &updates, output: &mut output, places: &places, run: 1, reduction });
    Ok(())
}

pub(super) fn scatter_nd(call: &mut Call<'_>) -> Outcome {
    let (data, picks, updates) = (call.tensor(), call.tensor(), call.tensor());
    let reduction = Reduction::of(call.index());
    let mut output = call.output();
    let (&depth, outer) = picks.extents.split_last().ok_or(NO_FIT)?;
    if depth > data.extents.len() || output.extents != data.extents {
        return Err(NO_FIT);
    }
    let (leading, slice) = data.extents.split_at(depth);
    if updates.extents != [outer, slice].concat() {
        return Err(NO_FIT);
    }
    let count: usize = outer.iter().product();
    let run: usize = slice.iter().product();
    let strides = strides(&data.extents);
    let indices = indices(&picks);
    let mut places = Vec::with_capacity(count);
    for tuple in 0..count {
        let components = indices[tuple * depth..(tuple + 1) * depth].iter().zip(leading).zip(&strides);
        places.push(
            components
                .map(|((&index, &extent), stride)| Ok(place(index, extent)? * stride))
                .sum::<Result<usize, _>>()?,
        );
    }
    output.bytes.copy_from_slice(data.bytes);
    data.kind.dispatch(Scatter { updates: &updates, output: &mut output, places: &places, run, reduction });
    Ok(())
}

/// Elements between neighbours along each axis.
fn strides(extents: &[usize]) -> Vec<usize> {
    (0..extents.len()).map(|axis| extents[axis + 1..].iter().product()).collect()
}

/// The next position in row-major order.
fn advance(at: &mut [usize], extents: &[usize]) {
    for (position, &extent) in at.iter_mut().zip(extents).rev() {
        *position += 1;
        if *position < extent {
            return;
        }
        *position = 0;
    }
}

//! NonZero and Compress: the selected elements, in order.

use super::element::{Element, Generic, Kind};
use super::{Call, Failure, Outcome, Tensor, around};
use crate::stop::{Looks, PART, looking};

/// The indices of the elements that are not zero.
struct NonZero<'t, 'c>(&'t Tensor<'c>);

impl Generic for NonZero<'_, '_> {
    type Result = Vec<usize>;

    fn run<T: Element>(self) -> Vec<usize> {
        let elements = self.0.elements::<T>();
        let mut places = Vec::new();
        for (part, elements) in elements.chunks(PART).enumerate().inspect(looking(PART)) {
            let others = elements.iter().enumerate().filter(|(_, element)| !element.is_zero());
            places.extend(others.map(|(at, _)| part * PART + at));
        }
        places
    }
}

pub(super) fn non_zero(call: &mut Call<'_>) -> Outcome {
    let tensor = call.tensor();
    let places = tensor.kind.dispatch(NonZero(&tensor));
    let count = places.len();
    let mut output = call.returned(&[tensor.extents.len(), count])?;
    let rows = output.elements::<i64>();
    let mut after = 1;
    for (axis, &extent) in tensor.extents.iter().enumerate().rev() {
        let row = rows[axis * count..(axis + 1) * count].iter_mut();
        for (row, &place) in row.zip(&places).inspect(looking(8)) {
            *row = (place / after % extent) as i64;
        }
        after *= extent;
    }
    Ok(())
}

pub(super) fn compress(call: &mut Call<'_>) -> Outcome {
    let (tensor, condition, axis) = (call.tensor(), call.tensor(), call.index());
    let flat = axis < 0;
    let [outer, extent, inner] = match flat {
        true => [1, tensor.extents.iter().product(), 1],
        false => around(&tensor.extents, axis as usize),
    };
    assert_eq!(condition.kind, Kind::Bool, "conditions are truth values");
    let chosen: Vec<usize> =
        condition.bytes.iter().enumerate().filter(|(_, byte)| **byte != 0).map(|(at, _)| at).collect();
    if chosen.last().is_some_and(|&last| last >= extent) {
        return Err(Failure::Reason(1));
    }
    let mut extents = if flat { vec![0] } else { tensor.extents.clone() };
    extents[axis.max(0) as usize] = chosen.len();
    let output = call.returned(&extents)?;
    let slice = inner * tensor.kind.width();
    if slice == 0 {
        return Ok(());
    }
    let mut targets = output.bytes.chunks_exact_mut(slice);
    let mut looks = Looks::new();
    for row in 0..outer {
        for (&at, target) in chosen.iter().zip(&mut targets) {
            looks.pass(slice);
            let start = (row * extent + at) * slice;
            target.copy_from_slice(&tensor.bytes[start..start + slice]);
        }
    }
    Ok(())
}

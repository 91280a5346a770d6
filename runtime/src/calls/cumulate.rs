//! CumSum and CumProd.

use super::element::{Element, Generic};
use super::{Call, Failure, Outcome, Output, Tensor, around};
use crate::stop::{Looks, PART};

struct Cumulate<'s, 'c> {
    tensor: &'s Tensor<'c>,
    output: &'s mut Output<'c>,
    axis: usize,
    exclusive: bool,
    reverse: bool,
    product: bool,
}

impl Generic for Cumulate<'_, '_> {
    type Result = ();

    fn run<T: Element>(self) {
        let [outer, extent, inner] = around(&self.tensor.extents, self.axis);
        let (elements, output) = (self.tensor.elements::<T>(), self.output.elements::<T>());
        let neutral = if self.product { T::ONE } else { T::ZERO };
        let combine = |sum: T, element: T| if self.product { sum.mul(element) } else { sum.add(element) };
        let place = |step: usize| if self.reverse { extent - 1 - step } else { step };
        let mut looks = Looks::new();
        if inner == 1 {
            // one sum, in a register
            for row in 0..outer {
                let range = row * extent..(row + 1) * extent;
                let (elements, output) = (&elements[range.clone()], &mut output[range]);
                let mut sum = neutral;
                for first in (0..extent).step_by(PART) {
                    looks.pass(extent.min(PART));
                    for at in (first..extent.min(first + PART)).map(place) {
                        let next = combine(sum, elements[at]);
                        output[at] = if self.exclusive { sum } else { next };
                        sum = next;
                    }
                }
            }
            return;
        }
        for row in 0..outer {
            // the sum before a slice is in the output, except for the element that an exclusive sum leaves out
            let mut before = None;
            for at in (0..extent).map(place) {
                looks.pass(inner);
                let start = (row * extent + at) * inner;
                let range = start..start + inner;
                match before.replace(range.clone()) {
                    None if self.exclusive => output[range].fill(neutral),
                    None => {
                        for (target, &element) in output[range.clone()].iter_mut().zip(&elements[range]) {
                            *target = combine(neutral, element);
                        }
                    }
                    Some(before) => {
                        let added = &elements[if self.exclusive { before.clone() } else { range.clone() }];
                        let [sums, targets] =
                            output.get_disjoint_mut([before, range]).expect("the slices are disjoint");
                        for ((target, &sum), &element) in targets.iter_mut().zip(sums.iter()).zip(added) {
                            *target = combine(sum, element);
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn cumulate(call: &mut Call<'_>) -> Outcome {
    let (tensor, axis) = (call.tensor(), call.index());
    let (exclusive, reverse, product) = (call.flag(), call.flag(), call.flag());
    let mut output = call.output();
    let rank = tensor.extents.len() as i64;
    let axis = if axis < 0 { axis + rank } else { axis };
    if !(0..rank).contains(&axis) {
        return Err(Failure::Reason(1));
    }
    let axis = axis as usize;
    tensor.kind.dispatch(Cumulate { tensor: &tensor, output: &mut output, axis, exclusive, reverse, product });
    Ok(())
}

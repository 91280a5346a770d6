//! ScatterElements and ScatterND: one visit to each update, in order.

use std::borrow::Cow;

use super::element::{Element, Generic};
use super::{Call, Failure, Outcome, Output, Tensor};
use crate::stop::{Looks, PART, looking};

const OUT_OF_BOUNDS: Failure = Failure::Reason(1);
const NO_FIT: Failure = Failure::Reason(2);
/// Scalar operations of an update, of an element that is in no cache.
const UPDATE: usize = 16;

/// How an update is combined with the element at its index.
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

    /// Visits updates in the form for this reduction.
    fn visit<T: Element>(self, visitor: impl Visitor<T>) -> Outcome {
        match self {
            Reduction::Replace => visitor.visit(|_, update| update),
            Reduction::Add => visitor.visit(T::add),
            Reduction::Mul => visitor.visit(T::mul),
            Reduction::Max => visitor.visit(T::greater),
            Reduction::Min => visitor.visit(T::lesser),
        }
    }
}

/// A walk over updates, instantiated for each reduction.
trait Visitor<T> {
    fn visit(self, join: impl Fn(T, T) -> T) -> Outcome;
}

/// The operands of a scatter.
struct Scatter<'s, 'c> {
    updates: &'s Tensor<'c>,
    output: &'s mut Output<'c>,
    indices: &'s [i64],
    reduction: Reduction,
    form: Form<'s>,
}

/// What an index, or a tuple of indices, selects.
enum Form<'s> {
    /// One element: an index along the axis; the other coordinates are those of the update.
    Elements { axis: usize, picks: &'s [usize] },
    /// A slice: indices along the leading axes, one for each element of a tuple.
    Runs { depth: usize },
}

impl Generic for Scatter<'_, '_> {
    type Result = Outcome;

    fn run<T: Element>(self) -> Outcome {
        let updates = &*self.updates.elements::<T>();
        let (extents, indices) = (&self.output.extents.clone()[..], self.indices);
        let elements = self.output.elements::<T>();
        match self.form {
            Form::Elements { axis, picks } => {
                self.reduction.visit(Elements { elements, extents, updates, indices, axis, picks })
            }
            Form::Runs { depth } => self.reduction.visit(Runs { elements, extents, updates, indices, depth }),
        }
    }
}

struct Elements<'s, T> {
    elements: &'s mut [T],
    extents: &'s [usize],
    updates: &'s [T],
    indices: &'s [i64],
    axis: usize,
    picks: &'s [usize],
}

impl<T: Element> Visitor<T> for Elements<'_, T> {
    fn visit(self, join: impl Fn(T, T) -> T) -> Outcome {
        let strides = strides(self.extents);
        let (stride, extent) = (strides[self.axis], self.extents[self.axis]);
        // the innermost loop is over the last axis; positions in it differ, unless it is the scattered axis
        let (&width, lines) = self.picks.split_last().expect("an axis is indexed");
        let along = usize::from(self.axis + 1 < self.picks.len());
        let mut at = vec![0; lines.len()];
        let mut looks = Looks::new();
        for (indices, updates) in self.indices.chunks_exact(width.max(1)).zip(self.updates.chunks_exact(width.max(1))) {
            let others = at.iter().zip(&strides).enumerate().filter(|(axis, _)| *axis != self.axis);
            let first: usize = others.map(|(_, (position, stride))| position * stride).sum();
            let elements = &mut self.elements[first..];
            if stride == 1 {
                scatter(elements, (indices, updates), extent, |place, _| place, &join, &mut looks)?;
            } else {
                let at = |place, column| place * stride + column * along;
                scatter(elements, (indices, updates), extent, at, &join, &mut looks)?;
            }
            advance(&mut at, lines);
        }
        Ok(())
    }
}

/// Combines the updates of a row with the elements that their indices and columns select.
#[inline(always)]
fn scatter<T: Element>(
    elements: &mut [T],
    (indices, updates): (&[i64], &[T]),
    extent: usize,
    at: impl Fn(usize, usize) -> usize,
    join: impl Fn(T, T) -> T,
    looks: &mut Looks,
) -> Outcome {
    let parts = indices.chunks(PART).zip(updates.chunks(PART)).enumerate();
    for (part, (indices, updates)) in parts {
        looks.pass(UPDATE * indices.len());
        for (column, (&index, &update)) in (part * PART..).zip(indices.iter().zip(updates)) {
            let element = &mut elements[at(place(index, extent)?, column)];
            *element = join(*element, update);
        }
    }
    Ok(())
}

struct Runs<'s, T> {
    elements: &'s mut [T],
    extents: &'s [usize],
    updates: &'s [T],
    indices: &'s [i64],
    depth: usize,
}

impl<T: Element> Visitor<T> for Runs<'_, T> {
    fn visit(self, join: impl Fn(T, T) -> T) -> Outcome {
        let (leading, slice) = self.extents.split_at(self.depth);
        let run: usize = slice.iter().product();
        if run == 0 {
            return Ok(());
        }
        let strides = strides(self.extents);
        for (tuple, updates) in self.updates.chunks_exact(run).enumerate().inspect(looking(UPDATE + run)) {
            let tuple = &self.indices[tuple * self.depth..(tuple + 1) * self.depth];
            let components = tuple.iter().zip(leading).zip(&strides);
            let first = components
                .map(|((&index, &extent), stride)| place(index, extent).map(|place| place * stride))
                .sum::<Result<usize, _>>()?;
            for (element, &update) in self.elements[first..first + run].iter_mut().zip(updates) {
                *element = join(*element, update);
            }
        }
        Ok(())
    }
}

/// An index, counted from the end if negative.
fn place(index: i64, extent: usize) -> Result<usize, Failure> {
    let counted = if index < 0 { index + extent as i64 } else { index };
    // what is still negative is larger than any extent
    let place = counted as usize;
    if place < extent { Ok(place) } else { Err(OUT_OF_BOUNDS) }
}

/// The initial contents of a result: a tensor, or copies of one element.
struct Begin<'s, 'c> {
    data: &'s Tensor<'c>,
    output: &'s mut Output<'c>,
}

impl Generic for Begin<'_, '_> {
    type Result = Outcome;

    fn run<T: Element>(self) -> Outcome {
        let (data, same) = (self.data.elements::<T>(), self.data.extents == self.output.extents);
        let elements = self.output.elements::<T>();
        match *data {
            _ if same => elements.copy_from_slice(&data),
            [element] => elements.fill(element),
            _ => return Err(NO_FIT),
        }
        Ok(())
    }
}

/// Fills a result with its initial contents, unless they are there already.
fn begin<'c>(data: &Tensor<'c>, output: &mut Output<'c>, is_there: bool) -> Outcome {
    match is_there {
        true if data.extents == output.extents => Ok(()),
        true => Err(NO_FIT),
        false => data.kind.dispatch(Begin { data, output }),
    }
}

/// Indices may be of either integer type.
fn indices<'c>(tensor: &Tensor<'c>) -> Cow<'c, [i64]> {
    match tensor.kind.width() {
        4 => tensor.elements::<i32>().iter().map(|&index| index as i64).collect(),
        _ => tensor.elements::<i64>(),
    }
}

pub(super) fn scatter_elements(call: &mut Call<'_>) -> Outcome {
    let (mut data, picks, updates) = (call.tensor(), call.tensor(), call.tensor());
    let (axis, reduction) = (call.index() as usize, Reduction::of(call.index()));
    let (mut output, is_there) = call.output_over(&mut data);
    let fits = |(at, (pick, extent)): (usize, (&usize, &usize))| at == axis || pick <= extent;
    let same_rank = output.extents.len() == picks.extents.len();
    if picks.extents != updates.extents || !same_rank || axis >= output.extents.len() {
        return Err(NO_FIT);
    }
    if !picks.bytes.is_empty() && !picks.extents.iter().zip(&output.extents).enumerate().all(fits) {
        return Err(NO_FIT);
    }
    begin(&data, &mut output, is_there)?;
    let form = Form::Elements { axis, picks: &picks.extents };
    let indices = &*indices(&picks);
    data.kind.dispatch(Scatter { updates: &updates, output: &mut output, indices, reduction, form })
}

pub(super) fn scatter_nd(call: &mut Call<'_>) -> Outcome {
    let (mut data, picks, updates) = (call.tensor(), call.tensor(), call.tensor());
    let reduction = Reduction::of(call.index());
    let (mut output, is_there) = call.output_over(&mut data);
    let (&depth, outer) = picks.extents.split_last().ok_or(NO_FIT)?;
    if depth > output.extents.len() || updates.extents != [outer, &output.extents[depth..]].concat() {
        return Err(NO_FIT);
    }
    begin(&data, &mut output, is_there)?;
    let form = Form::Runs { depth };
    let indices = &*indices(&picks);
    data.kind.dispatch(Scatter { updates: &updates, output: &mut output, indices, reduction, form })
}

/// The stride of each axis.
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

//! Col2Im: blocks laid out as columns, added up where they lie.

use std::ops::Range;

use super::element::{Element, Generic};
use super::{Call, Failure, Outcome, Output, Tensor};

/// The blocks along one axis of the image.
struct Axis {
    extent: usize,
    /// Extent of a block.
    block: usize,
    /// How many blocks there are.
    count: usize,
    stride: i64,
    dilation: i64,
    pad: i64,
}

impl Axis {
    /// Where the element of block 0 would lie, and the blocks whose elements do not lie in the padding.
    fn inside(&self, element: usize) -> (i64, Range<usize>) {
        let origin = element as i64 * self.dilation - self.pad;
        // the first block at or behind a place
        let from = |place: i64| ((place - origin).max(0) as usize).div_ceil(self.stride as usize).min(self.count);
        (origin, from(0)..from(self.extent as i64))
    }
}

struct Sum<'s, 'c> {
    columns: &'s Tensor<'c>,
    output: &'s mut Output<'c>,
    axes: &'s [Axis],
}

impl Generic for Sum<'_, '_> {
    type Result = ();

    fn run<T: Element>(self) {
        let product = |of: fn(&Axis) -> usize| self.axes.iter().map(of).product::<usize>();
        let (size, count, pixels) =
            (product(|axis| axis.block), product(|axis| axis.count), product(|axis| axis.extent));
        let elements = self.columns.elements::<T>();
        let output = self.output.elements::<T>();
        output.fill(T::ZERO);
        if pixels == 0 || count == 0 {
            return;
        }
        for (image, columns) in output.chunks_exact_mut(pixels).zip(elements.chunks_exact(size * count)) {
            for (element, row) in columns.chunks_exact(count).enumerate() {
                add(self.axes, element, row, 0, image);
            }
        }
    }
}

/// Adds element number `element` of all blocks to the image; they are those of the axes, and the places found so far.
fn add<T: Element>(axes: &[Axis], element: usize, row: &[T], place: usize, image: &mut [T]) {
    let Some((axis, inner)) = axes.split_first() else {
        image[place] = image[place].add(row[0]);
        return;
    };
    let elements: usize = inner.iter().map(|axis| axis.block).product();
    let (own, rest) = (element / elements, element % elements);
    let (origin, blocks) = axis.inside(own);
    let position = |block: usize| (origin + block as i64 * axis.stride) as usize;
    if inner.is_empty() {
        if !blocks.is_empty() {
            let targets = image[place + position(blocks.start)..].iter_mut();
            let join = |(target, &addend): (&mut T, &T)| *target = target.add(addend);
            match axis.stride as usize {
                1 => targets.zip(&row[blocks]).for_each(join),
                stride => targets.step_by(stride).zip(&row[blocks]).for_each(join),
            }
        }
        return;
    }
    let pixels: usize = inner.iter().map(|axis| axis.extent).product();
    let width = row.len() / axis.count;
    for block in blocks {
        let row = &row[block * width..(block + 1) * width];
        add(inner, rest, row, place + position(block) * pixels, image);
    }
}

/// The blocks along each axis, if their numbers are sensible.
fn axes(image: &[usize], [blocks, strides, dilations, pads]: [&[i64]; 4]) -> Option<Vec<Axis>> {
    let rank = image.len();
    if [blocks.len(), strides.len(), dilations.len(), pads.len()] != [rank, rank, rank, 2 * rank] {
        return None;
    }
    let axis = |at: usize| {
        let (block, stride, dilation, pad) = (blocks[at], strides[at], dilations[at], pads[at]);
        if block < 1 || stride < 1 || dilation < 1 {
            return None;
        }
        let reach = (block - 1).checked_mul(dilation)?.checked_add(1)?;
        let free = (image[at] as i64).checked_add(pad)?.checked_add(pads[rank + at])?.checked_sub(reach)?;
        let count = if free < 0 { 0 } else { free / stride + 1 };
        Some(Axis { extent: image[at], block: block as usize, count: count as usize, stride, dilation, pad })
    };
    (0..rank).map(axis).collect()
}

pub(super) fn columns_to_image(call: &mut Call<'_>) -> Outcome {
    let columns = call.tensor();
    let [blocks, strides, dilations, pads] = std::array::from_fn(|_| call.tensor());
    let mut output = call.output();
    const NO_FIT: Failure = Failure::Reason(1);
    let (&[batch, rows, count], &[images, channels, ref image @ ..]) = (&columns.extents[..], &output.extents[..])
    else {
        return Err(NO_FIT);
    };
    let lists = [&blocks, &strides, &dilations, &pads].map(|list| list.elements::<i64>());
    let axes = axes(image, lists.each_ref().map(|list| &list[..])).ok_or(NO_FIT)?;
    let checked = |of: fn(&Axis) -> usize| axes.iter().map(of).try_fold(1usize, |product, x| product.checked_mul(x));
    let size = checked(|axis| axis.block).and_then(|size| size.checked_mul(channels));
    if batch != images || size != Some(rows) || checked(|axis| axis.count) != Some(count) {
        return Err(NO_FIT);
    }
    columns.kind.dispatch(Sum { columns: &columns, output: &mut output, axes: &axes });
    Ok(())
}

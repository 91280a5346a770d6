//! Col2Im: sums blocks that are laid out as columns into an image.

use std::ops::Range;

use super::element::{Element, Generic, Kind};
use super::{Call, Failure, Outcome, Output, Tensor};
use crate::kernels::{Plane, add_plane};
use crate::stop::Looks;

/// The blocks along one axis of the image.
struct Axis {
    extent: usize,
    /// Extent of a block.
    block: usize,
    /// The number of blocks.
    count: usize,
    stride: i64,
    dilation: i64,
    pad: i64,
}

/// The positions of one element of the blocks along an axis.
struct Places {
    /// The blocks in which the element is not in the padding.
    blocks: Range<usize>,
    /// Its position in the first of them.
    first: usize,
    stride: usize,
    /// Pixels of one step along the axis.
    pixels: usize,
    /// Blocks of one step along the axis.
    width: usize,
}

impl Axis {
    /// The positions of element `element`, without offsets inside one step.
    fn places(&self, element: usize) -> Places {
        let origin = element as i64 * self.dilation - self.pad;
        // the first block at or after a position
        let from = |place: i64| ((place - origin).max(0) as usize).div_ceil(self.stride as usize).min(self.count);
        let blocks = from(0)..from(self.extent as i64);
        let first = (origin + blocks.start as i64 * self.stride).max(0) as usize;
        Places { blocks, first, stride: self.stride as usize, pixels: 1, width: 1 }
    }
}

/// The positions of element number `element` of the blocks along all axes.
fn places(axes: &[Axis], element: usize) -> Vec<Places> {
    let (mut rest, mut pixels, mut width) = (element, 1, 1);
    let mut found: Vec<Places> = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        found.push(Places { pixels, width, ..axis.places(rest % axis.block) });
        (rest, pixels, width) = (rest / axis.block, pixels * axis.extent, width * axis.count);
    }
    found.reverse();
    found
}

struct Sum<'s, 'c> {
    columns: &'s Tensor<'c>,
    output: &'s mut Output<'c>,
    axes: &'s [Axis],
}

impl Generic for Sum<'_, '_> {
    type Result = ();

    fn run<T: Element>(self) {
        self.add_all(|target: &mut [T], addends: &[T], plane: &Plane| {
            for line in 0..plane.lines {
                let addends = &addends[line * plane.addends_line..][..plane.columns];
                for (target, &addend) in target[line * plane.target_line..].iter_mut().zip(addends) {
                    *target = target.add(addend);
                }
            }
        });
    }
}

impl Sum<'_, '_> {
    fn add_all<T: Element>(self, add_plane: impl Fn(&mut [T], &[T], &Plane)) {
        let product = |of: fn(&Axis) -> usize| self.axes.iter().map(of).product::<usize>();
        let (size, count, pixels) =
            (product(|axis| axis.block), product(|axis| axis.count), product(|axis| axis.extent));
        let elements = self.columns.elements::<T>();
        let output = self.output.elements::<T>();
        output.fill(T::ZERO);
        if pixels == 0 || count == 0 {
            return;
        }
        let mut looks = Looks::new();
        for (image, columns) in output.chunks_exact_mut(pixels).zip(elements.chunks_exact(size * count)) {
            for (element, row) in columns.chunks_exact(count).enumerate() {
                add(&places(self.axes, element), row, 0, image, &add_plane);
                looks.pass(count);
            }
        }
    }
}

/// Adds one element of all blocks to the image, from a position on.
fn add<T: Element>(
    places: &[Places],
    row: &[T],
    place: usize,
    image: &mut [T],
    add_plane: &impl Fn(&mut [T], &[T], &Plane),
) {
    match places {
        [] => image[place] = image[place].add(row[0]),
        [inner] => inner.add_lines(&Places::one(row.len()), row, place, image, add_plane),
        [own, inner] => inner.add_lines(own, row, place, image, add_plane),
        [own, inner @ ..] => own.steps(row, place).for_each(|(row, place)| add(inner, row, place, image, add_plane)),
    }
}

impl Places {
    /// The single position of a missing axis whose step has `width` blocks.
    fn one(width: usize) -> Places {
        Places { blocks: 0..1, first: 0, stride: 1, pixels: 0, width }
    }

    /// For each block along this axis, its elements and where they go.
    fn steps<'r, T>(&self, row: &'r [T], place: usize) -> impl Iterator<Item = (&'r [T], usize)> {
        let Places { blocks, first, stride, pixels, width } = self;
        let rows = row.chunks_exact(*width).take(blocks.end).skip(blocks.start);
        rows.enumerate().map(move |(number, row)| (row, place + (first + number * stride) * pixels))
    }

    /// Adds the elements of the blocks along the last two axes, of which this is the last.
    fn add_lines<T: Element>(
        &self,
        outer: &Places,
        row: &[T],
        place: usize,
        image: &mut [T],
        add_plane: &impl Fn(&mut [T], &[T], &Plane),
    ) {
        if self.blocks.is_empty() || outer.blocks.is_empty() {
            return;
        }
        if self.stride == 1 {
            let addends = &row[outer.blocks.start * outer.width + self.blocks.start..];
            let target = &mut image[place + outer.first * outer.pixels + self.first..];
            let (target_line, addends_line) = (outer.stride * outer.pixels, outer.width);
            let plane = Plane { lines: outer.blocks.len(), columns: self.blocks.len(), target_line, addends_line };
            return add_plane(target, addends, &plane);
        }
        for (row, place) in outer.steps(row, place) {
            let targets = image[place + self.first..].iter_mut().step_by(self.stride);
            for (target, &addend) in targets.zip(&row[self.blocks.clone()]) {
                *target = target.add(addend);
            }
        }
    }
}

/// The blocks along each axis, if the attributes are valid.
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
    let sum = Sum { columns: &columns, output: &mut output, axes: &axes };
    match columns.kind {
        Kind::F32 => sum.add_all(add_plane),
        kind => kind.dispatch(sum),
    }
    Ok(())
}

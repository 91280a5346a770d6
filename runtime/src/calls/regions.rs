//! RoiAlign and MaxRoiPool: regions of interest, divided into cells.

use std::borrow::Cow;
use std::ops::Range;

use super::element::{Element, Generic};
use super::{Call, Failure, Outcome, Output, Tensor};
use crate::stop::{Looks, looking};

const NO_FIT: Failure = Failure::Reason(1);
const NO_IMAGE: Failure = Failure::Reason(2);
const TOO_LARGE: Failure = Failure::Reason(3);

/// The maximum number of samples along the side of a cell.
const SAMPLE_LIMIT: f64 = 65536.0;

/// The two pixels next to a sample on one axis, each with its weight.
type Sample = [(usize, f64); 2];

/// The samples of each cell along one axis, the same number for each; samples outside of the image have weight 0.
struct Side {
    samples: Vec<Sample>,
    /// Samples of a cell.
    each: usize,
}

impl Side {
    /// The samples of a region with the given start and end coordinates in pixels.
    fn new(align: &Alignment, [start, end]: [f64; 2], cells: usize, extent: usize) -> Result<Side, Failure> {
        let length = if align.half_pixel { end - start } else { (end - start).max(1.0) };
        let cell = length / cells as f64;
        let each = if align.samples > 0 { align.samples as f64 } else { cell.ceil() };
        if each > SAMPLE_LIMIT {
            return Err(TOO_LARGE);
        }
        let each = each as usize;
        let coordinate = |at: usize| {
            let (of_cell, sample) = (at / each, at % each);
            start + of_cell as f64 * cell + (sample as f64 + 0.5) * cell / each as f64
        };
        Ok(Side { samples: (0..cells * each).map(|at| sample(coordinate(at), extent)).collect(), each })
    }

    fn cell(&self, cell: usize) -> &[Sample] {
        &self.samples[cell * self.each..(cell + 1) * self.each]
    }

    /// The weights of pixels in the mean of each cell's samples.
    fn weights(&self, cells: usize) -> Vec<Weights> {
        (0..cells).map(|cell| Weights::of(self.cell(cell))).collect()
    }
}

/// Weights of consecutive pixels.
struct Weights {
    /// The first of them.
    first: usize,
    weights: Vec<f64>,
}

impl Weights {
    fn of(samples: &[Sample]) -> Weights {
        let weighted = || samples.iter().flatten().filter(|(_, weight)| *weight != 0.0);
        let first = weighted().map(|&(pixel, _)| pixel).min().unwrap_or(0);
        let end = weighted().map(|&(pixel, _)| pixel + 1).max().unwrap_or(0);
        let mut weights = vec![0.0; end - first];
        for (pixel, weight) in weighted() {
            weights[pixel - first] += weight / samples.len() as f64;
        }
        Weights { first, weights }
    }

    fn end(&self) -> usize {
        self.first + self.weights.len()
    }
}

/// The means of all cells of a region: first along the columns of each row of pixels, then along the rows.
struct Means {
    down: Vec<Weights>,
    across: Vec<Weights>,
    /// The rows of pixels that cells cover.
    rows: Range<usize>,
    /// For each of these rows the mean of each cell along the columns.
    lines: Vec<f64>,
}

impl Means {
    fn of(down: Vec<Weights>, across: Vec<Weights>) -> Means {
        let seen = || down.iter().filter(|cell| !cell.weights.is_empty());
        let first = seen().map(|cell| cell.first).min().unwrap_or(0);
        let rows = first..seen().map(Weights::end).max().unwrap_or(first);
        let lines = vec![0.0; rows.len() * across.len()];
        Means { down, across, rows, lines }
    }

    fn fill<T: Element>(&mut self, pixels: &[T], width: usize, cells: &mut [T]) {
        let across = self.across.len();
        for (row, line) in self.rows.clone().zip(self.lines.chunks_exact_mut(across)) {
            let row = &pixels[row * width..][..width];
            for (mean, cell) in line.iter_mut().zip(&self.across) {
                let seen = row[cell.first..cell.end()].iter().zip(&cell.weights);
                *mean = seen.map(|(pixel, weight)| pixel.to_f64() * weight).sum();
            }
        }
        for (cells, cell) in cells.chunks_exact_mut(across).zip(&self.down) {
            let first = cell.first.saturating_sub(self.rows.start);
            for (column, target) in cells.iter_mut().enumerate() {
                let lines = self.lines[first * across..].iter().skip(column).step_by(across);
                *target = T::of_f64(lines.zip(&cell.weights).map(|(mean, weight)| mean * weight).sum());
            }
        }
    }
}

fn sample(coordinate: f64, extent: usize) -> Sample {
    if extent == 0 || !(-1.0..=extent as f64).contains(&coordinate) {
        return [(0, 0.0); 2];
    }
    let last = extent - 1;
    let coordinate = coordinate.clamp(0.0, last as f64);
    let low = coordinate as usize;
    let share = coordinate - low as f64;
    [(low, 1.0 - share), ((low + 1).min(last), share)]
}

struct Alignment {
    scale: f64,
    samples: i64,
    half_pixel: bool,
    largest: bool,
}

/// The largest weighted pixel next to the samples of a cell; 0 if there are none.
fn largest<T: Element>(image: &[T], width: usize, rows: &[Sample], columns: &[Sample]) -> f64 {
    let mut largest: Option<f64> = None;
    for row in rows.iter().inspect(looking(16 * columns.len())) {
        for column in columns {
            let term = |y: usize, x: usize| row[y].1 * column[x].1 * image[row[y].0 * width + column[x].0].to_f64();
            let [a, b, c, d] = [term(0, 0), term(0, 1), term(1, 0), term(1, 1)];
            largest = Some(a.max(b).max(c).max(d).max(largest.unwrap_or(f64::NEG_INFINITY)));
        }
    }
    largest.unwrap_or(0.0)
}

/// The channels of images, and the output grids of cells, region by region.
struct Channels<'a, T: Element> {
    images: Cow<'a, [T]>,
    /// Images, channels, height, width.
    extents: [usize; 4],
    /// Rows and columns of cells.
    cells: [usize; 2],
    output: std::slice::ChunksExactMut<'a, T>,
    looks: Looks,
}

impl<'a, T: Element> Channels<'a, T> {
    fn of(images: &'a Tensor<'_>, output: &'a mut Output<'_>) -> Result<Channels<'a, T>, Failure> {
        let &[count, channels, height, width] = &images.extents[..] else { return Err(NO_FIT) };
        let &[_, _, down, across] = &output.extents[..] else { return Err(NO_FIT) };
        let output = output.elements::<T>().chunks_exact_mut((down * across).max(1));
        let extents = [count, channels, height, width];
        Ok(Channels { images: images.elements::<T>(), extents, cells: [down, across], output, looks: Looks::new() })
    }

    /// Fills the grids of the next region, each from its channel of one image.
    fn fill(&mut self, image: usize, mut grid: impl FnMut(&[T], &mut [T])) {
        let [_, channels, height, width] = self.extents;
        let work = height * width + self.cells.iter().product::<usize>();
        for (channel, cells) in (0..channels).zip(&mut self.output) {
            self.looks.pass(work);
            grid(&self.images[(image * channels + channel) * height * width..][..height * width], cells);
        }
    }

    /// Fills each cell from its channel, row and column.
    fn fill_each(&mut self, image: usize, value: impl Fn(&[T], usize, usize) -> T) {
        let across = self.cells[1];
        self.fill(image, |pixels, cells| {
            cells.iter_mut().enumerate().for_each(|(at, cell)| *cell = value(pixels, at / across, at % across));
        });
    }
}

struct Align<'s, 'c> {
    images: &'s Tensor<'c>,
    regions: &'s Tensor<'c>,
    places: &'s [i64],
    output: &'s mut Output<'c>,
    alignment: Alignment,
}

impl Generic for Align<'_, '_> {
    type Result = Outcome;

    fn run<T: Element>(self) -> Outcome {
        let mut grids = Channels::<T>::of(self.images, self.output)?;
        let ([count, _, height, width], [down, across]) = (grids.extents, grids.cells);
        let offset = if self.alignment.half_pixel { 0.5 } else { 0.0 };
        for (region, &place) in self.regions.elements::<T>().chunks_exact(4).zip(self.places) {
            let image = usize::try_from(place).ok().filter(|&image| image < count).ok_or(NO_IMAGE)?;
            let [left, top, right, bottom] =
                std::array::from_fn(|at| region[at].to_f64() * self.alignment.scale - offset);
            let down = Side::new(&self.alignment, [top, bottom], down, height)?;
            let across = Side::new(&self.alignment, [left, right], across, width)?;
            if self.alignment.largest {
                grids.fill_each(image, |pixels, y, x| match pixels.is_empty() {
                    true => T::ZERO,
                    false => T::of_f64(largest(pixels, width, down.cell(y), across.cell(x))),
                });
            } else {
                let [rows, columns] = grids.cells;
                let mut means = Means::of(down.weights(rows), across.weights(columns));
                grids.fill(image, |pixels, cells| means.fill(pixels, width, cells));
            }
        }
        Ok(())
    }
}

pub(super) fn align_regions(call: &mut Call<'_>) -> Outcome {
    let (images, regions, places) = (call.tensor(), call.tensor(), call.tensor());
    let alignment =
        Alignment { scale: call.real(), samples: call.index(), half_pixel: call.flag(), largest: call.flag() };
    let mut output = call.output();
    if regions.extents.get(1) != Some(&4) || places.extents.first() != regions.extents.first() {
        return Err(NO_FIT);
    }
    let places = places.elements::<i64>();
    let align = Align { images: &images, regions: &regions, places: &places, output: &mut output, alignment };
    images.kind.dispatch(align)
}

struct Pool<'s, 'c> {
    images: &'s Tensor<'c>,
    regions: &'s Tensor<'c>,
    output: &'s mut Output<'c>,
    scale: f32,
}

impl Generic for Pool<'_, '_> {
    type Result = Outcome;

    fn run<T: Element>(self) -> Outcome {
        let mut grids = Channels::<T>::of(self.images, self.output)?;
        let ([count, _, height, width], [down, across]) = (grids.extents, grids.cells);
        // the maximum of each column of pixels over the rows of a cell
        let mut line: Vec<T> = Vec::with_capacity(width);
        for region in self.regions.elements::<T>().chunks_exact(5) {
            let [image, left, top, right, bottom] = std::array::from_fn(|at| region[at].to_f64());
            if !(0.0..count as f64).contains(&image) {
                return Err(NO_IMAGE);
            }
            // in f32, as the scale is, because rounding decides which of two pixels is nearer
            let [left, top, right, bottom] = [left, top, right, bottom].map(|x| (x as f32 * self.scale).round());
            let rows: Vec<_> = (0..down).map(|y| range([top, bottom], y, down, height)).collect();
            let columns: Vec<_> = (0..across).map(|x| range([left, right], x, across, width)).collect();
            let seen = columns.iter().map(|cell| cell.start).min().unwrap_or(0)
                ..columns.iter().map(|cell| cell.end).max().unwrap_or(0);
            grids.fill(image as usize, |pixels, cells| {
                for (rows, cells) in rows.iter().zip(cells.chunks_exact_mut(across)) {
                    let mut lines = rows.clone().map(|row| &pixels[row * width..][seen.clone()]);
                    line.clear();
                    line.extend_from_slice(lines.next().unwrap_or(&[]));
                    lines.for_each(|row| line.iter_mut().zip(row).for_each(|(most, &x)| *most = most.greater(x)));
                    for (cell, columns) in cells.iter_mut().zip(&columns) {
                        let columns = line.get(columns.start - seen.start..columns.end - seen.start).unwrap_or(&[]);
                        *cell = columns.iter().copied().reduce(T::greater).unwrap_or(T::ZERO);
                    }
                }
            });
        }
        Ok(())
    }
}

/// The pixels of a cell along one axis; a region includes both of its ends.
fn range([start, end]: [f32; 2], cell: usize, cells: usize, extent: usize) -> Range<usize> {
    let length = (end - start + 1.0).max(1.0) / cells as f32;
    let pixel = |x: f32| (x + start).clamp(0.0, extent as f32) as usize;
    let (first, last) = (pixel((cell as f32 * length).floor()), pixel(((cell + 1) as f32 * length).ceil()));
    first..last.max(first)
}

pub(super) fn pool_regions(call: &mut Call<'_>) -> Outcome {
    let (images, regions, scale) = (call.tensor(), call.tensor(), call.real());
    let mut output = call.output();
    if regions.extents.get(1) != Some(&5) {
        return Err(NO_FIT);
    }
    images.kind.dispatch(Pool { images: &images, regions: &regions, output: &mut output, scale: scale as f32 })
}

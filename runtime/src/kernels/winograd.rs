//! Convolutions with 3×3 windows by fewer products: Winograd's F(4×4, 3×3).
//!
//! A tile of 4×4 pixels of the result is made of 6×6 pixels d of the operand with one product for each of 36 points, instead of
//! nine for each of its pixels: `Aᵀ ((G w Gᵀ) ∘ (Bᵀ d B)) A`. Summed over channels, the products of many tiles at one point are a
//! product of matrices. (S. Winograd, Arithmetic Complexity of Computations, 1980; A. Lavin and S. Gray, Fast Algorithms for
//! Convolutional Neural Networks, 2015, with the points 0, ±1, ±2 and ∞.)

use std::cell::RefCell;

use abi::{Descriptor, POINTS, Product, Start, TILE_STEP, WINDOW_IN, WINDOW_OUT, Winograd};

use super::contract::{Columns, Contraction, Floats, Tile, tile};
use super::lanes::{Fused, Portable};
use super::levels::Instances;
#[cfg(target_arch = "x86_64")]
use super::{levels::Level, x86};

const GROUP: usize = abi::COLUMN_GROUP as usize;
/// Columns whose products are made before they become results.
const PANEL: usize = 4 * GROUP;

/// One call: the descriptor and the buffers.
pub(super) struct Tiles<'a> {
    pub(super) descriptor: &'a Descriptor<Winograd<i64>>,
    /// An image of the operand, `[blocks, height, width, 16]`.
    pub(super) x: *const f32,
    /// Weights at all points, `[36, groups, blocks · 16, 16]`, from the group of the first column on.
    pub(super) w: *const f32,
    pub(super) init: *const f32,
    /// An image of the result, `[groups, out height, out width, 16]`, from the group of the first column on.
    pub(super) y: *mut f32,
    pub(super) tiles: usize,
    pub(super) columns: usize,
}

thread_local! {
    /// Room for the operand and the products at all points, kept from call to call.
    static SCRATCH: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// The steps of a call in one instruction set.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    /// Writes the operand of all tiles at every point: [`transform`].
    pub(super) transform: unsafe fn(&Tiles<'_>, *mut f32),
    /// Products of six rows and of three, for panels of ever more columns. Each lies in every program that has a convolution, so
    /// there are few.
    pub(super) products: &'static [[Tile<Floats>; 2]],
    /// Columns of the first of these panels.
    pub(super) columns: usize,
    /// Makes the results of a panel of columns of its products: [`restore`].
    pub(super) restore: unsafe fn(&Tiles<'_>, *const f32, usize),
}

/// Runs all steps of a call.
pub(super) unsafe fn convolve(problem: &Tiles<'_>, steps: &Steps) {
    let channels = problem.channels();
    let operand = POINTS * problem.rows() * channels;
    let products = POINTS * problem.rows() * PANEL;
    SCRATCH.with_borrow_mut(|scratch| {
        if scratch.len() < operand + products + GROUP {
            scratch.resize(operand + products + GROUP, 0.0);
        }
        let aligned = scratch.as_ptr().align_offset(GROUP * size_of::<f32>()).min(GROUP);
        // SAFETY: both parts lie in the scratch, which is as long; the caller vouches for the other buffers.
        unsafe {
            let v = scratch.as_mut_ptr().add(aligned);
            let m = v.add(operand);
            (steps.transform)(problem, v);
            for first in (0..problem.columns).step_by(PANEL) {
                problem.multiply(steps, v, m, first);
                (steps.restore)(problem, m, first);
            }
        }
    });
}

impl Steps {
    /// Covers rows, which are a multiple of [`TILE_STEP`], and columns.
    unsafe fn multiply(&self, product: &Contraction<'_, Floats>) {
        let widest = self.columns << (self.products.len() - 1);
        for first in (0..product.cols).step_by(widest) {
            let columns = Columns { first, count: (product.cols - first).min(widest) };
            let panel = (0..).find(|panel| self.columns << panel >= columns.count).expect("the widest takes all");
            let [six, three] = self.products[panel];
            for row in (0..product.rows).step_by(2 * TILE_STEP) {
                let tile = if row + TILE_STEP < product.rows { six } else { three };
                // SAFETY: the tile lies inside the rows and columns that the caller vouches for.
                unsafe { tile(product, row, columns) };
            }
        }
    }
}

impl Tiles<'_> {
    fn channels(&self) -> usize {
        self.descriptor.walk.blocks as usize * GROUP
    }

    /// Tiles and what is multiplied beside the last of them, whatever lies there.
    fn rows(&self) -> usize {
        self.tiles.next_multiple_of(TILE_STEP)
    }

    /// The products of a panel of columns at every point, `[36, rows, 64]`.
    unsafe fn multiply(&self, steps: &Steps, v: *const f32, m: *mut f32, first: usize) {
        let rows = self.rows();
        let channels = self.channels();
        let depth = channels as i64;
        let walk = Product {
            reduction: [1, 1, 1, depth],
            left: [0, 0, 0, 1],
            right: [0, 0, 0, GROUP as i64],
            row_inner: rows as i64,
            left_rows: [depth, 0],
            out_rows: [PANEL as i64, 0],
            last_block: depth,
            right_group: depth * GROUP as i64,
            out_group: GROUP as i64,
        };
        let descriptor = Descriptor { walk, start: Start::Zero, right_padded: 0 };
        let all_columns = self.descriptor.walk.out_groups as usize * GROUP;
        for point in 0..POINTS {
            // SAFETY: every point has its part of all three buffers.
            unsafe {
                let product = Contraction {
                    descriptor: &descriptor,
                    a: v.add(point * rows * channels),
                    b: self.w.add((point * all_columns + first) * channels),
                    init: std::ptr::null(),
                    c: m.add(point * rows * PANEL),
                    rows,
                    cols: (self.columns - first).min(PANEL),
                };
                steps.multiply(&product);
            }
        }
    }

    /// The first row and column of a tile of the result.
    fn origin(&self, tile: usize) -> [i64; 2] {
        let d = &self.descriptor.walk;
        let across = (d.out_width as usize).div_ceil(WINDOW_OUT).max(1);
        let tile = d.first as usize + tile;
        [tile / across, tile % across].map(|at| (at * WINDOW_OUT) as i64)
    }
}

/// Numbers that the transformations multiply by, in all lanes.
struct Factors<V> {
    one: V,
    minus_one: V,
    two: V,
    minus_two: V,
    four: V,
    minus_four: V,
    minus_five: V,
    eight: V,
}

#[inline(always)]
unsafe fn factors<V: Fused<Element = f32>>() -> Factors<V> {
    // SAFETY: the instruction set is there, see `Lanes`.
    unsafe {
        Factors {
            one: V::broadcast(1.0),
            minus_one: V::broadcast(-1.0),
            two: V::broadcast(2.0),
            minus_two: V::broadcast(-2.0),
            four: V::broadcast(4.0),
            minus_four: V::broadcast(-4.0),
            minus_five: V::broadcast(-5.0),
            eight: V::broadcast(8.0),
        }
    }
}

/// `Bᵀ d`
#[inline(always)]
unsafe fn to_points<V: Fused<Element = f32>>(
    [d0, d1, d2, d3, d4, d5]: [V; WINDOW_IN],
    f: &Factors<V>,
) -> [V; WINDOW_IN] {
    // SAFETY: the instruction set is there, see `Lanes`.
    unsafe {
        let even = d4.multiply_add(d2, f.minus_four);
        let odd = d3.multiply_add(d1, f.minus_four);
        let outer = d4.multiply_add(d2, f.minus_one);
        let inner = d3.multiply_add(d1, f.minus_one);
        [
            d4.multiply_add(d2, f.minus_five).multiply_add(d0, f.four),
            even.multiply_add(odd, f.one),
            even.multiply_add(odd, f.minus_one),
            outer.multiply_add(inner, f.two),
            outer.multiply_add(inner, f.minus_two),
            d5.multiply_add(d3, f.minus_five).multiply_add(d1, f.four),
        ]
    }
}

/// `Aᵀ m`
#[inline(always)]
unsafe fn from_points<V: Fused<Element = f32>>(
    [m0, m1, m2, m3, m4, m5]: [V; WINDOW_IN],
    f: &Factors<V>,
) -> [V; WINDOW_OUT] {
    // SAFETY: the instruction set is there, see `Lanes`.
    unsafe {
        let (sum, difference) = (m1.multiply_add(m2, f.one), m1.multiply_add(m2, f.minus_one));
        let (sum_2, difference_2) = (m3.multiply_add(m4, f.one), m3.multiply_add(m4, f.minus_one));
        [
            m0.multiply_add(sum, f.one).multiply_add(sum_2, f.one),
            difference.multiply_add(difference_2, f.two),
            sum.multiply_add(sum_2, f.four),
            m5.multiply_add(difference, f.one).multiply_add(difference_2, f.eight),
        ]
    }
}

/// Writes the operand of all tiles at every point, `[36, rows, channels]`.
#[inline(always)]
pub(super) unsafe fn transform<V: Fused<Element = f32>>(problem: &Tiles<'_>, v: *mut f32) {
    let d = &problem.descriptor.walk;
    let [height, width] = [d.height, d.width];
    let channels = problem.channels();
    // SAFETY: pixels outside of the image are not read; the scratch is as large as `convolve` says.
    unsafe {
        let f = factors::<V>();
        for tile in 0..problem.tiles {
            let [row, column] = problem.origin(tile);
            let [row, column] = [row - d.top, column - d.left];
            for channel in (0..channels).step_by(V::WIDTH) {
                let (block, lane) = (channel / GROUP, channel % GROUP);
                let image = problem.x.add(block * (height * width) as usize * GROUP + lane);
                let mut pixels = [[V::zero(); WINDOW_IN]; WINDOW_IN];
                for (i, pixels) in pixels.iter_mut().enumerate() {
                    let y = row + i as i64;
                    if y < 0 || y >= height {
                        continue;
                    }
                    let line = image.wrapping_offset(((y * width + column) * GROUP as i64) as isize);
                    for (j, pixel) in pixels.iter_mut().enumerate() {
                        let x = column + j as i64;
                        if x >= 0 && x < width {
                            *pixel = V::load(line.wrapping_add(j * GROUP));
                        }
                    }
                    *pixels = to_points(*pixels, &f);
                }
                for j in 0..WINDOW_IN {
                    let mut points = [V::zero(); WINDOW_IN];
                    for (point, pixels) in points.iter_mut().zip(&pixels) {
                        *point = pixels[j];
                    }
                    for (i, point) in to_points(points, &f).into_iter().enumerate() {
                        point.store(v.add(((i * WINDOW_IN + j) * problem.rows() + tile) * channels + channel));
                    }
                }
            }
        }
    }
}

/// Makes the results of a panel of columns of its products.
#[inline(always)]
pub(super) unsafe fn restore<V: Fused<Element = f32>>(problem: &Tiles<'_>, m: *const f32, first: usize) {
    let Descriptor { walk: d, start, .. } = problem.descriptor;
    let [height, width] = [d.out_height, d.out_width];
    let end = (problem.columns - first).min(PANEL);
    // SAFETY: pixels outside of the image are not written; the products are as many as `multiply` says.
    unsafe {
        let f = factors::<V>();
        for tile in 0..problem.tiles {
            let [row, column] = problem.origin(tile);
            for at in (0..end).step_by(V::WIDTH) {
                let products = m.add(tile * PANEL + at);
                let mut lines = [[V::zero(); WINDOW_IN]; WINDOW_OUT];
                for j in 0..WINDOW_IN {
                    let mut points = [V::zero(); WINDOW_IN];
                    for (i, point) in points.iter_mut().enumerate() {
                        *point = V::load(products.add((i * WINDOW_IN + j) * problem.rows() * PANEL));
                    }
                    for (line, pixel) in lines.iter_mut().zip(from_points(points, &f)) {
                        line[j] = pixel;
                    }
                }
                let channel = first + at;
                let bias = if *start == Start::Columns { V::load(problem.init.add(channel)) } else { V::zero() };
                let (block, lane) = (channel / GROUP, channel % GROUP);
                let image = problem.y.add(block * (height * width) as usize * GROUP + lane);
                for (i, pixels) in lines.into_iter().enumerate() {
                    let y = row + i as i64;
                    if y >= height {
                        break;
                    }
                    let line = image.add(((y * width + column) * GROUP as i64) as usize);
                    for (j, pixel) in from_points(pixels, &f).into_iter().enumerate() {
                        if column + (j as i64) < width {
                            pixel.multiply_add(bias, f.one).store(line.add(j * GROUP));
                        }
                    }
                }
            }
        }
    }
}

impl Instances for Steps {
    const PORTABLE: Self = Steps {
        transform: transform::<Portable<f32>>,
        products: &[[tile::<Floats, Portable<f32>, 6, 2>, tile::<Floats, Portable<f32>, 3, 2>]],
        columns: 8,
        restore: restore::<Portable<f32>>,
    };
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, x86::V4_WINOGRAD), (Level::V3, x86::V3_WINOGRAD)];
}

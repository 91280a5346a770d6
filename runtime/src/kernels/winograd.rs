//! 3×3 convolutions by Winograd's minimal filtering: F(4×4, 3×3) and F(2×2, 3×3).
//!
//! A tile of 4×4 output pixels is computed from 6×6 input pixels d with one multiplication for each of 36 points,
//! instead of nine for each output pixel: `Aᵀ ((G w Gᵀ) ∘ (Bᵀ d B)) A`; a tile of 2×2 pixels from 4×4 with 16 points.
//! Summed over channels, the products of many tiles at one point are a matrix product. (S. Winograd, Arithmetic
//! Complexity of Computations, 1980; A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks, 2015,
//! with the points 0, ±1, ±2 and ∞.)

use std::cell::RefCell;

use abi::{Descriptor, FEWEST_TILES, Product, Start, TILE_STEP, WINDOW, Winograd, points};

use super::contract::{Columns, Contraction, Floats, Tile, tile};
use super::lanes::{Fused, Portable};
use super::levels::Instances;
#[cfg(target_arch = "aarch64")]
use super::{arm, levels::Level};
#[cfg(target_arch = "x86_64")]
use super::{levels::Level, x86};

const GROUP: usize = abi::COLUMN_GROUP as usize;
/// The size of the smaller tiles.
const SMALL: usize = 2;
/// Columns whose products are computed before they are transformed back.
const PANEL: usize = 4 * GROUP;

/// One call: the descriptor and the buffers.
pub(super) struct Tiles<'a> {
    pub(super) descriptor: &'a Descriptor<Winograd<i64>>,
    /// An image of the operand, `[blocks, height, width, 16]`.
    pub(super) x: *const f32,
    /// The transformed weights, `[points, groups, blocks · 16, 16]`, from the group of the first column on.
    pub(super) w: *const f32,
    pub(super) init: *const f32,
    /// An image of the result, `[groups, out height, out width, 16]`, from the group of the first column on.
    pub(super) y: *mut f32,
    pub(super) tiles: usize,
    pub(super) columns: usize,
}

thread_local! {
    /// Scratch memory for the transformed operand and the products, reused by later calls.
    static SCRATCH: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// The kernels of one instruction set.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    /// The transforms of tiles of 2×2 and of 4×4 pixels.
    pub(super) forms: [Form; 2],
    /// Matrix product kernels with decreasing numbers of rows, and of columns for equal numbers of rows. The last ones
    /// of six and of four rows, which all row counts are sums of, have at most two groups of columns.
    pub(super) products: &'static [Rows],
}

/// A matrix product kernel for a number of rows and columns. There are few, because each is linked into every program
/// with a convolution.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) tile: Tile<Floats>,
}

/// The transforms for one tile size.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// Transforms the operand of all tiles: [`transform`].
    pub(super) transform: unsafe fn(&Tiles<'_>, *mut f32),
    /// Transforms the products of a panel of columns back: [`restore`].
    pub(super) restore: unsafe fn(&Tiles<'_>, *const f32, usize),
}

/// Runs a call.
pub(super) unsafe fn convolve(problem: &Tiles<'_>, steps: &Steps) {
    let points = points(problem.size());
    let operand = points * problem.operand();
    let products = points * problem.rows() * PANEL;
    let form = &steps.forms[if problem.size() == SMALL { 0 } else { 1 }];
    SCRATCH.with_borrow_mut(|scratch| {
        if scratch.len() < operand + products + GROUP {
            scratch.resize(operand + products + GROUP, 0.0);
        }
        let aligned = scratch.as_ptr().align_offset(GROUP * size_of::<f32>()).min(GROUP);
        // SAFETY: both parts are inside the scratch memory; the caller vouches for the other buffers.
        unsafe {
            let v = scratch.as_mut_ptr().add(aligned);
            let m = v.add(operand);
            (form.transform)(problem, v);
            let counts = problem.tiles_at_points();
            for first in (0..problem.columns).step_by(PANEL) {
                problem.multiply(steps, &counts, (v, m), first);
                (form.restore)(problem, m, first);
            }
        }
    });
}

impl Steps {
    /// Covers rows, whose number is a multiple of [`TILE_STEP`] and at least [`FEWEST_TILES`], and columns, which are
    /// whole groups.
    unsafe fn multiply(&self, product: &Contraction<'_, Floats>) {
        for panel in (0..product.cols).step_by(PANEL) {
            let end = product.cols.min(panel + PANEL);
            let mut row = 0;
            while row < product.rows {
                let left = product.rows - row;
                let fits = |found: &&Rows| {
                    let leaves_some = left == found.rows || left >= found.rows + FEWEST_TILES;
                    // the last group of its columns may be missing
                    leaves_some && found.columns <= end - panel + GROUP
                };
                let found = self.products.iter().find(fits).expect("the last ones fit");
                for first in (panel..end).step_by(found.columns) {
                    let columns = Columns { first, count: (end - first).min(found.columns) };
                    // SAFETY: the tile lies inside the rows and columns that the caller vouches for.
                    unsafe { (found.tile)(product, row, columns) };
                }
                row += found.rows;
            }
        }
    }
}

impl Tiles<'_> {
    fn channels(&self) -> usize {
        self.descriptor.walk.blocks as usize * GROUP
    }

    /// The output tile size.
    fn size(&self) -> usize {
        self.descriptor.walk.size as usize
    }

    /// The rows of a matrix product: the tiles, and padding with unspecified contents.
    fn rows(&self) -> usize {
        multiplied(self.tiles)
    }

    /// The elements of the operand at a point, plus a cache line, so that the elements of a tile at all points do not
    /// map to the same cache sets.
    fn operand(&self) -> usize {
        self.rows() * self.channels() + GROUP
    }

    /// The products of a panel of columns at every point, `[points, rows, 64]`.
    unsafe fn multiply(&self, steps: &Steps, counts: &[usize; CLASSES], (v, m): (*const f32, *mut f32), first: usize) {
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
        let across = self.size() + WINDOW - 1;
        for point in 0..points(self.size()) {
            let count = counts[class_of(point / across, point % across, across)];
            if count == 0 {
                continue;
            }
            // SAFETY: each point has a separate part of all three buffers.
            unsafe {
                let product = Contraction {
                    descriptor: &descriptor,
                    a: v.add(point * self.operand()),
                    b: self.w.add((point * all_columns + first) * channels),
                    init: std::ptr::null(),
                    c: m.add(point * rows * PANEL),
                    rows: multiplied(count),
                    cols: (self.columns - first).min(PANEL),
                };
                steps.multiply(&product);
            }
        }
    }

    /// The first row and column of a tile of the result.
    fn origin(&self, tile: usize) -> [i64; 2] {
        let d = &self.descriptor.walk;
        let across = (d.out_width as usize).div_ceil(self.size()).max(1);
        let tile = d.first as usize + tile;
        [tile / across, tile % across].map(|at| (at * self.size()) as i64)
    }

    /// Whether a tile is multiplied at the points of each class: the last row of points contributes only to the last
    /// row of the output tile, which is not needed if it is outside of the image; likewise for columns.
    fn is_multiplied(&self, tile: usize) -> [bool; CLASSES] {
        let d = &self.descriptor.walk;
        let [row, column] = self.origin(tile).map(|first| first + self.size() as i64);
        let (has_rows, has_columns) = (row <= d.out_height, column <= d.out_width);
        [true, has_columns, has_rows, has_rows && has_columns]
    }

    /// The number of tiles that are multiplied at the points of each class.
    fn tiles_at_points(&self) -> [usize; CLASSES] {
        let mut places = [0; CLASSES];
        (0..self.tiles).for_each(|tile| advance(&mut places, self.is_multiplied(tile)));
        places
    }
}

/// The classes of points: all rows and columns but the last, the last column, the last row, and both.
const CLASSES: usize = 4;

/// The class of a point in a grid `across` points wide.
const fn class_of(i: usize, j: usize, across: usize) -> usize {
    (if i + 1 == across { 2 } else { 0 }) + (if j + 1 == across { 1 } else { 0 })
}

/// Advances the index of the next tile at the points of each class.
#[inline(always)]
fn advance(places: &mut [usize; CLASSES], is_multiplied: [bool; CLASSES]) {
    for (place, is_multiplied) in places.iter_mut().zip(is_multiplied) {
        *place += usize::from(is_multiplied);
    }
}

/// The number of rows that are multiplied for `tiles` tiles.
fn multiplied(tiles: usize) -> usize {
    tiles.next_multiple_of(TILE_STEP).max(FEWEST_TILES)
}

/// The constants of the transforms, broadcast to all lanes.
pub(super) struct Factors<V> {
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

/// The transforms of a tile size, with `OUT` outputs and `IN` inputs per side.
pub(super) trait Transforms<const OUT: usize, const IN: usize> {
    /// `Bᵀ d`
    unsafe fn to_points<V: Fused<Element = f32>>(d: [V; IN], f: &Factors<V>) -> [V; IN];
    /// `Aᵀ m`
    unsafe fn from_points<V: Fused<Element = f32>>(m: [V; IN], f: &Factors<V>) -> [V; OUT];
}

/// F(2×2, 3×3)
pub(super) struct Two;

impl Transforms<2, 4> for Two {
    #[inline(always)]
    unsafe fn to_points<V: Fused<Element = f32>>([d0, d1, d2, d3]: [V; 4], f: &Factors<V>) -> [V; 4] {
        // SAFETY: the instruction set is there, see `Lanes`.
        unsafe {
            [
                d0.multiply_add(d2, f.minus_one),
                d1.multiply_add(d2, f.one),
                d2.multiply_add(d1, f.minus_one),
                d3.multiply_add(d1, f.minus_one),
            ]
        }
    }

    #[inline(always)]
    unsafe fn from_points<V: Fused<Element = f32>>([m0, m1, m2, m3]: [V; 4], f: &Factors<V>) -> [V; 2] {
        // SAFETY: as above.
        unsafe {
            let (sum, difference) = (m1.multiply_add(m2, f.one), m1.multiply_add(m2, f.minus_one));
            [m0.multiply_add(sum, f.one), m3.multiply_add(difference, f.one)]
        }
    }
}

/// F(4×4, 3×3)
pub(super) struct Four;

impl Transforms<4, 6> for Four {
    #[inline(always)]
    unsafe fn to_points<V: Fused<Element = f32>>([d0, d1, d2, d3, d4, d5]: [V; 6], f: &Factors<V>) -> [V; 6] {
        // SAFETY: as above.
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

    #[inline(always)]
    unsafe fn from_points<V: Fused<Element = f32>>([m0, m1, m2, m3, m4, m5]: [V; 6], f: &Factors<V>) -> [V; 4] {
        // SAFETY: as above.
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
}

/// Transforms the operand of all tiles: `[points, rows, channels]`.
#[inline(always)]
pub(super) unsafe fn transform<V, F, const OUT: usize, const IN: usize>(problem: &Tiles<'_>, v: *mut f32)
where
    V: Fused<Element = f32>,
    F: Transforms<OUT, IN>,
{
    let d = &problem.descriptor.walk;
    let [height, width] = [d.height, d.width];
    let channels = problem.channels();
    // SAFETY: pixels outside of the image are not read; `convolve` sizes the scratch memory.
    unsafe {
        let f = factors::<V>();
        let mut places = [0; CLASSES];
        for tile in 0..problem.tiles {
            let [row, column] = problem.origin(tile);
            let [row, column] = [row - d.top, column - d.left];
            for channel in (0..channels).step_by(V::WIDTH) {
                let (block, lane) = (channel / GROUP, channel % GROUP);
                let image = problem.x.add(block * (height * width) as usize * GROUP + lane);
                let mut pixels = [[V::zero(); IN]; IN];
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
                    *pixels = F::to_points(*pixels, &f);
                }
                for j in 0..IN {
                    let mut points = [V::zero(); IN];
                    for (point, pixels) in points.iter_mut().zip(&pixels) {
                        *point = pixels[j];
                    }
                    for (i, point) in F::to_points(points, &f).into_iter().enumerate() {
                        // if the tile is not multiplied at this point, the next one that is overwrites this
                        let place = places[class_of(i, j, IN)];
                        point.store(v.add((i * IN + j) * problem.operand() + place * channels + channel));
                    }
                }
            }
            advance(&mut places, problem.is_multiplied(tile));
        }
    }
}

/// Transforms the products of a panel of columns back into pixels.
#[inline(always)]
pub(super) unsafe fn restore<V, F, const OUT: usize, const IN: usize>(problem: &Tiles<'_>, m: *const f32, first: usize)
where
    V: Fused<Element = f32>,
    F: Transforms<OUT, IN>,
{
    let Descriptor { walk: d, start, .. } = problem.descriptor;
    let [height, width] = [d.out_height, d.out_width];
    let end = (problem.columns - first).min(PANEL);
    // SAFETY: pixels outside of the image are not written; `multiply` computed the products.
    unsafe {
        let f = factors::<V>();
        let mut places = [0; CLASSES];
        for tile in 0..problem.tiles {
            let [row, column] = problem.origin(tile);
            for at in (0..end).step_by(V::WIDTH) {
                let mut lines = [[V::zero(); IN]; OUT];
                for j in 0..IN {
                    let mut points = [V::zero(); IN];
                    for (i, point) in points.iter_mut().enumerate() {
                        // unspecified if the tile is not multiplied at this point: the pixels that depend on it are
                        // outside of the image
                        let row = (i * IN + j) * problem.rows() + places[class_of(i, j, IN)];
                        *point = V::load(m.add(row * PANEL + at));
                    }
                    for (line, pixel) in lines.iter_mut().zip(F::from_points(points, &f)) {
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
                    for (j, pixel) in F::from_points(pixels, &f).into_iter().enumerate() {
                        if column + (j as i64) < width {
                            pixel.multiply_add(bias, f.one).store(line.add(j * GROUP));
                        }
                    }
                }
            }
            advance(&mut places, problem.is_multiplied(tile));
        }
    }
}

impl Instances for Steps {
    const PORTABLE: Self = Steps {
        forms: [
            Form { transform: transform::<Portable<f32>, Two, 2, 4>, restore: restore::<Portable<f32>, Two, 2, 4> },
            Form { transform: transform::<Portable<f32>, Four, 4, 6>, restore: restore::<Portable<f32>, Four, 4, 6> },
        ],
        products: &[
            Rows { rows: 6, columns: 8, tile: tile::<Floats, Portable<f32>, 6, 2> },
            Rows { rows: 4, columns: 8, tile: tile::<Floats, Portable<f32>, 4, 2> },
        ],
    };
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] =
        &[(Level::Amx, x86::AMX_WINOGRAD), (Level::V4, x86::V4_WINOGRAD), (Level::V3, x86::V3_WINOGRAD)];
    #[cfg(target_arch = "aarch64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Neon, arm::WINOGRAD)];
}

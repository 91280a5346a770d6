//! Contractions with a block-quantised right operand: 4-bit or 8-bit values with a scale for each block of a column.
//!
//! The left operand is converted to fixed point, block by block: 24 bits, of which the largest value of the block uses
//! all, in three digits to the base 256. Products of digits and values are summed in integers, which is exact; sums of
//! blocks are scaled and added in f32. A block that contains an infinity or NaN makes the sum NaN.

use std::cell::RefCell;

use abi::{Blocks, Descriptor, Start};

use super::lanes::{Fused, Portable};
use super::levels::Instances;
use super::prefetch::{self, Cache};
#[cfg(target_arch = "x86_64")]
use super::{levels::Level, x86_blocks};

const GROUP: usize = abi::COLUMN_GROUP as usize;
/// Digits of a fixed-point value.
const DIGITS: usize = 3;
/// The largest value of three digits.
const LARGEST: f32 = (127 * 65536 + 127 * 256 + 127) as f32;
/// Smaller magnitudes are flushed to zero, because scaling them up would overflow.
const SMALLEST: f32 = 1e-30;
/// Bytes of digits that are computed at a time, unless one row has more.
const ROOM: usize = 1 << 18;
/// Prefetch distance in bytes of the right operand, long enough for memory latency, and of its scales, of which there
/// are fewer.
const AHEAD: usize = 12_288;
const SCALES_AHEAD: usize = AHEAD / 4;

/// Registers of f32 sums and of integers.
pub(super) trait Digits: Fused<Element = f32> {
    /// Integers with the same number of lanes.
    type Integers: Copy;

    /// Broadcasts an integer.
    unsafe fn spread(number: i32) -> Self::Integers;
    /// Loads all lanes from any address.
    unsafe fn words(from: *const i32) -> Self::Integers;
    /// Shifts the words right and applies the mask.
    unsafe fn bytes(words: Self::Integers, shift: u32, mask: i32) -> Self::Integers;
    /// Adds the products of four unsigned and four signed bytes to each lane.
    unsafe fn add_products(sums: Self::Integers, numbers: Self::Integers, digits: Self::Integers) -> Self::Integers;
    /// Products of one unsigned byte per lane with an integer.
    unsafe fn products(bytes: *const u8, number: i32) -> Self::Integers;
    /// The nearest integers, clamped to `-limit..=limit`; unspecified for NaN.
    unsafe fn rounded(self, limit: f32) -> Self::Integers;
    /// The sign-extended lowest byte of each lane, and the remaining value shifted right.
    unsafe fn split(numbers: Self::Integers) -> (Self::Integers, Self::Integers);
    /// Stores the lanes of the mask as bytes; all of them if there are eight lanes or fewer.
    unsafe fn store_bytes(numbers: Self::Integers, to: *mut i8, mask: Self::Mask);
    /// The lanewise sum.
    unsafe fn add(a: Self::Integers, b: Self::Integers) -> Self::Integers;
    /// The sum of all lanes.
    unsafe fn total(numbers: Self::Integers) -> i32;
    /// The digit sums combined into floats, the lowest digit first.
    unsafe fn combined(sums: [Self::Integers; DIGITS]) -> Self;
}

/// One call: the descriptor and the buffers.
pub(super) struct BlockProduct<'a> {
    pub(super) descriptor: &'a Descriptor<Blocks<i64>>,
    pub(super) a: *const f32,
    pub(super) words: *const i32,
    pub(super) init: *const f32,
    pub(super) c: *mut f32,
    pub(super) rows: usize,
    pub(super) cols: usize,
}

/// Some rows of the left operand.
pub(super) struct Rows<'r> {
    /// Each row's digits, `[rows, 3, depth]`.
    digits: &'r mut [i8],
    /// The scale and start values of each block.
    blocks: &'r mut [Block],
    /// The index of the first of them, and how many there are.
    first: usize,
    count: usize,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Block {
    /// The value of one unit of the digits.
    unit: f32,
    /// The start values of the digit sums, per unit of a zero point; or for the zero point, if all are equal.
    starts: [i32; DIGITS],
}

thread_local! {
    /// Scratch memory for digits and blocks, reused by later calls.
    static SCRATCH: RefCell<(Vec<i8>, Vec<Block>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// Computes some rows of a call in one instruction set, with scratch memory for digits and blocks.
pub(super) type BlockKernel = unsafe fn(&BlockProduct<'_>, rows: &mut Rows<'_>);

impl BlockProduct<'_> {
    /// Processes the rows in groups that fit the scratch memory.
    pub(super) unsafe fn run(&self, kernel: BlockKernel) {
        let (depth, blocks) = (self.padded_depth(), self.blocks());
        let at_once = (ROOM / (DIGITS * depth).max(1)).clamp(1, self.rows.max(1));
        SCRATCH.with_borrow_mut(|(digits, own)| {
            digits.resize(at_once * DIGITS * depth, 0);
            own.resize(at_once * blocks, Block::default());
            for first in (0..self.rows).step_by(at_once) {
                let count = at_once.min(self.rows - first);
                // SAFETY: promised by the caller.
                unsafe { kernel(self, &mut Rows { digits, blocks: own, first, count }) };
            }
        });
    }
}

/// Some rows of a call, to be compiled within a function that enables the instruction set.
#[inline(always)]
pub(super) unsafe fn product<V: Digits, const VECTORS: usize>(problem: &BlockProduct<'_>, rows: &mut Rows<'_>) {
    // SAFETY: promised by the caller.
    unsafe {
        match problem.descriptor.walk.bits {
            4 => product_of::<V, VECTORS, 4>(problem, rows),
            8 => product_of::<V, VECTORS, 8>(problem, rows),
            other => unreachable!("{other}-bit values are not supported"),
        }
    }
}

#[inline(always)]
unsafe fn product_of<V: Digits, const VECTORS: usize, const BITS: usize>(
    problem: &BlockProduct<'_>,
    rows: &mut Rows<'_>,
) {
    let d = &problem.descriptor.walk;
    let (depth, blocks) = (problem.padded_depth(), problem.blocks());
    // without zero points the middle of the range is zero
    let zero_point = if d.zero_points == 0 { 1 << (BITS - 1) } else { 1 };
    for row in 0..rows.count {
        let digits = &mut rows.digits[row * DIGITS * depth..][..DIGITS * depth];
        // SAFETY: the caller vouches for the rows.
        let numbers = unsafe {
            std::slice::from_raw_parts(problem.a.offset(problem.row(rows.first + row, d.left_rows)), d.depth as usize)
        };
        // SAFETY: the instruction set is there, see `Lanes`.
        unsafe {
            let blocks = &mut rows.blocks[row * blocks..][..blocks];
            to_digits::<V>((numbers, d.block as usize), zero_point, digits, blocks);
        }
    }
    for column in (0..problem.cols).step_by(GROUP) {
        let mut row = 0;
        // SAFETY: as above, for everything that the descriptor reaches.
        unsafe {
            while row + 4 <= rows.count {
                problem.tile::<V, VECTORS, BITS, 4>(rows, row, column);
                row += 4;
            }
            while row < rows.count {
                problem.tile::<V, VECTORS, BITS, 1>(rows, row, column);
                row += 1;
            }
        }
    }
}

/// Converts a row to fixed point, block by block: `[3, depth]` digits, zero after the last value.
#[inline(always)]
unsafe fn to_digits<V: Digits>(
    (row, block): (&[f32], usize),
    zero_point: i32,
    digits: &mut [i8],
    blocks: &mut [Block],
) {
    let depth = digits.len() / DIGITS;
    for (at, (numbers, own)) in row.chunks(block).zip(blocks).enumerate() {
        // the bits of magnitudes order as the magnitudes do, infinities and NaNs last
        let largest = numbers.iter().map(|number| number.abs().to_bits()).max().unwrap_or(0);
        let largest = f32::from_bits(largest);
        let (scale, unit) = match largest {
            _ if !largest.is_finite() => (0.0, f32::NAN),
            ..SMALLEST => (0.0, 0.0),
            _ => (LARGEST / largest, largest / LARGEST),
        };
        // SAFETY: masks keep loads inside the numbers, and stores inside the block.
        unsafe {
            let mut sums = [V::spread(0); DIGITS];
            for first in (0..block).step_by(V::WIDTH) {
                let there = V::mask(numbers.len().saturating_sub(first).min(V::WIDTH));
                let scaled = V::load_masked(numbers.as_ptr().wrapping_add(first), there);
                let mut rest = V::zero().multiply_add(scaled, V::broadcast(scale)).rounded(LARGEST);
                let to = digits.as_mut_ptr().wrapping_add(at * block + first);
                for (digit, sum) in sums.iter_mut().enumerate() {
                    let lowest;
                    (lowest, rest) = V::split(rest);
                    V::store_bytes(lowest, to.wrapping_add(digit * depth), V::mask((block - first).min(V::WIDTH)));
                    *sum = V::add(*sum, lowest);
                }
            }
            let [low, middle, high] = sums;
            let totals = [V::total(low), V::total(middle), V::total(high)];
            *own = Block { unit, starts: totals.map(|total| total.wrapping_mul(-zero_point)) };
        }
    }
}

impl BlockProduct<'_> {
    fn blocks(&self) -> usize {
        let d = &self.descriptor.walk;
        (d.depth as usize).div_ceil(d.block as usize)
    }

    /// The depth, rounded up to whole blocks.
    fn padded_depth(&self) -> usize {
        self.blocks() * self.descriptor.walk.block as usize
    }

    /// The offset of a row in an operand with these strides of the row loops.
    #[inline(always)]
    fn row(&self, row: usize, strides: [i64; 2]) -> isize {
        let width = self.descriptor.walk.row_inner.max(1) as usize;
        (row / width) as isize * strides[1] as isize + (row % width) as isize * strides[0] as isize
    }

    /// `ROWS` rows by a group of columns.
    #[inline(always)]
    unsafe fn tile<V: Digits, const VECTORS: usize, const BITS: usize, const ROWS: usize>(
        &self,
        rows: &Rows<'_>,
        row: usize,
        column: usize,
    ) {
        let Descriptor { walk: d, start, .. } = self.descriptor;
        let (depth, blocks, block) = (self.padded_depth(), self.blocks(), d.block as usize);
        // values of a word, and words per byte of values
        let (in_word, quads) = (32 / BITS, 8 / BITS);
        let mask = (0xff >> (8 - BITS)) * 0x0101_0101u32;
        let group = (column / GROUP) as isize;
        // SAFETY: the caller vouches for all that the descriptor reaches; digits and blocks cover all rows.
        unsafe {
            let mut words = self.words.offset(group * d.right_group as isize);
            let scales = (d.scales as *const f32).offset(group * d.scales_group as isize);
            let zero_points = (d.zero_points as *const u8).wrapping_offset(group * d.scales_group as isize);
            let mut digits = [rows.digits.as_ptr(); ROWS];
            for (r, digits) in digits.iter_mut().enumerate() {
                *digits = digits.add((row + r) * DIGITS * depth);
            }
            let mut sums = [[V::zero(); VECTORS]; ROWS];
            for b in 0..blocks {
                let mut own = [Block::default(); ROWS];
                for (r, own) in own.iter_mut().enumerate() {
                    *own = *rows.blocks.get_unchecked((row + r) * blocks + b);
                }
                let mut totals: [[[V::Integers; DIGITS]; VECTORS]; ROWS] = [[[V::spread(0); DIGITS]; VECTORS]; ROWS];
                for (totals, own) in totals.iter_mut().zip(&own) {
                    for (v, totals) in totals.iter_mut().enumerate() {
                        for (total, &start) in totals.iter_mut().zip(&own.starts) {
                            *total = match d.zero_points {
                                0 => V::spread(start),
                                _ => V::products(zero_points.wrapping_add(b * GROUP + v * V::WIDTH), start),
                            };
                        }
                    }
                }
                for word in 0..block / in_word {
                    prefetch::ahead(words.wrapping_byte_add(AHEAD), Cache::Second);
                    for v in 0..VECTORS {
                        let own = V::words(words.add(v * V::WIDTH));
                        for quad in 0..quads {
                            let numbers = V::bytes(own, (quad * BITS) as u32, mask as i32);
                            let at = b * block + word * in_word + quad * 4;
                            for (totals, digits) in totals.iter_mut().zip(&digits) {
                                for (digit, total) in totals[v].iter_mut().enumerate() {
                                    let from = digits.add(digit * depth + at).cast::<i32>();
                                    *total = V::add_products(*total, numbers, V::spread(from.read_unaligned()));
                                }
                            }
                        }
                    }
                    words = words.add(GROUP);
                }
                prefetch::ahead(scales.wrapping_add(b * GROUP).wrapping_byte_add(SCALES_AHEAD), Cache::Second);
                for v in 0..VECTORS {
                    let scale = V::load(scales.add(b * GROUP + v * V::WIDTH));
                    for ((sums, totals), own) in sums.iter_mut().zip(&totals).zip(&own) {
                        let factor = V::zero().multiply_add(scale, V::broadcast(own.unit));
                        sums[v] = sums[v].multiply_add(V::combined(totals[v]), factor);
                    }
                }
            }
            for (r, sums) in sums.into_iter().enumerate() {
                let to = self.c.offset(self.row(rows.first + row + r, d.out_rows) + group * d.out_group as isize);
                for (v, sum) in sums.into_iter().enumerate() {
                    let from = column + v * V::WIDTH;
                    let lanes = V::mask(self.cols.saturating_sub(from).min(V::WIDTH));
                    let to = to.wrapping_add(v * V::WIDTH);
                    let first = match start {
                        Start::Zero => V::zero(),
                        Start::Columns => V::load_masked(self.init.wrapping_add(from), lanes),
                        Start::Values => V::load_masked(to, lanes),
                    };
                    first.multiply_add(sum, V::broadcast(1.0)).store_masked(to, lanes);
                }
            }
        }
    }
}

impl Digits for Portable<f32> {
    type Integers = [i32; 4];

    #[inline(always)]
    unsafe fn spread(number: i32) -> [i32; 4] {
        [number; 4]
    }

    #[inline(always)]
    unsafe fn words(from: *const i32) -> [i32; 4] {
        // SAFETY: the caller vouches for the words.
        unsafe { from.cast::<[i32; 4]>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn bytes(words: [i32; 4], shift: u32, mask: i32) -> [i32; 4] {
        words.map(|word| (word >> shift) & mask)
    }

    #[inline(always)]
    unsafe fn add_products(sums: [i32; 4], numbers: [i32; 4], digits: [i32; 4]) -> [i32; 4] {
        std::array::from_fn(|lane| {
            let (numbers, digits) = (numbers[lane].to_le_bytes(), digits[lane].to_le_bytes());
            let product = |at: usize| i32::from(numbers[at]) * i32::from(digits[at] as i8);
            sums[lane].wrapping_add(product(0) + product(1) + product(2) + product(3))
        })
    }

    #[inline(always)]
    unsafe fn products(bytes: *const u8, number: i32) -> [i32; 4] {
        // SAFETY: the caller vouches for the bytes.
        let bytes = unsafe { bytes.cast::<[u8; 4]>().read_unaligned() };
        bytes.map(|byte| i32::from(byte).wrapping_mul(number))
    }

    #[inline(always)]
    unsafe fn rounded(self, limit: f32) -> [i32; 4] {
        self.0.map(|number| number.clamp(-limit, limit).round_ties_even() as i32)
    }

    #[inline(always)]
    unsafe fn split(numbers: [i32; 4]) -> ([i32; 4], [i32; 4]) {
        let lowest = numbers.map(|number| i32::from(number as i8));
        (lowest, std::array::from_fn(|lane| (numbers[lane] - lowest[lane]) >> 8))
    }

    #[inline(always)]
    unsafe fn store_bytes(numbers: [i32; 4], to: *mut i8, _: usize) {
        // SAFETY: the caller vouches for four bytes.
        unsafe { to.cast::<[i8; 4]>().write(numbers.map(|number| number as i8)) }
    }

    #[inline(always)]
    unsafe fn add(a: [i32; 4], b: [i32; 4]) -> [i32; 4] {
        std::array::from_fn(|lane| a[lane] + b[lane])
    }

    #[inline(always)]
    unsafe fn total(numbers: [i32; 4]) -> i32 {
        numbers.iter().sum()
    }

    #[inline(always)]
    unsafe fn combined([low, middle, high]: [[i32; 4]; DIGITS]) -> Self {
        Portable(std::array::from_fn(|lane| {
            let lower = middle[lane].wrapping_shl(8).wrapping_add(low[lane]);
            high[lane] as f32 * 65536.0 + lower as f32
        }))
    }
}

unsafe fn portable(problem: &BlockProduct<'_>, rows: &mut Rows<'_>) {
    // SAFETY: promised by the caller.
    unsafe { product::<Portable<f32>, 4>(problem, rows) }
}

impl Instances for BlockKernel {
    const PORTABLE: Self = portable;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Vnni, x86_blocks::vnni), (Level::V3, x86_blocks::v3)];
}

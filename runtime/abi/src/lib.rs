//! The interface between generated code and the runtime's micro-kernels: descriptors of contraction tiles, and the
//! functions that micro-kernels apply to rows.
//!
//! `T` is an integer where a micro-kernel reads a descriptor, and an SSA value where a compiler builds one. Strides are
//! in elements, unless a field says otherwise.

pub mod accesses;
pub mod elementary;
mod row;
mod status;
mod tree_node;
pub mod weights_file;

pub use row::{RowFold, RowFunction};
pub use status::Status;
pub use tree_node::TreeNode;

/// Columns that are contiguous in the right operand and in the result, whatever the strides between groups.
pub const COLUMN_GROUP: i64 = 16;
/// The number of scalar operations from which a loop is worth sharing with an idle thread: about a microsecond.
pub const GRAIN: i64 = 8192;
/// The maximum rank of relayout routines.
pub const RELAYOUT_AXES: usize = 8;

/// Words of a data-movement descriptor before its axes: the bytes of an element, the number of axes.
pub const MOVE_WORDS: usize = 2;
/// Words of each axis: its extent, and its strides in both tensors. Strides of the result do not overlap and are
/// nested.
pub const MOVE_AXIS_WORDS: usize = 3;
/// Words of a padding descriptor before its axes: the bytes of an element, the fill value in the low bytes, the number of
/// axes.
pub const PAD_WORDS: usize = 3;
/// Words of each axis: the elements before the middle, those of the middle, and the total.
pub const PAD_AXIS_WORDS: usize = 3;

/// Words of a [`Product`], with arrays flattened.
pub const PRODUCT_WORDS: usize = 20;
/// Words of [`Blocks`], with arrays flattened.
pub const BLOCKS_WORDS: usize = 13;
/// Words of a [`Depthwise`], with arrays flattened.
pub const DEPTHWISE_WORDS: usize = 8;
/// Words of a [`Winograd`].
pub const WINOGRAD_WORDS: usize = 10;

/// Height and width of the kernels that [`Winograd`] applies to.
pub const WINDOW: usize = 3;
/// Output tile sizes of [`Winograd`], in rows and columns.
pub const TILE_SIZES: [usize; 2] = [2, 4];
/// Tiles are multiplied in steps of this size: tile counts should be multiples of it.
pub const TILE_STEP: usize = 2;
/// The minimum number of tiles in a multiplication, including padding.
pub const FEWEST_TILES: usize = 4;
/// The factor of the tiles of a part where they are one number with its groups of output channels, which are fewer.
pub const PARTS_RADIX: i64 = 1 << 16;

/// The number of points at which a tile of `size` × `size` outputs is multiplied.
pub const fn points(size: usize) -> usize {
    (size + WINDOW - 1) * (size + WINDOW - 1)
}

/// The initial value of sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Start {
    /// Zero.
    Zero = 0,
    /// One value for each column.
    Columns = 1,
    /// The current contents of the result.
    Values = 2,
}

/// The descriptor of one micro-kernel call.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Descriptor<W> {
    /// The loops over the operands.
    pub walk: W,
    /// The initial value of sums.
    pub start: Start,
    /// 1 if the right operand may be read up to the next full group of columns.
    pub right_padded: i64,
}

/// The loops of a contraction: `out[r][j] = start + Σ left[r][…]·right[…][j]` over up to four nested reduction loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Product<T> {
    /// Extents of the reduction loops, outermost first.
    pub reduction: [T; 4],
    /// Stride of each reduction loop in the left operand.
    pub left: [T; 4],
    /// Stride of each reduction loop in the right operand.
    pub right: [T; 4],
    /// The extent W of the inner row loop: row r is (r / W, r % W).
    pub row_inner: T,
    /// Strides of the row loops in the left operand, the inner one first.
    pub left_rows: [T; 2],
    /// Strides of the row loops in the result, the inner one first.
    pub out_rows: [T; 2],
    /// The innermost extent in the last step of the outermost reduction loop.
    pub last_block: T,
    /// Stride between groups of columns in the right operand.
    pub right_group: T,
    /// Stride between groups of columns in the result.
    pub out_group: T,
}

/// Splits four nested loops into blocks of at most `most` steps: the number of steps of each loop, with as many
/// complete inner loops as fit.
pub fn steps_of_part(extents: [i64; 4], most: i64) -> [i64; 4] {
    let mut by = [1, 1, 1, extents[3].clamp(1, most)];
    for axis in (0..3).rev() {
        let is_whole = by[axis + 1] >= extents[axis + 1];
        let room = most / by[axis + 1..].iter().product::<i64>();
        by[axis] = if is_whole { extents[axis].min(room).max(1) } else { 1 };
    }
    by
}

/// Whether micro-kernels copy the right operand of a product to a near buffer: steps of the reduction loops `extents` with
/// these strides are far apart, and enough rows and steps use the copy. An extent or a number of rows that is `None` is
/// taken as enough; elements have `bytes` bytes.
pub fn is_right_copied(extents: [Option<i64>; 4], strides: [Option<i64>; 4], rows: Option<i64>, bytes: usize) -> bool {
    const FAR_BYTES: u64 = 1024;
    const ROWS: i64 = 32;
    const STEPS: i64 = 64;
    let innermost = (0..4).rev().find(|&axis| extents[axis] != Some(1));
    let stride = innermost.and_then(|axis| strides[axis]).unwrap_or(0).unsigned_abs();
    let steps: Option<i64> = extents.into_iter().product();
    stride >= FAR_BYTES / bytes as u64
        && rows.is_none_or(|rows| rows >= ROWS)
        && steps.is_none_or(|steps| steps >= STEPS)
}

impl<T: Copy> Product<T> {
    /// The fields as words, in order.
    pub fn words(&self) -> [T; PRODUCT_WORDS] {
        let Product { reduction, left, right, row_inner, left_rows, out_rows, last_block, right_group, out_group } =
            *self;
        let ([r0, r1, r2, r3], [a0, a1, a2, a3], [b0, b1, b2, b3]) = (reduction, left, right);
        let ([i0, i1], [o0, o1]) = (left_rows, out_rows);
        [r0, r1, r2, r3, a0, a1, a2, a3, b0, b1, b2, b3, row_inner, i0, i1, o0, o1, last_block, right_group, out_group]
    }

    /// From the words, in order.
    pub fn of(words: [T; PRODUCT_WORDS]) -> Product<T> {
        let [
            r0,
            r1,
            r2,
            r3,
            a0,
            a1,
            a2,
            a3,
            b0,
            b1,
            b2,
            b3,
            row_inner,
            i0,
            i1,
            o0,
            o1,
            last_block,
            right_group,
            out_group,
        ] = words;
        Product {
            reduction: [r0, r1, r2, r3],
            left: [a0, a1, a2, a3],
            right: [b0, b1, b2, b3],
            row_inner,
            left_rows: [i0, i1],
            out_rows: [o0, o1],
            last_block,
            right_group,
            out_group,
        }
    }
}

/// The loops of a contraction with a 4-bit or 8-bit right operand: over consecutive elements of the left operand and
/// quantisation blocks of the right one. A word holds several values of a column; see [`place_in_word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Blocks<T> {
    /// Elements in a row of the left operand.
    pub depth: T,
    /// Values in a block: a multiple of the number of values in a word.
    pub block: T,
    /// Bits of a value: 4 or 8.
    pub bits: T,
    /// The extent W of the inner row loop: row r is (r / W, r % W).
    pub row_inner: T,
    /// Strides of the row loops in the left operand, the inner one first.
    pub left_rows: [T; 2],
    /// Strides of the row loops in the result, the inner one first.
    pub out_rows: [T; 2],
    /// Stride between groups of columns, in words.
    pub right_group: T,
    /// Stride between groups of columns in the result.
    pub out_group: T,
    /// The address of the scales: one group of columns for each block.
    pub scales: T,
    /// Stride between groups of columns in scales and zero points.
    pub scales_group: T,
    /// The address of the zero points, uint8 in the order of the scales; 0 if all of them are the middle of the range.
    pub zero_points: T,
}

/// The bit offset of value `number` in its word, for values of `bits` bits: the first four are in the low bits of the
/// four bytes, the next four above them.
pub const fn place_in_word(number: i64, bits: i64) -> i64 {
    number % 4 * 8 + number / 4 * bits
}

impl<T: Copy> Blocks<T> {
    /// The fields as words, in order.
    pub fn words(&self) -> [T; BLOCKS_WORDS] {
        let Blocks { depth, block, bits, row_inner, left_rows: [i0, i1], out_rows: [o0, o1], .. } = *self;
        let Blocks { right_group, out_group, scales, scales_group, zero_points, .. } = *self;
        [depth, block, bits, row_inner, i0, i1, o0, o1, right_group, out_group, scales, scales_group, zero_points]
    }

    /// From the words, in order.
    pub fn of(words: [T; BLOCKS_WORDS]) -> Blocks<T> {
        let [depth, block, bits, row_inner, i0, i1, o0, o1, right_group, out_group, scales, scales_group, zero_points] =
            words;
        let (left_rows, out_rows) = ([i0, i1], [o0, o1]);
        Blocks {
            depth,
            block,
            bits,
            row_inner,
            left_rows,
            out_rows,
            right_group,
            out_group,
            scales,
            scales_group,
            zero_points,
        }
    }
}

/// The loops of a depthwise convolution: one row of pixels, at most one group of channels, a kernel of two loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Depthwise<T> {
    /// Height and width of the kernel.
    pub window: [T; 2],
    /// Strides of the kernel's loops in the left operand.
    pub left: [T; 2],
    /// Stride between output pixels in the left operand.
    pub left_pixel: T,
    /// Strides of the kernel's loops in the right operand.
    pub right: [T; 2],
    /// Stride between pixels in the result.
    pub out_pixel: T,
}

impl<T: Copy> Depthwise<T> {
    /// The fields as words, in order.
    pub fn words(&self) -> [T; DEPTHWISE_WORDS] {
        let Depthwise { window, left, left_pixel, right, out_pixel } = *self;
        [window[0], window[1], left[0], left[1], left_pixel, right[0], right[1], out_pixel]
    }

    /// From the words, in order.
    pub fn of([w0, w1, a0, a1, left_pixel, b0, b1, out_pixel]: [T; DEPTHWISE_WORDS]) -> Depthwise<T> {
        Depthwise { window: [w0, w1], left: [a0, a1], left_pixel, right: [b0, b1], out_pixel }
    }
}

/// The geometry of a 3×3 Winograd convolution over some tiles of an image: the layout is groups of [`COLUMN_GROUP`]
/// channels, then rows, columns, and channels of the group. Weights are transformed, `[points, out_groups, blocks · 16,
/// 16]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Winograd<T> {
    /// The output tile size, see [`TILE_SIZES`].
    pub size: T,
    /// Rows of the operand.
    pub height: T,
    /// Columns of the operand.
    pub width: T,
    /// Rows of zero padding above the operand.
    pub top: T,
    /// Columns of zero padding to the left of the operand.
    pub left: T,
    /// Groups of channels of the operand.
    pub blocks: T,
    /// Rows of the result.
    pub out_height: T,
    /// Columns of the result.
    pub out_width: T,
    /// Groups of channels of the weights.
    pub out_groups: T,
    /// The first tile, in row-major order.
    pub first: T,
}

impl<T: Copy> Winograd<T> {
    /// The fields as words, in order.
    pub fn words(&self) -> [T; WINOGRAD_WORDS] {
        let Winograd { size, height, width, top, left, blocks, out_height, out_width, out_groups, first } = *self;
        [size, height, width, top, left, blocks, out_height, out_width, out_groups, first]
    }

    /// From the words, in order.
    pub fn of(words: [T; WINOGRAD_WORDS]) -> Winograd<T> {
        let [size, height, width, top, left, blocks, out_height, out_width, out_groups, first] = words;
        Winograd { size, height, width, top, left, blocks, out_height, out_width, out_groups, first }
    }
}

const _: () = {
    assert!(size_of::<Descriptor<Winograd<i64>>>() == 8 * (WINOGRAD_WORDS + 2));
    assert!(size_of::<Descriptor<Product<i64>>>() == 8 * (PRODUCT_WORDS + 2));
    assert!(size_of::<Descriptor<Blocks<i64>>>() == 8 * (BLOCKS_WORDS + 2));
    assert!(size_of::<Descriptor<Depthwise<i64>>>() == 8 * (DEPTHWISE_WORDS + 2));
};

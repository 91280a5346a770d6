//! What generated code and the runtime's micro-kernels agree upon: how a tile of a sum of products is described, and which
//! functions are applied to rows.
//!
//! `T` is a number where a micro-kernel reads a description, and a value where a compiler makes one. Strides are counted
//! in elements, unless a field says otherwise.

pub mod elementary;
mod row;

pub use row::{RowFold, RowFunction};

/// Columns that lie side by side in the right operand and in the result, whatever the strides of groups.
pub const COLUMN_GROUP: i64 = 16;
/// Scalar operations of loops that are worth handing to a thread which has nothing to do: about a microsecond of them.
pub const GRAIN: i64 = 8192;
/// Most axes of a tensor that routines lay out anew.
pub const RELAYOUT_AXES: usize = 8;

/// Words in front of the axes of what moves elements: the addresses of the first element and of where it goes, the bytes of an
/// element, the number of axes.
pub const MOVE_WORDS: usize = 4;
/// Words of each: its extent, and how many elements an index goes along in both tensors. Those of the result do not overlap, and
/// are nested.
pub const MOVE_AXIS_WORDS: usize = 3;
/// Words in front of the axes of what fills a border: the tensor's address, the bytes of an element, the filling in the low bytes,
/// the number of axes.
pub const PAD_WORDS: usize = 4;
/// Words of each: the elements in front of the middle, those of the middle, and all.
pub const PAD_AXIS_WORDS: usize = 3;

/// Fields of a [`Product`], those of arrays one by one.
pub const PRODUCT_WORDS: usize = 20;
/// Fields of [`Blocks`], those of arrays one by one.
pub const BLOCKS_WORDS: usize = 13;
/// Fields of a [`Depthwise`], those of arrays one by one.
pub const DEPTHWISE_WORDS: usize = 8;
/// Fields of a [`Winograd`].
pub const WINOGRAD_WORDS: usize = 10;

/// Rows and columns of the windows that [`Winograd`] is for.
pub const WINDOW: usize = 3;
/// Rows and columns of the result that a tile of [`Winograd`] may have.
pub const TILE_SIZES: [usize; 2] = [2, 4];
/// Tiles are multiplied so many at a time: the best numbers of them are multiples.
pub const TILE_STEP: usize = 2;
/// Tiles that are multiplied at least, whatever lies there.
pub const FEWEST_TILES: usize = 4;

/// Points at which a tile of so many rows and columns of the result is multiplied.
pub const fn points(size: usize) -> usize {
    (size + WINDOW - 1) * (size + WINDOW - 1)
}

/// What sums start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum Start {
    /// Nothing.
    Zero = 0,
    /// One value a column.
    Columns = 1,
    /// What the result holds.
    Values = 2,
}

/// One call of a micro-kernel, as it reads it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Descriptor<W> {
    /// How the operands are walked.
    pub walk: W,
    /// What sums start from.
    pub start: Start,
    /// 1 when the right operand may be read up to the next whole group of columns.
    pub right_padded: i64,
}

/// How a product walks its operands: `out[r][j] = start + Σ left[r][…]·right[…][j]` over up to four nested loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Product<T> {
    /// Extents of the reduction loops, outermost first.
    pub reduction: [T; 4],
    /// How far each reduction loop moves in the left operand.
    pub left: [T; 4],
    /// How far each reduction loop moves in the right operand.
    pub right: [T; 4],
    /// The extent W of the inner row loop: row r is (r / W, r % W).
    pub row_inner: T,
    /// How far the row loops move in the left operand, the inner one first.
    pub left_rows: [T; 2],
    /// How far the row loops move in the result, the inner one first.
    pub out_rows: [T; 2],
    /// The innermost extent in the last step of the outermost reduction loop.
    pub last_block: T,
    /// From one group of columns to the next in the right operand.
    pub right_group: T,
    /// From one group of columns to the next in the result.
    pub out_group: T,
}

/// How many steps of each of four nested loops make a part of at most so many steps in all, as many whole loops as have room.
pub fn steps_of_part(extents: [i64; 4], most: i64) -> [i64; 4] {
    let mut by = [1, 1, 1, extents[3].clamp(1, most)];
    for axis in (0..3).rev() {
        let is_whole = by[axis + 1] >= extents[axis + 1];
        let room = most / by[axis + 1..].iter().product::<i64>();
        by[axis] = if is_whole { extents[axis].min(room).max(1) } else { 1 };
    }
    by
}

impl<T: Copy> Product<T> {
    /// The fields in their order.
    pub fn words(&self) -> [T; PRODUCT_WORDS] {
        let Product { reduction, left, right, row_inner, left_rows, out_rows, last_block, right_group, out_group } =
            *self;
        let ([r0, r1, r2, r3], [a0, a1, a2, a3], [b0, b1, b2, b3]) = (reduction, left, right);
        let ([i0, i1], [o0, o1]) = (left_rows, out_rows);
        [r0, r1, r2, r3, a0, a1, a2, a3, b0, b1, b2, b3, row_inner, i0, i1, o0, o1, last_block, right_group, out_group]
    }

    /// From the fields in their order.
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

/// How a product with numbers of a few bits walks its operands: along the left one's consecutive elements, and the right one's
/// blocks of numbers. Words hold the numbers of a column, [`place_in_word`] says where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Blocks<T> {
    /// Elements of a row of the left operand.
    pub depth: T,
    /// Numbers of a block: a multiple of those of a word.
    pub block: T,
    /// Bits of a number: 4 or 8.
    pub bits: T,
    /// The extent W of the inner row loop: row r is (r / W, r % W).
    pub row_inner: T,
    /// How far the row loops move in the left operand, the inner one first.
    pub left_rows: [T; 2],
    /// How far the row loops move in the result, the inner one first.
    pub out_rows: [T; 2],
    /// From one group of columns to the next in the words.
    pub right_group: T,
    /// From one group of columns to the next in the result.
    pub out_group: T,
    /// The address of the scales, a group of columns for each block.
    pub scales: T,
    /// From one group of columns to the next in scales and zero points.
    pub scales_group: T,
    /// The address of the zero points, which are bytes in the order of the scales; 0 where all are the middle of the numbers.
    pub zero_points: T,
}

/// How many bits number so-and-so of a word is moved up, where numbers have so many bits: four lie in the lowest bits of its bytes,
/// the next four above them.
pub const fn place_in_word(number: i64, bits: i64) -> i64 {
    number % 4 * 8 + number / 4 * bits
}

impl<T: Copy> Blocks<T> {
    /// The fields in their order.
    pub fn words(&self) -> [T; BLOCKS_WORDS] {
        let Blocks { depth, block, bits, row_inner, left_rows: [i0, i1], out_rows: [o0, o1], .. } = *self;
        let Blocks { right_group, out_group, scales, scales_group, zero_points, .. } = *self;
        [depth, block, bits, row_inner, i0, i1, o0, o1, right_group, out_group, scales, scales_group, zero_points]
    }

    /// From the fields in their order.
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

/// How a depthwise sum walks its operands: a row of pixels, at most a group of channels, a window of two loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Depthwise<T> {
    /// Extents of the window: height and width.
    pub window: [T; 2],
    /// How far the window's loops move in the left operand.
    pub left: [T; 2],
    /// From one pixel of the result to the next in the left operand.
    pub left_pixel: T,
    /// How far the window's loops move in the right operand.
    pub right: [T; 2],
    /// From one pixel of the result to the next.
    pub out_pixel: T,
}

impl<T: Copy> Depthwise<T> {
    /// The fields in their order.
    pub fn words(&self) -> [T; DEPTHWISE_WORDS] {
        let Depthwise { window, left, left_pixel, right, out_pixel } = *self;
        [window[0], window[1], left[0], left[1], left_pixel, right[0], right[1], out_pixel]
    }

    /// From the fields in their order.
    pub fn of([w0, w1, a0, a1, left_pixel, b0, b1, out_pixel]: [T; DEPTHWISE_WORDS]) -> Depthwise<T> {
        Depthwise { window: [w0, w1], left: [a0, a1], left_pixel, right: [b0, b1], out_pixel }
    }
}

/// How some tiles of a convolution with 3×3 windows walk an image: channels lie in groups of [`COLUMN_GROUP`] in front of rows,
/// columns and channels of the group. Weights are those of all points, `[points, out_groups, blocks · 16, 16]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Winograd<T> {
    /// Rows and columns of the result that a tile has, see [`TILE_SIZES`].
    pub size: T,
    /// Rows of the operand.
    pub height: T,
    /// Columns of the operand.
    pub width: T,
    /// Rows of zeros above the operand.
    pub top: T,
    /// Columns of zeros beside the operand.
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
    /// The fields in their order.
    pub fn words(&self) -> [T; WINOGRAD_WORDS] {
        let Winograd { size, height, width, top, left, blocks, out_height, out_width, out_groups, first } = *self;
        [size, height, width, top, left, blocks, out_height, out_width, out_groups, first]
    }

    /// From the fields in their order.
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

//! int8 contractions with AMX, whose registers are tiles of 16 rows of 64 bytes.
//!
//! One instruction multiplies 16 rows by 64 steps with 64 steps by 16 columns. A packed right operand has the layout of
//! the instruction: a row of a tile is four steps of a group of columns. A row of a left tile is a run of steps; rows
//! without a constant stride are copied first.
//!
//! Tiles are thread state: a call configures them at its beginning and releases them at its end.

use std::arch::asm;
use std::arch::x86_64::*;
use std::cell::RefCell;
use std::mem::offset_of;

use abi::{Descriptor, Product, Start};

use super::contract::{Bytes, Contraction, TileSet};
use super::converted_operands::{along, runs};
use super::levels::Instances;

/// Rows of a tile, and columns of an accumulator tile.
const SIDE: usize = abi::COLUMN_GROUP as usize;
/// Bytes of a tile's row.
const WIDTH: usize = 64;
/// Tiles have at least this many steps.
const FEWEST_STEPS: i64 = 32;
/// With fewer sums or products than these, vector instructions are faster.
const FEWEST_SUMS: i64 = 512;
const FEWEST_PRODUCTS: i64 = 1 << 17;

thread_local! {
    /// Scratch memory, reused by later calls.
    static ROOM: RefCell<Room> = const { RefCell::new(Room { steps: Vec::new(), left: Vec::new() }) };
}

struct Room {
    steps: Vec<Step>,
    left: Vec<Row>,
}

/// Sums whose layout in the result is not that of tiles, and start values of all rows of two tiles.
struct Edges {
    sums: [Sums; 4],
    start: [Row; 2],
}

/// Byte offsets of the tiles of some steps: in the left operand, in its copy, and in the right operand.
#[repr(C)]
struct Step {
    left: isize,
    laid_out: isize,
    right: isize,
}

/// A row of a tile.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row([u8; WIDTH]);

/// An accumulator tile.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Sums([[i32; SIDE]; SIDE]);

/// Whether the processor has AMX int8, and the system grants it to this process.
pub(super) fn is_there() -> bool {
    /// The feature bits of AMX tiles and int8 products.
    const FEATURES: u32 = 1 << 24 | 1 << 25;
    /// Linux: requests permission for an extended state component, and the component of tile data.
    const REQUEST: libc::c_long = 0x1023;
    const TILES: libc::c_long = 18;
    let has_tiles = __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx & FEATURES == FEATURES;
    // SAFETY: this asks for a permission and touches no memory.
    has_tiles && cfg!(target_os = "linux") && unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST, TILES) } == 0
}

/// Computes a call, with tiles if they are faster.
///
/// # Safety
/// As for every kernel, and the processor has AMX and AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn contract(problem: &Contraction<'_, Bytes>) {
    let walk = &problem.descriptor.walk;
    let (depth, sums) = (walk.reduction[3], (problem.rows * problem.cols) as i64);
    let is_large = sums >= FEWEST_SUMS && sums * walk.reduction.iter().product::<i64>() >= FEWEST_PRODUCTS;
    if !is_large || depth < FEWEST_STEPS || walk.last_block != depth {
        // SAFETY: promised by the caller.
        return unsafe { problem.run(&TileSet::best()) };
    }
    let shape = Shape::of(problem.rows, depth);
    ROOM.with_borrow_mut(|Room { steps, left }| {
        shape.list_steps(walk, steps);
        // SAFETY: the tiles have this shape.
        unsafe {
            let mut edges = Edges { sums: [Sums([[0; SIDE]; SIDE]); 4], start: [Row([0; WIDTH]); 2] };
            shape.configure();
            for row in (0..problem.rows).step_by(2 * shape.height) {
                contract_rows(problem, row, (shape, steps), left, &mut edges);
            }
            asm!("tilerelease", options(nostack, nomem));
        }
    });
    // SAFETY: promised by the caller.
    unsafe { contract_rest(problem, depth % shape.steps) };
}

/// Adds the products of the last steps of the innermost loop, which are too few for a tile.
///
/// # Safety
/// As for [`contract`].
unsafe fn contract_rest(problem: &Contraction<'_, Bytes>, rest: i64) {
    if rest == 0 {
        return;
    }
    let walk = &problem.descriptor.walk;
    let [extent0, extent1, extent2, depth] = walk.reduction;
    let a = problem.a.wrapping_offset(((depth - rest) * walk.left[3]) as isize);
    let b = problem.b.wrapping_offset(((depth - rest) * walk.right[3]) as isize);
    let walk = Product { reduction: [extent0, extent1, extent2, rest], last_block: rest, ..*walk };
    let descriptor = &Descriptor { walk, start: Start::Values, ..*problem.descriptor };
    // SAFETY: promised by the caller.
    unsafe { Contraction { descriptor, a, b, ..*problem }.run(&TileSet::best()) };
}

/// The shape of a call's tiles.
#[derive(Clone, Copy)]
struct Shape {
    /// Rows of left tiles and of accumulator tiles: nearly equal for all.
    height: usize,
    /// Steps of the innermost loop, four of which make a row of the right operand.
    steps: i64,
}

impl Shape {
    /// The number of steps that leaves the fewest remaining, and then the largest such number.
    fn of(rows: usize, depth: i64) -> Shape {
        let steps = (FEWEST_STEPS..=WIDTH as i64).step_by(4).min_by_key(|steps| (depth % steps, -steps));
        Shape { height: rows.div_ceil(rows.div_ceil(SIDE)), steps: steps.expect("the number of steps is positive") }
    }

    fn list_steps(self, walk: &Product<i64>, steps: &mut Vec<Step>) {
        steps.clear();
        for ([outer, middle, near, _], depth) in runs(walk.reduction, walk.last_block) {
            for tile in 0..depth / self.steps {
                let at = [outer, middle, near, tile * self.steps];
                let laid_out = (steps.len() * self.height * WIDTH) as isize;
                steps.push(Step { left: along(&at, &walk.left), laid_out, right: along(&at, &walk.right) });
            }
        }
    }

    /// Tiles 0 to 3 are accumulators, 4 and 5 left operands, 6 and 7 right operands.
    ///
    /// # Safety
    /// The processor has AMX.
    unsafe fn configure(self) {
        #[repr(C, align(64))]
        struct Configuration {
            palette: u8,
            reserved: [u8; 15],
            bytes_of_rows: [u16; 16],
            rows: [u8; 16],
        }
        let (height, left, whole) = (self.height as u8, self.steps as u16, WIDTH as u16);
        let quads = (self.steps / 4) as u8;
        let configuration = Configuration {
            palette: 1,
            reserved: [0; 15],
            bytes_of_rows: [whole, whole, whole, whole, left, left, whole, whole, 0, 0, 0, 0, 0, 0, 0, 0],
            rows: [height, height, height, height, height, height, quads, quads, 0, 0, 0, 0, 0, 0, 0, 0],
        };
        // SAFETY: the caller has AMX, and this is what the instruction reads.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const configuration, options(nostack, readonly)) };
    }
}

/// A tile of rows: their addresses in the left operand and in the result. Missing rows alias the last one.
struct Rows {
    left: [*const u8; SIDE],
    out: [*mut i32; SIDE],
    count: usize,
}

impl Rows {
    fn of(problem: &Contraction<'_, Bytes>, first: usize, height: usize) -> Rows {
        let walk = &problem.descriptor.walk;
        let width = walk.row_inner.max(1) as usize;
        let count = height.min(problem.rows - first);
        let (mut left, mut out) = ([problem.a; SIDE], [problem.c; SIDE]);
        let (mut outer, mut inner) = (first / width, first % width);
        for (at, (left, out)) in left.iter_mut().zip(&mut out).enumerate() {
            let place = |s: [i64; 2]| outer as isize * s[1] as isize + inner as isize * s[0] as isize;
            *left = left.wrapping_offset(place(walk.left_rows));
            *out = out.wrapping_offset(place(walk.out_rows));
            if at + 1 < count {
                inner += 1;
                if inner == width {
                    (outer, inner) = (outer + 1, 0);
                }
            }
        }
        Rows { left, out, count }
    }

    /// Copies the rows at all steps into tiles.
    ///
    /// # Safety
    /// The rows are readable, and the processor has AVX-512.
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn lay_out(&self, shape: Shape, steps: &[Step], tiles: &mut [Row]) {
        let mask = u64::MAX >> (WIDTH as i64 - shape.steps);
        for (step, tile) in steps.iter().zip(tiles.chunks_exact_mut(shape.height)) {
            for (row, left) in tile.iter_mut().zip(self.left) {
                // SAFETY: promised by the caller; the mask has the steps of a tile.
                unsafe {
                    let bytes = _mm512_maskz_loadu_epi8(mask, left.wrapping_offset(step.left).cast());
                    _mm512_storeu_epi8(row.0.as_mut_ptr().cast(), bytes);
                }
            }
        }
    }
}

/// The constant stride of pointers in bytes, if there is one.
fn distance<T>(places: &[*const T]) -> Option<isize> {
    let mut distances = places.windows(2).map(|pair| pair[1].addr().wrapping_sub(pair[0].addr()) as isize);
    let first = distances.next()?;
    distances.all(|distance| distance == first).then_some(first)
}

/// The constant stride that two tiles of rows share.
fn common_distance<T>(one: &[*const T], other: &[*const T]) -> Option<isize> {
    distance(one).filter(|own| distance(other) == Some(*own))
}

/// Up to two tiles of rows by all columns.
///
/// # Safety
/// As for [`contract`]; tiles are configured.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn contract_rows(
    problem: &Contraction<'_, Bytes>,
    first: usize,
    (shape, steps): (Shape, &[Step]),
    room: &mut Vec<Row>,
    edges: &mut Edges,
) {
    let second = if first + shape.height < problem.rows { first + shape.height } else { first };
    let rows = [first, second].map(|row| Rows::of(problem, row, shape.height));
    let [one, other] = rows.each_ref().map(|rows| &rows.left[..shape.height]);
    let left = match common_distance(one, other) {
        Some(stride) => Left { tiles: [one[0], other[0]], stride, places: &raw const steps[0].left },
        None => {
            let length = shape.height * steps.len();
            room.resize(room.len().max(2 * length), Row([0; WIDTH]));
            let (one, other) = room.split_at_mut(length);
            // SAFETY: promised by the caller.
            unsafe {
                rows[0].lay_out(shape, steps, one);
                rows[1].lay_out(shape, steps, other);
            }
            let tiles = [one.as_ptr().cast(), other.as_ptr().cast()];
            Left { tiles, stride: WIDTH as isize, places: &raw const steps[0].laid_out }
        }
    };
    let [one, other] = rows.each_ref().map(|rows| rows.out.map(<*mut i32>::cast_const));
    let out_stride = common_distance(&one[..shape.height], &other[..shape.height]);
    for column in (0..problem.cols).step_by(2 * SIDE) {
        // SAFETY: promised by the caller.
        unsafe { contract_block(problem, (&left, steps), (&rows, out_stride), column, edges) };
    }
}

/// Two tiles of the left operand at every step.
struct Left {
    tiles: [*const u8; 2],
    /// The stride of rows.
    stride: isize,
    /// The offsets of the tiles at the first step, in the list of steps.
    places: *const isize,
}

/// Two tiles of rows by up to two groups of columns.
///
/// # Safety
/// As for [`contract_rows`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
unsafe fn contract_block(
    problem: &Contraction<'_, Bytes>,
    (left, steps): (&Left, &[Step]),
    (rows, out_stride): (&[Rows; 2], Option<isize>),
    column: usize,
    Edges { sums, start: begin }: &mut Edges,
) {
    let walk = &problem.descriptor.walk;
    let columns = [column, if column + SIDE < problem.cols { column + SIDE } else { column }];
    let masks = columns.map(|column| u16::MAX >> (SIDE - SIDE.min(problem.cols - column)));
    let group = |column: usize, distance: i64| (column / SIDE) as isize * distance as isize;
    let quarters = [(0, 0), (0, 1), (1, 0), (1, 1)];
    // whether full tiles of the result are stored directly
    let direct = out_stride.filter(|_| masks == [u16::MAX; 2]);
    let out_of = |(row, column): (usize, usize), at: usize| {
        rows[row].out[at].wrapping_offset(group(columns[column], walk.out_group))
    };
    let out = match direct {
        Some(_) => quarters.map(|quarter| out_of(quarter, 0)),
        None => sums.each_mut().map(|sums| sums.0.as_mut_ptr().cast()),
    };
    // SAFETY: promised by the caller; masks keep ragged columns inside.
    unsafe {
        if direct.is_none() && problem.descriptor.start == Start::Values {
            for (&quarter, sums) in quarters.iter().zip(sums.iter_mut()) {
                for (at, sums) in sums.0[..rows[quarter.0].count].iter_mut().enumerate() {
                    let values = _mm512_maskz_loadu_epi32(masks[quarter.1], out_of(quarter, at));
                    _mm512_storeu_epi32(sums.as_mut_ptr(), values);
                }
            }
        }
        if problem.descriptor.start == Start::Columns {
            for ((begin, column), mask) in begin.iter_mut().zip(columns).zip(masks) {
                let values = _mm512_maskz_loadu_epi32(mask, problem.init.add(column));
                _mm512_storeu_epi32(begin.0.as_mut_ptr().cast(), values);
            }
        }
        let out_stride = direct.unwrap_or(WIDTH as isize);
        let (start, start_stride) = match problem.descriptor.start {
            Start::Values => (out.map(<*mut i32>::cast_const), out_stride),
            Start::Zero | Start::Columns => (quarters.map(|(_, column)| begin[column].0.as_ptr().cast()), 0),
        };
        Block {
            left: left.tiles,
            left_stride: left.stride,
            right: columns.map(|column| problem.b.offset(group(column, walk.right_group))),
            start,
            start_stride,
            out,
            out_stride,
        }
        .multiply((left.places, &raw const steps[0].right), steps.len());
        if direct.is_none() {
            for (&quarter, sums) in quarters.iter().zip(sums.iter()) {
                for (at, sums) in sums.0[..rows[quarter.0].count].iter().enumerate() {
                    let values = _mm512_loadu_epi32(sums.as_ptr());
                    _mm512_mask_storeu_epi32(out_of(quarter, at), masks[quarter.1], values);
                }
            }
        }
    }
}

/// Two tiles of rows by two groups of columns: the addresses of the tiles, and the byte strides of their rows.
#[repr(C)]
struct Block {
    left: [*const u8; 2],
    left_stride: isize,
    right: [*const i8; 2],
    start: [*const i32; 4],
    start_stride: isize,
    out: [*mut i32; 4],
    out_stride: isize,
}

impl Block {
    /// Adds the products of some steps; the tiles of the first step are at these offsets, those of later steps at
    /// offsets that are one [`Step`] further each.
    ///
    /// # Safety
    /// The tiles are configured, and their memory is readable.
    unsafe fn multiply(&self, (left, right): (*const isize, *const isize), steps: usize) {
        // SAFETY: promised by the caller.
        unsafe {
            asm!(
                "mov {stride}, [{block} + {START_STRIDE}]",
                "mov {from}, [{block} + {START}]",
                "tileloadd tmm0, [{from} + {stride}]",
                "mov {from}, [{block} + {START} + 8]",
                "tileloadd tmm1, [{from} + {stride}]",
                "mov {from}, [{block} + {START} + 16]",
                "tileloadd tmm2, [{from} + {stride}]",
                "mov {from}, [{block} + {START} + 24]",
                "tileloadd tmm3, [{from} + {stride}]",
                "mov {stride}, [{block} + {LEFT_STRIDE}]",
                "2:",
                "mov {from}, [{block} + {RIGHT}]",
                "add {from}, [{right}]",
                "tileloadd tmm6, [{from} + {quad}]",
                "mov {from}, [{block} + {LEFT}]",
                "add {from}, [{left}]",
                "tileloadd tmm4, [{from} + {stride}]",
                "tdpbusd tmm0, tmm4, tmm6",
                "mov {from}, [{block} + {LEFT} + 8]",
                "add {from}, [{left}]",
                "tileloadd tmm5, [{from} + {stride}]",
                "tdpbusd tmm2, tmm5, tmm6",
                "mov {from}, [{block} + {RIGHT} + 8]",
                "add {from}, [{right}]",
                "tileloadd tmm7, [{from} + {quad}]",
                "tdpbusd tmm1, tmm4, tmm7",
                "tdpbusd tmm3, tmm5, tmm7",
                "add {left}, {STEP}",
                "add {right}, {STEP}",
                "dec {steps}",
                "jnz 2b",
                "mov {stride}, [{block} + {OUT_STRIDE}]",
                "mov {from}, [{block} + {OUT}]",
                "tilestored [{from} + {stride}], tmm0",
                "mov {from}, [{block} + {OUT} + 8]",
                "tilestored [{from} + {stride}], tmm1",
                "mov {from}, [{block} + {OUT} + 16]",
                "tilestored [{from} + {stride}], tmm2",
                "mov {from}, [{block} + {OUT} + 24]",
                "tilestored [{from} + {stride}], tmm3",
                block = in(reg) self,
                left = inout(reg) left => _,
                right = inout(reg) right => _,
                steps = inout(reg) steps => _,
                quad = in(reg) WIDTH,
                stride = out(reg) _,
                from = out(reg) _,
                LEFT = const offset_of!(Block, left),
                LEFT_STRIDE = const offset_of!(Block, left_stride),
                RIGHT = const offset_of!(Block, right),
                START = const offset_of!(Block, start),
                START_STRIDE = const offset_of!(Block, start_stride),
                OUT = const offset_of!(Block, out),
                OUT_STRIDE = const offset_of!(Block, out_stride),
                STEP = const size_of::<Step>(),
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }
}

//! Lowers `rt.contract` and `rt.depthwise` to loops over register tiles: sums stay in vector registers during the whole
//! reduction.
//!
//! A register tile is a few rows by a few vectors. Blocks of columns are covered one after the other, each with tiles
//! from the first row to the last, so that the block's part of the right operand stays in a near cache. The operands
//! are documented with the runtime's implementation: `runtime/src/kernels`.

mod bytes;
mod code;
mod cover;
mod registers;

use abi::{Depthwise, Product, Start};
use ir::pass::Choice;
use ir::{Body, Builder, Module, Op, Type, Value};

use self::code::Code;
use self::cover::{choices, cover, sizes};
use self::registers::{Rows, Tile, Vectors};
use super::TileOptions;
use super::dispatch::registers_of;
use super::scope::{definitions, with_body};
use dialects::linalg::GROUP;
use dialects::rt::attributes::LEVEL;
use dialects::rt::tile::{self as rt, Kind, Walk};

/// The vector registers of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorRegisters {
    /// Their number.
    pub count: i64,
    /// Elements of f32 in one.
    pub lanes: i64,
    /// Whether the last compiler on the way to the processor moves all loads of a block before its arithmetic, as V8 does for
    /// WebAssembly: then each operand of a block needs a register until the block ends, and so does a product.
    pub loads_first: bool,
    /// Whether multiplications take one lane of a vector, so that a row's factors of several steps are loaded together.
    pub takes_lanes: bool,
}

impl Choice for VectorRegisters {
    const CHOICES: &'static [(&'static str, VectorRegisters)] = &[
        ("32x16", Self::X86_512),
        ("16x8", Self::X86_256),
        ("16x4", Self::X86_128),
        ("32x4", Self::ARM_128),
        ("wasm", Self::WASM_128),
    ];
}

/// The maximum number of rows of a tile: more would not hide more latency.
const ROWS: i64 = 14;
/// Rows of a tile of a depthwise convolution if all loads come first: those of three kernel elements fit the registers.
const DEPTHWISE_ROWS: i64 = 4;
/// The maximum number of rows that each need a separate address.
const SCATTERED_ROWS: i64 = 8;
/// Rows of the tiles after the tallest ones, if the number of rows is dynamic.
const FEW_ROWS: [i64; 2] = [2, 1];

impl VectorRegisters {
    /// AVX-512.
    pub const X86_512: VectorRegisters =
        VectorRegisters { count: 32, lanes: 16, loads_first: false, takes_lanes: false };
    /// AVX2 with FMA.
    pub const X86_256: VectorRegisters =
        VectorRegisters { count: 16, lanes: 8, loads_first: false, takes_lanes: false };
    /// SSE, which has no fused multiply-adds, but the same number of registers.
    pub const X86_128: VectorRegisters =
        VectorRegisters { count: 16, lanes: 4, loads_first: false, takes_lanes: false };
    /// Advanced SIMD of AArch64.
    pub const ARM_128: VectorRegisters = VectorRegisters { count: 32, lanes: 4, loads_first: false, takes_lanes: true };
    /// WebAssembly on x86-64, which has the fewest registers; V8 keeps one of them.
    pub const WASM_128: VectorRegisters =
        VectorRegisters { count: 15, lanes: 4, loads_first: true, takes_lanes: false };

    /// Those of this processor, if it has fused multiply-adds.
    pub fn of_this_machine() -> Option<VectorRegisters> {
        #[cfg(target_arch = "x86_64")]
        {
            let fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let wide = is_x86_feature_detected!("avx512f");
            fused.then_some(if wide { Self::X86_512 } else { Self::X86_256 })
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            cfg!(target_arch = "aarch64").then_some(Self::ARM_128)
        }
    }

    /// Those of a target, if its triple names a processor with vectors; all processors of the kind have them.
    pub fn of_target(triple: &str) -> Option<VectorRegisters> {
        const KINDS: [(&str, VectorRegisters); 3] = [
            ("aarch64", VectorRegisters::ARM_128),
            ("arm64", VectorRegisters::ARM_128),
            ("wasm32", VectorRegisters::WASM_128),
        ];
        KINDS.iter().find(|(kind, _)| triple.starts_with(kind)).map(|(_, registers)| *registers)
    }

    /// The maximum number of vectors of a tile: enough registers must be left for the sums of several rows.
    fn vectors(self, depthwise: bool) -> i64 {
        match self.loads_first {
            // each element of the left operand is for one vector
            true if depthwise => 1,
            true => 4,
            false if self.count >= 32 => 4,
            false => 2,
        }
    }

    /// The maximum number of rows of a tile: its sums, one row of the right operand and one factor fit the registers; or all
    /// factors and a product do.
    fn rows(self, vectors: i64, depthwise: bool) -> i64 {
        match self.loads_first {
            // the inner loop over the elements of a kernel is unrolled
            true if depthwise => DEPTHWISE_ROWS,
            true => (self.count - vectors - 1) / (vectors + 1),
            false => ((self.count - vectors - 1) / vectors).min(ROWS),
        }
    }
}

/// Expands the tiles of every function, with the registers of its level if it is for one. Int8 tiles and tiles whose
/// right operand is worth a copy are left to the runtime's micro-kernels, if there is a runtime, and so are tiles that
/// only micro-kernels support.
pub(super) fn tile_contractions(module: &mut Module, options: &TileOptions) {
    let has_runtime = options.runtime;
    for op in definitions(module) {
        let level = module.body.op(op).attributes.integer(LEVEL);
        let registers = level.and_then(registers_of).unwrap_or(options.registers);
        with_body(module, op, |_, body| {
            for op in body.walk_all() {
                let Some(tile) = rt::Tile::of(body, op) else { continue };
                match tile.walk {
                    Walk::Product { kind: Kind::U8I8, .. } if has_runtime => continue,
                    // micro-kernels transform, transpose or widen, and multiply, in one pass
                    Walk::Winograd(_) | Walk::Blocks(_) => continue,
                    Walk::Product { kind: Kind::F32Transposed | Kind::F32F16 | Kind::F32BF16, .. } => continue,
                    Walk::Product { kind: Kind::F32 | Kind::F64, .. }
                        if has_runtime && options.fused && is_copied(body, &tile) =>
                    {
                        continue;
                    }
                    Walk::Product { kind: Kind::U8I8, walk, .. } => {
                        let mut code = Code::new(Builder::before(body, op), Type::I8, registers.lanes);
                        bytes::expand(&mut code, &tile, &walk);
                    }
                    Walk::Product { kind: Kind::F32, right_padded, walk } => {
                        expand(body, op, &tile, (Type::F32, registers), |_| {
                            Sum::product(tile.start, right_padded, &walk)
                        });
                    }
                    Walk::Product { kind: Kind::F64, right_padded, walk } => {
                        let halved = VectorRegisters { lanes: registers.lanes / 2, ..registers };
                        expand(body, op, &tile, (Type::F64, halved), |_| Sum::product(tile.start, right_padded, &walk));
                    }
                    Walk::Depthwise(walk) => {
                        expand(body, op, &tile, (Type::F32, registers), |code| Sum::depthwise(code, tile.start, &walk));
                    }
                }
                body.erase(op);
            }
        });
    }
}

/// Whether a micro-kernel copies the right operand, as far as that is known.
fn is_copied(body: &Body, tile: &rt::Tile) -> bool {
    let Walk::Product { kind, walk, .. } = tile.walk else { return false };
    let known = |value: Value| ir::constant_integer(body, value);
    let [_, element, _] = kind.elements();
    let bytes = element.byte_width().expect("these elements are numbers");
    abi::is_right_copied(walk.reduction.map(known), walk.right.map(known), known(tile.rows), bytes)
}

/// The loops of a contraction over its operands.
struct Sum {
    /// Extents of the reduction loops, outermost first.
    reduction: [Value; 4],
    /// Strides of each reduction loop in the operands.
    left: [Value; 4],
    right: [Value; 4],
    /// The extent of the inner row loop.
    row_inner: Value,
    /// Strides of the row loops, the inner one first.
    left_rows: [Value; 2],
    out_rows: [Value; 2],
    start: Start,
    /// Whether the right operand may be read up to the next full group of columns.
    right_padded: bool,
    /// The innermost extent in the last step of the outermost reduction loop.
    last_block: Value,
    /// Stride between groups of columns.
    right_group: Value,
    out_group: Value,
    /// Whether the left operand varies along the columns too, instead of being broadcast.
    depthwise: bool,
}

impl Sum {
    fn product(start: Start, right_padded: bool, walk: &Product<Value>) -> Sum {
        Sum {
            reduction: walk.reduction,
            left: walk.left,
            right: walk.right,
            row_inner: walk.row_inner,
            left_rows: walk.left_rows,
            out_rows: walk.out_rows,
            start,
            right_padded,
            last_block: walk.last_block,
            right_group: walk.right_group,
            out_group: walk.out_group,
            depthwise: false,
        }
    }

    /// The kernel's loops are the outermost and the innermost reduction loop.
    fn depthwise(code: &mut Code<'_>, start: Start, walk: &Depthwise<Value>) -> Sum {
        let (zero, one, group) = (code.index(0), code.index(1), code.index(GROUP));
        let four = |[outer, inner]: [Value; 2], filler: Value| [outer, filler, filler, inner];
        Sum {
            reduction: four(walk.window, one),
            left: four(walk.left, zero),
            right: four(walk.right, zero),
            row_inner: one,
            left_rows: [walk.left_pixel, zero],
            out_rows: [walk.out_pixel, zero],
            start,
            right_padded: false,
            last_block: walk.window[1],
            right_group: group,
            out_group: group,
            depthwise: true,
        }
    }
}

/// Inserts the loops over register tiles before a tile.
fn expand(
    body: &mut Body,
    op: Op,
    tile: &rt::Tile,
    (element, registers): (Type, VectorRegisters),
    sum: impl FnOnce(&mut Code<'_>) -> Sum,
) {
    let extents = [tile.rows, tile.columns];
    let known = extents.map(|extent| choices(body, extent));
    let mut code = Code::new(Builder::before(body, op), element, registers.lanes);
    let sum = sum(&mut code);
    let [left, right, start, out] = [tile.left, tile.right, tile.from, tile.out].map(|address| code.buffer(address));
    let [rows, columns] = std::array::from_fn(|at| match known[at].as_deref() {
        Some(&[number]) => code.index(number),
        _ => extents[at],
    });
    let [row_choices, column_choices] = known;
    let tile = Tile { sum: &sum, left, right, start, out, registers };
    let cover_rows = |code: &mut Code<'_>, column: Value, vectors: &Vectors| {
        let walk = Rows::of(code, &sum, row_choices.as_deref());
        let scattered = if walk.are_scattered() { SCATTERED_ROWS } else { ROWS };
        let tallest = registers.rows(vectors.count, sum.depthwise).min(scattered);
        let heights = match &row_choices {
            Some(choices) => sizes(choices, tallest),
            None => std::iter::once(tallest).chain(FEW_ROWS.into_iter().filter(|&few| few < tallest)).collect(),
        };
        cover(code, rows, &heights, |code, row, height| tile.emit(code, &walk, (row, height), (column, vectors)));
    };
    let widest = registers.vectors(sum.depthwise) * registers.lanes;
    cover_columns(&mut code, columns, column_choices.as_deref(), widest, cover_rows);
}

/// Covers the columns with blocks of vectors, whose last vector may be masked.
fn cover_columns(
    code: &mut Code<'_>,
    columns: Value,
    choices: Option<&[i64]>,
    widest: i64,
    block: impl Fn(&mut Code<'_>, Value, &Vectors),
) {
    let lanes = code.lanes;
    let widths = choices.map_or(vec![widest], |choices| sizes(choices, widest));
    let whole = cover(code, columns, &widths, |code, column, width| {
        let rest = code.index(width % lanes);
        let mask = (width % lanes > 0).then(|| code.mask(rest));
        block(code, column, &Vectors { count: (width + lanes - 1) / lanes, mask });
    });
    if choices.is_none() {
        code.for_loop((whole, columns, lanes), vec![], |code, column, _| {
            let left = code.sub(columns, column);
            let mask = Some(code.mask(left));
            block(code, column, &Vectors { count: 1, mask });
            vec![]
        });
    }
}

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
mod shared;
mod strip;

use ir::pass::Choice;
use ir::{Body, Builder, Module, Op, Type, Value};

use self::code::Code;
use self::cover::{choices, cover, cover_ranges, sizes};
use self::registers::{RowLoops, Rows};
use self::shared::Functions;
use self::strip::{Columns, Strip, Sum};
use super::TileOptions;
use super::dispatch::registers_of;
use super::scope::{definitions, with_body};
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
    let mut functions = options.shared.then(Functions::default);
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
                        expand(body, op, &tile, (Type::F32, registers), &mut functions, |_| {
                            (Sum::product(tile.start, right_padded, &walk), RowLoops::product(&walk))
                        });
                    }
                    Walk::Product { kind: Kind::F64, right_padded, walk } => {
                        let halved = VectorRegisters { lanes: registers.lanes / 2, ..registers };
                        expand(body, op, &tile, (Type::F64, halved), &mut functions, |_| {
                            (Sum::product(tile.start, right_padded, &walk), RowLoops::product(&walk))
                        });
                    }
                    Walk::Depthwise(walk) => {
                        expand(body, op, &tile, (Type::F32, registers), &mut functions, |code| {
                            (Sum::depthwise(code, tile.start, &walk), RowLoops::depthwise(code, &walk))
                        });
                    }
                }
                body.erase(op);
            }
        });
    }
    if let Some(functions) = functions {
        functions.define(module);
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

/// Inserts the loops over register tiles before a tile.
fn expand(
    body: &mut Body,
    op: Op,
    tile: &rt::Tile,
    (element, registers): (Type, VectorRegisters),
    functions: &mut Option<Functions>,
    loops: impl FnOnce(&mut Code<'_>) -> (Sum<Value>, RowLoops),
) {
    let extents = [tile.rows, tile.columns];
    let known = extents.map(|extent| choices(body, extent));
    let mut code = Code::new(Builder::before(body, op), element, registers.lanes);
    let (sum, row_loops) = loops(&mut code);
    let buffers = [tile.left, tile.right, tile.from, tile.out];
    let [rows, columns] = std::array::from_fn(|at| match known[at].as_deref() {
        Some(&[number]) => code.index(number),
        _ => extents[at],
    });
    let [row_choices, column_choices] = known;
    let cover_rows = |code: &mut Code<'_>, columns: Columns<Value>| {
        let walk = Rows::of(code, &row_loops, row_choices.as_deref());
        let scattered = if walk.are_scattered() { SCATTERED_ROWS } else { ROWS };
        let tallest = registers.rows(columns.vectors, sum.depthwise).min(scattered);
        let heights = match &row_choices {
            Some(choices) => sizes(choices, tallest),
            None => std::iter::once(tallest).chain(FEW_ROWS.into_iter().filter(|&few| few < tallest)).collect(),
        };
        cover_ranges(code, rows, &heights, |code, rows, height| {
            let strip = Strip { sum, walk, buffers, rows, height, columns };
            match functions {
                Some(functions) => functions.call(code, registers, &strip),
                None => strip.emit(code, registers),
            }
        });
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
    mut block: impl FnMut(&mut Code<'_>, Columns<Value>),
) {
    let lanes = code.lanes;
    let widths = choices.map_or(vec![widest], |choices| sizes(choices, widest));
    let whole = cover(code, columns, &widths, |code, first, width| {
        let rest = (width % lanes > 0).then(|| code.index(width % lanes));
        block(code, Columns { first, vectors: (width + lanes - 1) / lanes, rest });
    });
    if choices.is_none() {
        code.for_loop((whole, columns, lanes), vec![], |code, first, _| {
            let rest = Some(code.sub(columns, first));
            block(code, Columns { first, vectors: 1, rest });
            vec![]
        });
    }
}

//! What micro-kernels access: for each of them, the bytes that a call reaches through its buffers, as a function of its
//! integers and of its descriptor. Checked builds compare them with the bounds of the buffers before the call.
//!
//! The bytes are those from the first to the last that the widest instance touches. Prefetches touch nothing.

mod contractions;
mod offsets;
mod rows;

pub use offsets::Span;

use crate::{MOVE_AXIS_WORDS, MOVE_WORDS, PAD_AXIS_WORDS, PAD_WORDS};
use offsets::Offsets;

/// The maximum number of buffers of a micro-kernel.
pub const BUFFERS: usize = 4;

/// Bytes of an index.
const WORD_BYTES: i64 = 8;

/// An operand of a micro-kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The address of a buffer.
    Buffer,
    /// The address of a descriptor: a table of words.
    Table,
    /// An integer.
    Number,
    /// A float, on which no access depends.
    Float,
}

/// A micro-kernel whose accesses are known.
pub struct Kernel {
    /// The symbol.
    pub symbol: &'static str,
    /// The operands, in order.
    pub operands: &'static [Operand],
    accesses: fn(&Call<'_>) -> [Span; BUFFERS],
}

/// A call of a micro-kernel.
#[derive(Clone, Copy)]
pub struct Call<'c> {
    /// The words of the descriptor.
    pub word: &'c dyn Fn(usize) -> i64,
    /// The integer operands.
    pub numbers: &'c [i64],
    /// The addresses of the buffers.
    pub buffers: &'c [i64],
}

/// Words that describe a buffer to a check, after those of all operands: the address and the size in bytes of the memory
/// that it is in, and the message of a failed check.
pub const BUFFER_WORDS: usize = 3;
/// Words that a failed check leaves: the message, the offset and the length of the access, and the size of the buffer, in
/// bytes.
pub const FAULT_WORDS: usize = 4;

impl Kernel {
    /// The kernel with this symbol, and its index in [`KERNELS`].
    pub fn find(symbol: &str) -> Option<(usize, &'static Kernel)> {
        KERNELS.iter().enumerate().find(|(_, kernel)| kernel.symbol == symbol)
    }

    /// The number of its buffers.
    pub fn buffers(&self) -> usize {
        self.operands.iter().filter(|operand| **operand == Operand::Buffer).count()
    }

    /// The words of a check: those of all operands, and of all buffers.
    pub fn words(&self) -> usize {
        (self.operands.len() + BUFFER_WORDS * self.buffers()).max(FAULT_WORDS)
    }

    /// The bytes that a call accesses through each buffer.
    pub fn accesses(&self, call: &Call<'_>) -> [Span; BUFFERS] {
        (self.accesses)(call)
    }
}

impl Call<'_> {
    fn words<const N: usize>(&self) -> [i64; N] {
        std::array::from_fn(self.word)
    }

    /// Extents and strides of the axes of a tensor, in elements; strides are at `stride` in the words of an axis.
    fn axes(&self, head: usize, words: usize, stride: usize) -> Offsets {
        let axes = (0..(self.word)(head - 1)).map(|axis| head + axis as usize * words);
        axes.fold(Offsets::FIRST, |all, axis| all.plus(Offsets::of((self.word)(axis), (self.word)(axis + stride))))
    }
}

/// The bytes of each operand of a call without some of the buffers.
fn spans<const N: usize>(known: [Span; N]) -> [Span; BUFFERS] {
    std::array::from_fn(|at| known.get(at).copied().unwrap_or(Span::NONE))
}

fn moved(call: &Call<'_>) -> [Span; BUFFERS] {
    let width = (call.word)(0);
    let along = |stride| call.axes(MOVE_WORDS, MOVE_AXIS_WORDS, stride).bytes(width);
    spans([along(1), along(2)])
}

/// All of the tensor.
fn padded(call: &Call<'_>) -> [Span; BUFFERS] {
    let wholes =
        (0..(call.word)(PAD_WORDS - 1)).map(|axis| (call.word)(PAD_WORDS + axis as usize * PAD_AXIS_WORDS + 2));
    spans([Offsets::of(wholes.fold(1, i64::saturating_mul), 1).bytes((call.word)(0))])
}

fn copied(call: &Call<'_>) -> [Span; BUFFERS] {
    spans([Offsets::of(call.numbers[0], 1).bytes(1); 2])
}

fn prepared_places(call: &Call<'_>) -> [Span; BUFFERS] {
    spans([Offsets::of(call.numbers[0], 1).bytes(WORD_BYTES)])
}

fn gathered(call: &Call<'_>) -> [Span; BUFFERS] {
    let &[count, length] = call.numbers else { return spans([]) };
    let source = if count > 0 { Offsets::of(length, 1) } else { Offsets::NONE };
    let count = Offsets::of(count, 1);
    spans([source.bytes(4), count.bytes(WORD_BYTES), count.bytes(4)])
}

/// The operands of the micro-kernels for tiles: the descriptor, both operands, the start values, the result, and the
/// rows and columns.
const TILE: &[Operand] = {
    use Operand::*;
    &[Table, Buffer, Buffer, Buffer, Buffer, Number, Number]
};

/// The micro-kernels that checked builds may call.
pub static KERNELS: &[Kernel] = {
    use Operand::*;
    &[
        Kernel { symbol: "rt_contract_f32", operands: TILE, accesses: contractions::floats },
        Kernel { symbol: "rt_contract_f32_transposed", operands: TILE, accesses: contractions::transposed },
        Kernel { symbol: "rt_contract_f32_f16", operands: TILE, accesses: contractions::half_precision },
        Kernel { symbol: "rt_contract_f32_bf16", operands: TILE, accesses: contractions::half_precision },
        Kernel { symbol: "rt_contract_f64", operands: TILE, accesses: contractions::doubles },
        Kernel { symbol: "rt_contract_u8_i8", operands: TILE, accesses: contractions::bytes },
        Kernel { symbol: "rt_depthwise_f32", operands: TILE, accesses: contractions::depthwise },
        Kernel { symbol: "rt_winograd_f32", operands: TILE, accesses: contractions::winograd },
        Kernel {
            symbol: "rt_map_row",
            operands: &[Number, Buffer, Buffer, Number, Float, Float, Float, Float],
            accesses: rows::mapped,
        },
        Kernel {
            symbol: "rt_add_bytes_row",
            operands: &[
                Number, Number, Buffer, Buffer, Buffer, Number, Float, Float, Float, Float, Float, Float, Float, Float,
            ],
            accesses: rows::added_bytes,
        },
        Kernel {
            symbol: "rt_requantize_row",
            operands: &[Number, Buffer, Buffer, Number, Buffer, Buffer, Float, Float, Float, Float],
            accesses: rows::requantized,
        },
        Kernel {
            symbol: "rt_look_up_row",
            operands: &[Buffer, Number, Buffer, Buffer, Number],
            accesses: rows::looked_up,
        },
        Kernel { symbol: "rt_copy_row", operands: &[Buffer, Buffer, Number], accesses: copied },
        Kernel { symbol: "rt_fold_row", operands: &[Number, Buffer, Number], accesses: rows::folded },
        Kernel {
            symbol: "rt_fold_windows",
            operands: &[
                Number, Float, Buffer, Buffer, Number, Number, Number, Number, Number, Number, Number, Number, Number,
                Number, Number,
            ],
            accesses: rows::folded_windows,
        },
        Kernel { symbol: "rt_prepare_places", operands: &[Buffer, Number], accesses: prepared_places },
        Kernel { symbol: "rt_gather_row", operands: &[Buffer, Buffer, Buffer, Number, Number], accesses: gathered },
        Kernel { symbol: "rt_move", operands: &[Table, Buffer, Buffer], accesses: moved },
        Kernel { symbol: "rt_pad", operands: &[Table, Buffer], accesses: padded },
    ]
};

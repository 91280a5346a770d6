//! Quantised addition: two int8 or uint8 rows are dequantised, added and requantised without an f32 row in between.

use std::marker::PhantomData;

use abi::elementary::EXACT_RECIPROCALS;

use super::{AnyMachine, BLOCK, Block, Machine, Quantize, QuantizeFused, Round, SHORT_BLOCK};

/// `quantize(x + y)` of two rows of `count` elements; the destination is one of them or does not overlap.
pub(in crate::kernels) type SumRow = unsafe fn(sum: &QuantizedSum, rows: SummedRows, count: usize);

/// `x`, `y` and the destination.
pub(in crate::kernels) type SummedRows = (*const u8, *const u8, *mut i8);

/// Quantisation parameters: `(byte - zero_point) scale`.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct Scaled {
    pub(in crate::kernels) is_signed: bool,
    pub(in crate::kernels) zero_point: f32,
    pub(in crate::kernels) scale: f32,
}

/// The parameters of both operands and of the result.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct QuantizedSum {
    pub(in crate::kernels) operands: [Scaled; 2],
    /// The scale of the result.
    pub(in crate::kernels) scale: f32,
    pub(in crate::kernels) round: Round,
}

/// int8 or uint8 elements, mapped to uint8.
struct Bytes {
    flipped: u8,
    offset: f32,
    scaled: Scaled,
}

impl Bytes {
    fn of(scaled: Scaled) -> Bytes {
        let (flipped, offset) = if scaled.is_signed { (0x80, 128.0) } else { (0, 0.0) };
        Bytes { flipped, offset, scaled }
    }

    #[inline(always)]
    fn number(&self, byte: u8) -> f32 {
        let number = f32::from(byte ^ self.flipped) - self.offset;
        (number - self.scaled.zero_point) * self.scaled.scale
    }
}

/// The sums of a row, to be compiled within a function that enables the machine's instructions.
///
/// # Safety
/// As for [`SumRow`], and the processor is such a machine.
#[inline(always)]
pub(in crate::kernels) unsafe fn sum_row<M: Machine>(sum: &QuantizedSum, rows: SummedRows, count: usize) {
    let QuantizedSum { operands, scale, round } = *sum;
    let operands = operands.map(Bytes::of);
    // SAFETY: promised by the caller.
    unsafe {
        if M::FUSES && EXACT_RECIPROCALS.contains(&scale.abs()) {
            let quantize = QuantizeFused::<M> { scale, reciprocal: scale.recip(), round, machine: PhantomData };
            blocks(&operands, rows, count, &quantize);
        } else {
            blocks(&operands, rows, count, &Quantize { scale, round });
        }
    }
}

/// Full blocks, then short ones, of which the last is filled with zeros.
#[inline(always)]
unsafe fn blocks<Q>(operands: &[Bytes; 2], (x, y, destination): SummedRows, count: usize, quantize: &Q)
where
    Q: Block<f32, i8, BLOCK> + Block<f32, i8, SHORT_BLOCK>,
{
    let mut at = 0;
    // SAFETY: all offsets are before the ends of the rows, and blocks are read before they are written.
    unsafe {
        while at + BLOCK <= count {
            let [x, y] = [x, y].map(|row| row.add(at).cast::<[u8; BLOCK]>().read_unaligned());
            let bytes = quantize.apply(&added(operands, &x, &y));
            destination.add(at).cast::<[i8; BLOCK]>().write_unaligned(bytes);
            at += BLOCK;
        }
        while at < count {
            let width = SHORT_BLOCK.min(count - at);
            let [x, y] = [x, y].map(|row| {
                let mut block = [0; SHORT_BLOCK];
                row.add(at).copy_to_nonoverlapping(block.as_mut_ptr(), width);
                block
            });
            let bytes = quantize.apply(&added(operands, &x, &y));
            bytes.as_ptr().copy_to_nonoverlapping(destination.add(at), width);
            at += width;
        }
    }
}

#[inline(always)]
fn added<const N: usize>([first, second]: &[Bytes; 2], x: &[u8; N], y: &[u8; N]) -> [f32; N] {
    let mut sums = [0.0; N];
    for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
        *sum = first.number(x) + second.number(y);
    }
    sums
}

/// The portable instance.
///
/// # Safety
/// As for [`SumRow`].
pub(in crate::kernels) unsafe fn portable(sum: &QuantizedSum, rows: SummedRows, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { sum_row::<AnyMachine>(sum, rows, count) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::levels::Instances;
    use crate::samples::sampled;

    fn expected(sum: &QuantizedSum, bytes: [u8; 2]) -> i8 {
        let [x, y] = [0, 1].map(|at| {
            let Scaled { is_signed, zero_point, scale } = sum.operands[at];
            let number = if is_signed { f32::from(bytes[at] as i8) } else { f32::from(bytes[at]) };
            (number - zero_point) * scale
        });
        let number = ((x + y) / sum.scale).round_ties_even() + sum.round.zero_point;
        number.clamp(sum.round.lowest, sum.round.highest) as i32 as i8
    }

    #[test]
    fn bytes_of_either_kind_in_rows_of_any_length() {
        let x: Vec<u8> = (0..200).map(|at| (at * 37 + 11) as u8).collect();
        let y: Vec<u8> = (0..200).map(|at| (at * 101 + 3) as u8).collect();
        let signed = Scaled { is_signed: true, zero_point: -3.0, scale: 0.125 };
        let unsigned = Scaled { is_signed: false, zero_point: 128.0, scale: 0.02 };
        let rounds = [
            Round { zero_point: 3.0, lowest: -128.0, highest: 127.0 },
            Round { zero_point: 128.0, lowest: 0.0, highest: 255.0 },
        ];
        for machine in SumRow::usable().chain([SumRow::PORTABLE]) {
            for operands in [[signed, unsigned], [unsigned, signed], [signed; 2], [unsigned; 2]] {
                for (scale, round) in [(0.05, rounds[0]), (1.0, rounds[1]), (1e-30, rounds[1])] {
                    let sum = QuantizedSum { operands, scale, round };
                    for count in sampled([0, 1, 15, 16, 17, 63, 64, 65, 150, 200], 4) {
                        let mut bytes = vec![99; 200];
                        // SAFETY: all rows have the same length, and the processor runs the instance.
                        unsafe { machine(&sum, (x.as_ptr(), y.as_ptr(), bytes.as_mut_ptr()), count) };
                        for at in 0..200 {
                            let byte = if at < count { expected(&sum, [x[at], y[at]]) } else { 99 };
                            assert_eq!(bytes[at], byte, "{at} of {count}");
                        }
                    }
                }
            }
        }
    }
}

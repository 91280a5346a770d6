//! Elementwise functions of rows in the widest vectors of the processor.
//!
//! Compilers vectorise the loop over a block of elements, once for each instruction set.

use std::marker::PhantomData;

use abi::RowFunction;
use abi::elementary::EXACT_RECIPROCALS;
use half::f16;

use super::functions::{self, AnyMachine, Machine, sine_limit};

pub(super) mod sums;

/// Elements per block: several vectors, to hide latency.
const BLOCK: usize = 64;
/// Elements per block at the end of a row.
pub(super) const SHORT_BLOCK: usize = 16;

/// `destination[i] = function(source[i])` for `count` elements; the rows are the same or do not overlap.
pub(super) type Row = unsafe fn(function: Function, source: *const u8, destination: *mut u8, count: usize);

/// A function with its parameters.
#[derive(Clone, Copy)]
pub(super) struct Function {
    pub(super) kind: RowFunction,
    pub(super) parameters: [f32; RowFunction::PARAMETERS],
}

/// One without parameters.
impl From<RowFunction> for Function {
    fn from(kind: RowFunction) -> Function {
        Function { kind, parameters: [0.0; RowFunction::PARAMETERS] }
    }
}

/// A machine with conversions of f16.
pub(super) trait Converts: Machine {
    /// f16 to f32.
    unsafe fn widen(from: &[f16; SHORT_BLOCK]) -> [f32; SHORT_BLOCK];
    /// f32 to the nearest f16.
    unsafe fn narrow(from: &[f32; SHORT_BLOCK]) -> [f16; SHORT_BLOCK];
}

/// `1.5 · 2^23`: adding it rounds to an integer.
const SHIFTER: f32 = 12_582_912.0;

/// An operation on a block of elements. It is a method, because closures do not inherit a function's instruction set.
trait Block<A, B, const N: usize> {
    /// # Safety
    /// The processor is the machine that this is for.
    unsafe fn apply(&self, from: &[A; N]) -> [B; N];
}

/// A scalar function, applied to each element.
struct Each<F>(F);

/// Sine (`QUARTERS` 0) or cosine (1), by `exact` if an argument is too large for range reduction.
struct Turn<M, const QUARTERS: i32> {
    exact: fn(f32) -> f32,
    machine: PhantomData<M>,
}

/// f16 to f32.
struct Widen<M>(PhantomData<M>);

/// bf16 bits to f32, of which they are the upper half.
struct WidenBrain;

/// f32 to f16.
struct Narrow<M>(PhantomData<M>);

/// `e^(x - p)`.
struct ExpDifference<M>(f32, PhantomData<M>);

/// int8 or uint8 to f32.
struct Dequantize {
    zero_point: f32,
    scale: f32,
}

/// f32 to int8 or uint8.
#[derive(Clone, Copy)]
pub(super) struct Round {
    pub(super) zero_point: f32,
    pub(super) lowest: f32,
    pub(super) highest: f32,
}

/// A quotient, rounded to int8 or uint8.
struct Quantize {
    scale: f32,
    round: Round,
}

/// The same by the reciprocal, if multiply-adds are fused.
struct QuantizeFused<M> {
    scale: f32,
    reciprocal: f32,
    round: Round,
    machine: PhantomData<M>,
}

/// A product.
struct Multiply(f32);

/// A quotient.
struct Divide(f32);

/// Two subtractions.
struct Subtract(f32, f32);

/// The function of a row, to be compiled within a function that enables the machine's instructions.
///
/// # Safety
/// As for [`Row`], and the processor is such a machine.
#[inline(always)]
pub(super) unsafe fn row<M: Converts>(function: Function, source: *const u8, destination: *mut u8, count: usize) {
    let floats = (source.cast::<f32>(), destination.cast::<f32>());
    let machine = PhantomData::<M>;
    let [first, second, third, fourth] = function.parameters;
    // SAFETY: promised by the caller.
    unsafe {
        match function.kind {
            RowFunction::Exp => map(floats, count, functions::exp::<M>),
            RowFunction::Exp2 => map(floats, count, functions::exp2::<M>),
            RowFunction::Expm1 => map(floats, count, functions::expm1::<M>),
            RowFunction::Log => map(floats, count, functions::log::<M>),
            RowFunction::Log2 => map(floats, count, functions::log2::<M>),
            RowFunction::Log10 => map(floats, count, functions::log10::<M>),
            RowFunction::Log1p => map(floats, count, functions::log1p::<M>),
            RowFunction::Tanh => map(floats, count, functions::tanh::<M>),
            RowFunction::Erf => map(floats, count, functions::erf::<M>),
            RowFunction::Asin => map(floats, count, functions::asin::<M>),
            RowFunction::Acos => map(floats, count, functions::acos::<M>),
            RowFunction::Atan => map(floats, count, functions::atan::<M>),
            RowFunction::Sin => blocks(floats, count, &Turn::<M, 0> { exact: f32::sin, machine }),
            RowFunction::Cos => blocks(floats, count, &Turn::<M, 1> { exact: f32::cos, machine }),
            RowFunction::Widen => blocks((source.cast(), destination.cast()), count, &Widen(machine)),
            RowFunction::WidenBrain => blocks((source.cast(), destination.cast()), count, &WidenBrain),
            RowFunction::Narrow => blocks((source.cast(), destination.cast()), count, &Narrow(machine)),
            RowFunction::Sigmoid => map(floats, count, functions::sigmoid::<M>),
            RowFunction::Swish => map(floats, count, functions::swish::<M>),
            RowFunction::ExpDifference => whole_blocks(floats, count, ExpDifference(first, machine)),
            RowFunction::DequantizeUnsigned => {
                let dequantize = Dequantize { zero_point: first, scale: second };
                whole_blocks((source, destination.cast()), count, dequantize);
            }
            RowFunction::DequantizeSigned => {
                let dequantize = Dequantize { zero_point: first, scale: second };
                whole_blocks((source.cast::<i8>(), destination.cast()), count, dequantize);
            }
            RowFunction::Quantize => {
                let round = Round { zero_point: second, lowest: third, highest: fourth };
                let rows = (source.cast(), destination.cast::<i8>());
                // a division costs as much as all the rest
                match first {
                    1.0 => whole_blocks(rows, count, round),
                    scale if M::FUSES && EXACT_RECIPROCALS.contains(&scale.abs()) => {
                        whole_blocks(rows, count, QuantizeFused { scale, reciprocal: scale.recip(), round, machine });
                    }
                    scale => whole_blocks(rows, count, Quantize { scale, round }),
                }
            }
            RowFunction::Multiply => whole_blocks(floats, count, Multiply(first)),
            RowFunction::Divide => whole_blocks(floats, count, Divide(first)),
            RowFunction::Subtract => whole_blocks(floats, count, Subtract(first, second)),
            RowFunction::ExtendInteger => map((source.cast::<i32>(), destination.cast::<i64>()), count, i64::from),
            RowFunction::TruncateInteger => map((source.cast::<i64>(), destination.cast::<i32>()), count, |x| x as i32),
            RowFunction::ExtendFloat => map((source.cast::<f32>(), destination.cast::<f64>()), count, f64::from),
            RowFunction::TruncateFloat => map((source.cast::<f64>(), destination.cast::<f32>()), count, |x| x as f32),
            RowFunction::IsNotZero => map((source.cast::<f32>(), destination.cast::<bool>()), count, |x| x != 0.0),
        }
    }
}

/// Applies a scalar function to each element.
#[inline(always)]
unsafe fn map<A, B>(rows: (*const A, *mut B), count: usize, function: impl Fn(A) -> B + Copy)
where
    A: Copy + Default,
    B: Copy + Default,
{
    // SAFETY: promised by the caller.
    unsafe { whole_blocks(rows, count, Each(function)) }
}

/// Full blocks, then short ones.
#[inline(always)]
unsafe fn whole_blocks<A: Copy + Default, B: Copy + Default, F>(
    (source, destination): (*const A, *mut B),
    count: usize,
    function: F,
) where
    F: Block<A, B, BLOCK> + Block<A, B, SHORT_BLOCK>,
{
    let whole = count - count % BLOCK;
    // SAFETY: promised by the caller.
    unsafe {
        blocks::<A, B, BLOCK>((source, destination), whole, &function);
        blocks::<A, B, SHORT_BLOCK>((source.add(whole), destination.add(whole)), count - whole, &function);
    }
}

impl<A: Copy, B: Copy + Default, F: Fn(A) -> B, const N: usize> Block<A, B, N> for Each<F> {
    #[inline(always)]
    unsafe fn apply(&self, from: &[A; N]) -> [B; N] {
        let mut to = [B::default(); N];
        for (to, from) in to.iter_mut().zip(from) {
            *to = self.0(*from);
        }
        to
    }
}

impl<M: Machine, const QUARTERS: i32> Block<f32, f32, SHORT_BLOCK> for Turn<M, QUARTERS> {
    #[inline(always)]
    unsafe fn apply(&self, from: &[f32; SHORT_BLOCK]) -> [f32; SHORT_BLOCK] {
        let mut to = [0.0; SHORT_BLOCK];
        let mut is_any_large = false;
        for (to, &from) in to.iter_mut().zip(from) {
            *to = functions::sine::<M>(from, QUARTERS);
            is_any_large |= from.abs() > sine_limit::<M>();
        }
        if is_any_large {
            for (to, &from) in to.iter_mut().zip(from) {
                if from.abs() > sine_limit::<M>() {
                    *to = (self.exact)(from);
                }
            }
        }
        to
    }
}

impl<M: Machine, const N: usize> Block<f32, f32, N> for ExpDifference<M> {
    #[inline(always)]
    unsafe fn apply(&self, from: &[f32; N]) -> [f32; N] {
        let mut to = [0.0; N];
        for (to, from) in to.iter_mut().zip(from) {
            *to = functions::exp::<M>(from - self.0);
        }
        to
    }
}

impl<A: Copy + Into<f32>, const N: usize> Block<A, f32, N> for Dequantize {
    #[inline(always)]
    unsafe fn apply(&self, from: &[A; N]) -> [f32; N] {
        let mut to = [0.0; N];
        for (to, &from) in to.iter_mut().zip(from) {
            *to = (from.into() - self.zero_point) * self.scale;
        }
        to
    }
}

impl Round {
    #[inline(always)]
    pub(super) fn byte(&self, number: f32) -> i8 {
        // comparisons with NaN fail
        let number = number.round_ties_even() + self.zero_point;
        let number = if number < self.lowest { self.lowest } else { number };
        let number = if number > self.highest { self.highest } else { number };
        let number = if number.is_nan() { 0.0 } else { number };
        // the low bits of the sum are the integer, which compilers extract without a branch
        (number + SHIFTER).to_bits() as i8
    }
}

impl<const N: usize> Block<f32, i8, N> for Round {
    #[inline(always)]
    unsafe fn apply(&self, from: &[f32; N]) -> [i8; N] {
        let mut to = [0; N];
        for (to, from) in to.iter_mut().zip(from) {
            *to = self.byte(*from);
        }
        to
    }
}

impl<const N: usize> Block<f32, i8, N> for Quantize {
    #[inline(always)]
    unsafe fn apply(&self, from: &[f32; N]) -> [i8; N] {
        let mut to = [0; N];
        for (to, from) in to.iter_mut().zip(from) {
            *to = self.round.byte(from / self.scale);
        }
        to
    }
}

impl<M: Machine, const N: usize> Block<f32, i8, N> for QuantizeFused<M> {
    #[inline(always)]
    unsafe fn apply(&self, from: &[f32; N]) -> [i8; N] {
        let mut to = [0; N];
        for (to, &from) in to.iter_mut().zip(from) {
            // see `EXACT_RECIPROCALS`
            let near = from * self.reciprocal;
            let rest = M::multiply_add(-near, self.scale, from);
            let quotient = M::multiply_add(rest, self.reciprocal, near);
            *to = self.round.byte(if quotient.is_nan() { near } else { quotient });
        }
        to
    }
}

impl<const N: usize> Block<f32, f32, N> for Multiply {
    #[inline(always)]
    unsafe fn apply(&self, from: &[f32; N]) -> [f32; N] {
        let mut to = [0.0; N];
        for (to, from) in to.iter_mut().zip(from) {
            *to = from * self.0;
        }
        to
    }
}

impl<const N: usize> Block<f32, f32, N> for Divide {
    #[inline(always)]
    unsafe fn apply(&self, from: &[f32; N]) -> [f32; N] {
        let mut to = [0.0; N];
        for (to, from) in to.iter_mut().zip(from) {
            *to = from / self.0;
        }
        to
    }
}

impl<const N: usize> Block<f32, f32, N> for Subtract {
    #[inline(always)]
    unsafe fn apply(&self, from: &[f32; N]) -> [f32; N] {
        let mut to = [0.0; N];
        for (to, from) in to.iter_mut().zip(from) {
            *to = from - self.0 - self.1;
        }
        to
    }
}

impl<M: Converts> Block<f16, f32, SHORT_BLOCK> for Widen<M> {
    #[inline(always)]
    unsafe fn apply(&self, from: &[f16; SHORT_BLOCK]) -> [f32; SHORT_BLOCK] {
        // SAFETY: promised by the caller.
        unsafe { M::widen(from) }
    }
}

impl Block<u16, f32, SHORT_BLOCK> for WidenBrain {
    #[inline(always)]
    unsafe fn apply(&self, from: &[u16; SHORT_BLOCK]) -> [f32; SHORT_BLOCK] {
        from.map(|bits| f32::from_bits(u32::from(bits) << 16))
    }
}

impl<M: Converts> Block<f32, f16, SHORT_BLOCK> for Narrow<M> {
    #[inline(always)]
    unsafe fn apply(&self, from: &[f32; SHORT_BLOCK]) -> [f16; SHORT_BLOCK] {
        // SAFETY: promised by the caller.
        unsafe { M::narrow(from) }
    }
}

/// Processes a row in blocks of `N` elements; the last one is filled with zeros.
#[inline(always)]
unsafe fn blocks<A: Copy + Default, B: Copy + Default, const N: usize>(
    (source, destination): (*const A, *mut B),
    count: usize,
    function: &impl Block<A, B, N>,
) {
    let whole = count - count % N;
    // SAFETY: the caller vouches for the machine and for `count` elements of both rows, and a block is read before it is written.
    unsafe {
        for at in (0..whole).step_by(N) {
            let from = source.add(at).cast::<[A; N]>().read_unaligned();
            destination.add(at).cast::<[B; N]>().write_unaligned(function.apply(&from));
        }
        if whole < count {
            let mut from = [A::default(); N];
            source.add(whole).copy_to_nonoverlapping(from.as_mut_ptr(), count - whole);
            let to = function.apply(&from);
            to.as_ptr().copy_to_nonoverlapping(destination.add(whole), count - whole);
        }
    }
}

impl Converts for AnyMachine {
    #[inline(always)]
    unsafe fn widen(from: &[f16; SHORT_BLOCK]) -> [f32; SHORT_BLOCK] {
        from.map(f16::to_f32)
    }

    #[inline(always)]
    unsafe fn narrow(from: &[f32; SHORT_BLOCK]) -> [f16; SHORT_BLOCK] {
        from.map(f16::from_f32)
    }
}

/// The portable instance.
///
/// # Safety
/// As for [`Row`].
pub(super) unsafe fn portable(function: Function, source: *const u8, destination: *mut u8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { row::<AnyMachine>(function, source, destination, count) }
}

#[cfg(test)]
mod tests;

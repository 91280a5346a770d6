//! Requantisation of int8 contractions: sums of each channel are shifted, scaled and rounded to int8 or uint8.

use super::rows::Round;

/// Channels that are contiguous.
pub(super) const CHANNELS: usize = abi::COLUMN_GROUP as usize;

/// The operation on sums: `round((sum + addend) factor)`.
pub(super) struct Requantize<'a> {
    /// One for each channel of a group, or none.
    pub(super) addends: Option<&'a [i32; CHANNELS]>,
    /// One for each channel of a group, if they differ.
    pub(super) factors: Option<&'a [f32; CHANNELS]>,
    /// The factor of all channels, if they do not differ.
    pub(super) factor: f32,
    pub(super) round: Round,
}

/// Sums, for all channels of a group in turn.
#[derive(Clone, Copy)]
pub(super) enum Sums {
    Integers(*const i32),
    /// Integers in f32.
    Floats(*const f32),
}

/// Requantises a row of `count` sums.
pub(super) type RequantizeRow = unsafe fn(&Requantize<'_>, sums: Sums, destination: *mut i8, count: usize);

/// The same with one value per channel, held in registers.
struct Channels<'a> {
    addends: [i32; CHANNELS],
    factors: [f32; CHANNELS],
    round: &'a Round,
}

impl Channels<'_> {
    #[inline(always)]
    fn bytes<S: Copy>(&self, sums: &[S; CHANNELS], whole: impl Fn(S) -> i32) -> [i8; CHANNELS] {
        let mut bytes = [0; CHANNELS];
        for (((byte, &sum), addend), factor) in bytes.iter_mut().zip(sums).zip(&self.addends).zip(&self.factors) {
            *byte = self.round.byte(whole(sum).wrapping_add(*addend) as f32 * factor);
        }
        bytes
    }
}

/// Requantises a row, to be compiled within a function that enables the machine's instructions.
///
/// # Safety
/// Both rows have `count` elements.
#[inline(always)]
pub(super) unsafe fn row(requantize: &Requantize<'_>, sums: Sums, destination: *mut i8, count: usize) {
    let Requantize { addends, factors, factor, ref round } = *requantize;
    let addends = addends.copied().unwrap_or([0; CHANNELS]);
    let channels = Channels { addends, factors: factors.copied().unwrap_or([factor; CHANNELS]), round };
    // SAFETY: promised by the caller.
    unsafe {
        match sums {
            Sums::Integers(sums) => groups(&channels, sums, destination, count, |sum| sum),
            Sums::Floats(sums) => groups(&channels, sums, destination, count, whole),
        }
    }
}

/// Converts an integral float, saturating. Compilers vectorise this, but not `as`.
#[inline(always)]
fn whole(sum: f32) -> i32 {
    const LARGEST: f32 = 2_147_483_520.0;
    let sum = if sum > i32::MIN as f32 { sum } else { i32::MIN as f32 };
    let sum = if sum < LARGEST { sum } else { LARGEST };
    // SAFETY: the number is in range, and comparisons with NaN fail.
    unsafe { sum.to_int_unchecked() }
}

/// Requantises group by group; the last group may be partial.
#[inline(always)]
unsafe fn groups<S: Copy + Default>(
    channels: &Channels<'_>,
    sums: *const S,
    destination: *mut i8,
    count: usize,
    whole: impl Fn(S) -> i32 + Copy,
) {
    let groups = count - count % CHANNELS;
    // SAFETY: all offsets are before the ends of the rows.
    unsafe {
        for at in (0..groups).step_by(CHANNELS) {
            let group = sums.add(at).cast::<[S; CHANNELS]>().read_unaligned();
            destination.add(at).cast::<[i8; CHANNELS]>().write_unaligned(channels.bytes(&group, whole));
        }
        if groups < count {
            let mut group = [S::default(); CHANNELS];
            sums.add(groups).copy_to_nonoverlapping(group.as_mut_ptr(), count - groups);
            let bytes = channels.bytes(&group, whole);
            bytes.as_ptr().copy_to_nonoverlapping(destination.add(groups), count - groups);
        }
    }
}

/// The portable instance.
///
/// # Safety
/// As for [`RequantizeRow`].
pub(super) unsafe fn portable(requantize: &Requantize<'_>, sums: Sums, destination: *mut i8, count: usize) {
    // SAFETY: promised by the caller.
    unsafe { row(requantize, sums, destination, count) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::levels::Instances;
    use crate::samples::sampled;

    #[test]
    fn rows_of_any_length() {
        let addends = std::array::from_fn(|channel| 10 * channel as i32);
        let factors = std::array::from_fn(|channel| 0.25 / (channel + 1) as f32);
        let round = Round { zero_point: 3.0, lowest: -128.0, highest: 127.0 };
        let requantize = Requantize { addends: Some(&addends), factors: Some(&factors), factor: 0.0, round };
        let sums: Vec<i32> = (0..100).map(|at| (at * 37) % 1000 - 500).collect();
        let floats: Vec<f32> = sums.iter().map(|&sum| sum as f32).collect();
        let expected = |at: usize| {
            let number = (sums[at] + addends[at % CHANNELS]) as f32 * factors[at % CHANNELS];
            (number.round_ties_even() + 3.0).clamp(-128.0, 127.0) as i8
        };
        for machine in RequantizeRow::usable().chain([RequantizeRow::PORTABLE]) {
            for count in sampled(0..sums.len(), 13) {
                for sums in [Sums::Integers(sums.as_ptr()), Sums::Floats(floats.as_ptr())] {
                    let mut bytes = vec![99; 100];
                    // SAFETY: both rows have the same length, and the processor runs the instance.
                    unsafe { machine(&requantize, sums, bytes.as_mut_ptr(), count) };
                    assert!(
                        bytes.iter().enumerate().all(|(at, &byte)| byte == if at < count { expected(at) } else { 99 })
                    );
                }
            }
        }
    }
}

//! Gathers rows of words by index.
//!
//! One index vector serves many rows. It is prepared for the machine first, in blocks: if the indices of a block are
//! near each other, two registers hold all of its words, and the block contains lane numbers.

/// Prepares `count` indices for [`Gather::row`].
pub(super) type Prepare = unsafe fn(places: *mut i64, count: usize);
/// `destination[i] = source[places[i]]` for `count` words; the source has `length` words.
pub(super) type Row =
    unsafe fn(source: *const u32, places: *const i64, destination: *mut u32, count: usize, length: usize);

/// The gather of a machine.
pub(super) struct Gather {
    pub(super) prepare: Prepare,
    pub(super) row: Row,
}

/// The portable gather.
pub(super) static PORTABLE: Gather = Gather { prepare: |_, _| (), row: portable };

/// The portable gather, word by word.
///
/// # Safety
/// All indices are inside the source, and the destination does not overlap with it.
#[inline(always)]
unsafe fn portable(source: *const u32, places: *const i64, destination: *mut u32, count: usize, _: usize) {
    for at in 0..count {
        // SAFETY: promised by the caller.
        unsafe {
            let place = places.add(at).read() as usize;
            destination.add(at).write_unaligned(source.add(place).read_unaligned());
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    //! Blocks for AVX-512. If the indices of a block are near each other, its first word is `-1 - minimum`, which is
    //! never an index; the second is the number of registers that hold all the words, and the second half has the
    //! distances from the minimum as `i32`.

    use std::arch::x86_64::*;

    use super::{Gather, portable};

    /// For AVX-512.
    pub(in super::super) static AVX512: Gather = Gather { prepare, row };

    /// Indices of a block.
    const WIDTH: usize = 16;

    /// # Safety
    /// `places` points to `count` indices.
    unsafe fn prepare(places: *mut i64, count: usize) {
        for at in (0..count - count % WIDTH).step_by(WIDTH) {
            // SAFETY: promised by the caller.
            let block = unsafe { &mut *places.add(at).cast::<[i64; WIDTH]>() };
            let least = block.iter().copied().fold(i64::MAX, i64::min);
            let distances = block.map(|place| place - least);
            if distances.iter().all(|&distance| distance < 2 * WIDTH as i64) {
                block[0] = -1 - least;
                block[1] = if distances.iter().all(|&distance| distance < WIDTH as i64) { 1 } else { 2 };
                for (pair, word) in distances.chunks_exact(2).zip(&mut block[WIDTH / 2..]) {
                    *word = pair[0] | pair[1] << 32;
                }
            }
        }
    }

    /// # Safety
    /// As for [`super::portable`], with prepared indices, and the processor has these instructions.
    #[target_feature(enable = "avx512f")]
    unsafe fn row(source: *const u32, places: *const i64, destination: *mut u32, count: usize, length: usize) {
        let whole = count - count % WIDTH;
        // SAFETY: promised by the caller; nothing after the source's last word is touched.
        unsafe {
            for at in (0..whole).step_by(WIDTH) {
                let (places, destination) = (places.add(at), destination.add(at));
                let first = places.read();
                if first >= 0 {
                    portable(source, places, destination, WIDTH, length);
                    continue;
                }
                let least = (-1 - first) as usize;
                let distances = _mm512_loadu_epi32(places.add(WIDTH / 2).cast());
                let from = source.add(least).cast::<i32>();
                let there = length - least;
                if places.add(1).read() == 1 {
                    let words = if there >= WIDTH {
                        _mm512_loadu_epi32(from)
                    } else {
                        _mm512_maskz_loadu_epi32(mask(there), from)
                    };
                    _mm512_storeu_epi32(destination.cast(), _mm512_permutexvar_epi32(distances, words));
                    continue;
                }
                let [low, high] = if there >= 2 * WIDTH {
                    [_mm512_loadu_epi32(from), _mm512_loadu_epi32(from.add(WIDTH))]
                } else {
                    let high = _mm512_maskz_loadu_epi32(mask(there.saturating_sub(WIDTH)), from.wrapping_add(WIDTH));
                    [_mm512_maskz_loadu_epi32(mask(there), from), high]
                };
                _mm512_storeu_epi32(destination.cast(), _mm512_permutex2var_epi32(low, distances, high));
            }
            portable(source, places.add(whole), destination.add(whole), count - whole, length);
        }
    }

    /// The first lanes.
    fn mask(count: usize) -> __mmask16 {
        ((1u32 << count.min(WIDTH)) - 1) as __mmask16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::levels::Instances;
    use crate::samples::sampled;

    fn machines() -> Vec<&'static Gather> {
        <&Gather>::usable().collect()
    }

    #[test]
    fn places_near_and_far_forwards_and_backwards() {
        for length in [1, 5, 16, 31, 32, 100] {
            let source: Vec<u32> = (0..length).map(|word| word * 3 + 1).collect();
            let length = i64::from(length);
            let orders: [fn(i64) -> i64; 6] =
                [|at| at, |at| at / 2, |at| -at, |at| at * 5, |at| (at - 20).abs(), |at| at * 37];
            let cases = orders.into_iter().flat_map(|order| (0..70).map(move |count| (order, count)));
            for (order, count) in sampled(cases, 31) {
                let places: Vec<i64> = (0..count).map(|at| order(at).rem_euclid(length)).collect();
                let expected: Vec<u32> = places.iter().map(|&place| source[place as usize]).collect();
                for machine in machines() {
                    let (mut found, mut prepared) = (vec![0; places.len()], places.clone());
                    // SAFETY: all indices are inside the source.
                    unsafe {
                        (machine.prepare)(prepared.as_mut_ptr(), places.len());
                        let (from, to) = (source.as_ptr(), found.as_mut_ptr());
                        (machine.row)(from, prepared.as_ptr(), to, places.len(), source.len());
                    }
                    assert_eq!(found, expected);
                }
            }
        }
    }
}

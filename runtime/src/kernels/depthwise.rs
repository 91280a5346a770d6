//! Depthwise convolution of one row of pixels over a block of channels.

use super::lanes::{Lanes, Portable};
use super::{DepthwiseDescriptor, START_C, START_INIT};

/// One call: the descriptor and the buffers.
pub(super) struct DepthwiseRow<'a> {
    pub(super) descriptor: &'a DepthwiseDescriptor,
    pub(super) x: *const f32,
    pub(super) w: *const f32,
    pub(super) init: *const f32,
    pub(super) y: *mut f32,
    pub(super) pixels: usize,
    pub(super) channels: usize,
}

/// Computes one row.
pub(super) type RowFunction = unsafe fn(&DepthwiseRow<'_>);

/// `PIXELS` pixels from `pixel` on, at most `V::WIDTH` channels from `channel` on.
#[inline(always)]
unsafe fn tile<V: Lanes, const PIXELS: usize>(row: &DepthwiseRow<'_>, pixel: usize, channel: usize, mask: V::Mask) {
    let d = row.descriptor;
    // SAFETY: the caller vouches for the extents, and the mask keeps the channels inside.
    unsafe {
        let y = row.y.offset(pixel as isize * d.y_pixel as isize).add(channel);
        let mut sums = [V::zero(); PIXELS];
        if d.start == START_INIT {
            sums = [V::load_masked(row.init.add(channel), mask); PIXELS];
        } else if d.start == START_C {
            sums = std::array::from_fn(|p| V::load_masked(y.offset(p as isize * d.y_pixel as isize), mask));
        }
        let x = row.x.offset(pixel as isize * d.x_pixel as isize).add(channel);
        let w = row.w.add(channel);
        for i in 0..d.window[0] {
            for j in 0..d.window[1] {
                let weight = V::load_masked(w.offset((i * d.w_window[0] + j * d.w_window[1]) as isize), mask);
                let mut from = x.offset((i * d.x_window[0] + j * d.x_window[1]) as isize);
                for sum in &mut sums {
                    *sum = sum.add_product(V::load_masked(from, mask), weight);
                    from = from.wrapping_offset(d.x_pixel as isize);
                }
            }
        }
        for (p, sum) in sums.into_iter().enumerate() {
            sum.store_masked(y.offset(p as isize * d.y_pixel as isize), mask);
        }
    }
}

/// The whole row: tiles of eight pixels, then the rest.
#[inline(always)]
pub(super) unsafe fn row<V: Lanes>(row: &DepthwiseRow<'_>) {
    for channel in (0..row.channels).step_by(V::WIDTH) {
        let mut pixel = 0;
        // SAFETY: all tiles lie inside the row.
        unsafe {
            let mask = V::mask((row.channels - channel).min(V::WIDTH));
            while pixel + 8 <= row.pixels {
                tile::<V, 8>(row, pixel, channel, mask);
                pixel += 8;
            }
            if pixel + 4 <= row.pixels {
                tile::<V, 4>(row, pixel, channel, mask);
                pixel += 4;
            }
            if pixel + 2 <= row.pixels {
                tile::<V, 2>(row, pixel, channel, mask);
                pixel += 2;
            }
            if pixel < row.pixels {
                tile::<V, 1>(row, pixel, channel, mask);
            }
        }
    }
}

/// For any machine.
pub(super) unsafe fn portable(description: &DepthwiseRow<'_>) {
    // SAFETY: promised by the caller.
    unsafe { row::<Portable>(description) }
}

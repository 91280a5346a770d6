//! Depthwise convolution of one row of pixels over a block of channels.

use abi::{Depthwise, Descriptor, Start};

use super::lanes::{Portable, Products};
use super::levels::Instances;
#[cfg(target_arch = "aarch64")]
use super::{arm, levels::Level};
#[cfg(target_arch = "x86_64")]
use super::{levels::Level, x86};

/// One call: the descriptor and the buffers.
pub(super) struct DepthwiseRow<'a> {
    pub(super) descriptor: &'a Descriptor<Depthwise<i64>>,
    pub(super) x: *const f32,
    pub(super) w: *const f32,
    pub(super) init: *const f32,
    pub(super) y: *mut f32,
    pub(super) pixels: usize,
    pub(super) channels: usize,
}

/// Computes one row.
pub(super) type DepthwiseKernel = unsafe fn(&DepthwiseRow<'_>);

/// `PIXELS` pixels from `pixel` on, at most `V::WIDTH` channels from `channel` on.
#[inline(always)]
unsafe fn tile<V, const PIXELS: usize>(row: &DepthwiseRow<'_>, pixel: usize, channel: usize, mask: V::Mask)
where
    V: Products<Element = f32, Factor = V, Panel = V>,
{
    let Descriptor { walk: d, start, .. } = row.descriptor;
    // SAFETY: the caller vouches for the extents, and the mask keeps the channels inside.
    unsafe {
        let y = row.y.offset(pixel as isize * d.out_pixel as isize).add(channel);
        let mut sums = [V::zero(); PIXELS];
        if *start == Start::Columns {
            sums = [V::load_masked(row.init.add(channel), mask); PIXELS];
        } else if *start == Start::Values {
            for (p, sum) in sums.iter_mut().enumerate() {
                *sum = V::load_masked(y.offset(p as isize * d.out_pixel as isize), mask);
            }
        }
        let x = row.x.offset(pixel as isize * d.left_pixel as isize).add(channel);
        let w = row.w.add(channel);
        for i in 0..d.window[0] {
            for j in 0..d.window[1] {
                let weight = V::load_masked(w.offset((i * d.right[0] + j * d.right[1]) as isize), mask);
                let mut from = x.offset((i * d.left[0] + j * d.left[1]) as isize);
                for sum in &mut sums {
                    *sum = sum.add_products(V::load_masked(from, mask), weight);
                    from = from.wrapping_offset(d.left_pixel as isize);
                }
            }
        }
        for (p, sum) in sums.into_iter().enumerate() {
            sum.store_masked(y.offset(p as isize * d.out_pixel as isize), mask);
        }
    }
}

/// The whole row.
#[inline(always)]
pub(super) unsafe fn row<V: Products<Element = f32, Factor = V, Panel = V>>(row: &DepthwiseRow<'_>) {
    for channel in (0..row.channels).step_by(V::WIDTH) {
        // SAFETY: all channels lie inside the row.
        unsafe {
            let mask = V::mask((row.channels - channel).min(V::WIDTH));
            if V::is_whole(mask) {
                pixels::<V>(row, channel, V::mask(V::WIDTH));
            } else {
                pixels::<V>(row, channel, mask);
            }
        }
    }
}

/// The channels of a register: tiles of eight pixels, then the rest.
#[inline(always)]
unsafe fn pixels<V>(row: &DepthwiseRow<'_>, channel: usize, mask: V::Mask)
where
    V: Products<Element = f32, Factor = V, Panel = V>,
{
    let mut pixel = 0;
    // SAFETY: all tiles lie inside the row.
    unsafe {
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

unsafe fn portable(description: &DepthwiseRow<'_>) {
    // SAFETY: promised by the caller.
    unsafe { row::<Portable<f32>>(description) }
}

impl Instances for DepthwiseKernel {
    const PORTABLE: Self = portable;
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, x86::v4_depthwise), (Level::V3, x86::v3_depthwise)];
    #[cfg(target_arch = "aarch64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Neon, arm::depthwise)];
}

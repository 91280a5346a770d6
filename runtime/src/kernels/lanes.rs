//! A register of `f32` lanes, as the kernels see it.

/// What a kernel needs of a vector register.
///
/// Implementations are `inline(always)`, so that they compile to single instructions inside functions that enable the
/// instruction set; calling them elsewhere needs that instruction set to be there.
pub(super) trait Lanes: Copy {
    /// Number of lanes.
    const WIDTH: usize;
    /// A set of leading lanes.
    type Mask: Copy;

    /// The first `count` lanes; `count` is at most `WIDTH`.
    unsafe fn mask(count: usize) -> Self::Mask;
    /// All lanes zero.
    unsafe fn zero() -> Self;
    /// All lanes `value`.
    unsafe fn splat(value: f32) -> Self;
    /// Loads all lanes from any address.
    unsafe fn load(from: *const f32) -> Self;
    /// Loads the lanes of `mask`; the others are zero and not touched in memory.
    unsafe fn load_masked(from: *const f32, mask: Self::Mask) -> Self;
    /// Stores all lanes to any address.
    unsafe fn store(self, to: *mut f32);
    /// Stores the lanes of `mask`.
    unsafe fn store_masked(self, to: *mut f32, mask: Self::Mask);
    /// `self + x·y`, fused where the machine can.
    unsafe fn add_product(self, x: Self, y: Self) -> Self;
}

/// Lanes for any machine; the compiler maps them to what the target has.
#[derive(Clone, Copy)]
pub(super) struct Portable([f32; 4]);

impl Lanes for Portable {
    const WIDTH: usize = 4;
    type Mask = usize;

    #[inline(always)]
    unsafe fn mask(count: usize) -> usize {
        count
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        Portable([0.0; 4])
    }

    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Portable([value; 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller vouches for four readable elements.
        Portable(unsafe { from.cast::<[f32; 4]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const f32, mask: usize) -> Self {
        // SAFETY: only the lanes of the mask are read.
        unsafe {
            if mask == Self::WIDTH {
                return Self::load(from);
            }
            Portable(std::array::from_fn(|lane| if lane < mask { from.add(lane).read_unaligned() } else { 0.0 }))
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller vouches for four writable elements.
        unsafe { to.cast::<[f32; 4]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut f32, mask: usize) {
        for (lane, value) in self.0.into_iter().take(mask).enumerate() {
            // SAFETY: only the lanes of the mask are written.
            unsafe { to.add(lane).write(value) }
        }
    }

    #[inline(always)]
    unsafe fn add_product(self, x: Self, y: Self) -> Self {
        Portable(std::array::from_fn(|lane| {
            let (x, y) = (x.0[lane], y.0[lane]);
            if cfg!(target_arch = "aarch64") { x.mul_add(y, self.0[lane]) } else { self.0[lane] + x * y }
        }))
    }
}

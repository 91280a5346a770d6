//! Vector registers, as a trait over instruction sets.

/// A register of accumulators.
///
/// Implementations of this, of [`Fused`] and of [`Products`] are `inline(always)`, so that they compile to single
/// instructions inside functions that enable the instruction set; calling them elsewhere needs that instruction set to
/// be there.
pub(super) trait Lanes: Copy {
    /// The type of a lane.
    type Element: Copy;
    /// Number of lanes.
    const WIDTH: usize;
    /// A set of leading lanes.
    type Mask: Copy;

    /// The first `count` lanes; `count` is at most `WIDTH`.
    unsafe fn mask(count: usize) -> Self::Mask;
    /// Whether the mask has all lanes, if a loop for such masks is worth compiling: if masked accesses branch.
    #[inline(always)]
    fn is_whole(_: Self::Mask) -> bool {
        false
    }
    /// All lanes zero.
    unsafe fn zero() -> Self;
    /// Loads all lanes from any address.
    unsafe fn load(from: *const Self::Element) -> Self;
    /// Loads the lanes of `mask`; the others are zero and not touched in memory.
    unsafe fn load_masked(from: *const Self::Element, mask: Self::Mask) -> Self;
    /// Stores all lanes to any address.
    unsafe fn store(self, to: *mut Self::Element);
    /// Stores the lanes of `mask`.
    unsafe fn store_masked(self, to: *mut Self::Element, mask: Self::Mask);
}

/// Multiply-accumulate, one sum per lane.
pub(super) trait Products: Lanes {
    /// Elements of the left operand, which is broadcast to all lanes.
    type Left: Copy;
    /// Elements of the right operand, which is contiguous along the lanes.
    type Right: Copy;
    /// Products that one step adds to each lane: consecutive in the left operand, and in each lane of the right one.
    const DEPTH: usize;
    /// The left operand in registers.
    type Factor: Copy;
    /// The right operand in registers.
    type Panel: Copy;

    /// The left operand of a whole step.
    unsafe fn factor(from: *const Self::Left) -> Self::Factor;
    /// The first `count` elements of a step, and zeros.
    unsafe fn partial_factor(from: *const Self::Left, count: usize) -> Self::Factor;
    /// The right operand of a step.
    unsafe fn panel(from: *const Self::Right) -> Self::Panel;
    /// The right operand of a step in the lanes of `mask`; the others are unspecified. If steps have several products,
    /// the right operand is padded, so that all lanes may be read.
    unsafe fn panel_masked(from: *const Self::Right, mask: Self::Mask) -> Self::Panel;
    /// Adds the products of a step.
    unsafe fn add_products(self, factor: Self::Factor, panel: Self::Panel) -> Self;

    /// Steps that are faster if they are added together; 1 if there is no such way.
    const TOGETHER: usize = 1;
    /// Adds the products of `count` times [`Products::TOGETHER`] steps to a tile. Factors are contiguous, and so are the steps
    /// of the panel, which is within a group of columns.
    #[inline(always)]
    unsafe fn add_together<const ROWS: usize, const VECTORS: usize>(
        _sums: &mut [[Self; VECTORS]; ROWS],
        _rows: (&[*const Self::Left; ROWS], isize),
        _panel: *const Self::Right,
        _count: usize,
    ) {
    }
}

/// Floats, with one product per lane and step.
pub(super) trait Fused: Lanes {
    /// Broadcasts a value.
    unsafe fn broadcast(value: Self::Element) -> Self;
    /// `self + factor · panel`, rounded once if the machine fuses.
    unsafe fn multiply_add(self, factor: Self, panel: Self) -> Self;

    /// See [`Products::TOGETHER`].
    const TOGETHER: usize = 1;
    /// See [`Products::add_together`].
    #[inline(always)]
    unsafe fn add_together<const ROWS: usize, const VECTORS: usize>(
        _sums: &mut [[Self; VECTORS]; ROWS],
        _rows: (&[*const Self::Element; ROWS], isize),
        _panel: *const Self::Element,
        _count: usize,
    ) {
    }
}

impl<T: Fused> Products for T {
    type Left = T::Element;
    type Right = T::Element;
    const DEPTH: usize = 1;
    type Factor = Self;
    type Panel = Self;

    #[inline(always)]
    unsafe fn factor(from: *const T::Element) -> Self {
        // SAFETY: the caller vouches for the element.
        unsafe { Self::broadcast(from.read_unaligned()) }
    }

    #[inline(always)]
    unsafe fn partial_factor(from: *const T::Element, _: usize) -> Self {
        // SAFETY: as above.
        unsafe { Self::factor(from) }
    }

    #[inline(always)]
    unsafe fn panel(from: *const T::Element) -> Self {
        // SAFETY: the caller vouches for the elements.
        unsafe { Self::load(from) }
    }

    #[inline(always)]
    unsafe fn panel_masked(from: *const T::Element, mask: Self::Mask) -> Self {
        // SAFETY: as above.
        unsafe { Self::load_masked(from, mask) }
    }

    #[inline(always)]
    unsafe fn add_products(self, factor: Self, panel: Self) -> Self {
        // SAFETY: the instruction set is there, see `Lanes`.
        unsafe { self.multiply_add(factor, panel) }
    }

    const TOGETHER: usize = <T as Fused>::TOGETHER;

    #[inline(always)]
    unsafe fn add_together<const ROWS: usize, const VECTORS: usize>(
        sums: &mut [[Self; VECTORS]; ROWS],
        rows: (&[*const T::Element; ROWS], isize),
        panel: *const T::Element,
        count: usize,
    ) {
        // SAFETY: promised by the caller.
        unsafe { <T as Fused>::add_together(sums, rows, panel, count) }
    }
}

/// Portable lanes; the compiler maps them to the target's registers.
#[derive(Clone, Copy)]
pub(super) struct Portable<T>(pub(super) [T; 4]);

impl<T: Copy + Default> Lanes for Portable<T> {
    type Element = T;
    const WIDTH: usize = 4;
    type Mask = usize;

    #[inline(always)]
    unsafe fn mask(count: usize) -> usize {
        count
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        Portable([T::default(); 4])
    }

    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: the caller vouches for four readable elements.
        Portable(unsafe { from.cast::<[T; 4]>().read_unaligned() })
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const T, mask: usize) -> Self {
        // SAFETY: only the lanes of the mask are read.
        unsafe {
            if mask == Self::WIDTH {
                return Self::load(from);
            }
            let lane = |lane| if lane < mask { from.add(lane).read_unaligned() } else { T::default() };
            Portable(std::array::from_fn(lane))
        }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: the caller vouches for four writable elements.
        unsafe { to.cast::<[T; 4]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut T, mask: usize) {
        for (lane, value) in self.0.into_iter().take(mask).enumerate() {
            // SAFETY: only the lanes of the mask are written.
            unsafe { to.add(lane).write_unaligned(value) }
        }
    }
}

macro_rules! portable_fused {
    ($($element:ty)*) => {$(
        impl Fused for Portable<$element> {
            #[inline(always)]
            unsafe fn broadcast(value: $element) -> Self {
                Portable([value; 4])
            }

            #[inline(always)]
            unsafe fn multiply_add(self, factor: Self, panel: Self) -> Self {
                Portable(std::array::from_fn(|lane| {
                    let (sum, x, y) = (self.0[lane], factor.0[lane], panel.0[lane]);
                    if cfg!(target_arch = "aarch64") { x.mul_add(y, sum) } else { sum + x * y }
                }))
            }
        }
    )*};
}

portable_fused!(f32 f64);

/// The first four of `count` bytes, or all and zeros. It has no closure: where compilers call one, the sums of a tile do
/// not stay in registers.
#[inline(always)]
pub(super) unsafe fn partial_bytes(from: *const u8, count: usize) -> [u8; 4] {
    let mut bytes = [0; 4];
    for (at, byte) in bytes.iter_mut().enumerate() {
        if at < count {
            // SAFETY: the caller vouches for `count` bytes.
            *byte = unsafe { from.add(at).read() };
        }
    }
    bytes
}

impl Products for Portable<i32> {
    type Left = u8;
    type Right = i8;
    const DEPTH: usize = 4;
    type Factor = [u8; 4];
    type Panel = [[i8; 4]; 4];

    #[inline(always)]
    unsafe fn factor(from: *const u8) -> [u8; 4] {
        // SAFETY: the caller vouches for four bytes.
        unsafe { from.cast::<[u8; 4]>().read() }
    }

    #[inline(always)]
    unsafe fn partial_factor(from: *const u8, count: usize) -> [u8; 4] {
        // SAFETY: the caller vouches for `count` bytes.
        unsafe { partial_bytes(from, count) }
    }

    #[inline(always)]
    unsafe fn panel(from: *const i8) -> [[i8; 4]; 4] {
        // SAFETY: the caller vouches for four bytes a lane.
        unsafe { from.cast::<[[i8; 4]; 4]>().read() }
    }

    #[inline(always)]
    unsafe fn panel_masked(from: *const i8, _: usize) -> [[i8; 4]; 4] {
        // SAFETY: as above, as the operand is padded.
        unsafe { Self::panel(from) }
    }

    #[inline(always)]
    unsafe fn add_products(self, factor: [u8; 4], panel: [[i8; 4]; 4]) -> Self {
        Portable(std::array::from_fn(|lane| {
            let product = |at: usize| i32::from(factor[at]) * i32::from(panel[lane][at]);
            self.0[lane].wrapping_add(product(0) + product(1) + product(2) + product(3))
        }))
    }
}

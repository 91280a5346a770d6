//! Vectors of sixteen floats on every processor, so that row reductions have the same result on all of them.

/// Lanes of a [`Sixteen`].
pub(super) const VECTOR: usize = 16;

/// Sixteen lanes: floats, or integers with their bits. Methods that need instructions of a machine are only called
/// within functions that enable them.
pub(super) trait Sixteen: Copy {
    fn splat(number: f32) -> Self;
    /// # Safety
    /// `source` has sixteen values.
    unsafe fn load(source: *const f32) -> Self;
    /// Loads `count` values, fewer than there are lanes, and puts `other` in the remaining lanes.
    ///
    /// # Safety
    /// `source` has `count` values.
    #[inline(always)]
    unsafe fn load_some(source: *const f32, count: usize, other: f32) -> Self {
        let mut lanes = [other; VECTOR];
        for (at, lane) in lanes[..count].iter_mut().enumerate() {
            // SAFETY: promised by the caller.
            *lane = unsafe { source.add(at).read_unaligned() };
        }
        // SAFETY: the array has all lanes.
        unsafe { Self::load(lanes.as_ptr()) }
    }
    fn first(self) -> f32;
    /// Exchanges each lane with the one `distance` lanes away: 8, 4, 2 or 1.
    fn exchange(self, distance: usize) -> Self;
    fn add(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    /// The maximum as signed integers.
    fn larger(self, other: Self) -> Self;
    /// The minimum as signed integers.
    fn smaller(self, other: Self) -> Self;
    /// [`in_order`] of each.
    fn in_order(self) -> Self;
    /// Whether any lane is NaN.
    fn is_any_nan(self) -> bool;
}

/// The float whose bits, as a signed integer, order as floats do, and the inverse: the bits of negative numbers are
/// reversed.
#[inline(always)]
pub(super) fn in_order(number: f32) -> f32 {
    let bits = number.to_bits() as i32;
    f32::from_bits((bits ^ ((bits >> 31) & i32::MAX)) as u32)
}

/// The portable instance.
#[derive(Clone, Copy)]
pub(super) struct Numbers([f32; VECTOR]);

impl Numbers {
    #[inline(always)]
    fn map(self, function: impl Fn(f32) -> f32) -> Self {
        Numbers(self.0.map(function))
    }

    #[inline(always)]
    fn zip(self, other: Self, function: impl Fn(f32, f32) -> f32) -> Self {
        Numbers(std::array::from_fn(|lane| function(self.0[lane], other.0[lane])))
    }
}

impl Sixteen for Numbers {
    #[inline(always)]
    fn splat(number: f32) -> Self {
        Numbers([number; VECTOR])
    }

    #[inline(always)]
    unsafe fn load(source: *const f32) -> Self {
        // SAFETY: promised by the caller.
        Numbers(unsafe { source.cast::<[f32; VECTOR]>().read_unaligned() })
    }

    #[inline(always)]
    fn first(self) -> f32 {
        self.0[0]
    }

    #[inline(always)]
    fn exchange(self, distance: usize) -> Self {
        Numbers(std::array::from_fn(|lane| self.0[lane ^ distance]))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn multiply(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.zip(other, |a, b| if b.to_bits() as i32 > a.to_bits() as i32 { b } else { a })
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        self.zip(other, |a, b| if (b.to_bits() as i32) < a.to_bits() as i32 { b } else { a })
    }

    #[inline(always)]
    fn in_order(self) -> Self {
        self.map(in_order)
    }

    #[inline(always)]
    fn is_any_nan(self) -> bool {
        self.0.iter().fold(false, |any, number| any | number.is_nan())
    }
}

//! Sixteen floats side by side on every processor, so that what rows are folded to is the same on all of them.

/// Numbers in [`Sixteen`].
pub(super) const VECTOR: usize = 16;

/// Sixteen numbers side by side, floats or integers with their bits. What needs instructions of a machine is only called within
/// functions that enable them.
pub(super) trait Sixteen: Copy {
    fn splat(number: f32) -> Self;
    /// # Safety
    /// There are as many numbers.
    unsafe fn load(source: *const f32) -> Self;
    /// So many numbers, fewer than there are lanes, and another one in the lanes behind them.
    ///
    /// # Safety
    /// There are as many numbers.
    #[inline(always)]
    unsafe fn load_some(source: *const f32, count: usize, other: f32) -> Self {
        let mut lanes = [other; VECTOR];
        for (at, lane) in lanes[..count].iter_mut().enumerate() {
            // SAFETY: promised by the caller.
            *lane = unsafe { source.add(at).read_unaligned() };
        }
        // SAFETY: all lanes are there.
        unsafe { Self::load(lanes.as_ptr()) }
    }
    fn first(self) -> f32;
    /// Every lane has the number of the one so far from it, forth and back: 8, 4, 2 or 1.
    fn exchange(self, distance: usize) -> Self;
    fn add(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    /// The larger ones as signed integers.
    fn larger(self, other: Self) -> Self;
    /// The smaller ones as signed integers.
    fn smaller(self, other: Self) -> Self;
    /// [`in_order`] of each.
    fn in_order(self) -> Self;
    /// Whether any lane is no number.
    fn is_any_nan(self) -> bool;
}

/// The float whose bits, as a signed integer, are in order with those of others, and back: those of negative numbers are turned round.
#[inline(always)]
pub(super) fn in_order(number: f32) -> f32 {
    let bits = number.to_bits() as i32;
    f32::from_bits((bits ^ ((bits >> 31) & i32::MAX)) as u32)
}

/// Those of any machine.
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

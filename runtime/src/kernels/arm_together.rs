//! Steps of a tile whose factors are loaded together, and multiplied by lane: a load for each row, instead of one for each step.

use super::lanes::Products;

/// Products by a lane of a register of factors.
pub(super) trait ByLane: Products {
    /// The factors of [`STEPS`] steps.
    type Factors: Copy;

    /// Loads them; they are contiguous.
    unsafe fn factors(from: *const Self::Left) -> Self::Factors;
    /// Adds the products of a step with its factors in lane `LANE`.
    unsafe fn add_products_by<const LANE: i32>(self, factors: Self::Factors, panel: Self::Panel) -> Self;
}

/// One for each lane of a register of factors.
pub(super) const STEPS: usize = 4;
const GROUP: usize = abi::COLUMN_GROUP as usize;

/// See [`Products::add_together`].
#[inline(always)]
pub(super) unsafe fn steps<V: ByLane, const ROWS: usize, const VECTORS: usize>(
    sums: &mut [[V; VECTORS]; ROWS],
    (a_rows, mut a_offset): (&[*const V::Left; ROWS], isize),
    mut panel: *const V::Right,
    count: usize,
) {
    for _ in 0..count {
        // SAFETY: promised by the caller.
        unsafe {
            let mut factors = [V::factors(a_rows[0].offset(a_offset)); ROWS];
            for r in 1..ROWS {
                factors[r] = V::factors(a_rows[r].offset(a_offset));
            }
            step::<V, 0, ROWS, VECTORS>(sums, &factors, panel);
            step::<V, 1, ROWS, VECTORS>(sums, &factors, panel);
            step::<V, 2, ROWS, VECTORS>(sums, &factors, panel);
            step::<V, 3, ROWS, VECTORS>(sums, &factors, panel);
        }
        a_offset += (STEPS * V::DEPTH) as isize;
        panel = panel.wrapping_add(STEPS * GROUP * V::DEPTH);
    }
}

/// One register of the panel after the other, so that the sums and all factors have registers.
#[inline(always)]
unsafe fn step<V: ByLane, const LANE: i32, const ROWS: usize, const VECTORS: usize>(
    sums: &mut [[V; VECTORS]; ROWS],
    factors: &[V::Factors; ROWS],
    panel: *const V::Right,
) {
    for v in 0..VECTORS {
        // SAFETY: promised by the caller.
        unsafe {
            let panel = V::panel(panel.add((LANE as usize * GROUP + v * V::WIDTH) * V::DEPTH));
            for (r, row) in sums.iter_mut().enumerate() {
                row[v] = row[v].add_products_by::<LANE>(factors[r], panel);
            }
        }
    }
}

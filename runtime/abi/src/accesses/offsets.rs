//! Sets of offsets by their bounds.

/// The bytes that are accessed through a buffer, from its address on; none if the first is not below the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub first: i64,
    /// The one after the last.
    pub end: i64,
}

impl Span {
    /// No bytes.
    pub const NONE: Span = Span { first: 0, end: 0 };
}

/// The lowest and the highest of some offsets, in elements. Numbers that are too large for their type are the largest
/// ones, which are outside of every buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offsets {
    low: i64,
    high: i64,
}

impl Offsets {
    /// No offsets.
    pub(super) const NONE: Offsets = Offsets { low: i64::MAX, high: i64::MIN };
    /// The offset 0.
    pub(super) const FIRST: Offsets = Offsets { low: 0, high: 0 };

    /// Those of a loop.
    pub(super) fn of(extent: i64, stride: i64) -> Offsets {
        if extent <= 0 {
            return Offsets::NONE;
        }
        let last = (extent - 1).saturating_mul(stride);
        Offsets { low: last.min(0), high: last.max(0) }
    }

    /// Those of nested loops: extents and strides.
    pub(super) fn nested<const N: usize>(loops: [(i64, i64); N]) -> Offsets {
        loops.into_iter().fold(Offsets::FIRST, |all, (extent, stride)| all.plus(Offsets::of(extent, stride)))
    }

    /// Those of a loop over `extent` indices in groups of `group`, with the strides within and between groups; the last
    /// group may be partial.
    pub(super) fn grouped(extent: i64, group: i64, [within, between]: [i64; 2]) -> Offsets {
        let (whole, rest) = (extent.max(0) / group, extent.max(0) % group);
        let last = Offsets::of(rest, within).shifted(whole.saturating_mul(between));
        Offsets::nested([(whole, between), (group, within)]).or(last)
    }

    /// The sums of these offsets and others.
    pub(super) fn plus(self, other: Offsets) -> Offsets {
        if self.is_empty() || other.is_empty() {
            return Offsets::NONE;
        }
        Offsets { low: self.low.saturating_add(other.low), high: self.high.saturating_add(other.high) }
    }

    /// These offsets and others.
    pub(super) fn or(self, other: Offsets) -> Offsets {
        Offsets { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// These offsets, further by `distance`.
    pub(super) fn shifted(self, distance: i64) -> Offsets {
        self.plus(Offsets { low: distance, high: distance })
    }

    /// These offsets if a condition holds.
    pub(super) fn only_if(self, condition: bool) -> Offsets {
        if condition { self } else { Offsets::NONE }
    }

    /// The bytes of the elements at these offsets.
    pub(super) fn bytes(self, width: i64) -> Span {
        if self.is_empty() {
            return Span::NONE;
        }
        Span { first: self.low.saturating_mul(width), end: self.high.saturating_add(1).saturating_mul(width) }
    }

    fn is_empty(self) -> bool {
        self.low > self.high
    }
}

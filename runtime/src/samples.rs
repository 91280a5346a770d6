//! Which cases of tests run in Miri, where each takes a thousand times as long.

/// Every case, or every `step`th one in Miri.
pub(crate) fn sampled<C>(cases: impl IntoIterator<Item = C>, step: usize) -> impl Iterator<Item = C> {
    cases.into_iter().step_by(if cfg!(miri) { step } else { 1 })
}

/// Whether Miri leaves out a case with this number of terms.
pub(crate) fn is_long(terms: usize) -> bool {
    cfg!(miri) && terms > 3_000
}

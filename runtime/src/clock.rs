//! Time, for profiles.

use std::sync::OnceLock;
use std::time::Instant;

use crate::pool::modelled;

static START: OnceLock<Instant> = OnceLock::new();

/// Nanoseconds since the first call, less what threads of a model have saved.
#[allow(unsafe_code, reason = "an exported C symbol")]
#[unsafe(no_mangle)]
pub extern "C" fn rt_ticks() -> i64 {
    START.get_or_init(Instant::now).elapsed().as_nanos() as i64 - modelled::saved()
}

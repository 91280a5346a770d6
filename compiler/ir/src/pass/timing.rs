//! The times of passes and other stages of a compilation.

use std::fmt;
use std::time::{Duration, Instant};

/// Names and times in execution order.
#[derive(Clone, Debug, Default)]
pub struct Timings(pub Vec<(&'static str, Duration)>);

impl Timings {
    /// Runs a stage and records its time.
    pub fn measure<T>(&mut self, stage: &'static str, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        self.0.push((stage, start.elapsed()));
        result
    }

    /// The time of all stages.
    pub fn total(&self) -> Duration {
        self.0.iter().map(|(_, time)| *time).sum()
    }
}

impl fmt::Display for Timings {
    /// A table: milliseconds, share of the total, name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total().as_secs_f64();
        let mut row = |name: &str, seconds: f64| {
            let share = if total > 0.0 { 100.0 * seconds / total } else { 100.0 };
            writeln!(f, "{:>10.3} ms {share:>5.1} %  {name}", seconds * 1e3)
        };
        self.0.iter().try_for_each(|(name, time)| row(name, time.as_secs_f64()))?;
        row("total", total)
    }
}

//! What passes count.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Pass;

/// A number that a pass counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// Its name, unique in the pass.
    pub name: &'static str,
    /// What is counted.
    pub summary: &'static str,
}

/// The statistics of one run of a pass, which starts with zeros.
#[derive(Debug)]
pub struct Statistics {
    rows: Vec<(Statistic, AtomicU64)>,
}

impl Statistics {
    /// Zero for each statistic of a pass.
    pub fn of(pass: Pass) -> Statistics {
        Statistics { rows: pass.statistics().iter().map(|&row| (row, AtomicU64::new(0))).collect() }
    }

    /// Adds to the statistic called `name`, which the pass must have.
    pub fn add(&self, name: &str, count: usize) {
        let row = self.rows.iter().find(|(row, _)| row.name == name);
        let (_, number) = row.expect("a pass counts what its definition lists");
        number.fetch_add(count as u64, Ordering::Relaxed);
    }
}

impl fmt::Display for Statistics {
    /// One line for each, as upstream writes them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> =
            self.rows.iter().map(|(_, number)| number.load(Ordering::Relaxed).to_string()).collect();
        let digits = numbers.iter().map(String::len).max().unwrap_or(0);
        let names = self.rows.iter().map(|(row, _)| row.name.len()).max().unwrap_or(0);
        for ((row, _), number) in self.rows.iter().zip(&numbers) {
            writeln!(f, "  (S) {number:>digits$} {:<names$} - {}", row.name, row.summary)?;
        }
        Ok(())
    }
}

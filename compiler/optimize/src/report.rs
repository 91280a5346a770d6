//! The report of an optimisation.

use std::fmt;
use std::sync::Arc;

use ir::IndexMap;

/// The report of an optimisation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The effect of each rule, in the order in which they were first applied.
    pub rules: IndexMap<&'static str, RuleReport>,
    /// The searches of the windows.
    pub searches: Vec<Search>,
    /// The fate of operations that were removed, if requested.
    pub gone: Vec<Gone>,
    /// The number of operations before, without those that depend on constants alone.
    pub operations_before: usize,
    /// The number of operations after, without those that depend on constants alone.
    pub operations_after: usize,
    /// Estimated time before, in nanoseconds.
    pub cost_before: f64,
    /// Estimated time after, in nanoseconds.
    pub cost_after: f64,
}

/// The search for equations in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// The number of its operations.
    pub operations: usize,
    /// The final number of nodes of the e-graph.
    pub nodes: usize,
    /// The number of rounds with all rules.
    pub rounds: usize,
    /// Why the search stopped.
    pub stop: Stop,
}

/// Why a search for equations stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// No rule found a new equation.
    #[default]
    Saturated,
    /// The maximum number of rounds was reached.
    Rounds,
    /// The maximum size of the e-graph was reached.
    Size,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Saturated => "nothing new is left",
            Stop::Rounds => "the rounds are used up",
            Stop::Size => "the e-graph is as large as it may be",
        })
    }
}

/// The effect of a rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleReport {
    /// The number of new equations that it found.
    pub fired: usize,
    /// The number of its equations that were chosen.
    pub chosen: usize,
    /// Estimated time saved, in nanoseconds, if it was the last of the rules involved.
    pub saved: f64,
}

/// An operation that was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The nodes that it computed.
    pub nodes: Vec<Arc<str>>,
    /// The rules that matched it, in order.
    pub rules: Vec<&'static str>,
    /// The nodes of a remaining operation with the same result, if there is one.
    pub instead: Vec<Arc<str>>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "operations: {} -> {}", self.operations_before, self.operations_after)?;
        let microseconds = |nanoseconds: f64| nanoseconds / 1000.0;
        let (before, after) = (microseconds(self.cost_before), microseconds(self.cost_after));
        writeln!(f, "estimated:  {before:.1} us -> {after:.1} us")?;
        for Search { operations, nodes, rounds, stop } in &self.searches {
            writeln!(f, "searched:   {operations} operations, {nodes} in the e-graph, {rounds} rounds: {stop}")?;
        }
        for (rule, report) in &self.rules {
            let (fired, chosen, saved) = (report.fired, report.chosen, microseconds(report.saved));
            writeln!(f, "{rule:<28} fired {fired:>5}  chosen {chosen:>5}  saved {saved:>10.1} us")?;
        }
        Ok(())
    }
}

//! What an optimisation did.

use std::fmt;
use std::sync::Arc;

use ir::IndexMap;

/// What an optimisation did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What each rule did, in the order they first fired.
    pub rules: IndexMap<&'static str, RuleReport>,
    /// How far each window was searched.
    pub searches: Vec<Search>,
    /// What became of operations that are no longer there, if that was asked for.
    pub gone: Vec<Gone>,
    /// Operations before, what depends on constants alone left out.
    pub operations_before: usize,
    /// Operations after, what depends on constants alone left out.
    pub operations_after: usize,
    /// Estimated time before, in nanoseconds.
    pub cost_before: f64,
    /// Estimated time after, in nanoseconds.
    pub cost_after: f64,
}

/// How far a window was searched for equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Search {
    /// Its operations.
    pub operations: usize,
    /// Nodes of the e-graph in the end.
    pub nodes: usize,
    /// How often all rules were looked for.
    pub rounds: usize,
    /// Why the search stopped.
    pub stop: Stop,
}

/// Why a search for equations stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// No rule finds anything new.
    #[default]
    Saturated,
    /// There were as many rounds as there may be.
    Rounds,
    /// The e-graph became as large as it may be.
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

/// What one rule did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleReport {
    /// How often it found an equation that was not known yet.
    pub fired: usize,
    /// How often what it found was chosen.
    pub chosen: usize,
    /// Estimated time saved where it was the last of the rules involved, in nanoseconds.
    pub saved: f64,
}

/// An operation that is no longer there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The nodes it stood for.
    pub nodes: Vec<Arc<str>>,
    /// The rules that matched it, in the order in which they did.
    pub rules: Vec<&'static str>,
    /// The nodes of an operation that is left and gives the same; none where there is none.
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

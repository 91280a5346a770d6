//! Notifications during compilation and runs: stages and warnings.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use ir::{Diagnostic, Location, Severity};

/// A stage of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Reading the model.
    Import,
    /// The graph level, and lowering to the structured level.
    Optimize,
    /// The structured level to the kernel level.
    Kernels,
    /// The kernel level to the low level.
    Lower,
    /// Machine code.
    Generate,
    /// Computing what depends on the weights alone.
    Initialize,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Stage; 6] =
        [Stage::Import, Stage::Optimize, Stage::Kernels, Stage::Lower, Stage::Generate, Stage::Initialize];

    /// A description of the stage for users.
    pub fn description(self) -> &'static str {
        match self {
            Stage::Import => "reading the model",
            Stage::Optimize => "optimising the graph",
            Stage::Kernels => "making kernels",
            Stage::Lower => "lowering",
            Stage::Generate => "generating code",
            Stage::Initialize => "preparing weights",
        }
    }
}

/// Is notified at the beginning of each stage.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(Stage) + Send + Sync>);

impl Observer {
    /// An observer that calls a function.
    pub fn new(tell: impl Fn(Stage) + Send + Sync + 'static) -> Observer {
        Observer(Arc::new(tell))
    }

    /// Notifies the observer of a stage.
    pub fn tell(&self, stage: Stage) {
        (self.0)(stage);
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

type Report = dyn Fn(&Diagnostic) + Send + Sync;

/// Receives warnings about a model or a run. The default discards them.
#[derive(Clone, Default)]
pub struct Reporter(Option<Arc<Report>>);

impl Reporter {
    /// A reporter that calls a function for each warning.
    pub fn new(report: impl Fn(&Diagnostic) + Send + Sync + 'static) -> Reporter {
        Reporter(Some(Arc::new(report)))
    }

    /// A reporter that writes each warning to the standard error output.
    pub fn standard_error() -> Reporter {
        // standard error may be closed
        Reporter::new(|warning| drop(writeln!(std::io::stderr(), "{warning}")))
    }

    /// Reports warnings with these texts.
    pub fn warn(&self, messages: &[String]) {
        let Some(report) = &self.0 else { return };
        for message in messages {
            let warning = Diagnostic::input(Location::Unknown, message);
            report(&Diagnostic { severity: Severity::Warning, ..warning });
        }
    }
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reporter")
    }
}

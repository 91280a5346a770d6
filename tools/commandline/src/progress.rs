//! A progress bar for compilations, on standard error if that is a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use driver::{Observer, Stage};
use indicatif::{ProgressBar, ProgressStyle};

/// Shorter compilations show no bar.
const PATIENCE: Duration = Duration::from_millis(300);
/// The refresh interval of the bar's clock.
const TICK: Duration = Duration::from_millis(100);

/// The bar of one compilation; it disappears when this is dropped.
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A hidden bar.
    pub fn new() -> Progress {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}");
        let bar = || ProgressBar::hidden().with_style(style.expect("the template is well-formed"));
        Progress { bar: std::io::stderr().is_terminal().then(bar) }
    }

    /// The observer that advances the bar; `None` without a terminal.
    pub fn observer(&self) -> Option<Observer> {
        let bar = self.bar.clone()?;
        let start = Instant::now();
        Some(Observer::new(move |stage| show(&bar, stage, start)))
    }
}

impl Default for Progress {
    fn default() -> Self {
        Progress::new()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn show(bar: &ProgressBar, stage: Stage, start: Instant) {
    bar.set_length(Stage::ALL.len() as u64);
    bar.set_position(Stage::ALL.iter().position(|&other| other == stage).unwrap_or(0) as u64);
    bar.set_message(stage.description());
    let overdue = start.elapsed() >= PATIENCE;
    // the last stages are the long ones, so that waiting for the next one would never show the bar
    if bar.is_hidden() && (overdue || stage == Stage::Generate) {
        bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
        bar.enable_steady_tick(TICK);
    }
}

//! Measurements.

use std::time::{Duration, Instant};

use commandline::Failure;
use driver::{Session, Value};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

/// The measurements.
pub(crate) struct Report {
    latencies: Vec<Duration>,
    load: Duration,
    compile: Duration,
    /// The time before the program's first step.
    start: Duration,
    /// The time from the first step to the first result.
    first_result: Duration,
    /// The time from the first result until the best code was in use.
    settle: Duration,
    peak_rss_mb: f64,
}

/// The program's first step.
#[derive(Clone, Copy)]
pub(crate) struct FirstStep {
    at: Instant,
    /// The processor time of the process before it, for loading and linking the program.
    before: Duration,
}

impl FirstStep {
    /// The current time, measured while the process has one thread and has not waited for anything.
    pub(crate) fn now() -> FirstStep {
        let before = Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default();
        FirstStep { at: Instant::now(), before }
    }

    /// The time since then.
    pub(crate) fn elapsed(self) -> Duration {
        self.at.elapsed()
    }
}

/// Runs a model `runs` times in its best code, after a warm-up run; `first_result` is the time from the first step to
/// the first result.
pub(crate) fn measure(
    session: &mut Session,
    inputs: &[Value],
    runs: u64,
    first_step: FirstStep,
    first_result: Duration,
) -> Result<Report, Failure> {
    let timings = session.model().timings.clone();
    let settling = Instant::now();
    session.model().settle()?;
    let settle = settling.elapsed();
    session.run_values(inputs)?;
    let mut latencies = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        session.run_values(inputs)?;
        latencies.push(start.elapsed());
    }
    latencies.sort();
    let load = timings.0.iter().find(|(stage, _)| *stage == "import").map_or(Duration::ZERO, |(_, time)| *time);
    let compile = timings.total() - load;
    let start = first_step.before;
    Ok(Report { latencies, load, compile, start, first_result, settle, peak_rss_mb: peak_rss_mb() })
}

impl Report {
    fn quantile(&self, share: f64) -> f64 {
        let at = ((self.latencies.len() - 1) as f64 * share).round() as usize;
        milliseconds(self.latencies[at])
    }

    /// One line of JSON.
    pub(crate) fn json(&self) -> String {
        json!({
            "latency_ms": { "min": self.quantile(0.0), "median": self.quantile(0.5), "p90": self.quantile(0.9) },
            "load_ms": milliseconds(self.load),
            "compile_ms": milliseconds(self.compile),
            "start_ms": milliseconds(self.start),
            "first_result_ms": milliseconds(self.first_result),
            "settle_ms": milliseconds(self.settle),
            "peak_rss_mb": self.peak_rss_mb,
        })
        .to_string()
    }

    /// The report as text.
    pub(crate) fn text(&self) -> String {
        format!(
            "latency      {:.3} ms median, {:.3} ms fastest, {:.3} ms 90th percentile of {} runs\n\
             load         {:.1} ms\ncompile      {:.1} ms\nfirst result {:.1} ms after the start\nbest code    {:.1} ms later\npeak memory  {:.1} MB",
            self.quantile(0.5),
            self.quantile(0.0),
            self.quantile(0.9),
            self.latencies.len(),
            milliseconds(self.load),
            milliseconds(self.compile),
            milliseconds(self.first_result),
            milliseconds(self.settle),
            self.peak_rss_mb
        )
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The peak memory of the process; 0 if the system does not report it.
fn peak_rss_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix("kB")).and_then(|text| text.trim().parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

//! `--profile`: the time of a model by kernel.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use driver::KernelTime;
use serde_json::json;

/// The minimum share of the total time for a call to be listed.
const LISTED: f64 = 0.001;

/// The difference of two measurements, before and after some runs. One-time calls are in the first. If the model has
/// been recompiled in between, all of its calls count.
pub(crate) fn between(before: &[KernelTime], after: &[KernelTime]) -> Vec<KernelTime> {
    let is_same = before.len() == after.len() && before.iter().zip(after).all(|(a, b)| a.kernel == b.kernel);
    match is_same {
        true => after.iter().zip(before).map(|(kernel, before)| since(kernel, before)).collect(),
        false => after.to_vec(),
    }
}

/// The calls as JSON, in the order of the model.
pub(crate) fn json(kernels: &[KernelTime], runs: u64) -> String {
    let one = |kernel: &KernelTime| {
        let runs = if kernel.once { 1 } else { runs };
        json!({
            "kernel": kernel.kernel,
            "operators": kernel.operators,
            "nodes": kernel.nodes,
            "once": kernel.once,
            "ms": milliseconds(kernel.time, runs),
            "calls": kernel.calls as f64 / runs as f64,
        })
    };
    format!("{}\n", json!({ "runs": runs, "calls": kernels.iter().map(one).collect::<Vec<_>>() }))
}

/// Tables of kernel calls, the slowest first: the time of one run by call, kernel and operator, and separately that of
/// one-time calls.
pub(crate) fn report(kernels: &[KernelTime], runs: u64) -> String {
    let (once, each): (Vec<&KernelTime>, Vec<&KernelTime>) = kernels.iter().partition(|kernel| kernel.once);
    let mut text = format!("Calls of one run ({runs} measured)\n");
    text.push_str(&calls(&each, runs));
    let name = |kernel: &KernelTime| vec![kernel.kernel.clone()];
    let _ = writeln!(text, "\nBy kernel");
    text.push_str(&sums(&each, runs, name));
    let _ = writeln!(text, "\nBy operators of the kernel");
    text.push_str(&sums(&each, runs, |kernel| kernel.operators.clone()));
    if !once.is_empty() {
        let _ = writeln!(text, "\nOnce, before the first run");
        text.push_str(&calls(&once, 1));
    }
    text
}

fn since(kernel: &KernelTime, before: &KernelTime) -> KernelTime {
    match kernel.once {
        true => kernel.clone(),
        false => KernelTime { time: kernel.time - before.time, calls: kernel.calls - before.calls, ..kernel.clone() },
    }
}

fn milliseconds(time: Duration, runs: u64) -> f64 {
    time.as_secs_f64() * 1e3 / runs as f64
}

fn total(kernels: &[&KernelTime]) -> Duration {
    kernels.iter().map(|kernel| kernel.time).sum()
}

fn share(time: Duration, total: Duration) -> f64 {
    time.as_secs_f64() / total.as_secs_f64().max(f64::MIN_POSITIVE)
}

fn calls(kernels: &[&KernelTime], runs: u64) -> String {
    let total = total(kernels);
    let mut sorted = kernels.to_vec();
    sorted.sort_by_key(|kernel| std::cmp::Reverse(kernel.time));
    let mut text = format!("{:>9} {:>6} {:>6}  {:28} nodes\n", "ms", "%", "calls", "kernel");
    let listed = sorted.iter().take_while(|kernel| share(kernel.time, total) >= LISTED).count();
    for kernel in &sorted[..listed] {
        let (time, share) = (milliseconds(kernel.time, runs), 100.0 * share(kernel.time, total));
        let calls = kernel.calls as f64 / runs as f64;
        let _ = writeln!(text, "{time:9.4} {share:6.2} {calls:6.1}  {:28} {}", kernel.kernel, kernel.nodes.join(", "));
    }
    rest(&mut text, sorted[listed..].iter().map(|kernel| kernel.time), runs);
    let _ = writeln!(text, "{:9.4} ms in kernels", milliseconds(total, runs));
    text
}

fn sums(kernels: &[&KernelTime], runs: u64, key: impl Fn(&KernelTime) -> Vec<String>) -> String {
    let total = total(kernels);
    let mut groups: BTreeMap<Vec<String>, (Duration, u64)> = BTreeMap::new();
    for kernel in kernels {
        let group = groups.entry(key(kernel)).or_default();
        *group = (group.0 + kernel.time, group.1 + kernel.calls);
    }
    let mut sorted: Vec<_> = groups.into_iter().collect();
    sorted.sort_by_key(|(_, (time, _))| std::cmp::Reverse(*time));
    let mut text = format!("{:>9} {:>6} {:>6}\n", "ms", "%", "calls");
    let listed = sorted.iter().take_while(|(_, (time, _))| share(*time, total) >= LISTED).count();
    for (key, (time, calls)) in &sorted[..listed] {
        let (ms, share) = (milliseconds(*time, runs), 100.0 * share(*time, total));
        let _ = writeln!(text, "{ms:9.4} {share:6.2} {:6.1}  {}", *calls as f64 / runs as f64, key.join(" + "));
    }
    rest(&mut text, sorted[listed..].iter().map(|(_, (time, _))| *time), runs);
    text
}

fn rest(text: &mut String, times: impl ExactSizeIterator<Item = Duration>, runs: u64) {
    let count = times.len();
    if count > 0 {
        let time = milliseconds(times.sum(), runs);
        let _ = writeln!(text, "{time:9.4}                {count} more, each less than {} %", 100.0 * LISTED);
    }
}

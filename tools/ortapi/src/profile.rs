//! Profiles as Chrome traces.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use onnxc::KernelTime;
use ort_sys::OrtErrorCode;
use serde_json::{Value, json};

use crate::status::{Result, Status};

/// The time since 1970.
pub(crate) fn since_epoch(time: SystemTime) -> std::time::Duration {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Writes a trace to a new file with a prefix, and returns its path.
pub(crate) fn write(prefix: &Path, kernels: &[KernelTime]) -> Result<PathBuf> {
    let mut path = prefix.as_os_str().to_os_string();
    path.push(format!("_{}_{}.json", since_epoch(SystemTime::now()).as_millis(), std::process::id()));
    let path = PathBuf::from(path);
    let failed = |error: std::io::Error| {
        Status::new(OrtErrorCode::ORT_FAIL, format!("{}: the profile cannot be written: {error}", path.display()))
    };
    std::fs::write(&path, trace(kernels).to_string()).map_err(failed)?;
    Ok(path)
}

/// The trace: one event for each kernel, laid out one after the other.
fn trace(kernels: &[KernelTime]) -> Value {
    let mut begin = 0u128;
    let mut event = |kernel: &KernelTime| {
        let duration = kernel.time.as_micros();
        let start = begin;
        begin += duration;
        json!({
            "cat": "Node",
            "name": if kernel.nodes.is_empty() { kernel.kernel.clone() } else { kernel.nodes.join(", ") },
            "ph": "X",
            "pid": std::process::id(),
            "tid": 1,
            "ts": start as u64,
            "dur": duration as u64,
            "args": {
                "kernel": kernel.kernel,
                "op_name": kernel.operators.join(", "),
                "calls": kernel.calls,
                "provider": crate::providers::CPU_PROVIDER,
            },
        })
    };
    kernels.iter().map(&mut event).collect()
}

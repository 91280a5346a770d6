//! Run options.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use onnxc::Cancel;
use ort_sys::{OrtLoggingLevel, OrtRunOptions};

use crate::raw::{Out, Released, Shared, Text};
use crate::status::{Result, Status, c_text};

/// Options of runs.
#[derive(Debug, Default)]
pub(crate) struct RunOptions {
    verbosity: c_int,
    severity: c_int,
    tag: CString,
    entries: BTreeMap<CString, CString>,
    cancel: Mutex<Cancel>,
}

handles! { RunOptions => OrtRunOptions }

impl RunOptions {
    /// The limits of a run.
    pub(crate) fn limits(&self) -> Result<onnxc::RunOptions> {
        let limits = onnxc::RunOptions::new().cancel(&self.cancel.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(text) = self.entries.get(c"onnxc.deadline") else { return Ok(limits) };
        let seconds = text.to_str().ok().and_then(|text| text.parse().ok());
        let after = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let wrong = || Status::invalid(format!("onnxc.deadline is a number of seconds, not {text:?}"));
        Ok(limits.deadline(after.ok_or_else(wrong)?))
    }
}

entries! {
    /// Creates options.
    fn CreateRunOptions(out: Out<*mut OrtRunOptions>) {
        out.give(RunOptions { severity: OrtLoggingLevel::ORT_LOGGING_LEVEL_WARNING as c_int, ..RunOptions::default() })
    }

    /// Has no effect.
    fn RunOptionsSetRunLogVerbosityLevel(options: &mut RunOptions, log_verbosity_level: c_int) {
        options.verbosity = log_verbosity_level;
        Ok(())
    }

    /// Has no effect: the session's severity is used.
    fn RunOptionsSetRunLogSeverityLevel(options: &mut RunOptions, log_severity_level: c_int) {
        options.severity = log_severity_level;
        Ok(())
    }

    /// Sets the tag of runs.
    fn RunOptionsSetRunTag(options: &mut RunOptions, run_tag: Text<'_>) {
        options.tag = c_text(run_tag.0);
        Ok(())
    }

    /// Returns the value of `RunOptionsSetRunLogVerbosityLevel`.
    fn RunOptionsGetRunLogVerbosityLevel(options: &RunOptions, log_verbosity_level: Out<c_int>) {
        log_verbosity_level.set(options.verbosity)
    }

    /// Returns the value of `RunOptionsSetRunLogSeverityLevel`.
    fn RunOptionsGetRunLogSeverityLevel(options: &RunOptions, log_severity_level: Out<c_int>) {
        log_severity_level.set(options.severity)
    }

    /// Returns the tag, which is valid until it changes.
    fn RunOptionsGetRunTag(options: &RunOptions, run_tag: Out<*const c_char>) { run_tag.set(options.tag.as_ptr()) }

    /// Terminates the runs that use these options, also those that begin later.
    fn RunOptionsSetTerminate(options: Shared<'_, RunOptions>) {
        options.cancel.lock().unwrap_or_else(PoisonError::into_inner).cancel();
        Ok(())
    }

    /// Resets the terminate flag.
    fn RunOptionsUnsetTerminate(options: Shared<'_, RunOptions>) {
        *options.cancel.lock().unwrap_or_else(PoisonError::into_inner) = Cancel::new();
        Ok(())
    }

    /// Sets a configuration entry. `onnxc.deadline` is a time limit in seconds.
    fn AddRunConfigEntry(options: &mut RunOptions, config_key: Text<'_>, config_value: Text<'_>) {
        options.entries.insert(c_text(config_key.0), c_text(config_value.0));
        Ok(())
    }

    /// Returns a configuration entry, which is valid until it changes; null if it was not set.
    fn GetRunConfigEntry(options: &RunOptions, config_key: Text<'_>) -> *const c_char {
        options.entries.get(&c_text(config_key.0)).map_or(std::ptr::null(), |value| value.as_ptr())
    } else { std::ptr::null() }

    /// Does nothing: profiling of single runs is not supported.
    fn RunOptionsDisableProfiling(_options: &mut RunOptions) { Ok(()) }

    /// Releases options.
    fn ReleaseRunOptions(_input: Released<RunOptions>) -> () {} else {}
}

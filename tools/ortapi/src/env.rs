//! Environments: logging, and the options of the global thread pool.
//!
//! Contract: a logging function and its parameter outlive the environments and sessions that use them, and the function may be
//! called from any thread.

#![allow(unsafe_code, reason = "logging functions are functions of C")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use ort_sys::{
    OrtCustomCreateThreadFn, OrtCustomJoinThreadFn, OrtEnv, OrtEnvCreationOptions, OrtLanguageProjection,
    OrtLoggingFunction, OrtLoggingLevel, OrtThreadingOptions,
};

use crate::raw::{Enum, List, Out, Released, Shared, Text};
use crate::status::{Result, Status, c_text};

/// A logging function with its parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sink {
    function: OrtLoggingFunction,
    parameter: *mut c_void,
}

// SAFETY: the contract at the head.
unsafe impl Send for Sink {}
// SAFETY: the contract at the head.
unsafe impl Sync for Sink {}

impl Sink {
    /// A sink for a logging function, if there is one.
    pub(crate) fn of(function: Option<OrtLoggingFunction>, parameter: *mut c_void) -> Option<Sink> {
        function.map(|function| Sink { function, parameter })
    }

    fn of_argument(function: Option<OrtLoggingFunction>, parameter: *mut c_void) -> Result<Option<Sink>> {
        match Sink::of(function, parameter) {
            Some(sink) => Ok(Some(sink)),
            None => Err(Status::invalid("the logging function is null")),
        }
    }

    /// Logs a message.
    fn log(self, level: OrtLoggingLevel, id: &CString, place: &str, text: &str) {
        let (place, text) = (c_text(place), c_text(text));
        // SAFETY: the contract at the head.
        unsafe { (self.function)(self.parameter, level, c"onnxc".as_ptr(), id.as_ptr(), place.as_ptr(), text.as_ptr()) }
    }
}

/// The levels of log messages, and their names.
const SEVERITIES: [(OrtLoggingLevel, &str); 5] = [
    (OrtLoggingLevel::ORT_LOGGING_LEVEL_VERBOSE, "verbose"),
    (OrtLoggingLevel::ORT_LOGGING_LEVEL_INFO, "info"),
    (OrtLoggingLevel::ORT_LOGGING_LEVEL_WARNING, "warning"),
    (OrtLoggingLevel::ORT_LOGGING_LEVEL_ERROR, "error"),
    (OrtLoggingLevel::ORT_LOGGING_LEVEL_FATAL, "fatal"),
];

fn severity(number: c_int) -> Result<OrtLoggingLevel> {
    let known = usize::try_from(number).ok().and_then(|at| SEVERITIES.get(at));
    known.map(|(level, _)| *level).ok_or_else(|| Status::invalid(format!("{number} is not an OrtLoggingLevel")))
}

/// A logger: sink, minimum severity and identifier.
#[derive(Debug)]
pub(crate) struct Logging {
    sink: Option<Sink>,
    level: AtomicI32,
    id: CString,
}

impl Logging {
    /// The logger with a session's settings.
    pub(crate) fn with(&self, sink: Option<Sink>, level: Option<c_int>, id: Option<&str>) -> Logging {
        Logging {
            sink: sink.or(self.sink),
            level: AtomicI32::new(level.unwrap_or(self.level.load(Ordering::Relaxed))),
            id: id.map_or_else(|| self.id.clone(), c_text),
        }
    }

    /// Logs a warning.
    pub(crate) fn warn(&self, text: &str) {
        self.log(OrtLoggingLevel::ORT_LOGGING_LEVEL_WARNING, "", text);
    }

    /// Logs a message, by default to the standard error output.
    fn log(&self, level: OrtLoggingLevel, place: &str, text: &str) {
        if self.level.load(Ordering::Relaxed) > level as c_int {
            return;
        }
        match self.sink {
            Some(sink) => sink.log(level, &self.id, place, text),
            None => eprintln!("onnxc {}: {text}", SEVERITIES[level as usize].1),
        }
    }
}

/// An environment.
#[derive(Debug)]
pub(crate) struct Env {
    pub(crate) logging: Arc<Logging>,
    /// Threads of sessions that use the global thread pool; 0 is one for each processor.
    pub(crate) threads: usize,
}

/// Options of the global thread pool.
#[derive(Debug, Default)]
pub(crate) struct ThreadingOptions {
    threads: usize,
}

handles! {
    Env => OrtEnv,
    Logging => OrtLogger,
    ThreadingOptions => OrtThreadingOptions,
}

impl Env {
    fn new(sink: Option<Sink>, level: c_int, id: Option<Text<'_>>, threads: Option<&ThreadingOptions>) -> Result<Env> {
        if !(0..=4).contains(&level) {
            return Err(Status::invalid(format!("{level} is not an OrtLoggingLevel")));
        }
        let logging = Logging { sink, level: AtomicI32::new(level), id: c_text(id.map_or("", |id| id.0)) };
        Ok(Env { logging: Arc::new(logging), threads: threads.map_or(0, |options| options.threads) })
    }

    fn with_options(options: &OrtEnvCreationOptions) -> Result<Env> {
        let id = if options.log_id.is_null() { None } else { Some(Text::of(options.log_id, "log_id")?) };
        let sink = Sink::of(options.custom_logging_function, options.custom_logging_param);
        Env::new(sink, options.logging_severity_level, id, crate::raw::behind(options.threading_options))
    }
}

entries! {
    /// Logs a message.
    fn Logger_LogMessage(
        logger: &Logging, log_severity_level: Enum<OrtLoggingLevel>, message: Text<'_>, file_path: Option<Text<'_>>,
        line_number: c_int, func_name: Option<Text<'_>>,
    ) {
        let [file, function] = [file_path, func_name].map(|text| text.map_or("", |text| text.0));
        logger.log(severity(log_severity_level.0)?, &format!("{file}:{line_number} {function}"), message.0);
        Ok(())
    }

    /// Returns the minimum severity of log messages.
    fn Logger_GetLoggingSeverityLevel(logger: &Logging, out: Out<OrtLoggingLevel>) {
        out.set(severity(logger.level.load(Ordering::Relaxed))?)
    }

    /// Creates an environment that logs to the standard error output.
    fn CreateEnv(log_severity_level: Enum<OrtLoggingLevel>, logid: Option<Text<'_>>, out: Out<*mut OrtEnv>) {
        out.give(Env::new(None, log_severity_level.0, logid, None)?)
    }

    /// Creates an environment with a logging function.
    fn CreateEnvWithCustomLogger(
        logging_function: Option<OrtLoggingFunction>, logger_param: *mut c_void, log_severity_level:
        Enum<OrtLoggingLevel>, logid: Option<Text<'_>>, out: Out<*mut OrtEnv>,
    ) {
        let sink = Sink::of_argument(logging_function, logger_param)?;
        out.give(Env::new(sink, log_severity_level.0, logid, None)?)
    }

    /// Creates an environment with a global thread pool, for sessions with `DisablePerSessionThreads`.
    fn CreateEnvWithGlobalThreadPools(
        log_severity_level: Enum<OrtLoggingLevel>, logid: Option<Text<'_>>, tp_options: &ThreadingOptions, out: Out<*mut
        OrtEnv>,
    ) {
        out.give(Env::new(None, log_severity_level.0, logid, Some(tp_options))?)
    }

    /// Creates an environment with a logging function and a global thread pool.
    fn CreateEnvWithCustomLoggerAndGlobalThreadPools(
        logging_function: Option<OrtLoggingFunction>, logger_param: *mut c_void, log_severity_level:
        Enum<OrtLoggingLevel>, logid: Option<Text<'_>>, tp_options: &ThreadingOptions, out: Out<*mut OrtEnv>,
    ) {
        let sink = Sink::of_argument(logging_function, logger_param)?;
        out.give(Env::new(sink, log_severity_level.0, logid, Some(tp_options))?)
    }

    /// Creates an environment from a struct of options. Configuration entries have no effect.
    fn CreateEnvWithOptions(options: List<'_, OrtEnvCreationOptions>, out: Out<*mut OrtEnv>) {
        out.give(Env::with_options(&options.read(1)?[0])?)
    }

    /// Sets the minimum severity of log messages, also for existing sessions.
    fn UpdateEnvWithCustomLogLevel(ort_env: Shared<'_, Env>, log_severity_level: Enum<OrtLoggingLevel>) {
        ort_env.logging.level.store(log_severity_level.0, Ordering::Relaxed);
        Ok(())
    }

    /// Has no effect: there is no telemetry.
    fn EnableTelemetryEvents(_env: &Env) { Ok(()) }

    /// Has no effect: there is no telemetry.
    fn DisableTelemetryEvents(_env: &Env) { Ok(()) }

    /// Has no effect.
    fn SetLanguageProjection(_ort_env: &Env, _projection: Enum<OrtLanguageProjection>) { Ok(()) }

    /// Releases an environment. Its sessions stay valid.
    fn ReleaseEnv(_input: Released<Env>) -> () {} else {}

    /// Creates options of a global thread pool.
    fn CreateThreadingOptions(out: Out<*mut OrtThreadingOptions>) { out.give(ThreadingOptions::default()) }

    /// Sets the number of threads of a run; 0 is one for each processor.
    fn SetGlobalIntraOpNumThreads(tp_options: &mut ThreadingOptions, intra_op_num_threads: c_int) {
        tp_options.threads = usize::try_from(intra_op_num_threads).unwrap_or(0);
        Ok(())
    }

    /// Has no effect: kernels run sequentially, each on all threads.
    fn SetGlobalInterOpNumThreads(_tp_options: &mut ThreadingOptions, _inter_op_num_threads: c_int) { Ok(()) }

    /// Has no effect.
    fn SetGlobalSpinControl(_tp_options: &mut ThreadingOptions, _allow_spinning: c_int) { Ok(()) }

    /// Has no effect: subnormal numbers are not flushed to zero.
    fn SetGlobalDenormalAsZero(_tp_options: &mut ThreadingOptions) { Ok(()) }

    /// Has no effect.
    fn SetGlobalIntraOpThreadAffinity(_tp_options: &mut ThreadingOptions, _affinity_string: Text<'_>) { Ok(()) }

    /// Has no effect: the runtime creates its threads.
    fn SetGlobalCustomCreateThreadFn(
        _tp_options: &mut ThreadingOptions, _ort_custom_create_thread_fn: OrtCustomCreateThreadFn,
    ) { Ok(()) }

    /// Has no effect.
    fn SetGlobalCustomThreadCreationOptions(
        _tp_options: &mut ThreadingOptions, _ort_custom_thread_creation_options: *mut c_void,
    ) { Ok(()) }

    /// Has no effect.
    fn SetGlobalCustomJoinThreadFn(
        _tp_options: &mut ThreadingOptions, _ort_custom_join_thread_fn: OrtCustomJoinThreadFn,
    ) { Ok(()) }

    /// Releases options of a global thread pool.
    fn ReleaseThreadingOptions(_input: Released<ThreadingOptions>) -> () {} else {}

    /// Returns name and version of this library.
    fn GetBuildInfoString() -> *const c_char {
        concat!("onnxc ", env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
    } else { c"".as_ptr() }
}

//! Session options.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::Arc;

use libloading::os::unix::Library;
use onnxc::{Arithmetic, Builder, Compiler, Model};
use ort_sys::{
    ExecutionMode, GraphOptimizationLevel, OrtCustomCreateThreadFn, OrtCustomJoinThreadFn,
    OrtExecutionProviderDevicePolicy, OrtKeyValuePairs, OrtLoggingFunction, OrtSessionOptions, OrtValue,
};

use crate::custom_domain::Domain;
use crate::env::{Env, Logging, Sink};
use crate::pairs::KeyValuePairs;
use crate::raw::{Enum, FilePath, List, Out, Released, Space, Text};
use crate::status::{Result, Status, c_text};
use crate::value::Value;

/// Options of a session.
#[derive(Clone, Debug)]
pub(crate) struct SessionOptions {
    threads: usize,
    has_own_threads: bool,
    level: c_int,
    is_deterministic: bool,
    mode: c_int,
    has_memory_pattern: bool,
    dimensions: Vec<(String, usize)>,
    entries: BTreeMap<String, String>,
    initializers: Vec<(String, Value)>,
    sink: Option<Sink>,
    severity: Option<c_int>,
    id: Option<String>,
    /// Domains of custom operators.
    pub(crate) domains: Vec<Domain>,
    /// Libraries with custom operators, which stay loaded.
    pub(crate) libraries: Vec<Arc<Library>>,
    /// Whether session creation is cancelled.
    pub(crate) is_cancelled: bool,
    /// Where sessions write the simplified model.
    pub(crate) simplified: Option<PathBuf>,
    /// The prefix of profile files, if kernels are timed.
    pub(crate) profile: Option<PathBuf>,
}

handles! { SessionOptions => OrtSessionOptions }

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            threads: 0,
            has_own_threads: true,
            level: GraphOptimizationLevel::ORT_ENABLE_ALL as c_int,
            is_deterministic: false,
            mode: ExecutionMode::ORT_SEQUENTIAL as c_int,
            has_memory_pattern: true,
            dimensions: Vec::new(),
            entries: BTreeMap::new(),
            initializers: Vec::new(),
            sink: None,
            severity: None,
            id: None,
            domains: Vec::new(),
            libraries: Vec::new(),
            is_cancelled: false,
            simplified: None,
            profile: None,
        }
    }
}

impl SessionOptions {
    /// The value of a configuration entry.
    pub(crate) fn entry(&self, key: &str) -> Option<&str> {
        self.entries.get(key).map(String::as_str)
    }

    /// A model with the initializers of these options.
    pub(crate) fn with_initializers(&self, model: Model) -> Result<Model> {
        self.initializers.iter().try_fold(model, |model, (name, value)| {
            model.with_initializer(name, &value.tensor()?).map_err(|error| Status::of_compiling(&error))
        })
    }

    /// A compiler with these options.
    pub(crate) fn compiler(&self, env: &Env) -> Result<Builder> {
        let threads = if self.has_own_threads { self.threads } else { env.threads };
        let logging: Arc<Logging> = match (self.sink, self.severity, &self.id) {
            (None, None, None) => env.logging.clone(),
            (sink, severity, id) => Arc::new(env.logging.with(sink, severity, id.as_deref())),
        };
        let mut builder = Compiler::builder()
            .threads(threads)
            .arithmetic(self.arithmetic()?)
            .profile(self.profile.is_some())
            .on_warning({
                let logging = logging.clone();
                move |warning| logging.warn(warning)
            });
        for domain in &self.domains {
            builder = domain.operators(&logging)?.into_iter().fold(builder, Builder::custom_operator);
        }
        for (name, extent) in &self.dimensions {
            builder = builder.dimension(name, *extent);
        }
        if let Some(directory) = self.entry("onnxc.cache") {
            builder = builder.cache(directory);
        }
        if let Some(program) = self.entry("onnxc.llvm") {
            builder = builder.llvm(program);
        }
        Ok(builder)
    }

    fn arithmetic(&self) -> Result<Arithmetic> {
        let is_whole = self.level >= GraphOptimizationLevel::ORT_ENABLE_EXTENDED as c_int;
        match self.entry("onnxc.arithmetic") {
            Some("relaxed") => Ok(Arithmetic::Relaxed),
            Some("strict") => Ok(Arithmetic::Strict),
            Some("fixed") => Ok(Arithmetic::Fixed),
            Some(other) => Err(Status::invalid(format!("onnxc.arithmetic is relaxed, strict or fixed, not {other}"))),
            None if self.is_deterministic => Ok(Arithmetic::Fixed),
            None if is_whole => Ok(Arithmetic::Relaxed),
            None => Ok(Arithmetic::Strict),
        }
    }
}

entries! {
    /// Creates options.
    fn CreateSessionOptions(options: Out<*mut OrtSessionOptions>) { options.give(SessionOptions::default()) }

    /// Copies options.
    fn CloneSessionOptions(in_options: &SessionOptions, out_options: Out<*mut OrtSessionOptions>) {
        out_options.give(in_options.clone())
    }

    /// Releases options.
    fn ReleaseSessionOptions(_input: Released<SessionOptions>) -> () {} else {}

    /// Sets the level of graph optimisation. Below `ORT_ENABLE_EXTENDED` each node computes as if alone.
    fn SetSessionGraphOptimizationLevel(
        options: &mut SessionOptions, graph_optimization_level: Enum<GraphOptimizationLevel>,
    ) {
        match graph_optimization_level.0 {
            level @ (0..=3 | 99) => options.level = level,
            other => return Err(Status::invalid(format!("{other} is not a GraphOptimizationLevel"))),
        }
        Ok(())
    }

    /// Chooses one order of operations for all processors.
    fn SetDeterministicCompute(options: &mut SessionOptions, value: bool) {
        options.is_deterministic = value;
        Ok(())
    }

    /// Sets the number of threads of a run; 0 is one for each processor.
    fn SetIntraOpNumThreads(options: &mut SessionOptions, intra_op_num_threads: c_int) {
        options.threads = usize::try_from(intra_op_num_threads).unwrap_or(0);
        Ok(())
    }

    /// Has no effect: kernels run sequentially, each on all threads.
    fn SetInterOpNumThreads(_options: &mut SessionOptions, _inter_op_num_threads: c_int) { Ok(()) }

    /// Uses the global thread pool of the environment.
    fn DisablePerSessionThreads(options: &mut SessionOptions) {
        options.has_own_threads = false;
        Ok(())
    }

    /// Has no effect: kernels run sequentially.
    fn SetSessionExecutionMode(options: &mut SessionOptions, execution_mode: Enum<ExecutionMode>) {
        options.mode = execution_mode.0;
        Ok(())
    }

    /// Returns the value of `SetSessionExecutionMode`.
    fn GetSessionExecutionMode(options: &SessionOptions, out: Out<ExecutionMode>) {
        let is_parallel = options.mode == ExecutionMode::ORT_PARALLEL as c_int;
        out.set(if is_parallel { ExecutionMode::ORT_PARALLEL } else { ExecutionMode::ORT_SEQUENTIAL })
    }

    /// Has no effect: memory is planned at compile time.
    fn EnableMemPattern(options: &mut SessionOptions) {
        options.has_memory_pattern = true;
        Ok(())
    }

    /// Has no effect.
    fn DisableMemPattern(options: &mut SessionOptions) {
        options.has_memory_pattern = false;
        Ok(())
    }

    /// Returns the value of `EnableMemPattern` and `DisableMemPattern`.
    fn GetMemPatternEnabled(
        options: &SessionOptions, out: Out<c_int>,
    ) { out.set(c_int::from(options.has_memory_pattern)) }

    /// Has no effect.
    fn EnableCpuMemArena(_options: &mut SessionOptions) { Ok(()) }

    /// Has no effect.
    fn DisableCpuMemArena(_options: &mut SessionOptions) { Ok(()) }

    /// Sets the file that session creation writes the model to, after rewrites that keep every bit of its results.
    fn SetOptimizedModelFilePath(options: &mut SessionOptions, optimized_model_filepath: FilePath<'_>) {
        options.simplified = Some(optimized_model_filepath.0.to_path_buf());
        Ok(())
    }

    /// Enables profiling. `SessionEndProfiling` writes a file with this prefix.
    fn EnableProfiling(options: &mut SessionOptions, profile_file_prefix: FilePath<'_>) {
        options.profile = Some(profile_file_prefix.0.to_path_buf());
        Ok(())
    }

    /// Disables profiling.
    fn DisableProfiling(options: &mut SessionOptions) {
        options.profile = None;
        Ok(())
    }

    /// Sets the identifier of the session in log messages.
    fn SetSessionLogId(options: &mut SessionOptions, logid: Text<'_>) {
        options.id = Some(logid.to_string());
        Ok(())
    }

    /// Has no effect.
    fn SetSessionLogVerbosityLevel(_options: &mut SessionOptions, _session_log_verbosity_level: c_int) { Ok(()) }

    /// Sets the minimum severity of log messages.
    fn SetSessionLogSeverityLevel(options: &mut SessionOptions, session_log_severity_level: c_int) {
        options.severity = Some(session_log_severity_level);
        Ok(())
    }

    /// Sets a logging function.
    fn SetUserLoggingFunction(
        options: &mut SessionOptions, user_logging_function: Option<OrtLoggingFunction>, user_logging_param: *mut
        c_void,
    ) {
        options.sink = Sink::of(user_logging_function, user_logging_param);
        Ok(())
    }

    /// Fixes a named dimension.
    fn AddFreeDimensionOverrideByName(options: &mut SessionOptions, dim_name: Text<'_>, dim_value: i64) {
        let below = |_| Status::invalid(format!("the extent {dim_value} is negative"));
        let extent = usize::try_from(dim_value).map_err(below)?;
        options.dimensions.push((dim_name.to_string(), extent));
        Ok(())
    }

    /// Replaces the value of an initializer in the models of sessions with these options.
    fn AddInitializer(options: &mut SessionOptions, name: Text<'_>, val: &Value) {
        options.initializers.push((name.to_string(), val.clone()));
        Ok(())
    }

    /// Replaces the values of several initializers.
    fn AddExternalInitializers(
        options: &mut SessionOptions, initializer_names: List<'_, *const c_char>,
        initializers: List<'_, *const OrtValue>, initializers_num: usize,
    ) {
        let names = initializer_names.texts(initializers_num)?;
        for (name, value) in names.into_iter().zip(initializers.handles::<Value>(initializers_num)?) {
            let value = value.ok_or_else(|| Status::invalid(format!("the value of initializer '{name}' is null")))?;
            options.initializers.push((name.to_string(), value.clone()));
        }
        Ok(())
    }

    /// Has no effect: denotations are not supported.
    fn AddFreeDimensionOverride(_options: &mut SessionOptions, _dim_denotation: Text<'_>, _dim_value: i64) { Ok(()) }

    /// Sets a configuration entry. Those that begin with `onnxc.` have an effect.
    fn AddSessionConfigEntry(options: &mut SessionOptions, config_key: Text<'_>, config_value: Text<'_>) {
        options.entries.insert(config_key.to_string(), config_value.to_string());
        Ok(())
    }

    /// Returns whether a configuration entry was set.
    fn HasSessionConfigEntry(options: &SessionOptions, config_key: Text<'_>, out: Out<c_int>) {
        out.set(c_int::from(options.entry(config_key.0).is_some()))
    }

    /// Returns a configuration entry, or its size if the memory is null.
    fn GetSessionConfigEntry(
        options: &SessionOptions, config_key: Text<'_>, config_value: Space<'_, c_char>, size: Out<usize>,
    ) {
        let missing = || Status::invalid(format!("the configuration entry '{}' was not set", config_key.0));
        config_value.fill_text(c_text(options.entry(config_key.0).ok_or_else(missing)?).as_bytes(), &size)
    }

    /// Returns all configuration entries.
    fn GetSessionOptionsConfigEntries(options: &SessionOptions, out: Out<*mut OrtKeyValuePairs>) {
        out.give(KeyValuePairs::of(options.entries.iter().map(|(key, value)| (&**key, &**value))))
    }

    /// Cancels session creation that has not begun.
    fn SessionOptionsSetLoadCancellationFlag(options: &mut SessionOptions, cancel: bool) {
        options.is_cancelled = cancel;
        Ok(())
    }

    /// Has no effect: there is one execution provider.
    fn SessionOptionsSetEpSelectionPolicy(
        _options: &mut SessionOptions, _policy: Enum<OrtExecutionProviderDevicePolicy>,
    ) { Ok(()) }

    /// Has no effect: the operators of com.microsoft are always enabled.
    fn EnableOrtCustomOps(_options: &mut SessionOptions) { Ok(()) }

    /// Has no effect: the runtime creates its threads.
    fn SessionOptionsSetCustomCreateThreadFn(
        _options: &mut SessionOptions, _ort_custom_create_thread_fn: OrtCustomCreateThreadFn,
    ) { Ok(()) }

    /// Has no effect.
    fn SessionOptionsSetCustomThreadCreationOptions(
        _options: &mut SessionOptions, _ort_custom_thread_creation_options: *mut c_void,
    ) { Ok(()) }

    /// Has no effect.
    fn SessionOptionsSetCustomJoinThreadFn(
        _options: &mut SessionOptions, _ort_custom_join_thread_fn: OrtCustomJoinThreadFn,
    ) { Ok(()) }
}

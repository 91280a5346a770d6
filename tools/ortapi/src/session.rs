//! Sessions: compiled models.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use libloading::os::unix::Library;
use onnxc::{Builder, CompiledModel, Metadata, Model, Port};
use ort_sys::{OrtErrorCode, OrtModelMetadata, OrtPrepackedWeightsContainer, OrtSession, OrtTypeInfo};

use crate::env::Env;
use crate::memory::Allocator;
use crate::metadata::ModelMetadata;
use crate::options::SessionOptions;
use crate::profile;
use crate::raw::{FilePath, List, Out, Released, Shared};
use crate::status::{Result, Status};
use crate::type_info::TypeInfo;

/// A session, which several threads may run at the same time.
#[derive(Clone)]
pub(crate) struct Session(Arc<State>);

struct State {
    model: Model,
    metadata: Metadata,
    compiler: Builder,
    profile: Option<std::path::PathBuf>,
    begin: SystemTime,
    plain: Arc<Version>,
    /// Versions in which initializers are inputs, by the names of these.
    overriding: Mutex<BTreeMap<Vec<String>, Arc<Version>>>,
    /// Libraries with custom operators, which are closed after the models with their kernels.
    _libraries: Vec<Arc<Library>>,
}

/// A compiled version of a model, with its idle sessions.
pub(crate) struct Version {
    pub(crate) model: CompiledModel,
    idle: Mutex<Vec<onnxc::Session>>,
}

/// A container of prepacked weights, which stays empty.
pub(crate) struct PrepackedWeights;

handles! {
    Session => OrtSession,
    PrepackedWeights => OrtPrepackedWeightsContainer,
}

impl Version {
    fn new(compiler: &Builder, model: &Model) -> Result<Arc<Version>> {
        let compiled = compiler.clone().build().compile(model).map_err(|error| Status::of_compiling(&error))?;
        Ok(Arc::new(Version { model: compiled, idle: Mutex::default() }))
    }

    /// Calls a function with exclusive access to a session.
    pub(crate) fn with_session<T>(&self, f: impl FnOnce(&mut onnxc::Session) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut session = idle.unwrap_or_else(|| self.model.session());
        let result = f(&mut session);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        result
    }
}

/// Writes a file in place of one that may be the model's own, which is mapped.
fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut draft = path.clone().into_os_string();
    draft.push(format!(".{}.draft", std::process::id()));
    let written = std::fs::write(&draft, bytes).and_then(|()| std::fs::rename(&draft, &path));
    if written.is_err() {
        // it may not exist
        let _ = std::fs::remove_file(&draft);
    }
    written
}

impl Session {
    fn from_file(env: &Env, path: &Path, options: Option<&SessionOptions>) -> Result<Session> {
        if !path.exists() {
            let message = format!("{}: the file does not exist", path.display());
            return Err(Status::new(OrtErrorCode::ORT_NO_SUCHFILE, message));
        }
        Session::new(env, Model::load(path), options)
    }

    fn from_bytes(env: &Env, bytes: &[u8], options: Option<&SessionOptions>) -> Result<Session> {
        let directory =
            options.and_then(|options| options.entry("session.model_external_initializers_file_folder_path"));
        let model = Model::from_bytes(bytes).map(|model| match directory {
            Some(directory) => model.with_external_data_in(directory),
            None => model,
        });
        Session::new(env, model, options)
    }

    fn new(env: &Env, model: onnxc::Result<Model>, options: Option<&SessionOptions>) -> Result<Session> {
        let default = SessionOptions::default();
        let options = options.unwrap_or(&default);
        if options.is_cancelled {
            return Err(Status::new(OrtErrorCode::ORT_MODEL_LOAD_CANCELED, "loading the model was cancelled"));
        }
        let model = options.with_initializers(model.map_err(|error| Status::of_reading(&error))?)?;
        let compiler = options.compiler(env)?;
        let plain = Version::new(&compiler, &model)?;
        if let Some(path) = &options.simplified {
            let simplified = compiler.clone().build().simplify(&model).map_err(|error| Status::of_compiling(&error))?;
            replace_file(path, &simplified)
                .map_err(|error| Status::new(OrtErrorCode::ORT_FAIL, format!("{}: {error}", path.display())))?;
        }
        Ok(Session(Arc::new(State {
            metadata: model.metadata(),
            model,
            compiler,
            profile: options.profile.clone(),
            begin: SystemTime::now(),
            plain,
            overriding: Mutex::default(),
            _libraries: options.libraries.clone(),
        })))
    }

    /// The model's inputs, without initializers.
    pub(crate) fn inputs(&self) -> &[Port] {
        self.0.plain.model.inputs()
    }

    /// The model's outputs.
    pub(crate) fn outputs(&self) -> &[Port] {
        self.0.plain.model.outputs()
    }

    /// Initializers that a run may override.
    pub(crate) fn initializers(&self) -> &[Port] {
        self.0.plain.model.overridable_inputs()
    }

    /// The version of the model that has inputs of these names.
    pub(crate) fn version(&self, names: &[&str]) -> Result<Arc<Version>> {
        let mut overridden = Vec::new();
        for &name in names {
            let is_named = |port: &Port| port.name() == name;
            match (self.inputs().iter().any(is_named), self.initializers().iter().any(is_named)) {
                (true, _) => {}
                (false, true) => overridden.push(name.to_string()),
                (false, false) => {
                    let known: Vec<&str> = self.inputs().iter().map(Port::name).collect();
                    return Err(Status::invalid(format!(
                        "Invalid input name: {name}; the model's are {}",
                        known.join(", ")
                    )));
                }
            }
        }
        if overridden.is_empty() {
            return Ok(self.0.plain.clone());
        }
        overridden.sort();
        let known = self.0.overriding.lock().unwrap_or_else(PoisonError::into_inner).get(&overridden).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let version = Version::new(&self.0.compiler.clone().overridable(overridden.clone()), &self.0.model)?;
        self.0.overriding.lock().unwrap_or_else(PoisonError::into_inner).insert(overridden, version.clone());
        Ok(version)
    }

    /// The index of an output.
    pub(crate) fn output(&self, name: &str) -> Result<usize> {
        let outputs = self.outputs();
        outputs.iter().position(|port| port.name() == name).ok_or_else(|| {
            let known: Vec<&str> = outputs.iter().map(Port::name).collect();
            Status::invalid(format!("Invalid output name: {name}; the model's are {}", known.join(", ")))
        })
    }

    /// The version of an operator set that the model imports.
    pub(crate) fn operator_set(&self, domain: &str) -> Result<i32> {
        let sets = &self.0.metadata.operator_sets;
        let own = if domain == "ai.onnx" { sets.get("").or(sets.get(domain)) } else { sets.get(domain) };
        let version = own.and_then(|&version| i32::try_from(version).ok());
        version.ok_or_else(|| Status::invalid(format!("the model imports no operator set of the domain '{domain}'")))
    }

    /// Returns an error if the length of the caller's array is wrong.
    pub(crate) fn expect_count(&self, given: usize, expected: usize, what: &str) -> Result<()> {
        if given == expected {
            Ok(())
        } else {
            Err(Status::invalid(format!("the model has {expected} {what}, not {given}")))
        }
    }

    fn end_profiling(&self) -> Result<String> {
        let Some(prefix) = &self.0.profile else { return Ok(String::new()) };
        let kernels = self.0.plain.with_session(|session| session.profile());
        profile::write(prefix, &kernels).map(|path| path.display().to_string())
    }
}

/// A port by its index.
fn port<'a>(ports: &'a [Port], index: usize, what: &str) -> Result<&'a Port> {
    ports
        .get(index)
        .ok_or_else(|| Status::invalid(format!("{what} index {index} is out of range: the model has {}", ports.len())))
}

fn type_of(ports: &[Port], index: usize, what: &str) -> Result<TypeInfo> {
    port(ports, index, what).map(|port| TypeInfo::of(port.value_type()))
}

fn name_of(ports: &[Port], index: usize, what: &str, allocator: Allocator) -> Result<*mut c_char> {
    allocator.copy_text(port(ports, index, what)?.name())
}

entries! {
    /// Creates a session from a file. Options may be null.
    fn CreateSession(env: &Env, model_path: FilePath<'_>, options: Option<&SessionOptions>, out: Out<*mut OrtSession>) {
        out.give(Session::from_file(env, model_path.0, options)?)
    }

    /// Creates a session from memory, which may be freed afterwards.
    fn CreateSessionFromArray(
        env: &Env, model_data: List<'_, c_void>, model_data_length: usize, options: Option<&SessionOptions>, out:
        Out<*mut OrtSession>,
    ) {
        out.give(Session::from_bytes(env, model_data.bytes(model_data_length)?, options)?)
    }

    /// Creates a session from a file. The container has no effect.
    fn CreateSessionWithPrepackedWeightsContainer(
        env: &Env, model_path: FilePath<'_>, options: Option<&SessionOptions>, _prepacked_weights_container: Shared<'_,
        PrepackedWeights>, out: Out<*mut OrtSession>,
    ) {
        out.give(Session::from_file(env, model_path.0, options)?)
    }

    /// Creates a session from memory. The container has no effect.
    fn CreateSessionFromArrayWithPrepackedWeightsContainer(
        env: &Env, model_data: List<'_, c_void>, model_data_length: usize, options: Option<&SessionOptions>,
        _prepacked_weights_container: Shared<'_, PrepackedWeights>, out: Out<*mut OrtSession>,
    ) {
        out.give(Session::from_bytes(env, model_data.bytes(model_data_length)?, options)?)
    }

    /// Creates a container of prepacked weights.
    fn CreatePrepackedWeightsContainer(out: Out<*mut OrtPrepackedWeightsContainer>) { out.give(PrepackedWeights) }

    /// Releases a container of prepacked weights.
    fn ReleasePrepackedWeightsContainer(_input: Released<PrepackedWeights>) -> () {} else {}

    /// Returns the number of inputs, without initializers.
    fn SessionGetInputCount(session: &Session, out: Out<usize>) { out.set(session.inputs().len()) }

    /// Returns the number of outputs.
    fn SessionGetOutputCount(session: &Session, out: Out<usize>) { out.set(session.outputs().len()) }

    /// Returns the number of initializers that a run may override.
    fn SessionGetOverridableInitializerCount(
        session: &Session, out: Out<usize>,
    ) { out.set(session.initializers().len()) }

    /// Returns the type of an input.
    fn SessionGetInputTypeInfo(session: &Session, index: usize, type_info: Out<*mut OrtTypeInfo>) {
        type_info.give(type_of(session.inputs(), index, "input")?)
    }

    /// Returns the type of an output.
    fn SessionGetOutputTypeInfo(session: &Session, index: usize, type_info: Out<*mut OrtTypeInfo>) {
        type_info.give(type_of(session.outputs(), index, "output")?)
    }

    /// Returns the type of an overridable initializer.
    fn SessionGetOverridableInitializerTypeInfo(session: &Session, index: usize, type_info: Out<*mut OrtTypeInfo>) {
        type_info.give(type_of(session.initializers(), index, "initializer")?)
    }

    /// Returns the name of an input.
    fn SessionGetInputName(session: &Session, index: usize, allocator: Allocator, value: Out<*mut c_char>) {
        value.set(name_of(session.inputs(), index, "input", allocator)?)
    }

    /// Returns the name of an output.
    fn SessionGetOutputName(session: &Session, index: usize, allocator: Allocator, value: Out<*mut c_char>) {
        value.set(name_of(session.outputs(), index, "output", allocator)?)
    }

    /// Returns the name of an overridable initializer.
    fn SessionGetOverridableInitializerName(
        session: &Session, index: usize, allocator: Allocator, value: Out<*mut c_char>,
    ) {
        value.set(name_of(session.initializers(), index, "initializer", allocator)?)
    }

    /// Returns the metadata of the model.
    fn SessionGetModelMetadata(session: &Session, out: Out<*mut OrtModelMetadata>) {
        out.give(ModelMetadata(session.0.metadata.clone()))
    }

    /// Writes the time of each kernel as a Chrome trace, and returns the path; empty if profiling is disabled.
    fn SessionEndProfiling(session: Shared<'_, Session>, allocator: Allocator, out: Out<*mut c_char>) {
        out.set(allocator.copy_text(&session.end_profiling()?)?)
    }

    /// Returns when the session was created, in nanoseconds since 1970.
    fn SessionGetProfilingStartTimeNs(session: &Session, out: Out<u64>) {
        out.set(profile::since_epoch(session.0.begin).as_nanos() as u64)
    }

    /// Releases a session. Asynchronous runs may continue.
    fn ReleaseSession(_input: Released<Session>) -> () {} else {}
}

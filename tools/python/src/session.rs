//! Sessions: a compiled model and its runs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use driver::{
    Arithmetic, Backend, Cache, CompiledModel, Compiler, Due, ImportOptions, Input, Options, Output, Port, Reporter,
    Session, Stop,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arrays::Writable;
use crate::errors::{Doing, Fail, exception, wrong};
use crate::model;
use crate::types::{is_text, type_text};
use crate::values::{Given, object};

/// Ends runs from another thread.
#[pyclass(frozen, module = "onnxc._native")]
pub(crate) struct Cancel(Arc<Stop>);

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Cancel {
        Cancel(Arc::default())
    }

    /// Ends the runs that it was passed to.
    fn cancel(&self) {
        self.0.request();
    }
}

/// Kernel, nodes, operators, seconds, calls.
type KernelRow = (String, Vec<String>, Vec<String>, f64, u64);

/// A version of a model: a compiled model, and its idle sessions.
struct Version {
    model: Arc<CompiledModel>,
    idle: Mutex<Vec<Session>>,
}

impl Version {
    fn new(model: CompiledModel) -> Version {
        Version { model: Arc::new(model), idle: Mutex::default() }
    }

    /// A session for exclusive use, until it is returned.
    fn take(&self) -> Session {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| Session::new(self.model.clone()))
    }

    fn put_back(&self, session: Session) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
    }
}

/// A compiled model that several threads may run at the same time.
#[pyclass(frozen, subclass, module = "onnxc._native")]
pub(crate) struct NativeSession {
    source: proto::Model,
    path: Option<PathBuf>,
    options: Options,
    plain: Arc<Version>,
    /// Versions in which some initializers are inputs, by their names.
    overriding: Mutex<BTreeMap<Vec<String>, Arc<Version>>>,
}

#[pymethods]
impl NativeSession {
    /// Compiles a model. `dims` fixes named dimensions; `arithmetic` is `relaxed`, `strict` or `fixed`; `cache` is a directory;
    /// `llvm` is the program that optimises with LLVM; `warn` is called with each warning; `initializers` replace those of the model.
    #[new]
    #[pyo3(signature = (path=None, bytes=None, *, threads=0, dims=None, arithmetic="relaxed", cache=None, llvm=None, profile=false, warn=None, initializers=None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        path: Option<&str>,
        bytes: Option<&[u8]>,
        threads: usize,
        dims: Option<BTreeMap<String, i64>>,
        arithmetic: &str,
        cache: Option<PathBuf>,
        llvm: Option<PathBuf>,
        profile: bool,
        warn: Option<Py<PyAny>>,
        initializers: Option<Vec<(String, Bound<'_, PyAny>)>>,
    ) -> PyResult<NativeSession> {
        let arithmetic = match arithmetic {
            "relaxed" => Arithmetic::Reassociated,
            "strict" => Arithmetic::Strict,
            "fixed" => Arithmetic::Fixed,
            other => return Err(wrong(format!("arithmetic is relaxed, strict or fixed, not {other}"))),
        };
        let reporter = warn.map_or_else(Reporter::default, |warn| {
            Reporter::new(move |warning| {
                let text = warning.statement();
                // exceptions of a warning callback are ignored
                let _ = Python::attach(|py| warn.call1(py, (text,)));
            })
        });
        let options = Options {
            backend: if llvm.is_some() { Backend::Auto } else { Backend::Cranelift },
            helper: llvm,
            threads,
            dims: dims.unwrap_or_default(),
            arithmetic,
            cache: cache.map(Cache::at),
            profile,
            reporter,
            ..Options::default()
        };
        let mut source = model::load(path, bytes)?;
        let initializers = initializers.unwrap_or_default();
        model::replace_initializers(&mut source, &initializers)?;
        // the cache identifies models by their files
        let path = path.filter(|_| initializers.is_empty()).map(PathBuf::from);
        let compiled = py.detach(|| {
            Compiler::new(options.clone()).compile_model(&source, path.as_deref(), &ImportOptions::default())
        });
        let compiled = compiled.map_err(|diagnostics| exception(&diagnostics, Doing::Compiling))?;
        Ok(NativeSession {
            source,
            path,
            options,
            plain: Arc::new(Version::new(compiled)),
            overriding: Mutex::default(),
        })
    }

    /// The simplified model with these initializers and dimensions, as the bytes of a `ModelProto`.
    fn simplified<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let dimensions = self.options.dims.clone().into_iter().collect();
        model::simplified(py, &self.source, &ImportOptions { dimensions, ..ImportOptions::default() })
    }

    /// Name, type, shape of each input: extents are numbers, names or None.
    fn input_ports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        ports(py, &self.plain.model.signature.inputs)
    }

    /// The same for outputs.
    fn output_ports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        ports(py, &self.plain.model.signature.outputs)
    }

    /// The same for initializers that are inputs.
    fn overridable_ports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        ports(py, &self.plain.model.signature.optional)
    }

    /// The model's metadata.
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        model::metadata_of(py, &self.source)
    }

    /// Runs the model on a dict of inputs and returns a list of the outputs with these names, or of all. `cancel` ends
    /// the run, and so does `deadline` after a number of seconds. `into` has arrays by name that outputs are written
    /// to; those outputs are None.
    #[pyo3(signature = (names, feeds, cancel=None, deadline=None, into=None))]
    fn execute<'py>(
        &self,
        py: Python<'py>,
        names: Option<Vec<String>>,
        feeds: &Bound<'py, PyDict>,
        cancel: Option<&Cancel>,
        deadline: Option<f64>,
        into: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let version = self.version(py, feeds)?;
        let signature = &version.model.signature;
        let wanted = match &names {
            None => (0..signature.outputs.len()).collect(),
            Some(names) => names.iter().map(|name| self.output(name)).collect::<PyResult<Vec<usize>>>()?,
        };
        let mut given = Vec::with_capacity(signature.inputs.len());
        for port in &signature.inputs {
            given.push(match feeds.get_item(&port.name)? {
                Some(object) => Given::of(&object, &port.element, &port.name)?,
                None => match &port.default {
                    Some(default) => Given::Value(default.clone().into()),
                    None => return Err(missing(&signature.inputs, feeds)),
                },
            });
        }
        let mut lent: Vec<Option<Writable>> = Vec::new();
        if let Some(into) = into {
            lent = signature.outputs.iter().map(|_| None).collect();
            for (name, array) in into.iter() {
                let (name, at) = (name.extract::<String>()?, self.output(&name.extract::<String>()?)?);
                lent[at] = Some(Writable::of(&array, &signature.outputs[at].element, &name)?);
            }
        }
        let inputs: Vec<Input<'_>> =
            given.iter().zip(&signature.inputs).map(|(given, port)| given.input(&port.element)).collect();
        let limit = deadline.and_then(|seconds| {
            std::time::Instant::now().checked_add(std::time::Duration::try_from_secs_f64(seconds.max(0.0)).ok()?)
        });
        let stop =
            (cancel.is_some() || limit.is_some()).then(|| Stop::new(limit).or(cancel.map(|cancel| cancel.0.clone())));
        let outputs = py.detach(|| {
            let mut session = version.take();
            let mut memory: Vec<Option<&mut [u8]>> =
                lent.iter_mut().map(|lent| lent.as_mut().map(Writable::bytes_mut)).collect();
            let outputs = session.run_with(&inputs, &mut memory, stop.as_ref());
            version.put_back(session);
            outputs
        });
        let outputs = outputs.map_err(|diagnostics| match stop.as_ref().and_then(Stop::due) {
            Some(Due::Requested) => Fail::new_err("Exiting due to terminate flag being set to true."),
            Some(Due::Deadline) | None => exception(&diagnostics, Doing::Running),
        })?;
        let mut outputs: Vec<Option<Output>> = outputs.into_iter().map(Some).collect();
        let list = PyList::empty(py);
        for at in wanted {
            // a name may occur twice
            let output = match outputs.get_mut(at).and_then(Option::take) {
                Some(Output::Value(value)) => object(py, value)?,
                Some(Output::Written { shape, .. }) => {
                    let name = &signature.outputs[at].name;
                    match lent.get(at).and_then(Option::as_ref) {
                        Some(bound) if bound.shape != shape => {
                            let bound = &bound.shape;
                            return Err(wrong(format!(
                                "output '{name}' is bound to an array of {bound:?}, the result is {shape:?}"
                            )));
                        }
                        _ => py.None(),
                    }
                }
                None => return Err(wrong(format!("output '{}' is asked for twice", signature.outputs[at].name))),
            };
            list.append(output)?;
        }
        Ok(list)
    }

    /// The time of each kernel call so far: kernel, nodes, operators, seconds, calls; without sessions that are
    /// running.
    fn profile(&self) -> Vec<KernelRow> {
        let session = self.plain.take();
        let rows = session.profile();
        self.plain.put_back(session);
        let row =
            |time: driver::KernelTime| (time.kernel, time.nodes, time.operators, time.time.as_secs_f64(), time.calls);
        rows.into_iter().map(row).collect()
    }

    /// Waits until the optimised tier is ready.
    fn wait_until_optimized(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.plain.model.settle()).map_err(|diagnostics| exception(&diagnostics, Doing::Compiling))
    }
}

impl NativeSession {
    /// The index of an output.
    fn output(&self, name: &str) -> PyResult<usize> {
        let outputs = &self.plain.model.signature.outputs;
        outputs.iter().position(|port| port.name == name).ok_or_else(|| {
            let names: Vec<&str> = outputs.iter().map(|port| port.name.as_str()).collect();
            wrong(format!("Invalid Output Name: {name}; the model's are {}", names.join(", ")))
        })
    }

    /// The version of the model for the given inputs, in which initializers among them are inputs.
    fn version(&self, py: Python<'_>, feeds: &Bound<'_, PyDict>) -> PyResult<Arc<Version>> {
        let signature = &self.plain.model.signature;
        let mut overridden = Vec::new();
        for name in feeds.keys() {
            let name = name.extract::<String>().map_err(|_| wrong("names of inputs are strings"))?;
            if signature.inputs.iter().any(|port| port.name == name) {
                continue;
            }
            if !signature.optional.iter().any(|port| port.name == name) {
                let names: Vec<&str> = signature.inputs.iter().map(|port| port.name.as_str()).collect();
                return Err(wrong(format!("Invalid input name: {name}; the model's are {}", names.join(", "))));
            }
            overridden.push(name);
        }
        if overridden.is_empty() {
            return Ok(self.plain.clone());
        }
        overridden.sort();
        let known = self.overriding.lock().unwrap_or_else(PoisonError::into_inner).get(&overridden).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let import = ImportOptions { overridable: overridden.iter().cloned().collect(), ..ImportOptions::default() };
        let compiled = py
            .detach(|| Compiler::new(self.options.clone()).compile_model(&self.source, self.path.as_deref(), &import));
        let compiled = compiled.map_err(|diagnostics| exception(&diagnostics, Doing::Compiling))?;
        let version = Arc::new(Version::new(compiled));
        self.overriding.lock().unwrap_or_else(PoisonError::into_inner).insert(overridden, version.clone());
        Ok(version)
    }
}

/// ONNX Runtime's error for missing inputs.
fn missing(ports: &[Port], feeds: &Bound<'_, PyDict>) -> PyErr {
    let is_missing = |port: &&Port| port.default.is_none() && !feeds.contains(&port.name).unwrap_or(false);
    let missing: Vec<&str> = ports.iter().filter(is_missing).map(|port| port.name.as_str()).collect();
    pyo3::exceptions::PyValueError::new_err(format!(
        "Required inputs ({missing:?}) are missing from input feed ({:?}).",
        feeds.keys().iter().map(|name| name.to_string()).collect::<Vec<_>>()
    ))
}

/// Name, type and shape of ports.
fn ports<'py>(py: Python<'py>, ports: &[Port]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for port in ports {
        let shape = PyList::empty(py);
        for extent in &port.shape {
            match extent {
                driver::Extent::Fixed(extent) => shape.append(extent)?,
                driver::Extent::Named(name) => shape.append(name)?,
                driver::Extent::Any => shape.append(py.None())?,
            }
        }
        let is_tensor = !port.is_container() || is_text(&port.element);
        let shape = if is_tensor { shape } else { PyList::empty(py) };
        list.append((&port.name, type_text(&port.element), shape))?;
    }
    Ok(list)
}

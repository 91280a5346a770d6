//! Compiles models.

use std::path::PathBuf;
use std::sync::Arc;

use driver::{Backend, Cache, ImportOptions, Observer, Options, Reporter, Stage};
use proto::Message;

use crate::custom::CustomOperator;
use crate::divided::{self, Divided, Step};
use crate::{Error, Model, Port, Result, Session};

/// Compiles models.
///
/// ```
/// # fn main() -> Result<(), onnxc::Error> {
/// # let text = r#"<ir_version: 10, opset_import: ["": 21]>
/// #     negate (float[N] x) => (float[N] y) { y = Neg(x) }"#;
/// # let model = onnxc::Model::from_bytes(text)?;
/// let compiler = onnxc::Compiler::builder().threads(1).dimension("N", 4).build();
/// let compiled = compiler.compile(&model)?;
/// assert_eq!(compiled.inputs()[0].to_string(), "x: float32 [4]");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Compiler {
    options: Options,
    import: ImportOptions,
    operators: Vec<Arc<CustomOperator>>,
}

/// The options of a compilation; made by [`Compiler::builder`].
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct Builder {
    options: Options,
    import: ImportOptions,
    operators: Vec<Arc<CustomOperator>>,
}

/// What may change the bits of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arithmetic {
    /// Operations of different nodes are combined if that loses little accuracy.
    #[default]
    Relaxed,
    /// Each node computes what it would compute alone.
    Strict,
    /// One order of operations for all processors: the same bits everywhere.
    Fixed,
}

impl Compiler {
    /// A compiler with default options: for this machine, all threads, no cache, Cranelift's code.
    pub fn new() -> Compiler {
        Compiler::builder().build()
    }

    /// A compiler with other options.
    pub fn builder() -> Builder {
        let options = Options { backend: Backend::Cranelift, ..Options::default() };
        Builder { options, import: ImportOptions::default(), operators: Vec::new() }
    }

    /// Compiles a model.
    ///
    /// # Errors
    /// If the model breaks a rule of ONNX, or something in it is not supported. Everything unsupported is reported at
    /// once.
    pub fn compile(&self, model: &Model) -> Result<CompiledModel> {
        divided::check(&model.inner.proto, &self.operators).map_err(Error::of_model)?;
        if divided::is_called(&model.inner.proto, &self.operators) {
            let divided = divided::compile(&self.options, &self.import, &model.inner, &self.operators);
            return divided.map(|divided| CompiledModel::of(Code::Divided(Arc::new(divided))));
        }
        let compiler = driver::Compiler::new(self.options.clone());
        let compiled = compiler.compile_model(&model.inner, model.path.as_deref(), &self.import);
        compiled.map(|model| CompiledModel::of(Code::Whole(Arc::new(model)))).map_err(Error::of_model)
    }

    /// The model after the rewrites that keep every bit of its results, as the bytes of a `ModelProto`: operators in their newest
    /// form, functions inlined, shapes evaluated, dimensions and input shapes as the builder fixed them.
    ///
    /// ```
    /// # fn main() -> Result<(), onnxc::Error> {
    /// let text = r#"<ir_version: 10, opset_import: ["": 21]>
    ///     g (float[N] x) => (float[N] y) { same = Identity(x) y = Neg(same) }"#;
    /// let model = onnxc::Model::from_bytes(text)?;
    /// let simple = onnxc::Model::from_bytes(onnxc::Compiler::new().simplify(&model)?)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the model breaks a rule of ONNX, calls custom operators, or has more than the 2 GB that a message of protobuf may have.
    pub fn simplify(&self, model: &Model) -> Result<Vec<u8>> {
        let import =
            ImportOptions { dimensions: self.options.dims.clone().into_iter().collect(), ..self.import.clone() };
        let simple = export::simplify(&model.inner, &import).map_err(Error::of_model)?;
        Ok(simple.encode_to_vec())
    }
}

impl Builder {
    /// The compiler.
    pub fn build(self) -> Compiler {
        Compiler { options: self.options, import: self.import, operators: self.operators }
    }

    /// Threads of a run; 0, the default, is one for each processor.
    pub fn threads(mut self, count: usize) -> Builder {
        self.options.threads = count;
        self
    }

    /// Threads of a compilation; 0, the default, is one for each processor.
    pub fn compile_threads(mut self, count: usize) -> Builder {
        self.options.workers = count;
        self
    }

    /// Fixes a named dimension.
    pub fn dimension(mut self, name: impl Into<String>, extent: usize) -> Builder {
        self.options.dims.insert(name.into(), i64::try_from(extent).unwrap_or(i64::MAX));
        self
    }

    /// Fixes the shape of an input.
    pub fn input_shape(mut self, name: impl Into<String>, shape: &[usize]) -> Builder {
        let shape = shape.iter().map(|&extent| i64::try_from(extent).unwrap_or(i64::MAX)).collect();
        self.options.shapes.insert(name.into(), shape);
        self
    }

    /// Chooses outputs by name, also values inside the graph. By default all outputs of the model are computed.
    pub fn outputs<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Builder {
        self.options.outputs = names.into_iter().map(Into::into).collect();
        self
    }

    /// Turns initializers into inputs by name, so that a run may override their values, which are the defaults.
    /// [`CompiledModel::overridable_inputs`] lists the initializers that can be chosen.
    ///
    /// ```
    /// # fn main() -> Result<(), onnxc::Error> {
    /// let text = r#"<ir_version: 10, opset_import: ["": 21]>
    ///     scale (float[N] x, float factor = {2}) => (float[N] y) { y = Mul(x, factor) }"#;
    /// let model = onnxc::Model::from_bytes(text)?;
    /// assert_eq!(onnxc::Compiler::new().compile(&model)?.overridable_inputs()[0].name(), "factor");
    /// let compiled = onnxc::Compiler::builder().overridable(["factor"]).build().compile(&model)?;
    /// let (x, factor) = (onnxc::Tensor::scalar(3.0f32), onnxc::Tensor::scalar(5.0f32));
    /// # let x = onnxc::Tensor::from_bytes(onnxc::ElementType::F32, &[1], x.as_bytes())?;
    /// let outputs = compiled.session().run([("x", &x), ("factor", &factor)])?;
    /// assert_eq!(outputs["y"].as_slice::<f32>()?, [15.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn overridable<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Builder {
        self.import.overridable = names.into_iter().map(Into::into).collect();
        self
    }

    /// Registers an operator that the caller implements. Models that call it are not in the cache. If several with a name are
    /// registered, the newest that the model's version of the domain has is called.
    pub fn custom_operator(mut self, operator: CustomOperator) -> Builder {
        self.operators.push(Arc::new(operator));
        self
    }

    /// Enables the timing of kernels; see [`Session::profile`].
    pub fn profile(mut self, is_timed: bool) -> Builder {
        self.options.profile = is_timed;
        self
    }

    /// Checks each access of memory in the model's code against the bounds of its buffer, so that a run ends with an
    /// error that names the node instead of an access outside of a buffer. Such code is slower and is never in the cache.
    pub fn sanitize(mut self, is_checked: bool) -> Builder {
        self.options.sanitize = is_checked;
        self
    }

    /// What may change the bits of a result.
    pub fn arithmetic(mut self, arithmetic: Arithmetic) -> Builder {
        self.options.arithmetic = match arithmetic {
            Arithmetic::Relaxed => driver::Arithmetic::Reassociated,
            Arithmetic::Strict => driver::Arithmetic::Strict,
            Arithmetic::Fixed => driver::Arithmetic::Fixed,
        };
        self
    }

    /// Refuses a model that breaks any rule of ONNX, not only one that cannot be computed.
    pub fn strict(mut self, is_strict: bool) -> Builder {
        self.options.refuse_violations = is_strict;
        self
    }

    /// Keeps compiled models that were loaded from files in a directory, which must belong to the user alone, and looks for them there.
    /// It is created if it does not exist.
    pub fn cache(mut self, directory: impl Into<PathBuf>) -> Builder {
        self.options.cache = Some(Cache::at(directory.into()));
        self
    }

    /// Keeps compiled models in the user's cache directory, `$XDG_CACHE_HOME/onnxc`.
    pub fn user_cache(mut self) -> Builder {
        self.options.cache = Cache::of_user();
        self
    }

    /// Lets the program `onnxc` optimise models with LLVM, in a helper process: a model that has run for some tenths of
    /// a second switches to that code, whose results may differ within the bounds of [`Arithmetic`].
    pub fn llvm(mut self, program: impl Into<PathBuf>) -> Builder {
        self.options.backend = Backend::Auto;
        self.options.helper = Some(program.into());
        self
    }

    /// Calls a function for each warning about a model or a run. By default warnings are discarded.
    pub fn on_warning(mut self, report: impl Fn(&str) + Send + Sync + 'static) -> Builder {
        self.options.reporter = Reporter::new(move |warning| report(&warning.statement()));
        self
    }

    /// Calls a function when a stage of a compilation begins.
    pub fn on_stage(mut self, tell: impl Fn(Stage) + Send + Sync + 'static) -> Builder {
        self.options.observer = Some(Observer::new(tell));
        self
    }
}

/// A model as machine code. Clones share it; threads run it at the same time, each in a separate [`Session`].
#[derive(Clone)]
pub struct CompiledModel {
    pub(crate) code: Code,
    pub(crate) inputs: Arc<[Port]>,
    pub(crate) outputs: Arc<[Port]>,
    overridable: Arc<[Port]>,
    pub(crate) output_names: Arc<[String]>,
}

/// The code of a model.
#[derive(Clone)]
pub(crate) enum Code {
    /// One compiled model.
    Whole(Arc<driver::CompiledModel>),
    /// Compiled parts, and custom operators between them.
    Divided(Arc<Divided>),
}

impl Code {
    /// The inputs and outputs.
    pub(crate) fn signature(&self) -> &driver::Signature {
        match self {
            Code::Whole(model) => &model.signature,
            Code::Divided(divided) => &divided.signature,
        }
    }
}

impl CompiledModel {
    fn of(code: Code) -> CompiledModel {
        let ports = |ports: &[driver::Port]| ports.iter().map(Port::of).collect();
        let signature = code.signature();
        CompiledModel {
            inputs: ports(&signature.inputs),
            outputs: ports(&signature.outputs),
            overridable: ports(&signature.optional),
            output_names: signature.outputs.iter().map(|port| port.name.clone()).collect(),
            code,
        }
    }

    /// The inputs, in the model's order.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// The outputs, in the model's order.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// Initializers that were compiled as constants, and that [`Builder::overridable`] turns into inputs.
    pub fn overridable_inputs(&self) -> &[Port] {
        &self.overridable
    }

    /// A new session, for runs on one thread at a time.
    pub fn session(&self) -> Session {
        Session::new(self)
    }

    /// Waits until the optimised tier is ready. Without this, a model that runs again gets it in the background.
    ///
    /// # Errors
    /// If that code cannot be compiled; the model still runs.
    pub fn wait_until_optimized(&self) -> Result<()> {
        let settle = |model: &driver::CompiledModel| model.settle().map_err(Error::of_model);
        match &self.code {
            Code::Whole(model) => settle(model),
            Code::Divided(divided) => divided.steps.iter().try_for_each(|step| match step {
                Step::Part { model, .. } => settle(model),
                Step::Call { .. } => Ok(()),
            }),
        }
    }
}

impl std::fmt::Debug for CompiledModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledModel").field("inputs", &self.inputs).field("outputs", &self.outputs).finish()
    }
}

//! How to compile.

use std::collections::BTreeMap;
use std::path::PathBuf;

use check::Profile;
pub use dialects::func::MAIN;
use engine::cache::Cache;
use engine::{Engine, FastStart, PlainEngine};
use lower::low::VectorRegisters;
pub use lower::outline_initialization::INITIALIZE;
pub use optimize::Extraction;
use optimize::Families;

use crate::part::Part;
use crate::progress::{Observer, Reporter, Stage};

/// The code generator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// Cranelift's code first, LLVM's for a model that keeps running.
    #[default]
    Auto,
    /// In process, fast to compile.
    Cranelift,
    /// In a helper process, faster code.
    Llvm,
}

/// How code is built that runs in this process. The results are the same bit for bit.
#[derive(Clone, Copy, Debug, Default)]
pub enum EngineKind {
    /// Everything is compiled before the first run; there is no cache and no other tier.
    Plain,
    /// Code is compiled while it runs, and replaced while the model keeps running.
    #[default]
    FastStart,
    /// An engine of the caller, as tests have; there is no cache and no other tier.
    Given(&'static dyn Engine),
}

impl EngineKind {
    /// The engine.
    pub(crate) fn engine(self) -> &'static dyn Engine {
        match self {
            EngineKind::Plain => &PlainEngine,
            EngineKind::FastStart => &FastStart,
            EngineKind::Given(engine) => engine,
        }
    }

    /// Whether the time to the first result matters, so that work is done in the background.
    pub(crate) fn is_fast(self) -> bool {
        matches!(self, EngineKind::FastStart)
    }
}

/// The target processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// A processor with these vector registers.
    Vectors(VectorRegisters),
    /// x86-64-v2 or better: kernels have versions, which the model's initialisation chooses from.
    AnyX86,
    /// Unknown: contractions call the runtime, which detects the processor at run time.
    Unknown,
}

impl Processor {
    /// The processor of this machine.
    pub fn of_this_machine() -> Processor {
        VectorRegisters::of_this_machine().map_or(Processor::Unknown, Processor::Vectors)
    }
}

/// What the order of floating-point operations may depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arithmetic {
    /// Operations of different nodes may be combined, within error bounds.
    #[default]
    Reassociated,
    /// Every node computes its own result (`--strict-fp`, which `pipeline.rs` makes an option of passes); inside a node, the order of
    /// sums depends on the processor.
    Strict,
    /// Inside a node, too, one order for all processors, and every product rounded: the same bits everywhere.
    Fixed,
}

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// The code generator.
    pub backend: Backend,
    /// How code is built that runs in this process.
    pub engine: EngineKind,
    /// The processor that LLVM's code is for.
    pub processor: Processor,
    /// The number of threads that run models; 0 means all.
    pub threads: usize,
    /// The number of threads that compile and initialize; 0 means all.
    pub workers: usize,
    /// Values of named dimensions, fixed before compilation.
    pub dims: BTreeMap<String, i64>,
    /// The greatest values of named dimensions that runs are passed, for code without a runtime.
    pub bounds: BTreeMap<String, i64>,
    /// Operator-set documents whose functions models may call if they import their domain.
    pub operator_sets: Vec<PathBuf>,
    /// Whether modules keep the model's metadata.
    pub metadata: bool,
    /// Whether the signature names the extents of outputs that shape inference finds equal to extents of inputs.
    pub ties: bool,
    /// Shapes of inputs by name, fixed before compilation.
    pub shapes: BTreeMap<String, Vec<i64>>,
    /// The outputs, by name, if not all are wanted; also values inside the graph.
    pub outputs: Vec<String>,
    /// The program `onnxc` that has the LLVM back end; by default that in the environment variable `ONNXC`, in the
    /// directory of this program, or on the path.
    pub helper: Option<PathBuf>,
    /// Receives warnings about models and runs.
    pub reporter: Reporter,
    /// What the order of floating-point operations may depend on.
    pub arithmetic: Arithmetic,
    /// Optional features of the compiler that are left out.
    pub without: Vec<Part>,
    /// The prefix of exported C names, for code without a runtime.
    pub freestanding: Option<String>,
    /// Whether any broken rule of ONNX refuses a model, or only errors.
    pub refuse_violations: bool,
    /// The profile whose rules apply.
    pub rules: Profile,
    /// Which of the equal graphs is compiled.
    pub extraction: Extraction,
    /// Whether the rewrites of the graph are printed to standard error.
    pub explain: bool,
    /// Whether the lowering of each node is recorded.
    pub trace: bool,
    /// Whether kernels are timed.
    pub profile: bool,
    /// Whether each access of memory is checked, with the plain engine.
    pub sanitize: bool,
    /// The cache of compiled models.
    pub cache: Option<Cache>,
    /// Is notified of the stages of a compilation.
    pub observer: Option<Observer>,
    /// Stages after which the module is printed to standard error, without large constants.
    pub print_after: Vec<String>,
}

impl Default for Options {
    /// The options for this machine.
    fn default() -> Options {
        Options {
            backend: Backend::default(),
            engine: EngineKind::default(),
            processor: Processor::of_this_machine(),
            threads: 0,
            workers: 0,
            dims: BTreeMap::new(),
            bounds: BTreeMap::new(),
            operator_sets: Vec::new(),
            metadata: false,
            ties: false,
            shapes: BTreeMap::new(),
            outputs: Vec::new(),
            helper: None,
            reporter: Reporter::default(),
            arithmetic: Arithmetic::default(),
            without: Vec::new(),
            freestanding: None,
            refuse_violations: false,
            rules: Profile::default(),
            extraction: Extraction::Cheapest,
            explain: false,
            trace: false,
            profile: false,
            sanitize: false,
            cache: None,
            observer: None,
            print_after: Vec::new(),
        }
    }
}

impl Options {
    /// Reports that a stage begins.
    pub(crate) fn enter(&self, stage: Stage) {
        if let Some(observer) = &self.observer {
            observer.tell(stage);
        }
    }

    /// Whether a feature is not left out.
    pub(crate) fn has(&self, part: Part) -> bool {
        !self.without.contains(&part)
    }

    /// Whether kernels have a version for each level of x86-64, which are chosen from when the model is initialised.
    pub(crate) fn has_versions(&self) -> bool {
        self.backend == Backend::Llvm && self.processor == Processor::AnyX86 && !self.sanitize
    }

    /// The families of rules that are left out.
    pub(crate) fn rules_without(&self) -> Families {
        let is_left_out = |family: &&str| Part::of(family).is_some_and(|part| !self.has(part));
        Families(optimize::families().filter(is_left_out).collect())
    }
}

//! Compiles the functions of a module in parallel and links them.

use dialects::rt::attributes::{ELEMENTS, HOST};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::ExternalName;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, FinalizedMachReloc, FinalizedRelocTarget};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_module::{FuncId, Linkage, Module as Linker, ModuleReloc, ModuleRelocTarget, default_libcall_names};
use cranelift_object::{ObjectBuilder, ObjectModule};
use ir::{Diagnostic, FunctionView, Location, Module, Result};
use loader::Loaded;

use crate::function::{External, Translation, translate};

/// The options of [`compile`] and [`object`].
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Addresses of runtime symbols and of constants (`memref.global`), by name; only used in process.
    pub symbols: BTreeMap<String, usize>,
    /// The number of threads to compile on; 0 means all.
    pub threads: usize,
    /// The optimisation level of kernels.
    pub tier: Tier,
    /// Once set, compilation ends early with an error.
    pub cancelled: Arc<AtomicBool>,
}

/// The tier of kernels. Both have the same results bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tier {
    /// The baseline tier: fast compilation.
    Quick,
    /// The optimised tier: fast code.
    #[default]
    Optimised,
}

/// Compiles every function with a body, of all parts of a module, and links them in memory.
pub fn compile(parts: &[Module], options: &Options) -> Result<Loaded> {
    relocatable(parts, options)?.link(&options.symbols)
}

/// Compiles every function with a body, of all parts of a module.
pub fn relocatable(parts: &[Module], options: &Options) -> Result<Relocatable> {
    let targets = Targets::native(false, options.tier)?;
    let functions = Functions(compile_functions(parts, &targets, options)?);
    Ok(Relocatable { parts: vec![Arc::new(functions)], target: targets.kernels })
}

/// Compiles modules for this machine, each on the thread that calls it.
pub struct Generator {
    targets: Targets,
    cancelled: Arc<AtomicBool>,
}

/// Machine code of the functions of a module, not linked yet.
pub struct Functions(Vec<CompiledFunction>);

impl Functions {
    /// Each function.
    pub fn iter(&self) -> impl Iterator<Item = &CompiledFunction> + Clone {
        self.0.iter()
    }

    /// The symbols that the functions refer to.
    pub fn externals(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|function| function.externals.iter().map(External::name))
    }
}

impl Generator {
    /// A generator for a tier, until it is cancelled.
    pub fn new(tier: Tier, cancelled: Arc<AtomicBool>) -> Result<Generator> {
        Ok(Generator { targets: Targets::native(false, tier)?, cancelled })
    }

    /// Whether a function's code takes long to compile, because it is optimised even in the baseline tier.
    pub fn optimises(&self, function: &FunctionView<'_>) -> bool {
        !Arc::ptr_eq(self.targets.of(function), &self.targets.host)
    }

    /// Compiles every function with a body.
    pub fn generate(&self, module: &Module) -> Result<Functions> {
        let mut frontend = FunctionBuilderContext::new();
        let compile = |function: FunctionView<'_>| match self.cancelled.load(Ordering::Relaxed) {
            true => Err(cancelled()),
            false => compile_function(function, self.targets.of(&function), &mut frontend),
        };
        Ok(Functions(definitions(module).map(compile).collect::<Result<_, _>>()?))
    }

    /// Combines the code of all parts of a module.
    pub fn relocatable(&self, parts: Vec<Arc<Functions>>) -> Relocatable {
        Relocatable { parts, target: self.targets.kernels.clone() }
    }
}

fn cancelled() -> Diagnostic {
    internal("compilation was cancelled")
}

/// Relocatable machine code for this machine.
pub struct Relocatable {
    parts: Vec<Arc<Functions>>,
    target: OwnedTargetIsa,
}

impl Relocatable {
    /// Links the code in memory with symbols at given addresses.
    pub fn link(&self, symbols: &BTreeMap<String, usize>) -> Result<Loaded> {
        check_symbols(self.functions(), |name| symbols.contains_key(name))?;
        Ok(loader::load(&[self.object()?], symbols).map_err(internal)?)
    }

    /// The code as an object file.
    pub fn object(&self) -> Result<Vec<u8>> {
        write_object(self.functions(), self.target.clone())
    }

    fn functions(&self) -> impl Iterator<Item = &CompiledFunction> + Clone {
        self.parts.iter().flat_map(|part| &part.0)
    }
}

/// A text that differs between processors with different generated code.
pub fn target_text() -> Result<String> {
    let target = native_isa(false, Effort::Speed)?;
    let flags: Vec<String> = target.isa_flags().iter().map(ToString::to_string).collect();
    Ok(format!("{} {}", target.triple(), flags.join(" ")))
}

/// Compiles every function with a body into a native object file.
pub fn object(module: &Module, options: &Options) -> Result<Vec<u8>> {
    let targets = Targets::native(true, options.tier)?;
    let functions = compile_functions(std::slice::from_ref(module), &targets, options)?;
    write_object(functions.iter(), targets.kernels)
}

fn write_object<'a>(
    functions: impl Iterator<Item = &'a CompiledFunction> + Clone,
    target: OwnedTargetIsa,
) -> Result<Vec<u8>> {
    let builder = ObjectBuilder::new(target, "onnx", default_libcall_names())
        .map_err(|error| internal(format!("object file: {error}")))?;
    let mut linker = ObjectModule::new(builder);
    link(&mut linker, functions)?;
    linker.finish().emit().map_err(|error| internal(format!("object file: {error}")).into())
}

/// The CLIF of every function with a body, for reading.
pub fn clif(module: &Module) -> Result<String> {
    let isa = native_isa(false, Effort::Speed)?;
    let mut text = String::new();
    for function in definitions(module) {
        let translation = translate(function, &isa, &mut FunctionBuilderContext::new())?;
        text.push_str(&format!("; @{}\n{}\n", function.name, translation.function.display()));
    }
    Ok(text)
}

/// One function's machine code, not linked yet.
pub struct CompiledFunction {
    name: String,
    location: Location,
    alignment: u64,
    code: Vec<u8>,
    relocations: Vec<FinalizedMachReloc>,
    externals: Vec<External>,
    /// For each user-defined name of the function: its index in `externals`.
    names: Vec<u32>,
}

impl CompiledFunction {
    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its code, in which addresses are missing.
    pub fn code(&self) -> &[u8] {
        &self.code
    }

    /// The alignment of its code.
    pub fn alignment(&self) -> usize {
        self.alignment as usize
    }

    /// The offsets in the code of eight-byte addresses, with symbol and addend. There are no other relocations, because
    /// calls reach symbols at any distance.
    pub fn addresses(&self) -> impl Iterator<Item = Result<(usize, &str, i64), Diagnostic>> {
        self.relocations.iter().map(|relocation| match (&relocation.target, relocation.kind) {
            (FinalizedRelocTarget::ExternalName(ExternalName::User(reference)), Reloc::Abs8) => {
                let external = &self.externals[self.names[reference.as_u32() as usize] as usize];
                Ok((relocation.offset as usize, external.name(), relocation.addend))
            }
            (target, kind) => {
                let message = format!("@{} refers to {target:?} by {kind:?}", self.name);
                Err(Diagnostic::internal(self.location.clone(), message))
            }
        })
    }
}

pub(crate) fn internal(message: impl Into<String>) -> Diagnostic {
    Diagnostic::internal(Location::Unknown, message)
}

/// The optimisation setting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// For kernels: code that runs often.
    Speed,
    /// For host functions: long, and each instruction runs once.
    Compile,
}

fn native_isa(position_independent: bool, effort: Effort) -> Result<OwnedTargetIsa> {
    let (level, allocator) = match effort {
        Effort::Speed => ("speed", "backtracking"),
        Effort::Compile => ("none", "single_pass"),
    };
    let mut flags = settings::builder();
    let values = [
        ("opt_level", level),
        ("regalloc_algorithm", allocator),
        // nothing unwinds through generated code: the runtime's functions do not panic
        ("unwind_info", "false"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        // arguments of 128 bits, the bits of complex numbers
        ("enable_llvm_abi_extensions", "true"),
        ("is_pic", if position_independent { "true" } else { "false" }),
    ];
    for (name, value) in values {
        flags.set(name, value).expect("a known setting");
    }
    let builder = cranelift_native::builder().map_err(|error| internal(format!("this machine: {error}")))?;
    builder.finish(settings::Flags::new(flags)).map_err(|error| internal(format!("this machine: {error}")).into())
}

/// The number of elements from which on even a first run takes longer in baseline code than compiling optimised code.
const WORTH_OPTIMISING: i64 = 4_000_000;

/// This machine's targets for the two kinds of functions.
struct Targets {
    tier: Tier,
    kernels: OwnedTargetIsa,
    host: OwnedTargetIsa,
}

impl Targets {
    fn native(position_independent: bool, tier: Tier) -> Result<Targets> {
        let native = |effort| native_isa(position_independent, effort);
        Ok(Targets { tier, kernels: native(Effort::Speed)?, host: native(Effort::Compile)? })
    }

    fn of(&self, function: &FunctionView<'_>) -> &OwnedTargetIsa {
        let elements = function.attributes.integer(ELEMENTS).unwrap_or(0);
        let quick = self.tier == Tier::Quick && elements < WORTH_OPTIMISING;
        if quick || function.attributes.get(HOST).is_some() { &self.host } else { &self.kernels }
    }
}

fn definitions(module: &Module) -> impl Iterator<Item = FunctionView<'_>> {
    module.functions().filter(|function| function.body.entry().is_some())
}

/// Compiles all functions on several threads; the result is in module order whatever the scheduling.
fn compile_functions(parts: &[Module], targets: &Targets, options: &Options) -> Result<Vec<CompiledFunction>> {
    let functions: Vec<FunctionView<'_>> = parts.iter().flat_map(definitions).collect();
    let available = || std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = if options.threads == 0 { available() } else { options.threads }.clamp(1, functions.len().max(1));
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let mut frontend = FunctionBuilderContext::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(function) = functions.get(index) else { break };
            let is_cancelled = options.cancelled.load(Ordering::Relaxed);
            let result = match is_cancelled {
                true => Err(cancelled()),
                false => compile_function(*function, targets.of(function), &mut frontend),
            };
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
            if is_cancelled {
                break;
            }
        }
    };
    crew::with(threads - 1, &work, work);
    let mut results = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    let (mut compiled, mut diagnostics) = (Vec::new(), Vec::new());
    for (_, result) in results {
        match result {
            Ok(function) => compiled.push(function),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if diagnostics.is_empty() { Ok(compiled) } else { Err(diagnostics) }
}

fn compile_function(
    function: FunctionView<'_>,
    isa: &OwnedTargetIsa,
    frontend: &mut FunctionBuilderContext,
) -> Result<CompiledFunction, Diagnostic> {
    let Translation { function: clif, externals, location } = translate(function, isa, frontend)?;
    let mut context = Context::for_function(clif);
    context.compile(&**isa, &mut ControlPlane::default()).map_err(|error| {
        Diagnostic::internal(location.clone(), format!("compiling @{} failed: {:?}", function.name, error.inner))
    })?;
    let code = context.compiled_code().expect("just compiled");
    Ok(CompiledFunction {
        name: function.name.to_string(),
        location,
        alignment: code.buffer.alignment as u64,
        code: code.code_buffer().to_vec(),
        relocations: code.buffer.relocs().to_vec(),
        names: context.func.params.user_named_funcs().values().map(|name| name.index).collect(),
        externals,
    })
}

/// Checks that every used symbol is defined or provided.
pub fn check_symbols<'a>(
    functions: impl Iterator<Item = &'a CompiledFunction> + Clone,
    is_known: impl Fn(&str) -> bool,
) -> Result<()> {
    let defined = |name: &str| is_known(name) || functions.clone().any(|function| function.name == name);
    let mut missing = Vec::new();
    for function in functions.clone() {
        for external in &function.externals {
            if !defined(external.name()) {
                let message = format!("@{} uses the undefined symbol @{}", function.name, external.name());
                missing.push(Diagnostic::internal(function.location.clone(), message));
            }
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(missing) }
}

fn link<'a>(linker: &mut dyn Linker, functions: impl Iterator<Item = &'a CompiledFunction> + Clone) -> Result<()> {
    let failed = |error| internal(format!("linking failed: {error}"));
    let signature = linker.make_signature();
    let mut ids: BTreeMap<String, FuncId> = BTreeMap::new();
    for function in functions.clone() {
        let id = linker.declare_function(&function.name, Linkage::Export, &signature).map_err(failed)?;
        ids.insert(function.name.clone(), id);
    }
    for function in functions {
        let mut targets = Vec::new();
        for external in &function.externals {
            targets.push(match external {
                External::Function(name) => match ids.get(name) {
                    Some(&id) => ModuleRelocTarget::from(id),
                    None => linker.declare_function(name, Linkage::Import, &signature).map_err(failed)?.into(),
                },
                External::Data(name) => {
                    linker.declare_data(name, Linkage::Import, false, false).map_err(failed)?.into()
                }
            });
        }
        let id = ids[&function.name];
        let relocations: Vec<ModuleReloc> =
            function.relocations.iter().map(|relocation| resolve(relocation, function, id, &targets)).collect();
        linker.define_function_bytes(id, function.alignment, &function.code, &relocations).map_err(failed)?;
    }
    Ok(())
}

fn resolve(
    relocation: &FinalizedMachReloc,
    function: &CompiledFunction,
    id: FuncId,
    targets: &[ModuleRelocTarget],
) -> ModuleReloc {
    let name = match &relocation.target {
        FinalizedRelocTarget::ExternalName(ExternalName::User(reference)) => {
            targets[function.names[reference.as_u32() as usize] as usize].clone()
        }
        FinalizedRelocTarget::ExternalName(ExternalName::LibCall(call)) => ModuleRelocTarget::LibCall(*call),
        FinalizedRelocTarget::ExternalName(ExternalName::KnownSymbol(symbol)) => {
            ModuleRelocTarget::KnownSymbol(*symbol)
        }
        FinalizedRelocTarget::ExternalName(ExternalName::TestCase(_)) => {
            unreachable!("translation makes no test names")
        }
        FinalizedRelocTarget::Func(offset) => ModuleRelocTarget::FunctionOffset(id, *offset),
    };
    ModuleReloc { offset: relocation.offset, kind: relocation.kind, name, addend: relocation.addend }
}

/// The target of this machine, shared by all threads.
pub(crate) type Isa = Arc<dyn cranelift_codegen::isa::TargetIsa>;

//! The target and the optimisation level.

use std::sync::Once;

use inkwell::OptimizationLevel;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    ByteOrdering, CodeModel, InitializationConfig, Target, TargetMachine, TargetMachineOptions, TargetTriple,
};
use ir::{Diagnostic, Location};

use crate::architecture::{Architecture, is_elf};
use crate::interface::Interface;
use crate::weights_file::Weights;

/// The optimisation level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimization {
    /// No optimisation.
    None,
    /// Cheap optimisations.
    Less,
    /// The optimisations that benefit code which is already vectorised.
    #[default]
    Default,
    /// Vectorisation of scalar loops, too.
    Aggressive,
}

/// Options of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Target triple; this machine's when absent.
    pub triple: Option<String>,
    /// CPU name as LLVM knows it; `native`, or absent without a triple, is this machine's.
    pub cpu: Option<String>,
    /// Features added to or removed from the CPU's: `+avx2,-fma`.
    pub features: String,
    /// The optimisation level.
    pub optimization: Optimization,
    /// Whether constants are part of the object. Otherwise they are symbols that the loader resolves.
    pub embed_constants: bool,
    /// The file with the large constants; `None` if they are in the object.
    pub weights: Option<Weights>,
    /// The C interface of an object with the runtime.
    pub interface: Option<Interface>,
    /// The exported functions of the module; all if the list is empty and there is no interface.
    pub exports: Vec<String>,
    /// The absolute symbol of an ELF object whose value is an upper bound of the stack that a call takes, in bytes,
    /// without that of functions of other objects. There is none if functions are recursive or called by address.
    pub stack_symbol: Option<String>,
}

impl Options {
    /// The CPU and its features.
    fn processor(&self, architecture: &Architecture) -> (String, String) {
        let native = match self.cpu.as_deref() {
            Some(cpu) => cpu == "native",
            None => self.triple.is_none(),
        };
        if !native {
            let cpu = self.cpu.clone().unwrap_or_default();
            let stated = if cpu.is_empty() || cpu == "generic" { architecture.features } else { "" };
            let all: Vec<&str> = [stated, &self.features].into_iter().filter(|list| !list.is_empty()).collect();
            return (cpu, all.join(","));
        }
        let text = |string: inkwell::support::LLVMString| string.to_string();
        let mut features = text(TargetMachine::get_host_cpu_features());
        if !self.features.is_empty() {
            features = format!("{features},{}", self.features);
        }
        (text(TargetMachine::get_host_cpu_name()), features)
    }

    /// The target machine; each thread creates its own.
    pub(crate) fn machine(&self) -> Result<TargetMachine, Diagnostic> {
        initialize();
        let triple = match &self.triple {
            Some(triple) => TargetMachine::normalize_triple(&TargetTriple::create(&Architecture::triple(triple))),
            None => TargetMachine::get_default_triple(),
        };
        let usage = |message: String| Diagnostic::error(ir::ErrorClass::Usage, Location::Unknown, message);
        let target = Target::from_triple(&triple).map_err(|error| {
            usage(format!("target {}: {}", triple.as_str().to_string_lossy(), error.to_string_lossy()))
        })?;
        let name = triple.as_str().to_string_lossy().into_owned();
        let architecture = Architecture::of(&name).ok_or_else(|| {
            Diagnostic::unsupported(Location::Unknown, format!("target {name}: code is generated for other processors"))
        })?;
        let (cpu, features) = self.processor(architecture);
        let level = match self.optimization {
            Optimization::None => OptimizationLevel::None,
            Optimization::Less => OptimizationLevel::Less,
            Optimization::Default => OptimizationLevel::Default,
            Optimization::Aggressive => OptimizationLevel::Aggressive,
        };
        let all = TargetMachineOptions::new()
            .set_cpu(&cpu)
            .set_features(&features)
            .set_abi(architecture.abi)
            .set_level(level)
            .set_reloc_mode(Architecture::relocation(&name))
            .set_code_model(CodeModel::Default);
        let machine = target.create_target_machine_from_options(&triple, all);
        let machine = machine.ok_or_else(|| usage(format!("target {name} with CPU '{cpu}' cannot be compiled for")))?;
        let data = machine.get_target_data();
        let refused = |message: String| Err(Diagnostic::unsupported(Location::Unknown, message));
        // constants are bytes of this order
        if data.get_byte_ordering() != ByteOrdering::LittleEndian {
            return refused(format!("target {name}: only little-endian targets are supported"));
        }
        if !is_elf(&name) && self.interface.is_some() {
            return refused(format!(
                "target {name}: the runtime lacks it; --freestanding makes objects without a runtime"
            ));
        }
        // the tables of the interface contain addresses as words of 64 bits
        if data.get_pointer_byte_size(None) != 8 && self.interface.is_some() {
            return refused(format!(
                "target {name}: the runtime needs 64-bit addresses; --freestanding makes objects without it"
            ));
        }
        Ok(machine)
    }

    /// Whether the processor has fused multiply-adds.
    pub(crate) fn fused(&self, machine: &TargetMachine) -> bool {
        let features = machine.get_feature_string().to_string_lossy().into_owned();
        let (cpu, triple) = (machine.get_cpu().to_string(), machine.get_triple().to_string());
        let is_generic = ["", "generic", "x86-64", "x86-64-v2"].contains(&&*cpu);
        let has_them = Architecture::of(&triple).is_some_and(|architecture| architecture.fused);
        !is_generic || has_them || features.contains("+fma")
    }

    /// The widest vectors worth using, in bits, if LLVM would choose narrower ones.
    pub(crate) fn preferred_vector_width(&self, machine: &TargetMachine) -> Option<u32> {
        let features = machine.get_feature_string().to_string_lossy().into_owned();
        let cpu = machine.get_cpu().to_string();
        let wide = features.contains("+avx512f") || ["x86-64-v4", "skylake-avx512", "znver4"].contains(&&*cpu);
        wide.then_some(512)
    }

    /// The middle end's passes.
    pub(crate) fn passes(&self) -> (&'static str, PassBuilderOptions) {
        let options = PassBuilderOptions::create();
        let aggressive = self.optimization == Optimization::Aggressive;
        options.set_loop_vectorization(aggressive);
        options.set_loop_interleaving(aggressive);
        options.set_loop_slp_vectorization(aggressive);
        let passes = match self.optimization {
            Optimization::None => "default<O0>",
            Optimization::Less => "default<O1>",
            Optimization::Default => "default<O2>",
            Optimization::Aggressive => "default<O3>",
        };
        (passes, options)
    }
}

fn initialize() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        Target::initialize_x86(&InitializationConfig::default());
        Target::initialize_aarch64(&InitializationConfig::default());
        Target::initialize_arm(&InitializationConfig::default());
        Target::initialize_riscv(&InitializationConfig::default());
        Target::initialize_webassembly(&InitializationConfig::default());
    });
}

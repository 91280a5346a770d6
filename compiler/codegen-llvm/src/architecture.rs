//! The properties of targets that LLVM does not derive from their triples.

use inkwell::module::Module;
use inkwell::targets::RelocMode;

/// The targets of one kind of processor.
#[derive(Debug)]
pub(crate) struct Architecture {
    /// How their triples begin.
    prefix: &'static str,
    /// The features that code may use unless a CPU is named.
    pub(crate) features: &'static str,
    /// The calling convention, if there are several.
    pub(crate) abi: &'static str,
    /// Whether processors have fused multiply-adds.
    pub(crate) fused: bool,
    /// The minimum and the maximum of IEEE 754-2019, which are NaN if an operand is.
    pub(crate) extremes: Extremes,
    /// Whether instructions that convert floats to integers saturate and make a NaN zero.
    pub(crate) saturates: bool,
    /// Constant parts of addresses below this are separate additions without overflow, for targets whose loads and stores take
    /// them only then.
    pub(crate) offsets: i64,
    /// Whether processors round to integers.
    pub(crate) rounds: bool,
    /// Whether processors convert f16.
    pub(crate) f16: Conversions,
}

/// How a kind of processor computes a minimum or a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extremes {
    /// By comparisons.
    Compared,
    /// By an instruction that takes longer than a comparison and a select.
    Slow,
    /// By an instruction.
    Quick,
}

/// Which processors of a kind have instructions that convert f16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversions {
    Always,
    /// Those with fused multiply-adds.
    WithFused,
    Never,
}

/// 64-bit ARM.
const ARM: Architecture = Architecture {
    fused: true,
    extremes: Extremes::Quick,
    saturates: true,
    rounds: true,
    f16: Conversions::Always,
    ..Architecture::PLAIN
};

/// Without NEON on 32-bit ARM, as its vectors flush subnormal numbers to zero. The features of WebAssembly are those that all
/// browsers have had for years.
const ARCHITECTURES: [Architecture; 8] = [
    Architecture { prefix: "x86_64", rounds: true, f16: Conversions::WithFused, ..Architecture::PLAIN },
    Architecture { prefix: "aarch64", ..ARM },
    Architecture { prefix: "arm64", ..ARM },
    Architecture {
        prefix: "riscv64",
        features: "+m,+a,+f,+d,+c",
        abi: "lp64d",
        fused: true,
        rounds: true,
        ..Architecture::PLAIN
    },
    Architecture { prefix: "riscv32", features: "+m,+c", abi: "ilp32", ..Architecture::PLAIN },
    Architecture { prefix: "thumb", ..Architecture::PLAIN },
    Architecture { prefix: "armv7", features: "+v7,+vfp3,-d32,+thumb2,-neon", ..Architecture::PLAIN },
    Architecture {
        prefix: "wasm32",
        features: "+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals",
        // engines compose them on x86-64
        extremes: Extremes::Slow,
        saturates: true,
        // no buffer begins below it, so that no address does without its offset
        offsets: 1024,
        rounds: true,
        ..Architecture::PLAIN
    },
];

impl Architecture {
    /// A processor without any of it.
    pub(crate) const PLAIN: Architecture = Architecture {
        prefix: "",
        features: "",
        abi: "",
        fused: false,
        extremes: Extremes::Compared,
        saturates: false,
        offsets: 0,
        rounds: false,
        f16: Conversions::Never,
    };

    /// That of a triple; `None` if code was never generated for it.
    pub(crate) fn of(triple: &str) -> Option<&'static Architecture> {
        ARCHITECTURES.iter().find(|architecture| triple.starts_with(architecture.prefix))
    }

    /// A triple as LLVM spells it: Rust's and GNU's name the extensions of RISC-V, too.
    pub(crate) fn triple(stated: &str) -> String {
        let (processor, rest) = stated.split_once('-').unwrap_or((stated, ""));
        let plain =
            ["riscv64", "riscv32"].into_iter().find(|prefix| processor.starts_with(prefix)).unwrap_or(processor);
        if rest.is_empty() { plain.to_string() } else { format!("{plain}-{rest}") }
    }

    /// Whether code may run at any address. Modules of WebAssembly and programs without an operating system have one place.
    pub(crate) fn relocation(triple: &str) -> RelocMode {
        match is_wasm(triple) || triple.contains("-none") {
            true => RelocMode::Static,
            false => RelocMode::PIC,
        }
    }
}

pub(crate) fn is_wasm(triple: &str) -> bool {
    triple.starts_with("wasm")
}

/// Whether a module is for x86-64.
pub(crate) fn is_for_x86(unit: &Module<'_>) -> bool {
    unit.get_triple().as_str().to_bytes().starts_with(b"x86_64")
}

/// Whether a target's objects are ELF.
pub(crate) fn is_elf(triple: &str) -> bool {
    !is_wasm(triple) && !["apple", "darwin", "windows"].iter().any(|system| triple.contains(system))
}

/// Whether bytes begin as those of an object file: ELF, WebAssembly, Mach-O, COFF for x86-64 or AArch64.
pub(crate) fn is_object(bytes: &[u8]) -> bool {
    let begins: [&[u8]; 5] = [b"\x7fELF", b"\0asm", b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa"];
    begins.iter().any(|begin| bytes.starts_with(begin))
}

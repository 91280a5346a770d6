//! The instruction sets that kernels are compiled for.

use std::sync::LazyLock;

/// The instruction set levels of a processor. [`Level::V4`] and later ones of x86-64 include those before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// AVX2, FMA and F16C.
    V3,
    /// AVX-512 with elements of every size.
    V4,
    /// AVX-512 VBMI: byte permutations.
    Vbmi,
    /// AVX-512 VNNI: dot products of four int8.
    Vnni,
    /// AMX int8: products of tiles.
    Amx,
    /// NEON, which every AArch64 processor has.
    Neon,
    /// AArch64's dotprod: dot products of four int8 or four uint8.
    Dotprod,
    /// AArch64's i8mm: dot products of four int8 and four uint8.
    I8mm,
}

impl Level {
    /// In the order of their numbers.
    const ALL: [Level; 8] =
        [Level::V3, Level::V4, Level::Vbmi, Level::Vnni, Level::Amx, Level::Neon, Level::Dotprod, Level::I8mm];

    /// Whether this processor has it. Called for every call of a kernel, and detected once.
    #[inline]
    fn is_there(self) -> bool {
        static THERE: LazyLock<[bool; Level::ALL.len()]> = LazyLock::new(|| Level::ALL.map(Level::is_detected));
        THERE[self as usize]
    }

    /// Detects it.
    fn is_detected(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! has {
                ($($feature:tt)*) => { $(is_x86_feature_detected!($feature))&&* };
            }
            match self {
                Level::V3 => has!("avx2" "fma" "f16c"),
                Level::V4 => has!("avx2" "fma" "f16c" "avx512f" "avx512bw" "avx512dq" "avx512vl"),
                Level::Vbmi => Level::V4.is_detected() && has!("avx512vbmi"),
                Level::Vnni => Level::V4.is_detected() && has!("avx512vnni"),
                Level::Amx => Level::Vnni.is_detected() && super::x86_matrix::is_there(),
                Level::Neon | Level::Dotprod | Level::I8mm => false,
            }
        }
        #[cfg(target_arch = "aarch64")]
        match self {
            Level::Neon => true,
            Level::Dotprod => std::arch::is_aarch64_feature_detected!("dotprod"),
            Level::I8mm => std::arch::is_aarch64_feature_detected!("i8mm"),
            Level::V3 | Level::V4 | Level::Vbmi | Level::Vnni | Level::Amx => false,
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        false
    }
}

/// A kernel that is compiled for several levels.
pub(super) trait Instances: Copy + 'static {
    /// The portable instance.
    const PORTABLE: Self;
    /// The instances for levels of this architecture, the best first.
    const WIDE: &'static [(Level, Self)] = &[];

    /// The instances that run on this processor, the best first.
    fn usable() -> impl Iterator<Item = Self> {
        let wide = Self::WIDE.iter().filter(|(level, _)| level.is_there());
        wide.map(|(_, instance)| *instance).chain([Self::PORTABLE])
    }

    /// The best instance that runs on this processor.
    fn best() -> Self {
        Self::usable().next().unwrap_or(Self::PORTABLE)
    }
}

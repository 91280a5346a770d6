//! The instruction sets that kernels are compiled for.

/// What a processor has, each level with what those before it have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, reason = "others have no more than what everything is compiled for")
)]
pub(super) enum Level {
    /// AVX2, fused products, conversions of halves.
    V3,
    /// AVX-512 with elements of every size.
    V4,
    /// Products of bytes, four at a time.
    Vnni,
}

impl Level {
    /// Whether this processor has it.
    #[inline]
    fn is_there(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! has {
                ($($feature:tt)*) => { $(is_x86_feature_detected!($feature))&&* };
            }
            // what is asked first is what the best machines have and others have not
            let (wide, bytes) = match self {
                Level::V3 => (false, false),
                Level::V4 => (true, false),
                Level::Vnni => (true, true),
            };
            (!bytes || has!("avx512vnni"))
                && (!wide || has!("avx512f" "avx512bw" "avx512dq" "avx512vl"))
                && has!("avx2" "fma" "f16c")
        }
        #[cfg(not(target_arch = "x86_64"))]
        false
    }
}

/// Kernels that are compiled for several levels.
pub(super) trait Instances: Copy + 'static {
    /// For any machine.
    const PORTABLE: Self;
    /// For processors of this architecture that have a level, the best first.
    const WIDE: &'static [(Level, Self)] = &[];

    /// Those that run on this processor, the best first.
    fn usable() -> impl Iterator<Item = Self> {
        let wide = Self::WIDE.iter().filter(|(level, _)| level.is_there());
        wide.map(|(_, instance)| *instance).chain([Self::PORTABLE])
    }

    /// The best that runs on this processor.
    fn best() -> Self {
        Self::usable().next().unwrap_or(Self::PORTABLE)
    }
}

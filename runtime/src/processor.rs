//! The instruction set level of the processor: x86-64-v2, -v3 or -v4.

/// The highest level that the processor supports: 1 to 4; 0 on other architectures.
pub fn level() -> i64 {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! has {
            ($($feature:tt)*) => { $(is_x86_feature_detected!($feature))&&* };
        }
        let v2 = has!("cmpxchg16b" "popcnt" "sse3" "ssse3" "sse4.1" "sse4.2");
        let v3 = v2 && has!("avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe");
        let v4 = v3 && has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl");
        1 + i64::from(v2) + i64::from(v3) + i64::from(v4)
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

//! The instructions that the processor has.

/// Returns whether the processor has AVX2; without the standard library, whether the target has it.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn has_avx2() -> bool {
    #[cfg(feature = "std")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(feature = "std"))]
    return cfg!(target_feature = "avx2");
}

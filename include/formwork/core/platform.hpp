#pragma once
// The only header that defines macros. Everything that depends on the compiler, the instruction set or the
// operating system is named here once.

/// Marks a function that also runs on a device when a CUDA compiler reads it.
#if defined(__CUDACC__)
#define FORMWORK_HD __host__ __device__
#else
#define FORMWORK_HD
#endif

/// The vector instruction set this translation unit is compiled for. It is part of the ABI: kernels live in
/// an inline namespace of this name, and core/abi_guard.hpp makes the linker refuse a mixture.
#if defined(__CUDACC__)
#define FORMWORK_ISA scalar
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
#define FORMWORK_ISA avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define FORMWORK_ISA avx2_fma
#elif defined(__AVX2__)
#define FORMWORK_ISA avx2
#elif defined(__AVX__)
#define FORMWORK_ISA avx
#elif defined(__SSE2__)
#define FORMWORK_ISA sse2
#elif defined(__ARM_NEON)
#define FORMWORK_ISA neon
#else
#define FORMWORK_ISA portable
#endif

/// Text of a macro's value.
#define FORMWORK_TEXT_OF(x) #x
#define FORMWORK_TEXT(x) FORMWORK_TEXT_OF(x)

// Not-a-number is how a diverging run is noticed; with finite-math-only the compiler deletes those tests.
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "formwork: compile without -ffast-math and -ffinite-math-only, they delete tests for non-finite losses"
#endif

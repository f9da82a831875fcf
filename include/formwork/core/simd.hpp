#pragma once
// The one header that includes xsimd (8.1 to 14): batches with the few operations the kernels need.
// Everything lives in an inline namespace named after the instruction set.
// Under a CUDA compiler a batch is a scalar.
#include <formwork/core/types.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>

#if !defined(__CUDACC__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 warns about its own AVX-512 intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif

namespace formwork::simd {
inline namespace FORMWORK_ISA {

#if defined(__CUDACC__)
/// One number where there are no vectors; the functions are those of the other branch.
template <class T> using batch = T;
template <class T> inline constexpr index_t width = 1;
template <class T> T load(const T* p) { return *p; }
template <class T> void store(T* p, T v) { *p = v; }
template <class T> T fma(T a, T b, T c) { return a * b + c; }
template <class T> T sum(T v) { return v; }
template <class T> T highest(T v) { return v; }
template <class T> T max(T a, T b) { return a < b ? b : a; }
template <class T> T min(T a, T b) { return b < a ? b : a; }
template <class T> T where(bool c, T a, T b) { return c ? a : b; }
template <class T> T exp(T x) { return std::exp(x); }
template <class T> T keep(std::uint64_t bits, T v) { return bits & 1 ? v : T(0); }
#else
/// As many numbers of type T as the instruction set works on at once.
template <class T> using batch = xsimd::batch<T>;

/// Elements of T in one batch.
template <class T> inline constexpr index_t width = index_t(xsimd::batch<T>::size);

template <class T> batch<T> load(const T* p) { return batch<T>::load_unaligned(p); }
template <class T> void store(T* p, const batch<T>& v) { v.store_unaligned(p); }

/// a * b + c, rounded once where the instruction set has it.
template <class T> batch<T> fma(const batch<T>& a, const batch<T>& b, const batch<T>& c) {
#if defined(__AVX512F__)
  if constexpr (std::same_as<T, float>) return _mm512_fmadd_ps(a, b, c);
  else if constexpr (std::same_as<T, double>) return _mm512_fmadd_pd(a, b, c);
  else return xsimd::fma(a, b, c);
#else
  return xsimd::fma(a, b, c);
#endif
}

/// Sum of the elements of a batch, always in the same order.
template <class T> T sum(const batch<T>& v) {
#if XSIMD_VERSION_MAJOR >= 9
  return xsimd::reduce_add(v);
#else
  return xsimd::hadd(v);
#endif
}

/// Largest element of a batch.
template <class T> T highest(const batch<T>& v) {
  alignas(batch<T>) T lane[width<T>];
  v.store_aligned(lane);
  T best = lane[0];
  for (index_t i = 1; i < width<T>; ++i) best = lane[i] > best ? lane[i] : best;
  return best;
}

template <class T> batch<T> max(const batch<T>& a, const batch<T>& b) { return xsimd::max(a, b); }
template <class T> batch<T> min(const batch<T>& a, const batch<T>& b) { return xsimd::min(a, b); }
template <class T> batch<T> where(const xsimd::batch_bool<T>& c, const batch<T>& a, const batch<T>& b) {
  return xsimd::select(c, a, b);
}

/// e to the power of each element. Not-a-number stays, -infinity gives 0. With AVX-512 the error of a float
/// is below 1.1 units in the last place: x = n ln 2 + r, and e^r by a polynomial through Chebyshev nodes.
/// Without it xsimd's, which gives infinity for results above half the largest number already.
template <class T> [[gnu::always_inline]] inline batch<T> exp(const batch<T>& v) {
#if defined(__AVX512F__)
  if constexpr (std::same_as<T, float>) {
    const auto c = [](float value) { return _mm512_set1_ps(value); };
    // max and min give their second operand when one is not a number.
    const __m512 x = _mm512_min_ps(c(89.0f), _mm512_max_ps(c(-105.0f), v));
    constexpr int nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, c(1.44269504f)), nearest);
    const __m512 r = _mm512_fnmadd_ps(n, c(-2.12194440e-4f), _mm512_fnmadd_ps(n, c(0.693359375f), x));
    __m512 p = _mm512_fmadd_ps(r, c(0.0013926213f), c(0.0083632030f));
    p = _mm512_fmadd_ps(p, r, c(0.0416665544f));
    p = _mm512_fmadd_ps(p, r, c(0.1666657685f));
    p = _mm512_fmadd_ps(p, r, c(0.5f));
    p = _mm512_fmadd_ps(p, _mm512_mul_ps(r, r), r);
    return _mm512_scalef_ps(_mm512_add_ps(p, c(1.0f)), n);
  } else if constexpr (std::same_as<T, double>) {  // Taylor's polynomial: what is missing is below 2^-57
    const auto c = [](double value) { return _mm512_set1_pd(value); };
    constexpr double inverse_factorial[14] = {
        1,         1,          1. / 2,      1. / 6,       1. / 24,       1. / 120,       1. / 720,
        1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800};
    constexpr int nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    const __m512d x = _mm512_min_pd(c(710.0), _mm512_max_pd(c(-746.0), v));
    const __m512d n = _mm512_roundscale_pd(_mm512_mul_pd(x, c(0x1.71547652b82fep+0)), nearest);
    const __m512d high = _mm512_fnmadd_pd(n, c(0x1.62e42feep-1), x);
    const __m512d r = _mm512_fnmadd_pd(n, c(0x1.a39ef35793c76p-33), high);
    __m512d p = c(inverse_factorial[13]);
    for (int i = 12; i >= 2; --i) p = _mm512_fmadd_pd(p, r, c(inverse_factorial[i]));
    p = _mm512_fmadd_pd(p, _mm512_mul_pd(r, r), r);
    return _mm512_scalef_pd(_mm512_add_pd(p, c(1.0)), n);
  } else {
    return xsimd::exp(v);
  }
#else
  return xsimd::exp(v);
#endif
}

/// The elements whose bit is set (bit i for element i); the others are exactly 0, whatever they were.
template <class T> batch<T> keep(std::uint64_t bits, const batch<T>& v) {
#if defined(__AVX512F__)
  if constexpr (std::same_as<T, float>) return _mm512_maskz_mov_ps(__mmask16(bits), v);
  else if constexpr (std::same_as<T, double>) return _mm512_maskz_mov_pd(__mmask8(bits), v);
#endif
  alignas(64) T lane[width<T>];
  v.store_unaligned(lane);
  for (index_t i = 0; i < width<T>; ++i) lane[i] = (bits >> i & 1) ? lane[i] : T(0);
  return load(lane);
}
#endif

/// The first n < width elements at p; the rest of the batch is `fill`. Never reads past p + n.
template <class T> batch<T> load_part(const T* p, index_t n, T fill = T(0)) {
#if defined(__AVX512F__) && !defined(__CUDACC__)
  if constexpr (std::same_as<T, float>)
    return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), __mmask16((1u << n) - 1), p);
  else if constexpr (std::same_as<T, double>)
    return _mm512_mask_loadu_pd(_mm512_set1_pd(fill), __mmask8((1u << n) - 1), p);
#endif
  alignas(64) T lane[width<T>];
  for (index_t i = 0; i < width<T>; ++i) lane[i] = i < n ? p[i] : fill;
  return load(lane);
}

/// Writes the first n < width elements. Never writes past p + n.
template <class T> void store_part(T* p, const batch<T>& v, index_t n) {
#if defined(__AVX512F__) && !defined(__CUDACC__)
  if constexpr (std::same_as<T, float>) return _mm512_mask_storeu_ps(p, __mmask16((1u << n) - 1), v);
  else if constexpr (std::same_as<T, double>) return _mm512_mask_storeu_pd(p, __mmask8((1u << n) - 1), v);
#endif
  alignas(64) T lane[width<T>];
  store(lane, v);
  for (index_t i = 0; i < n; ++i) p[i] = lane[i];
}

/// The first n elements at p, n >= 1; whole batches and the last part of a row by one spelling.
template <class T> batch<T> load_some(const T* p, index_t n, T fill = T(0)) {
  return n < width<T> ? load_part(p, n, fill) : load(p);
}
template <class T> void store_some(T* p, const batch<T>& v, index_t n) {
  if (n < width<T>) store_part(p, v, n);
  else store(p, v);
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::simd

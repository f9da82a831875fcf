#pragma once
// The one header that names xsimd (8.1 to 14): batches with the few operations the kernels need. Everything lives in
// an inline namespace named after the instruction set. Under a CUDA compiler a batch is one scalar (DESIGN section 3).
#include <formwork/core/types.hpp>

#include <cmath>
#include <concepts>

#if !defined(__CUDACC__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 warns about its own AVX-512 intrinsics
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif

namespace formwork::simd {
inline namespace FORMWORK_ISA {

#if defined(__CUDACC__)
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
#else
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
#endif

/// The first n < width elements at p; the rest of the batch is `fill`. Never reads past p + n.
template <class T> batch<T> load_part(const T* p, index_t n, T fill = T(0)) {
  alignas(64) T lane[width<T>];
  for (index_t i = 0; i < width<T>; ++i) lane[i] = i < n ? p[i] : fill;
  return load(lane);
}

/// Writes the first n < width elements. Never writes past p + n.
template <class T> void store_part(T* p, const batch<T>& v, index_t n) {
  alignas(64) T lane[width<T>];
  store(lane, v);
  for (index_t i = 0; i < n; ++i) p[i] = lane[i];
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::simd

#pragma once
// The mathematics of one element, with one spelling for scalars, SIMD batches and dual numbers
// (core/dual.hpp), so that an element function is written once: `template <class V> V operator()(V x) const {
// return x * sigmoid(x); }`. Only the scalar overloads are device functions; no SIMD type meets a `__host__
// __device__` function.
#include <formwork/core/platform.hpp>
#include <formwork/core/simd.hpp>

#include <cmath>
#include <concepts>

namespace formwork {

/// Functions of one element, rounded as the standard library rounds them.
template <std::floating_point T>
FORMWORK_HD T exp(T x) {
  return std::exp(x);
}
template <std::floating_point T>
FORMWORK_HD T log(T x) {
  return std::log(x);
}
template <std::floating_point T>
FORMWORK_HD T tanh(T x) {
  return std::tanh(x);
}
template <std::floating_point T>
FORMWORK_HD T erf(T x) {
  return std::erf(x);
}
template <std::floating_point T>
FORMWORK_HD T sqrt(T x) {
  return std::sqrt(x);
}
template <std::floating_point T>
FORMWORK_HD T abs(T x) {
  return std::fabs(x);
}

/// The larger one; `a` when they are equal. A not-a-number may or may not get through.
template <std::floating_point T>
FORMWORK_HD T max(T a, T b) {
  return a < b ? b : a;
}
template <std::floating_point T>
FORMWORK_HD T min(T a, T b) {
  return b < a ? b : a;
}

/// -1, 0 or 1.
template <std::floating_point T>
FORMWORK_HD T sign(T x) {
  return T(T(0) < x) - T(x < T(0));
}

/// `a` where the condition holds, else `b`; both are computed.
template <std::floating_point T>
FORMWORK_HD T where(bool condition, T a, T b) {
  return condition ? a : b;
}

/// 1 / (1 + exp(-x)); no overflow for any finite x.
template <std::floating_point T>
FORMWORK_HD T sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

#if !defined(__CUDACC__)
/// The same for batches; the last bits may differ from the scalar functions.
template <class T>
[[gnu::always_inline]] inline simd::batch<T> exp(const simd::batch<T>& x) {
  return simd::exp(x);
}
template <class T>
[[gnu::always_inline]] inline simd::batch<T> log(const simd::batch<T>& x) {
  return xsimd::log(x);
}
template <class T>
[[gnu::always_inline]] inline simd::batch<T> tanh(const simd::batch<T>& x) {
  return xsimd::tanh(x);
}
template <class T>
[[gnu::always_inline]] inline simd::batch<T> erf(const simd::batch<T>& x) {
  return xsimd::erf(x);
}
template <class T>
[[gnu::always_inline]] inline simd::batch<T> sqrt(const simd::batch<T>& x) {
  return xsimd::sqrt(x);
}
template <class T>
[[gnu::always_inline]] inline simd::batch<T> abs(const simd::batch<T>& x) {
  return xsimd::abs(x);
}
template <class T>
[[gnu::always_inline]] inline simd::batch<T> max(const simd::batch<T>& a, const simd::batch<T>& b) {
  return simd::max(a, b);
}
template <class T>
[[gnu::always_inline]] inline simd::batch<T> min(const simd::batch<T>& a, const simd::batch<T>& b) {
  return simd::min(a, b);
}
template <class T>
[[gnu::always_inline]] inline auto where(const xsimd::batch_bool<T>& condition, const simd::batch<T>& a,
                                         const simd::batch<T>& b) {
  return simd::where(condition, a, b);
}
template <class T>
[[gnu::always_inline]] inline simd::batch<T> sign(const simd::batch<T>& x) {
  const simd::batch<T> zero(T(0)), one(T(1));
  return simd::where(zero < x, one, simd::where(x < zero, -one, zero));
}
template <class T>
[[gnu::always_inline]] inline simd::batch<T> sigmoid(const simd::batch<T>& x) {
  const simd::batch<T> one(T(1));
  return one / (one + simd::exp(-x));
}
#endif

namespace detail {
template <class V>
struct scalar_of {
  using type = V;
};
#if !defined(__CUDACC__)
template <class T>
struct scalar_of<simd::batch<T>> {
  using type = T;
};
#endif
}  // namespace detail

/// The number type inside V: T for T, batch<T> and dual<...>. Constants of an element function are written
/// `scalar_of<V>(0.5)`, then a dual number does not carry their zero slope through every product.
template <class V>
using scalar_of = typename detail::scalar_of<V>::type;

}  // namespace formwork

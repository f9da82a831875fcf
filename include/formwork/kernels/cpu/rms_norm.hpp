#pragma once
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/kernels/cpu/slots.hpp>
#include <formwork/tensor/view.hpp>

#include <cmath>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// What a row is divided by: the root of its mean square (RMSNorm) or its length.
enum class row_size { rms, length };

namespace detail {

template <class T>
void rms_norm_row(const T* x, const T* gain, index_t n, row_size by, double eps, T* y, T* inverse) {
  const double squares = double(row_sum<T>(n, [&](index_t i, index_t count) {
    const simd::batch<T> v = simd::load_some(x + i, count);
    return v * v;
  }));
  *inverse = T(1 / std::sqrt((by == row_size::rms ? squares / double(n) : squares) + eps));
  const simd::batch<T> scale(*inverse);
  for_each_batch<T>(n, [&](index_t i, index_t count) {
    simd::store_some(y + i, simd::load_some(x + i, count) * scale * simd::load_some(gain + i, count), count);
  });
}

template <class T>
void rms_norm_row_gradient(const T* dy, const T* x, const T* gain, index_t n, row_size by, T inverse, T* dx,
                           bool add) {
  const simd::batch<T> scale(inverse);
  const auto normal = [&](index_t i, index_t count) { return simd::load_some(x + i, count) * scale; };
  const auto dnormal = [&](index_t i, index_t count) {
    return simd::load_some(dy + i, count) * simd::load_some(gain + i, count);
  };
  const T sum = row_sum<T>(n, [&](index_t i, index_t count) { return dnormal(i, count) * normal(i, count); });
  const simd::batch<T> along(by == row_size::rms ? sum / T(n) : sum);
  for_each_batch<T>(n, [&](index_t i, index_t count) {
    simd::batch<T> d = (dnormal(i, count) - normal(i, count) * along) * scale;
    if (add) d = d + simd::load_some(dx + i, count);
    simd::store_some(dx + i, d, count);
  });
}

/// Adds the rows' contributions to N batches of dgain from column c on; the sums stay in registers.
template <int N, class T>
void rms_norm_columns(matrix_view<const T> dy, matrix_view<const T> x, matrix_view<const T> inverse,
                      index_t c, index_t count, T* dgain) {
  constexpr index_t W = simd::width<T>;
  simd::batch<T> g[N];
  for (int k = 0; k < N; ++k) g[k] = simd::load_some(dgain + c + k * W, count);
  for (index_t r = 0; r < dy.rows; ++r) {
    const simd::batch<T> scale(*inverse.row(r));
    for (int k = 0; k < N; ++k)
      g[k] = simd::fma(simd::load_some(dy.row(r) + c + k * W, count),
                       simd::load_some(x.row(r) + c + k * W, count) * scale, g[k]);
  }
  for (int k = 0; k < N; ++k) simd::store_some(dgain + c + k * W, g[k], count);
}

}  // namespace detail

/// Divides each row by its size and multiplies by a gain: y = x / sqrt(mean of x^2 + eps) * gain, or
/// y = x / sqrt(sum of x^2 + eps) * gain.
/// Shapes:   x, y [rows, D], gain [D], inverse [rows, 1] receives 1 / size of each row
/// Requires: D >= 1, equal shapes (checked); y may be x
/// Cost:     about 4 flops an element, one read and one write of memory
/// Source:   Zhang, Sennrich 2019, eq. 4 (the epsilon is everybody's); Nguyen, Salazar 2019, section 2
template <class T>
void rms_norm_forward(cpu_backend& backend, matrix_view<const T> x, const T* gain, row_size by, double eps,
                      matrix_view<T> y, matrix_view<T> inverse) {
  if (x.width < 1 || y.rows != x.rows || y.width != x.width || inverse.rows != x.rows || inverse.width < 1)
    fail("rms_norm: x is [", x.rows, ", ", x.width, "], y is [", y.rows, ", ", y.width, "], inverse is [",
         inverse.rows, ", ", inverse.width, "]; expected equal x and y and one number a row");
  const row_chunks chunks(x.rows, 8);
  backend.team().run(chunks.count(), [&](index_t task) {
    for (index_t r = chunks.begin(task); r < chunks.end(task); ++r)
      detail::rms_norm_row(x.row(r), gain, x.width, by, eps, y.row(r), inverse.row(r));
  });
}

/// Gradient of rms_norm_forward from the saved input and inverse sizes.
/// Shapes:   dy, x, dx [rows, D], inverse [rows, 1], gain, dgain [D]
/// Requires: equal shapes (checked); dx may be dy; dgain is added into, dx too if `add_dx`; dgain may be null
/// Gradient: with h = x inverse, dh = dy gain, m the mean (rms) or the sum (length) of dh h over the row:
///           dx = inverse (dh - h m); dgain += sum over rows of dy h
/// Determinism: the rows are summed in fixed chunks, whatever the number of threads.
template <class T>
void rms_norm_backward(cpu_backend& backend, matrix_view<const T> dy, matrix_view<const T> x,
                       matrix_view<const T> inverse, const T* gain, row_size by, matrix_view<T> dx,
                       bool add_dx, T* dgain) {
  const index_t n = x.width;
  if (n < 1 || dy.rows != x.rows || dy.width != n || dx.rows != x.rows || dx.width != n ||
      inverse.rows != x.rows)
    fail("rms_norm: x is [", x.rows, ", ", n, "], dy is [", dy.rows, ", ", dy.width, "], dx is [", dx.rows,
         ", ", dx.width, "], ", inverse.rows, " inverse sizes; expected equal shapes");
  constexpr index_t W = simd::width<T>, block = 16;  // rows that are still in the cache for the second pass
  const row_chunks chunks(x.rows, block);
  T* const partial = dgain ? backend.scratch<T>(slot_reduction, chunks.count() * n) : nullptr;
  backend.team().run(chunks.count(), [&](index_t task) {
    T* const gains = dgain ? partial + task * n : nullptr;
    if (dgain) std::fill_n(gains, n, T(0));
    for (index_t r = chunks.begin(task); r < chunks.end(task); r += block) {
      const index_t rows = std::min(block, chunks.end(task) - r);
      const auto dys = dy.slice(r, rows), xs = x.slice(r, rows), inverses = inverse.slice(r, rows);
      index_t c = 0;
      for (; dgain && c + 4 * W <= n; c += 4 * W)
        detail::rms_norm_columns<4, T>(dys, xs, inverses, c, W, gains);
      for (; dgain && c < n; c += W)
        detail::rms_norm_columns<1, T>(dys, xs, inverses, c, std::min(W, n - c), gains);
      for (index_t i = 0; i < rows; ++i)
        detail::rms_norm_row_gradient(dys.row(i), xs.row(i), gain, n, by, *inverses.row(i), dx.row(r + i),
                                      add_dx);
    }
  });
  if (dgain) add_partial_sums(backend, dgain, partial, chunks.count(), n, n);
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

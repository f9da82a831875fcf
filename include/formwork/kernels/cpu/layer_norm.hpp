#pragma once
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/kernels/cpu/slots.hpp>
#include <formwork/tensor/view.hpp>

#include <cmath>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {
namespace detail {

template <class T>
void layer_norm_row(const T* x, const T* gain, const T* bias, index_t n, double eps, T* y, T* stats) {
  const T mean =
      row_sum<T>(n, [&](index_t i, index_t count) { return simd::load_some(x + i, count); }) / T(n);
  const simd::batch<T> center(mean);
  const T squares = row_sum<T>(n, [&](index_t i, index_t count) {
    const simd::batch<T> d = simd::load_some(x + i, count, mean) - center;
    return d * d;
  });
  const T rstd = T(1 / std::sqrt(double(squares) / double(n) + eps));
  const simd::batch<T> scale(rstd);
  for_each_batch<T>(n, [&](index_t i, index_t count) {
    const simd::batch<T> normal = (simd::load_some(x + i, count) - center) * scale;
    simd::store_some(
        y + i, simd::fma(normal, simd::load_some(gain + i, count), simd::load_some(bias + i, count)), count);
  });
  stats[0] = mean;
  stats[1] = rstd;
}

template <class T>
void layer_norm_row_gradient(const T* dy, const T* x, const T* gain, index_t n, const T* stats, T* dx,
                             bool add) {
  const simd::batch<T> mean(stats[0]), rstd(stats[1]);
  const auto normal = [&](index_t i, index_t count) {
    return (simd::load_some(x + i, count, stats[0]) - mean) * rstd;
  };
  const auto dnormal = [&](index_t i, index_t count) {
    return simd::load_some(dy + i, count) * simd::load_some(gain + i, count);
  };
  const simd::batch<T> a(row_sum<T>(n, dnormal) / T(n));
  const simd::batch<T> b(
      row_sum<T>(n, [&](index_t i, index_t count) { return dnormal(i, count) * normal(i, count); }) / T(n));
  for_each_batch<T>(n, [&](index_t i, index_t count) {
    simd::batch<T> d = (dnormal(i, count) - a - normal(i, count) * b) * rstd;
    if (add) d = d + simd::load_some(dx + i, count);
    simd::store_some(dx + i, d, count);
  });
}

/// Adds the rows' contributions to N batches of dgain and dbias from column c on. The sums stay in registers
/// over the rows of the block: through memory, row by row, they cost more than everything else.
template <int N, class T>
void layer_norm_columns(matrix_view<const T> dy, matrix_view<const T> x, matrix_view<const T> stats,
                        index_t c, index_t count, T* dgain, T* dbias) {
  constexpr index_t W = simd::width<T>;
  simd::batch<T> g[N], b[N];
  for (int k = 0; k < N; ++k) g[k] = b[k] = simd::batch<T>(T(0));
  for (index_t r = 0; r < dy.rows; ++r) {
    const simd::batch<T> mean(stats.row(r)[0]), rstd(stats.row(r)[1]);
    for (int k = 0; k < N; ++k) {
      const simd::batch<T> d = simd::load_some(dy.row(r) + c + k * W, count);
      g[k] = simd::fma(d, (simd::load_some(x.row(r) + c + k * W, count) - mean) * rstd, g[k]);
      b[k] = b[k] + d;
    }
  }
  for (int k = 0; k < N; ++k) {
    simd::store_some(dgain + c + k * W, simd::load_some(dgain + c + k * W, count) + g[k], count);
    simd::store_some(dbias + c + k * W, simd::load_some(dbias + c + k * W, count) + b[k], count);
  }
}

}  // namespace detail

/// Normalises each row to zero mean and unit variance, then scales and shifts:
/// y = (x - mean) * rstd * gain + bias. The variance is the mean square of x - mean, in a second pass:
/// E[x^2] - mean^2 would lose all digits of a row with a large mean.
/// Shapes:   x [rows, D], gain [D], bias [D] -> y [rows, D], stats [rows, 2] = mean, rstd
/// Requires: D >= 1, equal shapes (checked); y may be x
/// Cost:     about 8 flops an element, one read and one write of memory
/// Source:   Ba, Kiros, Hinton 2016, equations 3 and 4
template <class T>
void layer_norm_forward(cpu_backend& backend, matrix_view<const T> x, const T* gain, const T* bias,
                        double eps, matrix_view<T> y, matrix_view<T> stats) {
  if (x.width < 1 || y.rows != x.rows || y.width != x.width || stats.rows != x.rows || stats.width < 2)
    fail("layer_norm: x is [", x.rows, ", ", x.width, "], y is [", y.rows, ", ", y.width, "], stats is [",
         stats.rows, ", ", stats.width, "]; expected equal x and y and two statistics a row");
  const row_chunks chunks(x.rows, 8);
  backend.team().run(chunks.count(), [&](index_t task) {
    for (index_t r = chunks.begin(task); r < chunks.end(task); ++r)
      detail::layer_norm_row(x.row(r), gain, bias, x.width, eps, y.row(r), stats.row(r));
  });
}

/// Gradient of layer_norm_forward from the saved input and statistics.
/// Shapes:   dy, x, dx [rows, D], stats [rows, 2], gain, dgain, dbias [D]
/// Requires: equal shapes (checked); dx may be dy; dgain and dbias are added into, dx too if `add_dx`
/// Gradient: dx = rstd * (dh - mean(dh) - h * mean(dh * h)), dh = dy * gain, h = (x - mean) * rstd;
///           dgain += sum over rows of dy * h; dbias += sum over rows of dy
/// Determinism: the rows are summed in fixed chunks, whatever the number of threads.
template <class T>
void layer_norm_backward(cpu_backend& backend, matrix_view<const T> dy, matrix_view<const T> x,
                         matrix_view<const T> stats, const T* gain, matrix_view<T> dx, bool add_dx, T* dgain,
                         T* dbias) {
  const index_t n = x.width;
  if (n < 1 || dy.rows != x.rows || dy.width != n || dx.rows != x.rows || dx.width != n ||
      stats.rows != x.rows)
    fail("layer_norm: x is [", x.rows, ", ", n, "], dy is [", dy.rows, ", ", dy.width, "], dx is [", dx.rows,
         ", ", dx.width, "], ", stats.rows, " rows of statistics; expected equal shapes");
  if (x.rows == 0) return;
  constexpr index_t W = simd::width<T>, block = 16;  // rows that are still in the cache for the second pass
  const row_chunks chunks(x.rows, block);
  T* const partial = backend.scratch<T>(slot_reduction, chunks.count() * 2 * n);
  backend.team().run(chunks.count(), [&](index_t task) {
    T* const gains = partial + task * 2 * n;
    T* const biases = gains + n;
    std::fill(gains, gains + 2 * n, T(0));
    for (index_t r = chunks.begin(task); r < chunks.end(task); r += block) {
      const index_t rows = std::min(block, chunks.end(task) - r);
      const auto dys = dy.slice(r, rows), xs = x.slice(r, rows), st = stats.slice(r, rows);
      index_t c = 0;
      for (; c + 4 * W <= n; c += 4 * W) detail::layer_norm_columns<4, T>(dys, xs, st, c, W, gains, biases);
      for (; c < n; c += W)
        detail::layer_norm_columns<1, T>(dys, xs, st, c, std::min(W, n - c), gains, biases);
      for (index_t i = 0; i < rows; ++i)
        detail::layer_norm_row_gradient(dys.row(i), xs.row(i), gain, n, st.row(i), dx.row(r + i), add_dx);
    }
  });
  add_partial_sums(backend, dgain, partial, chunks.count(), n, 2 * n);
  add_partial_sums(backend, dbias, partial + n, chunks.count(), n, 2 * n);
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

#pragma once
#include <formwork/core/dual.hpp>
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/kernels/cpu/slots.hpp>
#include <formwork/tensor/view.hpp>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// The parameters of y = gain f(alpha x + shift) + bias, or their gradients.
template <class T>
struct dynamic_norm_parameters {
  T* gain = nullptr;   // [D]
  T* bias = nullptr;   // [D]
  T* alpha = nullptr;  // one number
  T* shift = nullptr;  // one number; null for 0
};

namespace detail {

/// N batches of columns from column c on of a block of rows: dx (+)= dz alpha, dz = dy gain f', and the rows'
/// contributions to dgain, dbias and, by column, to dalpha and dshift, which are `width` apart in `sums`.
template <int N, class T, class F>
void dynamic_norm_columns(matrix_view<const T> dy, matrix_view<const T> x, F f,
                          const dynamic_norm_parameters<const T>& p, index_t c, index_t count,
                          matrix_view<T> dx, bool add_dx, T* sums) {
  using batch = simd::batch<T>;
  constexpr index_t W = simd::width<T>;
  const index_t n = x.width;
  const batch alpha(*p.alpha), shift(p.shift ? *p.shift : T(0));
  batch gain[N], sum[4][N];
  for (int k = 0; k < N; ++k) {
    gain[k] = simd::load_some(p.gain + c + k * W, count);
    for (int s = 0; s < 4; ++s) sum[s][k] = simd::load_some(sums + s * n + c + k * W, count);
  }
  for (index_t r = 0; r < dy.rows; ++r)
    for (int k = 0; k < N; ++k) {
      const batch d = simd::load_some(dy.row(r) + c + k * W, count);
      const batch v = simd::load_some(x.row(r) + c + k * W, count);
      const dual<batch> y = derivative(f, simd::fma(alpha, v, shift));
      const batch dz = d * gain[k] * y.slope;
      sum[0][k] = simd::fma(d, y.value, sum[0][k]);
      sum[1][k] = sum[1][k] + d;
      sum[2][k] = simd::fma(dz, v, sum[2][k]);
      sum[3][k] = sum[3][k] + dz;
      T* const to = dx.row(r) + c + k * W;
      simd::store_some(to, add_dx ? simd::fma(dz, alpha, simd::load_some(to, count)) : dz * alpha, count);
    }
  for (int k = 0; k < N; ++k)
    for (int s = 0; s < 4; ++s) simd::store_some(sums + s * n + c + k * W, sum[s][k], count);
}

}  // namespace detail

/// y = gain f(alpha x + shift) + bias, element by element: what stands in for a norm without statistics.
/// f is an element function.
/// Shapes:   x, y [rows, D]
/// Requires: equal shapes (checked); y may be x
/// Source:   Zhu et al. 2025 (DyT), section 4
template <class T, class F>
void dynamic_norm_forward(cpu_backend& backend, matrix_view<const T> x, F f,
                          const dynamic_norm_parameters<const T>& p, matrix_view<T> y) {
  if (y.rows != x.rows || y.width != x.width)
    fail("dynamic_norm: x is [", x.rows, ", ", x.width, "], y is [", y.rows, ", ", y.width,
         "]; expected equal shapes");
  const simd::batch<T> alpha(*p.alpha), shift(p.shift ? *p.shift : T(0));
  const row_chunks chunks(x.rows, 8);
  backend.team().run(chunks.count(), [&](index_t task) {
    for (index_t r = chunks.begin(task); r < chunks.end(task); ++r)
      for_each_batch<T>(x.width, [&](index_t i, index_t count) {
        const simd::batch<T> h = f(simd::fma(alpha, simd::load_some(x.row(r) + i, count), shift));
        const simd::batch<T> gain = simd::load_some(p.gain + i, count);
        simd::store_some(y.row(r) + i, simd::fma(h, gain, simd::load_some(p.bias + i, count)), count);
      });
  });
}

/// Gradient of dynamic_norm_forward.
/// Shapes:   dy, x, dx [rows, D]
/// Requires: equal shapes (checked); dx may be dy; gradients of parameters are added into, dx too if `add_dx`
/// Gradient: with z = alpha x + shift and dz = dy gain f'(z), f' by dual numbers: dx = alpha dz;
///           dgain += sum dy f(z) and dbias += sum dy over the rows; dalpha += sum dz x and dshift += sum dz
/// Determinism: the rows are summed in fixed chunks, whatever the number of threads.
template <class T, class F>
void dynamic_norm_backward(cpu_backend& backend, matrix_view<const T> dy, matrix_view<const T> x, F f,
                           const dynamic_norm_parameters<const T>& p, matrix_view<T> dx, bool add_dx,
                           const dynamic_norm_parameters<T>& d) {
  const index_t n = x.width;
  if (dy.rows != x.rows || dy.width != n || dx.rows != x.rows || dx.width != n)
    fail("dynamic_norm: x is [", x.rows, ", ", n, "], dy is [", dy.rows, ", ", dy.width, "], dx is [",
         dx.rows, ", ", dx.width, "]; expected equal shapes");
  constexpr index_t W = simd::width<T>, block = 16;
  const row_chunks chunks(x.rows, block);
  T* const partial = backend.scratch<T>(slot_reduction, (chunks.count() + 1) * 4 * n);
  backend.team().run(chunks.count(), [&](index_t task) {
    T* const sums = partial + task * 4 * n;
    std::fill_n(sums, 4 * n, T(0));
    for (index_t r = chunks.begin(task); r < chunks.end(task); r += block) {
      const index_t rows = std::min(block, chunks.end(task) - r);
      const auto dys = dy.slice(r, rows), xs = x.slice(r, rows);
      const auto dxs = dx.slice(r, rows);
      index_t c = 0;
      for (; c + 2 * W <= n; c += 2 * W)
        detail::dynamic_norm_columns<2, T>(dys, xs, f, p, c, W, dxs, add_dx, sums);
      for (; c < n; c += W)
        detail::dynamic_norm_columns<1, T>(dys, xs, f, p, c, std::min(W, n - c), dxs, add_dx, sums);
    }
  });
  add_partial_sums(backend, d.gain, partial, chunks.count(), n, 4 * n);
  add_partial_sums(backend, d.bias, partial + n, chunks.count(), n, 4 * n);
  T* const by_column = partial + chunks.count() * 4 * n;
  std::fill_n(by_column, 2 * n, T(0));
  add_partial_sums(backend, by_column, partial + 2 * n, chunks.count(), 2 * n, 4 * n);
  const auto total = [n](const T* columns) {
    double sum = 0;
    for (index_t c = 0; c < n; ++c) sum += double(columns[c]);
    return T(sum);
  };
  *d.alpha += total(by_column);
  if (d.shift) *d.shift += total(by_column + n);
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

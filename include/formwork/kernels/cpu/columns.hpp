#pragma once
#include <formwork/kernels/cpu/elementwise.hpp>
#include <formwork/kernels/cpu/map.hpp>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// Parameters that act on columns come in groups of equal width: one number a column, a head, or a row.
/// to[c] = from[group of c] for n columns.
/// Requires: groups >= 1 divides n (unchecked)
template <class T>
void spread_groups(const T* from, index_t groups, index_t n, T* to) {
  for (index_t g = 0; g < groups; ++g) std::fill_n(to + g * (n / groups), n / groups, from[g]);
}

/// to[g] += sum of from[c] over the columns of group g: what spread_groups is backwards.
template <class T>
void add_groups(const T* from, index_t n, index_t groups, T* to) {
  for (index_t g = 0; g < groups; ++g) {
    double sum = 0;
    for (index_t c = g * (n / groups); c < (g + 1) * (n / groups); ++c) sum += double(from[c]);
    to[g] += T(sum);
  }
}

namespace detail {

/// dx (+)= dy diag(factor) and sums += column sums of dy * x, for N batches of columns from column c on. The
/// sums stay in registers over the rows.
template <int N, class T>
void scale_columns_block(matrix_view<const T> dy, matrix_view<const T> x, const T* factor, index_t c,
                         index_t count, matrix_view<T> dx, bool add_dx, T* sums) {
  constexpr index_t W = simd::width<T>;
  simd::batch<T> f[N], sum[N];
  for (int k = 0; k < N; ++k) {
    f[k] = simd::load_some(factor + c + k * W, count);
    sum[k] = simd::load_some(sums + c + k * W, count);
  }
  for (index_t r = 0; r < dy.rows; ++r)
    for (int k = 0; k < N; ++k) {
      const simd::batch<T> d = simd::load_some(dy.row(r) + c + k * W, count);
      sum[k] = simd::fma(d, simd::load_some(x.row(r) + c + k * W, count), sum[k]);
      T* const to = dx.row(r) + c + k * W;
      simd::store_some(to, add_dx ? simd::fma(d, f[k], simd::load_some(to, count)) : d * f[k], count);
    }
  for (int k = 0; k < N; ++k) simd::store_some(sums + c + k * W, sum[k], count);
}

}  // namespace detail

namespace detail {

template <class T>
void check_columns(matrix_view<const T> x, matrix_view<const T> y, index_t groups) {
  if (groups < 1 || x.width % groups || y.rows != x.rows || y.width != x.width)
    fail("columns: matrices [", x.rows, ", ", x.width, "] and [", y.rows, ", ", y.width, "] with ", groups,
         " numbers for the columns; expected equal shapes and a number that divides the width");
}

/// A matrix all of whose rows are the parameter, spread over `width` columns.
template <class T>
matrix_view<const T> spread_rows(cpu_backend& backend, const T* parameter, index_t groups, index_t rows,
                                 index_t width) {
  T* const row = backend.scratch<T>(slot_columns, 2 * width);
  spread_groups(parameter, groups, width, row);
  return {row, rows, width, 0};
}

}  // namespace detail

/// y = x diag(factor), factor spread over the columns by groups.
/// Shapes:   x, y [rows, D], factor [groups]
/// Requires: groups >= 1 divides D, equal shapes (checked); y may be x
template <class T>
void scale_columns(cpu_backend& backend, matrix_view<const T> x, const T* factor, index_t groups,
                   matrix_view<T> y) {
  detail::check_columns<T>(x, y, groups);
  map(
      backend, y, [](auto a, auto b) { return a * b; }, x,
      detail::spread_rows(backend, factor, groups, x.rows, x.width));
}

/// Gradient of scale_columns.
/// Shapes:   dy, x, dx [rows, D], factor and dfactor [groups]
/// Gradient: dx = dy diag(factor), added to if `add_dx`; dfactor += sums of dy * x over rows and groups
/// Requires: as scale_columns; dx may be dy
/// Determinism: the rows are summed in fixed chunks, whatever the number of threads.
template <class T>
void scale_columns_backward(cpu_backend& backend, matrix_view<const T> dy, matrix_view<const T> x,
                            const T* factor, index_t groups, matrix_view<T> dx, bool add_dx, T* dfactor) {
  detail::check_columns<T>(x, dy, groups);
  detail::check_columns<T>(x, dx, groups);
  const index_t n = x.width;
  constexpr index_t W = simd::width<T>, block = 16;
  const row_chunks chunks(x.rows, block);
  const T* const full = detail::spread_rows(backend, factor, groups, x.rows, n).data;
  T* const partial = backend.scratch<T>(slot_reduction, chunks.count() * n);
  backend.team().run(chunks.count(), [&](index_t task) {
    T* const out = partial + task * n;
    std::fill_n(out, n, T(0));
    for (index_t r = chunks.begin(task); r < chunks.end(task); r += block) {
      const index_t rows = std::min(block, chunks.end(task) - r);
      const auto dys = dy.slice(r, rows), xs = x.slice(r, rows);
      const auto dxs = dx.slice(r, rows);
      index_t c = 0;
      for (; c + 4 * W <= n; c += 4 * W)
        detail::scale_columns_block<4, T>(dys, xs, full, c, W, dxs, add_dx, out);
      for (; c < n; c += W)
        detail::scale_columns_block<1, T>(dys, xs, full, c, std::min(W, n - c), dxs, add_dx, out);
    }
  });
  T* const sums = backend.scratch<T>(slot_columns, 2 * n) + n;
  std::fill_n(sums, n, T(0));
  add_partial_sums(backend, sums, partial, chunks.count(), n, n);
  add_groups(sums, n, groups, dfactor);
}

/// y = x + shift, shift spread over the columns by groups.
/// Shapes:   x, y [rows, D], shift [groups]
/// Requires: groups >= 1 divides D, equal shapes (checked); y may be x
template <class T>
void shift_columns(cpu_backend& backend, matrix_view<const T> x, const T* shift, index_t groups,
                   matrix_view<T> y) {
  detail::check_columns<T>(x, y, groups);
  map(
      backend, y, [](auto a, auto b) { return a + b; }, x,
      detail::spread_rows(backend, shift, groups, x.rows, x.width));
}

/// dshift += sums of dy over rows and groups.
template <class T>
void shift_columns_backward(cpu_backend& backend, matrix_view<const T> dy, index_t groups, T* dshift) {
  T* const sums = backend.scratch<T>(slot_columns, dy.width);
  std::fill_n(sums, dy.width, T(0));
  column_sum<T>(backend, dy, sums);
  add_groups(sums, dy.width, groups, dshift);
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

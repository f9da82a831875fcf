#pragma once
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/tensor/view.hpp>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

namespace detail {

template <class T, class Matrix>
void check_mix(const matrix_view<T>* x, matrix_view<const T> weights, Matrix y) {
  bool fits = weights.width >= 1 && weights.rows == y.rows;
  for (index_t t = 0; fits && t < weights.width; ++t) fits = x[t].rows == y.rows && x[t].width == y.width;
  if (!fits)
    fail("mix: ", weights.width, " terms with weights for ", weights.rows, " rows, the result is [", y.rows,
         ", ", y.width, "]; expected at least one term, weights for each row and equal shapes");
}

}  // namespace detail

/// y = sum over t of weights[r, t] x_t[r]: a mixture of values, row by row.
/// Shapes:   x[t] and y [rows, D], weights [rows, terms]; weights of stride 0 are the same for all rows
/// Requires: terms >= 1, equal shapes (checked); y overlaps no operand
/// Cost:     2 terms D flops a row, one read of each term and one write
template <class T>
void mix(cpu_backend& backend, const matrix_view<T>* x, matrix_view<const T> weights, matrix_view<T> y) {
  detail::check_mix(x, weights, y);
  const row_chunks chunks(y.rows, 8);
  backend.team().run(chunks.count(), [&](index_t task) {
    for (index_t r = chunks.begin(task); r < chunks.end(task); ++r) {
      const T* const w = weights.row(r);
      for_each_batch<T>(y.width, [&](index_t i, index_t count) {
        simd::batch<T> sum(T(0));
        for (index_t t = 0; t < weights.width; ++t)
          sum = simd::fma(simd::batch<T>(w[t]), simd::load_some(x[t].row(r) + i, count), sum);
        simd::store_some(y.row(r) + i, sum, count);
      });
    }
  });
}

/// Gradient of mix.
/// Shapes:   dy, x[t] and dx[t] [rows, D], weights and dweights [rows, terms]
/// Gradient: dx_t = weights[., t] dy, added to where add_dx[t]; dweights[r, t] = dy[r] . x_t[r], added to if
///           `add_dweights`
/// Requires: as mix; no dx overlaps dy or an x; dx of one term may be that of another if both add
template <class T>
void mix_backward(cpu_backend& backend, matrix_view<const T> dy, const matrix_view<T>* x,
                  matrix_view<const T> weights, const matrix_view<T>* dx, const bool* add_dx,
                  matrix_view<T> dweights, bool add_dweights) {
  detail::check_mix(x, weights, dy);
  const row_chunks chunks(dy.rows, 8);
  backend.team().run(chunks.count(), [&](index_t task) {
    for (index_t r = chunks.begin(task); r < chunks.end(task); ++r)
      for (index_t t = 0; t < weights.width; ++t) {
        const T *const d = dy.row(r), *const value = x[t].row(r);
        T *const to = dx[t].row(r), *const slope = dweights.row(r) + t;
        const simd::batch<T> w(weights.row(r)[t]);
        const T along = row_sum<T>(dy.width, [&](index_t i, index_t count) {
          const simd::batch<T> g = simd::load_some(d + i, count), more = g * w;
          simd::store_some(to + i, add_dx[t] ? more + simd::load_some(to + i, count) : more, count);
          return g * simd::load_some(value + i, count);
        });
        *slope = add_dweights ? *slope + along : along;
      }
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

#pragma once
#include <formwork/kernels/cpu/backend.hpp>
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/kernels/cpu/slots.hpp>
#include <formwork/tensor/view.hpp>

#include <algorithm>
#include <vector>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// of_rows[r] = sum over c of g[r, c]^2, of_columns[c] = sum over r of g[r, c]^2.
/// Shapes:      g [rows, D], of_rows [rows], of_columns [D]
/// Cost:        one read of g
/// Determinism: rows are summed in fixed chunks, in order, whatever the number of threads
template <class T>
void row_and_column_squares(cpu_backend& backend, matrix_view<const T> g, T* of_rows, T* of_columns) {
  const row_chunks chunks(g.rows, 16);
  T* const partial = backend.scratch<T>(slot_reduction, chunks.count() * g.width);
  backend.team().run(chunks.count(), [&](index_t task) {
    T* const sums = partial + task * g.width;
    std::fill_n(sums, g.width, T(0));
    for (index_t r = chunks.begin(task); r < chunks.end(task); ++r)
      of_rows[r] = row_sum<T>(g.width, [&](index_t c, index_t count) {
        const simd::batch<T> x = simd::load_some(g.row(r) + c, count), square = x * x;
        simd::store_some(sums + c, simd::load_some(sums + c, count) + square, count);
        return square;
      });
  });
  std::fill_n(of_columns, g.width, T(0));
  add_partial_sums(backend, of_columns, partial, chunks.count(), g.width, g.width);
}

/// Sum of the squares of row[r] g[r, c] column[c].
/// Determinism: each row is summed in T, rows in double, in order
template <class T>
double sum_of_scaled_squares(cpu_backend& backend, matrix_view<const T> g, const T* row, const T* column) {
  double* const partial = backend.scratch<double>(slot_reduction, g.rows);
  const index_t block = std::max<index_t>(1, 16384 / std::max<index_t>(1, g.width));
  backend.team().run((g.rows + block - 1) / block, [&](index_t task) {
    for (index_t r = task * block; r < std::min(g.rows, (task + 1) * block); ++r) {
      const auto factor = simd::batch<T>(row[r]);
      partial[r] = double(row_sum<T>(g.width, [&](index_t c, index_t count) {
        const simd::batch<T> x =
            simd::load_some(g.row(r) + c, count) * factor * simd::load_some(column + c, count);
        return x * x;
      }));
    }
  });
  double sum = 0;
  for (index_t r = 0; r < g.rows; ++r) sum += partial[r];
  return sum;
}

/// w[r, c] = keep w[r, c] - rate row[r] g[r, c] column[c].
template <class T>
void subtract_scaled(cpu_backend& backend, matrix_view<T> w, matrix_view<const T> g, const T* row,
                     const T* column, double keep, double rate) {
  const index_t block = std::max<index_t>(1, 16384 / std::max<index_t>(1, w.width));
  const auto stays = simd::batch<T>(T(keep));
  backend.team().run((w.rows + block - 1) / block, [&](index_t task) {
    for (index_t r = task * block; r < std::min(w.rows, (task + 1) * block); ++r) {
      const auto factor = simd::batch<T>(T(rate) * row[r]);
      for_each_batch<T>(w.width, [&](index_t c, index_t count) {
        T* const to = w.row(r) + c;
        const simd::batch<T> step =
            simd::load_some(g.row(r) + c, count) * factor * simd::load_some(column + c, count);
        simd::store_some(to, stays * simd::load_some(to, count) - step, count);
      });
    }
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

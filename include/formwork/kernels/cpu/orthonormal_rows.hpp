#pragma once
#include <formwork/kernels/cpu/backend.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/tensor/view.hpp>

#include <algorithm>
#include <cmath>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// Makes the rows of x orthonormal, each by what the rows before it leave of it, as in x = R Q with a lower
/// triangle R. Done twice, because once is not enough for rows that are nearly dependent.
/// Shapes:      x [rows, D], rows <= D
/// Requires:    independent rows (unchecked; a row that is 0 stays 0)
/// Cost:        4 rows^2 D flops
/// Determinism: the same bits for any number of threads
/// Source:      modified Gram-Schmidt: Golub, Van Loan, Matrix Computations, 5.2
template <class T>
void orthonormal_rows(cpu_backend& backend, matrix_view<T> x) {
  constexpr index_t rows_at_once = 16;
  const auto dot = [&](const T* a, const T* b) {
    return row_sum<T>(x.width, [&](index_t i, index_t count) {
      return simd::load_some(a + i, count) * simd::load_some(b + i, count);
    });
  };
  for (int pass = 0; pass < 2; ++pass)
    for (index_t k = 0; k < x.rows; ++k) {
      T* const row = x.row(k);
      const T length = std::sqrt(dot(row, row));
      if (!(length > T(0))) continue;
      const auto inverse = simd::batch<T>(T(1) / length);
      map_row(
          row, x.width, [=](auto v) { return v * inverse; }, row);
      const index_t left = x.rows - k - 1;
      backend.team().run((left + rows_at_once - 1) / rows_at_once, [&](index_t task) {
        const index_t first = k + 1 + task * rows_at_once;
        for (index_t r = first; r < std::min(x.rows, first + rows_at_once); ++r) {
          const auto share = simd::batch<T>(dot(x.row(r), row));
          map_row(
              x.row(r), x.width, [=](auto a, auto b) { return a - share * b; }, x.row(r), row);
        }
      });
    }
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

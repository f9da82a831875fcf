#pragma once
#include <formwork/core/simd.hpp>
#include <formwork/kernels/cpu/backend.hpp>
#include <formwork/tensor/view.hpp>

#include <algorithm>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// y[i] = f(x0[i], x1[i], ...) for n numbers; f takes SIMD batches.
/// y may be any of the operands, but may not overlap one otherwise.
template <class T, class F, class... X>
void map_row(T* y, index_t n, F f, const X*... x) {
  constexpr index_t W = simd::width<T>;
  index_t i = 0;
  for (; i + W <= n; i += W) simd::store(y + i, f(simd::load(x + i)...));
  if (i < n) simd::store_part(y + i, f(simd::load_part(x + i, n - i)...), n - i);
}

/// The same for matrices of one shape, any strides; parallel over blocks of rows.
template <class T, class F, class... X>
void map(cpu_backend& backend, matrix_view<T> y, F f, matrix_view<X>... x) {
  const index_t block = std::max<index_t>(1, 16384 / std::max<index_t>(1, y.width));
  backend.team().run((y.rows + block - 1) / block, [&](index_t task) {
    for (index_t r = task * block; r < std::min(y.rows, (task + 1) * block); ++r)
      map_row(y.row(r), y.width, f, x.row(r)...);
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

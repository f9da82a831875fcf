#pragma once
#include <formwork/core/simd.hpp>
#include <formwork/kernels/cpu/backend.hpp>

#include <algorithm>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// Rows divided into chunks of equal size (the last may be shorter). The division depends on the number of
/// rows only, never on the number of threads, so that sums over chunks have the same bits everywhere.
struct row_chunks {
  index_t rows = 0;
  index_t size = 1;

  /// At most `most` chunks of at least `least` rows.
  constexpr row_chunks(index_t rows, index_t least, index_t most = 64)
      : rows(rows), size(std::max(std::max<index_t>(1, least), (rows + most - 1) / most)) {}

  constexpr index_t count() const { return (rows + size - 1) / size; }
  constexpr index_t begin(index_t chunk) const { return chunk * size; }
  constexpr index_t end(index_t chunk) const { return std::min(rows, (chunk + 1) * size); }
};

/// Sum of f(offset, count) over the batches of a row of n elements; count is below the width for the last one
/// only. Elements past `count` must be zero. The order depends on n only.
template <class T, class F>
[[gnu::always_inline]] inline T row_sum(index_t n, F f) {
  constexpr index_t W = simd::width<T>;
  simd::batch<T> a(T(0)), b(T(0)), c(T(0)), d(T(0));
  index_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) {
    a = a + f(i, W);
    b = b + f(i + W, W);
    c = c + f(i + 2 * W, W);
    d = d + f(i + 3 * W, W);
  }
  for (; i < n; i += W) a = a + f(i, std::min(W, n - i));
  return simd::sum((a + b) + (c + d));
}

/// Calls f(offset, count) for every batch of a row of n elements;
/// count is below the width for the last one only.
template <class T, class F>
[[gnu::always_inline]] inline void for_each_batch(index_t n, F f) {
  constexpr index_t W = simd::width<T>;
  index_t i = 0;
  for (; i + W <= n; i += W) f(i, W);
  if (i < n) f(i, n - i);
}

/// destination[i] += partial[0][i] + partial[1][i] + ..., in this order;
/// partial rows are n long and `stride` apart.
template <class T>
void add_partial_sums(cpu_backend& backend, T* destination, const T* partial, index_t parts, index_t n,
                      index_t stride) {
  constexpr index_t columns = 1024;
  backend.team().run((n + columns - 1) / columns, [&](index_t task) {
    const index_t first = task * columns;
    for_each_batch<T>(std::min(columns, n - first), [&](index_t i, index_t count) {
      simd::batch<T> sum(T(0));
      for (index_t p = 0; p < parts; ++p)
        sum = sum + simd::load_some(partial + p * stride + first + i, count);
      T* out = destination + first + i;
      simd::store_some(out, simd::load_some(out, count) + sum, count);
    });
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

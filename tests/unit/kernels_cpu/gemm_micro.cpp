#include <formwork/kernels/cpu/gemm_micro.hpp>

#include <vector>

#include <doctest/doctest.h>

using namespace formwork;

namespace {

/// One tile with `rows` rows of whole numbers against a plain loop; `columns` of them are wanted.
template <class T, bool Interleaved>
void check_tile(index_t rows, index_t columns, index_t k, bool add) {
  using layout = cpu::gemm_tile_layout<T, Interleaved>;
  constexpr index_t panel = cpu::gemm_sizes<T>::panel;
  const index_t stride = panel + 3;
  std::vector<T> a(std::size_t(layout::size), T(1000)), b(std::size_t(k * panel)),
      c(std::size_t(rows * stride), T(7));
  for (index_t r = 0; r < rows; ++r)
    for (index_t i = 0; i < k; ++i)
      a[std::size_t(r * layout::row_step + i * layout::k_step)] = T((r * 3 + i) % 7 - 3);
  for (index_t i = 0; i < k * panel; ++i) b[std::size_t(i)] = T(i % 11 - 5);
  cpu::gemm_tiles<T, Interleaved>[std::size_t(rows)](a.data(), b.data(), panel, k, c.data(), stride, columns,
                                                     add);
  index_t wrong = 0;
  for (index_t r = 0; r < rows; ++r) {
    for (index_t j = 0; j < stride; ++j) {
      T expected = j < columns && !add ? T(0) : T(7);
      for (index_t i = 0; j < columns && i < k; ++i)
        expected += T((r * 3 + i) % 7 - 3) * b[std::size_t(i * panel + j)];
      wrong += c[std::size_t(r * stride + j)] != expected;
    }
  }
  CAPTURE(rows);
  CAPTURE(columns);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("gemm_tile: every row count and width equals a plain loop and writes nothing else", T,
                   float, double) {
  CHECK(cpu::gemm_tiles<T, false>.size() == std::size_t(cpu::gemm_sizes<T>::rows) + 1);
  for (index_t rows = 1; rows <= cpu::gemm_sizes<T>::rows; ++rows) {
    for (index_t columns = 1; columns <= cpu::gemm_sizes<T>::panel; ++columns) {
      for (const bool add : {false, true}) {
        check_tile<T, false>(rows, columns, 13, add);
        check_tile<T, true>(rows, columns, 13, add);
      }
    }
  }
}

#include <formwork/kernels/cpu/gemm_pack.hpp>

#include <vector>

#include <doctest/doctest.h>

using namespace formwork;

namespace {

template <class T>
std::vector<T> counted(index_t size) {
  std::vector<T> out(static_cast<std::size_t>(size));
  for (index_t i = 0; i < size; ++i) out[std::size_t(i)] = T(i + 1);
  return out;
}

}  // namespace

TEST_CASE_TEMPLATE("transpose: swaps rows and columns of any shape and touches nothing else", T, float,
                   double) {
  for (const index_t rows : {1, 7, 16, 33}) {
    for (const index_t columns : {1, 5, 16, 32, 47}) {
      const index_t stride = columns + 2, out_stride = rows + 3;
      const auto in = counted<T>(rows * stride);
      std::vector<T> out(std::size_t(columns * out_stride), T(-1));
      cpu::transpose(in.data(), stride, rows, columns, out.data(), out_stride);
      index_t wrong = 0;
      for (index_t j = 0; j < columns; ++j)
        for (index_t i = 0; i < out_stride; ++i)
          wrong +=
              out[std::size_t(j * out_stride + i)] != (i < rows ? in[std::size_t(i * stride + j)] : T(-1));
      CAPTURE(rows);
      CAPTURE(columns);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE_TEMPLATE("pack_panel: a block of B in rows of one panel, zero behind the last column", T, float,
                   double) {
  constexpr index_t panel = cpu::gemm_sizes<T>::panel;
  const index_t stride = panel + 40, row = 3, column = 5, k = 21;
  const auto data = counted<T>(stride * (panel + 40));
  for (const index_t columns : {panel, panel - 1, index_t(1)}) {
    for (const bool transposed : {false, true}) {
      std::vector<T> out(std::size_t(k * panel), T(-1));
      cpu::pack_panel<T>({data.data(), stride, transposed}, row, k, column, columns, out.data());
      index_t wrong = 0;
      for (index_t i = 0; i < k; ++i) {
        for (index_t j = 0; j < panel; ++j) {
          const index_t from = transposed ? (column + j) * stride + row + i : (row + i) * stride + column + j;
          wrong += out[std::size_t(i * panel + j)] != (j < columns ? data[std::size_t(from)] : T(0));
        }
      }
      CAPTURE(columns);
      CAPTURE(transposed);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE_TEMPLATE("pack_chunk: every element of A is where the tile layout says", T, float, double) {
  using sizes = cpu::gemm_sizes<T>;
  const index_t stride = 300, row = 2, column = 9, k = 19;
  const auto data = counted<T>(stride * 300);
  for (const index_t rows :
       {index_t(1), sizes::rows, sizes::rows + 1, 3 * sizes::rows, 4 * sizes::rows + 3}) {
    const index_t tiles = (rows + sizes::rows - 1) / sizes::rows;
    for (const bool transposed : {false, true}) {
      using rowwise = cpu::gemm_tile_layout<T, false>;
      using interleaved = cpu::gemm_tile_layout<T, true>;
      const index_t size = transposed ? interleaved::size : rowwise::size;
      const index_t row_step = transposed ? interleaved::row_step : rowwise::row_step;
      const index_t k_step = transposed ? interleaved::k_step : rowwise::k_step;
      std::vector<T> out(std::size_t(size * tiles), T(-1));
      cpu::pack_chunk<T>({data.data(), stride, transposed}, row, rows, tiles, column, k, out.data());
      index_t wrong = 0, seen = 0;
      for (index_t t = 0; t < tiles; ++t) {
        const index_t first = cpu::tile_begin(rows, tiles, t), last = cpu::tile_begin(rows, tiles, t + 1);
        CHECK(last - first <= sizes::rows);
        for (index_t r = first; r < last; ++r, ++seen) {
          for (index_t i = 0; i < k; ++i) {
            const index_t from =
                transposed ? (column + i) * stride + row + r : (row + r) * stride + column + i;
            wrong +=
                out[std::size_t(t * size + (r - first) * row_step + i * k_step)] != data[std::size_t(from)];
          }
        }
      }
      CHECK(seen == rows);
      CHECK(wrong == 0);
    }
  }
}

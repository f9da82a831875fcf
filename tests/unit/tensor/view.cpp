#include <formwork/tensor/view.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("matrix view: rows, slices and column blocks of the same memory") {
  float memory[12];
  for (int i = 0; i < 12; ++i) memory[i] = float(i);
  const matrix_view<float> m(memory, 3, 4);
  CHECK(m.contiguous());
  CHECK(m.row(2)[1] == 9.0f);
  const matrix_view<const float> block = m.columns(1, 2);
  CHECK_FALSE(block.contiguous());
  CHECK(block.rows == 3);
  CHECK(block.row(1)[1] == 6.0f);
  const auto part = m.slice(1, 2).columns(3, 1);
  CHECK(part.rows == 2);
  CHECK(part.row(1)[0] == 11.0f);
}

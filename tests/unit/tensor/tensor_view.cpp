#include <formwork/tensor/tensor_view.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace formwork;

namespace {
using rows_of_four = tensor_view<float, extents<dynamic, 4>>;
}

TEST_CASE("tensor view: row blocks and column blocks show the same memory") {
  std::vector<float> memory(24);
  for (std::size_t i = 0; i < 24; ++i) memory[i] = float(i);
  const rows_of_four v(memory.data(), extents<dynamic, 4>(6));
  const auto rows = v.rows(2, 3);
  CHECK(rows.data() == memory.data() + 8);
  CHECK(rows.extents() == extents<3, 4>());
  CHECK(rows.contiguous());
  const auto columns = rows.columns(1, 2);
  CHECK(columns.extents() == extents<3, 2>());
  CHECK_FALSE(columns.contiguous());
  CHECK(columns.matrix().row(2)[1] == 18.0f);
  CHECK(view_of(columns.matrix()).extents() == columns.extents());
  CHECK(columns.columns(1, 1).data() == memory.data() + 10);

  const tensor_view<float, extents<2, dynamic, 4>> cube(memory.data(), extents<2, dynamic, 4>(3));
  CHECK(cube.rows(1, 1).data() == memory.data() + 12);
  CHECK(cube.rows(1, 1).extents() == extents<1, 3, 4>());
}

TEST_CASE("tensor view: a part outside of the view is an error") {
  float memory[8] = {};
  const rows_of_four v(memory, extents<dynamic, 4>(2));
  CHECK_THROWS_WITH_AS(v.rows(1, 2), "tensor view: 2 rows from 1 on asked for, there are 2", error);
  CHECK_THROWS_WITH_AS(v.columns(-1, 2), "tensor view: 2 columns from -1 on asked for, there are 4", error);
  CHECK_THROWS_AS(v.rows(1, std::numeric_limits<index_t>::max()), error);
  CHECK_THROWS_AS(v.rows(std::numeric_limits<index_t>::max(), 1), error);
  CHECK_THROWS_AS(v.rows(0, -1), error);
  CHECK_NOTHROW(v.rows(2, 0));
}

TEST_CASE("tensor view: only overlap at other places is a conflict") {
  std::vector<float> memory(64);
  const rows_of_four v(memory.data(), extents<dynamic, 4>(6));
  CHECK_FALSE(conflict(v, v));
  CHECK_FALSE(conflict(v, tensor_view<const float, extents<6, 4>>(memory.data(), {})));
  CHECK_FALSE(conflict(v.rows(0, 3), v.rows(3, 3)));
  CHECK(conflict(v.rows(1, 3), v.rows(0, 3)));
  CHECK(conflict(v, v.rows(0, 1)));
  CHECK_FALSE(conflict(v.columns(0, 2), v.columns(2, 2)));
  CHECK_FALSE(conflict(v.columns(2, 2), v.columns(0, 2)));
  CHECK(conflict(v.columns(0, 2), v.columns(1, 2)));
  CHECK(conflict(v.columns(1, 2), v.columns(0, 2)));
  CHECK_FALSE(conflict(v.rows(1, 4).columns(0, 2), v.rows(0, 3).columns(2, 2)));
  CHECK(conflict(v.columns(0, 1), v));
  CHECK(conflict(v, tensor_view<float, extents<3, 8>>(memory.data(), {})));
  CHECK_FALSE(conflict(v, v.rows(2, 0)));
  float other[4];
  CHECK_FALSE(conflict(v, tensor_view<float, extents<4>>(other, {})));
}

TEST_CASE("tensor view: the position of a row counts the outer axes in memory order") {
  const extents<2, dynamic, 4, 5> shape(3);
  index_t r = 0;
  for (index_t i = 0; i < 2; ++i)
    for (index_t j = 0; j < 3; ++j)
      for (index_t k = 0; k < 4; ++k, ++r) {
        const auto position = position_of_row(shape, r);
        CHECK(position.outer[0] == i);
        CHECK(position.outer[1] == j);
        CHECK(position.outer[2] == k);
      }
}

#include <formwork/model/position_table.hpp>

#include <doctest/doctest.h>

using namespace formwork;

namespace {
struct waves : config {
  static constexpr dims size{.d_model = 6, .heads = 2};
};
struct rows : waves {
  using position = learned<9>;
};
}  // namespace

TEST_CASE("position_table: holds the code of every position met, nothing for learned ones") {
  position_table<waves> table;
  CHECK(table.view().rows == 0);
  table.reserve(3);
  const index_t first = table.view().rows;
  CHECK(first >= 3);
  table.reserve(first + 1);
  CHECK(table.view().rows > first);
  for (const index_t p : {index_t{0}, index_t{2}, first})
    for (index_t c = 0; c < 6; ++c) CHECK(table.view().row(p)[c] == float(sinusoidal::code(p, c, 6)));
  position_table<rows> learned_rows;
  learned_rows.reserve(5);
  CHECK(learned_rows.view().rows == 0);
}

TEST_CASE("position_table: the longest of some sequences") {
  const index_t starts[] = {0, 3, 3, 8, 9};
  CHECK(longest_of({starts, 4}) == 5);
  CHECK(longest_of({}) == 0);
}

#include <formwork/model/position_table.hpp>

#include <doctest/doctest.h>

#include <new>

using namespace formwork;

namespace {
struct waves : config {
  static constexpr dims size{.d_model = 6, .heads = 2};
};
struct rows : waves {
  using position = learned<9>;
};
/// A code for eight positions that notes how far it was asked.
struct eight {
  static constexpr index_t longest = 8;
  static inline index_t furthest = 0;
  static double code(index_t position, index_t, index_t) {
    furthest = std::max(furthest, position);
    return 0.1 * double(position);
  }
};
struct with_eight : waves {
  using position = eight;
};
/// A code that fails from the hundredth position on.
struct fragile {
  static double code(index_t position, index_t, index_t) {
    if (position >= 100) throw std::bad_alloc();
    return 0.1 * double(position);
  }
};
struct with_fragile : waves {
  using position = fragile;
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

TEST_CASE("position_table: a code that knows only so many positions is asked for no others") {
  position_table<with_eight> table;
  table.reserve(3);
  CHECK(table.view().rows == 8);
  table.reserve(1000);
  CHECK(table.view().rows == 8);
  CHECK(eight::furthest == 7);
}

TEST_CASE(
    "position_table: a code that throws leaves the table as it was, and too many positions are refused") {
  position_table<with_fragile> table;
  table.reserve(3);
  CHECK_THROWS_AS(table.reserve(65), std::bad_alloc);
  CHECK_THROWS_AS(table.reserve(index_t{1} << 62), error);
  CHECK(table.view().rows == 64);
  CHECK(table.view().row(63)[0] == 6.3f);
}

TEST_CASE("position_table: the longest of some sequences") {
  const index_t starts[] = {0, 3, 3, 8, 9};
  CHECK(longest_of({starts, 4}) == 5);
  CHECK(longest_of({}) == 0);
  const index_t late[] = {1, 3}, falling[] = {0, 3, 2, 4};
  CHECK_THROWS_WITH_AS(longest_of({late, 1}), doctest::Contains("batch: sequence 1 lies from token 1 to 3"),
                       error);
  CHECK_THROWS_WITH_AS(longest_of({falling, 3}),
                       doctest::Contains("batch: sequence 2 lies from token 3 to 2"), error);
}

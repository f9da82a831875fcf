#include <formwork/core/sequences.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("sequences: lengths and rows, an empty sequence and no sequence included") {
  static constexpr index_t start[] = {0, 3, 3, 7};
  constexpr sequences s{start, 3};
  CHECK(s.rows() == 7);
  CHECK((s.length(0) == 3 && s.length(1) == 0 && s.length(2) == 4));
  CHECK((s.begin(0) == 0 && s.begin(1) == 3 && s.begin(2) == 3));
  CHECK(sequences{}.rows() == 0);
  CHECK(sequences{start, 0}.rows() == 0);
}

#include <formwork/ops/check.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("check: says whether two values of one layer share an axis; of two layers they may not meet") {
  graph g{}, other{};
  const expr source = stream_input(g, 4, axis::source), narrow = stream_input(g, 3, axis::source),
             target = stream_input(g, 4, axis::target), foreign = stream_input(other, 4, axis::source);
  CHECK(same_rows(source, narrow));
  CHECK_FALSE(same_rows(source, target));
  CHECK_THROWS_WITH(same_rows(source, foreign), "graph: two values of different layers meet in one equation");
}

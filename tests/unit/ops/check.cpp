#include <formwork/ops/check.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("check: values of one layer and one axis pass, others bring the sentence") {
  graph g{}, other{};
  const expr source = stream_input(g, 4, axis::source), target = stream_input(g, 4, axis::target),
             foreign = stream_input(other, 4, axis::source);
  CHECK_NOTHROW(check_same_rows(source, source, "sentence"));
  CHECK_THROWS_WITH(check_same_rows(source, target, "sentence"), "sentence");
  CHECK_THROWS_WITH(check_same_rows(source, foreign, "sentence"),
                    "graph: two values of different layers meet in one equation");
}

#include <formwork/ops/heads.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("heads: the columns of each head, and whole rows without heads") {
  float data[24]{};
  const matrix_view<float> x{data, 2, 9, 12};
  const node three{.width = 9, .heads = 3}, whole{.width = 9};
  CHECK((detail::heads_of(three) == 3 && detail::head_width(three) == 3 && detail::heads_of(whole) == 1));
  const auto last = detail::head(x, three, 2);
  CHECK((last.row(1) == data + 18 && last.width == 3 && last.rows == 2));
  CHECK((detail::head(x, whole, 0).width == 9 && detail::kept_heads(1) == 0 && detail::kept_heads(4) == 4));
}

TEST_CASE("heads: heads that do not divide the width are told in a sentence") {
  graph g{};
  const expr x = stream_input(g, 8, axis::source);
  CHECK(detail::width_of_head(x, 4) == 2);
  for (const int heads : {3, 0, -1})
    CHECK_THROWS_WITH(detail::width_of_head(x, heads), "norm: the width must be a multiple of heads");
}

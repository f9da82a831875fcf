#include <formwork/policy/norm/head_norm.hpp>

#include <doctest/doctest.h>

using namespace formwork;

static_assert(!projection_norm<layer_norm> && explain_projection_norm<query_key_norm<layer_norm>>());

TEST_CASE("head norms: which projections they touch, and the parameters of one head for all") {
  graph g{};
  const expr x = stream_input(g, 12, axis::source);
  for (const projection p : {projection::query, projection::key, projection::value}) {
    const bool value = p == projection::value;
    CHECK(no_head_norm::apply(x, p, "a", 3).id == x.id);
    CHECK((query_key_norm<>::apply(x, p, "a", 3).id == x.id) == value);
    const expr y = query_key_value_norm<layer_norm>::apply(x, p, "b", 3);
    CHECK((y.n().op == &record_of<layer_norm_op> && y.n().heads == 3));
  }
  REQUIRE(g.parameter_count == 3);
  CHECK((g.parameters[0].name == label("a.gain") && g.parameters[0].rows == 4));
  CHECK((g.parameters[1].name == label("b.gain") && g.parameters[1].rows == 4));
}

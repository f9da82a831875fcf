#include <formwork/policy/norm/norm.hpp>

#include <doctest/doctest.h>

using namespace formwork;

namespace {

struct no_norm {
  static constexpr expr apply(expr x, label) { return x; }
};
struct wrong_result {
  static constexpr int apply(expr, label) { return 0; }
};

}  // namespace

static_assert(norm<no_norm> && explain_norm<no_norm>() && !norm<wrong_result> && !norm<int>);

TEST_CASE("layer_norm: one gain and one bias of the given name, epsilon 1e-5 where nothing else is said") {
  graph g{};
  const expr y = layer_norm::apply(stream_input(g, 6, axis::target), "ffn.norm");
  CHECK((y.width() == 6 && y.rows() == axis::target && y.n().alpha == 1e-5));
  REQUIRE(g.parameter_count == 2);
  CHECK(g.parameters[0].name == label("ffn.norm.gain"));
  CHECK(g.parameters[1].name == label("ffn.norm.bias"));
  CHECK((g.parameters[0].role == role::norm_gain && g.parameters[1].role == role::norm_bias));
  CHECK((g.parameters[0].rows == 6 && g.parameters[1].rows == 6));
}

#include <formwork/ops/rotary.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/layer_check.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

template <class Op, int Heads>
struct turned {
  static constexpr expr y(expr x) { return x + ops::rotary<Op>(2.0 * x, Heads, 100); }
};
/// Queries and keys are column blocks of one product.
template <class Op>
struct in_attention {
  static constexpr expr y(expr x) {
    const expr q = ops::linear(x, x.width(), "q", role::query), k = ops::linear(x, x.width(), "k", role::key),
               v = ops::linear(x, x.width(), "v", role::value);
    return ops::attention(ops::rotary<Op>(q, 2), ops::rotary<Op>(k, 2), v, 2, true);
  }
};

}  // namespace

TEST_CASE("rotary: gradients of both kinds, alone and in an attention") {
  CHECK(gradients_pass<equation_layer<turned<rotary_op, 1>, 2>>({.source = {1}}) == 1);
  CHECK(gradients_pass<equation_layer<turned<rotary_op, 3>, 18>>({.source = {3, 0, 1, 5}}) == 1);
  CHECK(gradients_pass<equation_layer<turned<interleaved_rotary_op, 3>, 18>>() == 1);
  CHECK(gradients_pass<equation_layer<in_attention<rotary_op>, 12>>() == 7);
  CHECK(gradients_pass<equation_layer<in_attention<interleaved_rotary_op>, 8>>() == 7);
}

TEST_CASE("rotary: any number of threads gives the same bits, float is near double") {
  formwork_test::runs_alike<equation_layer<in_attention<rotary_op>, 12>>();
  formwork_test::runs_alike<equation_layer<in_attention<interleaved_rotary_op>, 12>>();
}

TEST_CASE("rotary: what does not fit is told in a sentence") {
  graph g{};
  const expr x = stream_input(g, 6, axis::source);
  CHECK_THROWS_WITH(ops::rotary(x, 4), "rotary: the width must be a multiple of heads");
  CHECK_THROWS_WITH(ops::rotary(x, 2), "rotary: the width of a head must be even");
  CHECK_THROWS_WITH(ops::rotary(x, 1, 0), "rotary: the base must be above 0");
}

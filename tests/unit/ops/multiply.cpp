#include <formwork/ops/multiply.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/layer_check.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

struct squared {
  static constexpr expr y(expr x) { return x * x; }
};
/// Both factors go on elsewhere, so that their gradients are added to others.
struct tangle {
  static constexpr expr y(expr x) {
    const expr a = 2.0 * x, b = ops::linear(x, x.width(), "f", role::up);
    return ops::multiply(a, b) + a * a + b + x;
  }
};
struct difference {
  static constexpr expr y(expr x) { return ops::linear(x, x.width(), "f", role::up) - x * x; }
};

}  // namespace

TEST_CASE("multiply: element by element, and a minus") {
  layer_run<equation_layer<squared, 5>> square(std::vector<index_t>{1, 2}, {});
  layer_run<equation_layer<difference, 5>> minus(std::vector<index_t>{1, 2}, {});
  formwork_test::fill_normal(square.input(0), 1);
  formwork_test::fill_normal(minus.input(0), 1);
  minus.parameters().value("f.bias").data[0] = 4;
  square.forward(), minus.forward();
  for (index_t i = 0; i < 15; ++i) {
    const double x = square.input(0).data[i];
    CHECK(square.output(0).data[i] == x * x);
    CHECK(minus.output(0).data[i] == (i % 5 ? 0 : 4) - x * x);
  }
}

TEST_CASE("multiply: gradients, of one value twice and of factors that are used elsewhere") {
  CHECK(gradients_pass<equation_layer<squared, 1>>({.source = {1}}) == 1);
  CHECK(gradients_pass<equation_layer<squared, 17>>({.source = {2, 0, 31}}) == 1);
  CHECK(gradients_pass<equation_layer<tangle, 7>>() == 3);
  CHECK(gradients_pass<equation_layer<difference, 13>>() == 3);
}

TEST_CASE("multiply: the same bits for any number of threads, single precision near double") {
  formwork_test::runs_alike<equation_layer<tangle, 31>>();
}

TEST_CASE("multiply: operands that do not fit are told in a sentence") {
  graph g{};
  const expr x = stream_input(g, 4, axis::source), wide = stream_input(g, 5, axis::source),
             target = stream_input(g, 4, axis::target);
  CHECK_THROWS_WITH(x * wide, "multiply: both sides must have the same width");
  CHECK_THROWS_WITH(x * target, "multiply: both sides must run over the same token axis");
}

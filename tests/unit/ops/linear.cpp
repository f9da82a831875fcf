#include <formwork/ops/linear.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/random_fill.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

template <index_t Out, bool Bias>
struct product {
  static constexpr expr y(expr x) { return ops::linear(x, Out, "f", role::up, Bias); }
};
struct gelu_epilogue {
  static constexpr expr y(expr x) {
    const expr h = ops::apply(gelu{}, ops::linear(x, 11, "up", role::up));
    return x + ops::dropout(ops::linear(ops::dropout(h, dropout_place::activation), 5, "down", role::down),
                            dropout_place::residual);
  }
};
/// Two products of one operand: they become one, and x gets both gradients.
struct joint {
  static constexpr expr y(expr x) {
    return ops::linear(x, 7, "a", role::query) + ops::linear(x, 7, "b", role::key);
  }
};

}  // namespace

TEST_CASE("linear: x W^T + b") {
  layer_run<equation_layer<product<3, true>, 5>> run(std::vector<index_t>{1, 2}, {});
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 2);
  run.forward();
  const auto w = run.parameters().value("f.weight"), b = run.parameters().value("f.bias");
  REQUIRE((w.rows == 3 && w.width == 5 && b.rows == 3));
  for (index_t r = 0; r < 3; ++r)
    for (index_t c = 0; c < 3; ++c) {
      double sum = b.data[c];
      for (index_t k = 0; k < 5; ++k) sum += run.input(0).row(r)[k] * w.row(c)[k];
      CHECK(run.output(0).row(r)[c] == doctest::Approx(sum).epsilon(1e-13));
    }
}

TEST_CASE("linear: gradients with and without a bias, for one row and prime widths") {
  CHECK(gradients_pass<equation_layer<product<3, true>, 5>>() == 3);
  CHECK(gradients_pass<equation_layer<product<1, false>, 1>>({.source = {1}}) == 2);
  CHECK(gradients_pass<equation_layer<product<19, true>, 13>>({.source = {7, 0, 4}}) == 3);
}

TEST_CASE("linear: gradients through every epilogue and through joint products") {
  CHECK(gradients_pass<equation_layer<gelu_epilogue, 5>>() == 5);
  CHECK(gradients_pass<equation_layer<gelu_epilogue, 5>>({}, {.activation = 0.3, .residual = 0.3}) == 5);
  CHECK(gradients_pass<equation_layer<joint, 3>>() == 5);
}

TEST_CASE("linear: no outputs is an error") {
  graph g{};
  CHECK_THROWS_WITH(ops::linear(stream_input(g, 4, axis::source), 0, "f", role::up),
                    "linear: the number of outputs must be at least 1");
}

#include <formwork/ops/layer_norm.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/layer_check.hpp"

using namespace formwork;
using formwork_test::equation_layer;

namespace {

template <int Epsilon>
struct normed {
  static constexpr expr y(expr x) { return ops::layer_norm(x, "norm", 1e-5 * Epsilon); }
};
template <int Heads>
struct of_heads {
  static constexpr expr y(expr x) { return 3.0 * x + ops::layer_norm(x, "norm", 0.5, Heads); }
};
/// The norm's operand goes on beside it, so that its gradient is added to another one.
struct beside {
  static constexpr expr y(expr x) { return 3.0 * x + ops::layer_norm(x, "norm"); }
};

}  // namespace

TEST_CASE("layer_norm: mean 0, biased variance 1, then gain and bias; epsilon inside the root") {
  layer_run<equation_layer<normed<100000>, 7>> run(std::vector<index_t>{2}, {});
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 2);
  run.forward();
  for (index_t r = 0; r < 2; ++r) {
    const double* x = run.input(0).row(r);
    double mean = 0, variance = 0;
    for (index_t c = 0; c < 7; ++c) mean += x[c] / 7;
    for (index_t c = 0; c < 7; ++c) variance += (x[c] - mean) * (x[c] - mean) / 7;
    for (index_t c = 0; c < 7; ++c)
      CHECK(run.output(0).row(r)[c] == doctest::Approx((x[c] - mean) / std::sqrt(variance + 1) *
                                                           run.parameters().value("norm.gain").data[c] +
                                                       run.parameters().value("norm.bias").data[c])
                                           .epsilon(1e-13));
  }
}

TEST_CASE("layer_norm: gradients, alone and added to another") {
  CHECK(formwork_test::gradients_pass<equation_layer<normed<1>, 7>>() == 3);
  CHECK(formwork_test::gradients_pass<equation_layer<normed<1>, 2>>({.source = {1}}) == 3);
  CHECK(formwork_test::gradients_pass<equation_layer<beside, 31>>({.source = {3, 0, 8}}) == 3);
}

TEST_CASE("layer_norm: a row of one column is its bias") {
  layer_run<equation_layer<normed<1>, 1>> run(std::vector<index_t>{1}, {});
  run.input(0).data[0] = 5;
  run.parameters().value("norm.gain").data[0] = 2;
  run.parameters().value("norm.bias").data[0] = 3;
  run.forward();
  CHECK(run.output(0).data[0] == 3);
}

TEST_CASE("layer_norm: each head's columns on their own, with one gain and bias for all heads") {
  layer_run<equation_layer<of_heads<3>, 21>> run(std::vector<index_t>{2, 1}, {});
  const auto gain = run.parameters().value("norm.gain"), bias = run.parameters().value("norm.bias");
  REQUIRE((gain.rows == 7 && bias.rows == 7));
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 2);
  run.forward();
  for (index_t r = 0; r < 3; ++r)
    for (index_t h = 0; h < 3; ++h) {
      const double* x = run.input(0).row(r) + 7 * h;
      double mean = 0, variance = 0;
      for (index_t c = 0; c < 7; ++c) mean += x[c] / 7;
      for (index_t c = 0; c < 7; ++c) variance += (x[c] - mean) * (x[c] - mean) / 7;
      for (index_t c = 0; c < 7; ++c)
        CHECK(run.output(0).row(r)[7 * h + c] ==
              doctest::Approx(3 * x[c] + (x[c] - mean) / std::sqrt(variance + 0.5) * gain.data[c] +
                              bias.data[c])
                  .epsilon(1e-13));
    }
  CHECK(formwork_test::gradients_pass<equation_layer<of_heads<3>, 21>>() == 3);
  CHECK(formwork_test::gradients_pass<equation_layer<of_heads<1>, 21>>() == 3);
  formwork_test::runs_alike<equation_layer<of_heads<3>, 99>>(1e-4);
}

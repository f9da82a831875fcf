#include <formwork/ops/dropout.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"

using namespace formwork;
using formwork_test::equation_layer;

namespace {

struct dropped {
  static constexpr expr y(expr x) { return ops::dropout(x, dropout_place::residual); }
};
struct twice {
  static constexpr expr y(expr x) {
    return ops::dropout(2.0 * x, dropout_place::embedding) + ops::dropout(x, dropout_place::embedding);
  }
};

}  // namespace

TEST_CASE("dropout: at rate 0 and at the rate of another place nothing happens") {
  layer_run<equation_layer<dropped, 5>> run(std::vector<index_t>{3}, {});
  std::fill_n(run.input(0).data, 15, 1.5);
  run.pass.dropout = {.embedding = 0.5, .attention = 0.5, .activation = 0.5};
  run.forward();
  for (index_t i = 0; i < 15; ++i) CHECK(run.output(0).data[i] == 1.5);
}

TEST_CASE("dropout: elements are 0 or scaled up, and the gradient has the same mask") {
  layer_run<equation_layer<dropped, 101>> run(std::vector<index_t>{100}, {});
  std::fill_n(run.input(0).data, 10100, 1.0);
  run.pass.dropout.residual = 0.2;
  run.pass.seed = 7;
  run.forward();
  std::fill_n(run.gradient(0).data, 10100, 1.0);
  const std::vector<double> y(run.output(0).data, run.output(0).data + 10100);
  run.backward();
  int zeros = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    zeros += y[i] == 0;
    if (y[i] != 0 && y[i] != doctest::Approx(1.25)) FAIL("element ", i, " is ", y[i]);
    if (y[i] != run.gradient(0).data[i]) FAIL("gradient ", i, " has another mask");
  }
  CHECK(std::abs(zeros - 2020) < 5 * 40);  // five standard deviations
}

TEST_CASE("dropout: seed, batch and layer each give another mask") {
  layer_run<equation_layer<dropped, 64>> run(std::vector<index_t>{1}, {});
  std::fill_n(run.input(0).data, 64, 1.0);
  run.pass.dropout.residual = 0.5;
  const auto mask = [&](std::uint64_t seed, std::uint32_t step, std::uint32_t site) {
    run.pass.seed = seed, run.pass.step = step, run.pass.first_site = site;
    run.forward();
    return std::vector<double>(run.output(0).data, run.output(0).data + 64);
  };
  const auto first = mask(1, 0, 0);
  CHECK(first == mask(1, 0, 0));
  CHECK(first != mask(2, 0, 0));
  CHECK(first != mask(1, 1, 0));
  CHECK(first != mask(1, 0, 96));
}

TEST_CASE("dropout: gradients, also of two masks over one value") {
  CHECK(formwork_test::gradients_pass<equation_layer<dropped, 7>>({}, {.residual = 0.4}) == 1);
  CHECK(formwork_test::gradients_pass<equation_layer<twice, 3>>({}, {.embedding = 0.4}) == 1);
}

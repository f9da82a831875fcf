#include <formwork/ops/elementwise.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/random_fill.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

template <class F>
struct applied {
  static constexpr expr y(expr x) { return ops::apply(F{}, x); }
};
template <class F>
struct behind_product {
  static constexpr expr y(expr x) { return ops::apply(F{}, ops::linear(x, 7, "f", role::up)); }
};
}  // namespace

TEST_CASE_TEMPLATE("elementwise: gradients of smooth functions, alone and in a product's epilogue", F, gelu,
                   gelu_tanh, silu, squared_relu, logistic_sigmoid, hyperbolic_tangent) {
  CHECK(gradients_pass<equation_layer<applied<F>, 13>>() == 1);
  CHECK(gradients_pass<equation_layer<behind_product<F>, 5>>() == 3);
  CHECK(gradients_pass<equation_layer<applied<F>, 1>>({.source = {1}}) == 1);
}

TEST_CASE("elementwise: relu's gradient is exactly 0 or that of the result, away from the kink") {
  layer_run<equation_layer<applied<relu>, 5>> run(std::vector<index_t>{2}, {});
  const double x[10] = {-2, 2, -1e-300, 1e-300, 0, 7, -7, 0.5, -0.5, 1};
  std::copy_n(x, 10, run.input(0).data);
  run.forward();
  for (index_t i = 0; i < 10; ++i) {
    CHECK(run.output(0).data[i] == (x[i] > 0 ? x[i] : 0));
    run.gradient(0).data[i] = double(i) + 1;
  }
  run.backward();
  for (index_t i = 0; i < 10; ++i) CHECK(run.gradient(0).data[i] == (x[i] > 0 ? double(i) + 1 : 0));
}

TEST_CASE("elementwise: relu in an epilogue gates by its result") {
  layer_run<equation_layer<behind_product<relu>, 5>> fused(std::vector<index_t>{4, 3}, {});
  static_assert(layer_run<equation_layer<behind_product<relu>, 5>>::table.count == 2);
  formwork_test::fill_normal(fused.parameters());
  formwork_test::fill_normal(fused.input(0), 2);
  fused.forward();
  formwork_test::fill_normal(fused.gradient(0), 3);
  std::vector<double> db(7);
  int zeros = 0;
  for (index_t r = 0; r < 7; ++r)
    for (index_t c = 0; c < 7; ++c) {
      const double y = fused.output(0).row(r)[c];
      zeros += y == 0;
      if (y > 0) db[std::size_t(c)] += fused.gradient(0).row(r)[c];
    }
  CHECK((zeros > 5 && zeros < 44));
  fused.backward();
  for (index_t c = 0; c < 7; ++c)
    CHECK(fused.parameters().gradient("f.bias").data[c] ==
          doctest::Approx(db[std::size_t(c)]).epsilon(1e-12));
}

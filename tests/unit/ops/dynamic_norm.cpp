#include <formwork/ops/dynamic_norm.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/layer_check.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

template <class F, bool Shifted, int Heads = 1>
struct normed {
  static constexpr expr y(expr x) { return ops::dynamic_norm(F{}, x, "norm", 0.8, Shifted, Heads); }
};
template <class Norm>
struct beside {
  static constexpr expr y(expr x) { return 3.0 * x + Norm::y(x); }
};

}  // namespace

TEST_CASE("dynamic_norm: gain f(alpha x + shift) + bias, for rows and for heads") {
  layer_run<equation_layer<normed<error_function, true, 3>, 12>> run(std::vector<index_t>{1, 2}, {});
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 2);
  run.forward();
  const auto p = [&](const char* name, index_t i) {
    return run.parameters().value(std::string("norm.") + name).data[i];
  };
  for (index_t r = 0; r < 3; ++r)
    for (index_t c = 0; c < 12; ++c)
      CHECK(run.output(0).row(r)[c] ==
            doctest::Approx(p("gain", c % 4) *
                                std::erf(p("alpha", 0) * run.input(0).row(r)[c] + p("shift", 0)) +
                            p("bias", c % 4))
                .epsilon(1e-13));
}

TEST_CASE("dynamic_norm: gradients, alone, of heads and added to another") {
  using dynamic_tanh = normed<hyperbolic_tangent, false>;
  using dynamic_erf = normed<error_function, true>;
  CHECK(gradients_pass<equation_layer<dynamic_tanh, 7>>() == 4);
  CHECK(gradients_pass<equation_layer<dynamic_erf, 7>>() == 5);
  CHECK(gradients_pass<equation_layer<dynamic_erf, 1>>({.source = {1}}) == 5);
  CHECK(gradients_pass<equation_layer<normed<hyperbolic_tangent, true, 3>, 21>>() == 5);
  CHECK(gradients_pass<equation_layer<beside<dynamic_tanh>, 67>>({.source = {3, 0, 20}}) == 4);
}

TEST_CASE("dynamic_norm: the same bits for any number of threads, single precision near double") {
  formwork_test::runs_alike<equation_layer<beside<normed<hyperbolic_tangent, false>>, 67>>(1e-4);
  formwork_test::runs_alike<equation_layer<beside<normed<error_function, true, 3>>, 99>>(1e-4);
}

TEST_CASE("dynamic_norm: names, sizes and first values of the parameters") {
  graph g{};
  ops::dynamic_norm(error_function{}, stream_input(g, 12, axis::source), "norm", 0.8, true, 3);
  REQUIRE(g.parameter_count == 4);
  const struct {
    const char* name;
    index_t rows;
    double start;
  } expected[] = {{"norm.gain", 4, 1}, {"norm.bias", 4, 0}, {"norm.alpha", 1, 0.8}, {"norm.shift", 1, 0}};
  for (int i = 0; i < 4; ++i) {
    CHECK(g.parameters[i].name == label(expected[i].name));
    CHECK((g.parameters[i].rows == expected[i].rows && g.parameters[i].start == expected[i].start));
  }
}

#include <formwork/ops/rms_norm.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/layer_check.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

template <int Heads>
struct rms {
  static constexpr expr y(expr x) { return ops::rms_norm(x, "norm", 0.5, Heads); }
};
template <int Heads>
struct from_one {
  static constexpr expr y(expr x) { return ops::unit_offset_rms_norm(x, "norm", 0.5, Heads); }
};
template <int Heads>
struct unit {
  static constexpr expr y(expr x) { return ops::unit_length(x, 0.5, Heads); }
};
template <int Heads>
struct scaled {
  static constexpr expr y(expr x) { return ops::scaled_length(x, "norm", 3, 0.5, Heads); }
};
/// The norm's operand goes on beside it, so that its gradient is added to another one.
template <class Norm>
struct beside {
  static constexpr expr y(expr x) { return 3.0 * x + Norm::y(x); }
};
/// Heads of columns inside of a wider value, as queries are after the fusion of products.
struct of_a_slice {
  static constexpr expr y(expr x) {
    const expr a = ops::linear(x, 12, "a", role::query), b = ops::linear(x, 12, "b", role::key);
    return ops::rms_norm(a, "a_norm", 1e-5, 3) * ops::scaled_length(b, "b_norm", 2, 1e-5, 3);
  }
};

/// y[r, c] = x[r, c] / size of its head * gain(c in its head).
template <class Equation, index_t D, class Gain>
void check_values(int heads, bool mean, Gain gain) {
  layer_run<equation_layer<Equation, D>> run(std::vector<index_t>{1, 2}, {});
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 2);
  run.forward();
  const index_t width = D / heads;
  for (index_t r = 0; r < 3; ++r)
    for (index_t c = 0; c < D; ++c) {
      const double* x = run.input(0).row(r);
      double squares = 0;
      for (index_t i = c / width * width; i < (c / width + 1) * width; ++i) squares += x[i] * x[i];
      const double size = std::sqrt((mean ? squares / double(width) : squares) + 0.5);
      CHECK(run.output(0).row(r)[c] ==
            doctest::Approx(x[c] / size * gain(run.parameters(), c % width)).epsilon(1e-13));
    }
}

}  // namespace

TEST_CASE("rms_norm: values, of rows and of heads") {
  const auto gain = [](auto& p, index_t c) { return p.value("norm.gain").data[c]; };
  const auto offset = [](auto& p, index_t c) { return 1 + p.value("norm.gain").data[c]; };
  const auto scale = [](auto& p, index_t) { return p.value("norm.scale").data[0]; };
  const auto one = [](auto&, index_t) { return 1.0; };
  check_values<rms<1>, 7>(1, true, gain);
  check_values<rms<3>, 12>(3, true, gain);
  check_values<from_one<1>, 7>(1, true, offset);
  check_values<from_one<3>, 12>(3, true, offset);
  check_values<unit<1>, 7>(1, false, one);
  check_values<unit<3>, 12>(3, false, one);
  check_values<scaled<1>, 7>(1, false, scale);
  check_values<scaled<3>, 12>(3, false, scale);
}

TEST_CASE_TEMPLATE("rms_norm: gradients, alone and added to another", Norm, rms<1>, from_one<1>, scaled<1>,
                   unit<1>) {
  const int gradients = std::is_same_v<Norm, unit<1>> ? 1 : 2;
  CHECK(gradients_pass<equation_layer<Norm, 7>>() == gradients);
  CHECK(gradients_pass<equation_layer<Norm, 2>>({.source = {1}}) == gradients);
  CHECK(gradients_pass<equation_layer<beside<Norm>, 67>>({.source = {3, 0, 17}}) == gradients);
}

TEST_CASE_TEMPLATE("rms_norm: gradients of heads", Norm, rms<3>, from_one<3>, scaled<3>, unit<3>) {
  gradients_pass<equation_layer<Norm, 21>>();
  gradients_pass<equation_layer<beside<Norm>, 99>>({.source = {1, 0, 20}});
}

TEST_CASE("rms_norm: gradients through columns of a joint product") {
  CHECK(gradients_pass<equation_layer<of_a_slice, 5>>() == 7);
}

TEST_CASE_TEMPLATE("rms_norm: the same bits for any number of threads, single precision near double", Norm,
                   rms<1>, rms<3>, from_one<3>, scaled<1>, scaled<3>, unit<3>) {
  formwork_test::runs_alike<equation_layer<beside<Norm>, 99>>(1e-4);
}

TEST_CASE("rms_norm: first values, and one gain for all heads") {
  graph g{};
  const expr x = stream_input(g, 12, axis::source);
  ops::rms_norm(x, "a", 1e-5, 3), ops::unit_offset_rms_norm(x, "b"), ops::scaled_length(x, "c", 2.5);
  const expr y = ops::unit_length(x);
  REQUIRE(g.parameter_count == 3);
  CHECK((g.parameters[0].rows == 4 && g.parameters[0].start == 1 && g.parameters[1].rows == 12));
  CHECK((g.parameters[1].start == 0 && g.parameters[1].role == role::norm_gain));
  CHECK((g.parameters[2].start == 2.5 && g.parameters[2].role == role::scalar && g.parameters[2].rows == 1));
  CHECK((y.n().parameter[0] == -1 && y.n().heads == 0 && g[1].heads == 3));
}

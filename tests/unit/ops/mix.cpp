#include <formwork/ops/mix.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/layer_check.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

/// Three values of x with trainable weights: numbers 1 to 3 of five.
struct trained {
  static constexpr expr y(expr x) { return ops::mix(std::array{x, x * x, 2 * x}, "w", 5, 1); }
};
/// The same with columns 1 to 3 of a value as weights.
struct given {
  static constexpr expr y(expr x) {
    const expr w = ops::linear(x, 5, "w", role::up);
    return ops::mix(std::array{x, x * x, 2 * x}, ops::slice(w, 1, 3));
  }
};
struct six {
  static constexpr expr y(expr x) {
    const expr a = x * x, b = 2 * x, c = a * x, d = b * a;
    return ops::mix(std::array{x, a, b, c, d, a * a}, "w", 6);
  }
};
struct one {
  static constexpr expr y(expr x) { return ops::mix(std::array{x}, ops::slice(2 * x, 0, 1)); }
};
/// A value twice in one mixture, two mixtures of one row of weights, and their operand beside them.
struct repeated {
  static constexpr expr y(expr x) {
    const expr w = ops::linear(x, 4, "w", role::up), z = 2 * x;
    const expr a = ops::mix(std::array{z, z}, ops::slice(w, 0, 2));
    return ops::mix(std::array{a, z}, ops::slice(w, 2, 2)) + ops::mix(std::array{a, x, a}, "v", 3) * x;
  }
};

}  // namespace

TEST_CASE("mix: a sum of the terms, each times its weight") {
  layer_run<equation_layer<trained, 7>> run(std::vector<index_t>{2, 1}, {});
  layer_run<equation_layer<given, 7>> by_row(std::vector<index_t>{2, 1}, {});
  REQUIRE(run.parameters().value("w").rows == 5);
  CHECK(run.parameters().entries()[0].info.role == role::scalar);
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(by_row.parameters());
  formwork_test::fill_normal(run.input(0), 1);
  formwork_test::fill_normal(by_row.input(0), 1);
  run.forward();
  by_row.forward();
  for (index_t r = 0; r < 3; ++r)
    for (index_t c = 0; c < 7; ++c) {
      const double x = run.input(0).row(r)[c];
      const auto sum = [x](const double* w) { return w[0] * x + w[1] * x * x + w[2] * 2 * x; };
      CHECK(run.output(0).row(r)[c] == doctest::Approx(sum(run.parameters().value("w").data + 1)));
      double w[3];
      for (index_t t = 0; t < 3; ++t) {
        w[t] = by_row.parameters().value("w.bias").data[t + 1];
        for (index_t i = 0; i < 7; ++i)
          w[t] += by_row.parameters().value("w.weight").row(t + 1)[i] * run.input(0).row(r)[i];
      }
      CHECK(by_row.output(0).row(r)[c] == doctest::Approx(sum(w)));
    }
}

TEST_CASE("mix: gradients") {
  CHECK(gradients_pass<equation_layer<trained, 7>>() == 2);
  CHECK(gradients_pass<equation_layer<trained, 67>>({.source = {1, 0, 40}}) == 2);
  CHECK(gradients_pass<equation_layer<trained, 1>>({.source = {1}}) == 2);
  CHECK(gradients_pass<equation_layer<given, 13>>() == 3);
  CHECK(gradients_pass<equation_layer<given, 1>>({.source = {1}}) == 3);
  CHECK(gradients_pass<equation_layer<six, 5>>() == 2);
  CHECK(gradients_pass<equation_layer<one, 3>>() == 1);
  CHECK(gradients_pass<equation_layer<repeated, 11>>() == 4);
}

TEST_CASE("mix: the same bits for any number of threads, single precision near double") {
  formwork_test::runs_alike<equation_layer<repeated, 33>>(1e-4);
}

TEST_CASE("mix: what does not fit together is an error") {
  graph g{};
  const expr x = stream_input(g, 8, axis::source), t = stream_input(g, 8, axis::target),
             narrow = stream_input(g, 5, axis::source);
  CHECK_THROWS_WITH(ops::mix(std::array{x, t}, "w", 2), "mix: all terms must run over the same token axis");
  CHECK_THROWS_WITH(ops::mix(std::array{x, narrow}, "w", 2), "mix: all terms must have the same width");
  CHECK_THROWS_WITH(ops::mix(std::array{x, x}, "w", 1), "mix: expected a weight for each term");
  CHECK_THROWS_WITH(ops::mix(std::array{x, x}, "w", 3, 2), "mix: expected a weight for each term");
  CHECK_THROWS_WITH(ops::mix(std::array{x, x}, x), "mix: expected a weight for each term");
  CHECK_THROWS_WITH(ops::mix(std::array{x, x}, t),
                    "mix: the weights must run over the token axis of the terms");
  for (const auto& [first, count] : {std::pair{-1, 2}, {7, 2}, {0, 0}})
    CHECK_THROWS_WITH(ops::slice(x, first, count), "slice: the value has no such columns");
}

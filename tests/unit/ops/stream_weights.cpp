#include <formwork/ops/stream_weights.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/layer_check.hpp"

using namespace formwork;
using formwork_test::equation_layer;
using formwork_test::gradients_pass;

namespace {

/// What three streams say of their own weights, of all weights.
template <std::size_t N>
struct by_tanh {
  static constexpr expr y(expr x) {
    std::array<expr, N> z{};
    for (std::size_t j = 0; j < N; ++j) z[j] = double(j + 1) * x;
    return ops::tanh_weights(z, "s", 0.25);
  }
};
template <std::size_t N>
struct by_sinkhorn {
  static constexpr expr y(expr x) {
    std::array<expr, N> z{};
    for (std::size_t j = 0; j < N; ++j) z[j] = 0.3 * double(j + 1) * x;
    return ops::sinkhorn_weights(z, "s", 0.25);
  }
};
/// One stream's row is used by something else too.
struct beside {
  static constexpr expr y(expr x) {
    const expr z = 0.5 * x;
    return ops::sinkhorn_weights(std::array{x, z, x}, "s", 1) * z;
  }
};

}  // namespace

TEST_CASE("stream_weights: each stream adds to its own weights by tanh") {
  layer_run<equation_layer<by_tanh<3>, 5>> run(std::vector<index_t>{2}, {});
  CHECK(run.parameters().entries()[run.parameters().find("s.scale")].info.start == 0.25);
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 1);
  run.forward();
  const double *c = run.parameters().value("s.constant").data, *a = run.parameters().value("s.scale").data;
  for (index_t r = 0; r < 2; ++r) {
    const double *x = run.input(0).row(r), *y = run.output(0).row(r);
    for (int j = 0; j < 3; ++j) {
      const auto own = [&](int k) { return std::tanh((j + 1) * x[k]); };
      CHECK(y[j] == doctest::Approx(c[j] + a[0] * own(0)));
      for (int i = 0; i < 3; ++i)
        CHECK(y[3 + 4 * i + j] == doctest::Approx(c[3 + 4 * i + j] + a[0] * own(1 + i)));
      CHECK(y[3 + 4 * j + 3] == doctest::Approx(c[3 + 4 * j + 3] + a[1] * own(4)));
    }
  }
}

TEST_CASE("stream_weights: Sinkhorn's iteration on what all streams say together") {
  layer_run<equation_layer<by_sinkhorn<3>, 15>> run(std::vector<index_t>{2}, {});
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 1);
  run.forward();
  const double *c = run.parameters().value("s.constant").data, *a = run.parameters().value("s.scale").data;
  for (index_t r = 0; r < 2; ++r) {
    const double *x = run.input(0).row(r), *y = run.output(0).row(r);
    const auto v = [&](int k, int part) { return c[k] + a[part] * 0.3 * 6 * x[k]; };
    double m[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) m[i][j] = std::exp(v(3 + 4 * i + j, 1));
    for (int step = 0; step < 20; ++step) {
      for (int j = 0; j < 3; ++j) {
        const double sum = m[0][j] + m[1][j] + m[2][j];
        for (int i = 0; i < 3; ++i) m[i][j] /= sum;
      }
      for (int i = 0; i < 3; ++i) {
        const double sum = m[i][0] + m[i][1] + m[i][2];
        for (int j = 0; j < 3; ++j) m[i][j] /= sum;
      }
    }
    for (int i = 0; i < 3; ++i) {
      CHECK(y[i] == doctest::Approx(1 / (1 + std::exp(-v(i, 0)))));
      CHECK(y[3 + 4 * i + 3] == doctest::Approx(2 / (1 + std::exp(-v(3 + 4 * i + 3, 2)))));
      double row = 0, column = 0;
      for (int j = 0; j < 3; ++j) {
        CHECK(y[3 + 4 * i + j] == doctest::Approx(m[i][j]).epsilon(1e-12));
        row += y[3 + 4 * i + j];
        column += y[3 + 4 * j + i];
      }
      CHECK(row == doctest::Approx(1).epsilon(1e-14));
      CHECK(column == doctest::Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE("stream_weights: logarithms of any size leave finite weights and gradients") {
  layer_run<equation_layer<by_sinkhorn<2>, 8>> run(std::vector<index_t>{1}, {});
  for (const double huge : {0.0, -5e3, 1e5}) {
    const auto constant = run.parameters().value("s.constant");
    for (index_t k = 0; k < 8; ++k) constant.data[k] = k % 2 ? huge : -huge;
    run.forward();
    std::fill_n(run.gradient(0).data, 8, 1.0);
    run.backward();
    for (index_t k = 0; k < 8; ++k) {
      CHECK(std::isfinite(run.output(0).data[k]));
      CHECK(std::isfinite(run.gradient(0).data[k]));
    }
  }
}

TEST_CASE("stream_weights: gradients") {
  CHECK(gradients_pass<equation_layer<by_tanh<1>, 3>>({.source = {1}}) == 3);
  CHECK(gradients_pass<equation_layer<by_tanh<3>, 5>>({.source = {1, 0, 40}}) == 3);
  CHECK(gradients_pass<equation_layer<by_tanh<4>, 6>>() == 3);
  CHECK(gradients_pass<equation_layer<by_sinkhorn<1>, 3>>({.source = {1}}) == 3);
  CHECK(gradients_pass<equation_layer<by_sinkhorn<3>, 15>>({.source = {1, 0, 40}}) == 3);
  CHECK(gradients_pass<equation_layer<by_sinkhorn<4>, 24>>() == 3);
  CHECK(gradients_pass<equation_layer<beside, 15>>() == 3);
}

TEST_CASE("stream_weights: the same bits for any number of threads, single precision near double") {
  formwork_test::runs_alike<equation_layer<by_tanh<4>, 6>>(1e-4);
  formwork_test::runs_alike<equation_layer<by_sinkhorn<4>, 24>>(1e-4);
}

TEST_CASE("stream_weights: streams that do not say the right count of numbers are an error") {
  graph g{};
  const expr x = stream_input(g, 4, axis::source), t = stream_input(g, 4, axis::target);
  const char* sentence = "stream weights: a stream says a wrong count of numbers";
  CHECK_THROWS_WITH(ops::tanh_weights(std::array{x}, "a", 1), sentence);
  CHECK_THROWS_WITH(ops::sinkhorn_weights(std::array{x, x}, "b", 1), sentence);
  CHECK_THROWS_WITH(ops::tanh_weights(std::array{x, t}, "c", 1),
                    "stream weights: all streams must run over the same token axis");
}

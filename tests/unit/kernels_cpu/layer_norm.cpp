#include <formwork/kernels/cpu/layer_norm.hpp>

#include <doctest/doctest.h>

#include "../../support/difference.hpp"
#include "../../support/random.hpp"

#include <cmath>
#include <vector>

using namespace formwork;
using namespace formwork_test;

namespace {

constexpr double eps = 1e-5;

/// The definition in plain loops and double.
std::vector<double> expected_row(const double* x, const double* gain, const double* bias, index_t n) {
  double mean = 0, variance = 0;
  for (index_t i = 0; i < n; ++i) mean += x[i] / double(n);
  for (index_t i = 0; i < n; ++i) variance += (x[i] - mean) * (x[i] - mean) / double(n);
  std::vector<double> y;
  for (index_t i = 0; i < n; ++i) y.push_back((x[i] - mean) / std::sqrt(variance + eps) * gain[i] + bias[i]);
  return y;
}

struct problem {
  index_t rows, width;
  storage<double> x, gain, bias, dy, y, stats, dx, dgain, dbias;

  problem(index_t rows, index_t width)
      : rows(rows),
        width(width),
        x(normal_numbers<double>(rows * width, 1)),
        gain(normal_numbers<double>(width, 2)),
        bias(normal_numbers<double>(width, 3)),
        dy(normal_numbers<double>(rows * width, 4)),
        y(rows * width),
        stats(rows * 2),
        dx(rows * width),
        dgain(width),
        dbias(width) {}

  matrix_view<double> view(storage<double>& s) { return {s.data(), rows, width}; }
  matrix_view<double> statistics() { return {stats.data(), rows, 2}; }

  /// A scalar with curvature behind the norm: sum of dy * y + 0.1 y^3.
  double loss(cpu_backend& backend) {
    cpu::layer_norm_forward<double>(backend, view(x), gain.data(), bias.data(), eps, view(y), statistics());
    double sum = 0;
    for (index_t i = 0; i < y.size(); ++i) sum += dy[i] * y[i] + 0.1 * y[i] * y[i] * y[i];
    return sum;
  }
  void gradients(cpu_backend& backend) {
    loss(backend);
    storage<double> d(y.size());
    for (index_t i = 0; i < y.size(); ++i) d[i] = dy[i] + 0.3 * y[i] * y[i];
    cpu::layer_norm_backward<double>(backend, view(d), view(x), statistics(), gain.data(), view(dx), false,
                                     dgain.data(), dbias.data());
  }
};

}  // namespace

TEST_CASE_TEMPLATE("layer_norm: equals the definition at any width, with strides", T, float, double) {
  cpu_backend backend(2);
  for (const index_t width : {1, 2, 3, 16, 31, 33, 64, 128, 257, 600}) {
    const auto x64 = normal_numbers<double>(7 * (width + 3), 1), gain64 = normal_numbers<double>(width, 2),
               bias64 = normal_numbers<double>(width, 3);
    const auto x = converted<T>(x64), gain = converted<T>(gain64), bias = converted<T>(bias64);
    storage<T> y(7 * (width + 1)), stats(14);
    for (T& v : y) v = T(77);
    cpu::layer_norm_forward<T>(backend, {x.data(), 7, width, width + 3}, gain.data(), bias.data(), eps,
                               {y.data(), 7, width, width + 1}, {stats.data(), 7, 2});
    for (index_t r = 0; r < 7; ++r) {
      const auto x_exact = converted<double>(x), g = converted<double>(gain), b = converted<double>(bias);
      const auto expected = expected_row(x_exact.data() + r * (width + 3), g.data(), b.data(), width);
      // Two elements may lie closer together than the root of eps; then rounding of x is magnified by 300.
      const double tolerance = std::is_same_v<T, float> ? (width < 4 ? 1e-4 : 5e-6) : 1e-12;
      for (index_t c = 0; c < width; ++c)
        REQUIRE(std::fabs(double(y[r * (width + 1) + c]) - expected[std::size_t(c)]) < tolerance);
      REQUIRE(y[r * (width + 1) + width] == T(77));
    }
  }
}

TEST_CASE("layer_norm: a large mean costs no digits of the variance") {
  cpu_backend backend(1);
  storage<float> x(64), one(64), zero(64), y(64), stats(2);
  for (index_t i = 0; i < 64; ++i) x[i] = 4096 + float(i % 2), one[i] = 1;
  cpu::layer_norm_forward<float>(backend, {x.data(), 1, 64}, one.data(), zero.data(), 0, {y.data(), 1, 64},
                                 {stats.data(), 1, 2});
  for (index_t i = 0; i < 64; ++i) CHECK(y[i] == doctest::Approx(i % 2 ? 1 : -1).epsilon(1e-6));
}

TEST_CASE("layer_norm: gradients shrink their error with the square of the step") {
  cpu_backend backend(2);
  for (const auto& [rows, width] : {std::pair<index_t, index_t>{1, 7}, {3, 1}, {19, 3}, {5, 33}, {2, 37}}) {
    problem p(rows, width);
    p.gradients(backend);
    CHECK(is_gradient([&] { return p.loss(backend); }, p.x, p.dx, 2e-5));
    CHECK(is_gradient([&] { return p.loss(backend); }, p.gain, p.dgain));
    CHECK(is_gradient([&] { return p.loss(backend); }, p.bias, p.dbias));
  }
}

TEST_CASE_TEMPLATE("layer_norm: backward adds where asked, in place over dy, equal for any threads", T, float,
                   double) {
  const index_t rows = 1100, width = 67;
  const auto x = normal_numbers<T>(rows * width, 1), dy = normal_numbers<T>(rows * width, 2),
             gain = normal_numbers<T>(width, 3), bias = normal_numbers<T>(width, 4);
  storage<T> first_dx, first_dgain, first_dbias;
  for (const int threads : {1, 2, 3}) {
    cpu_backend backend(threads);
    storage<T> y(rows * width), stats(rows * 2), dx = copy_of(dy), dgain(width), dbias(width);
    const matrix_view<T> st{stats.data(), rows, 2};
    cpu::layer_norm_forward<T>(backend, {x.data(), rows, width}, gain.data(), bias.data(), eps,
                               {y.data(), rows, width}, st);
    const auto backward = [&](matrix_view<const T> d, bool add) {
      cpu::layer_norm_backward<T>(backend, d, {x.data(), rows, width}, st, gain.data(),
                                  {dx.data(), rows, width}, add, dgain.data(), dbias.data());
    };
    backward({dx.data(), rows, width}, false);
    if (threads == 1) {
      const storage<T> once = copy_of(dx), gain_once = copy_of(dgain);
      backward({dy.data(), rows, width}, true);
      for (index_t i = 0; i < dx.size(); ++i) REQUIRE(dx[i] == 2 * once[i]);
      for (index_t i = 0; i < width; ++i) REQUIRE(dgain[i] == 2 * gain_once[i]);
      first_dx = copy_of(once), first_dgain = copy_of(gain_once), first_dbias = copy_of(dbias);
      for (index_t c = 0; c < width; ++c) {
        double sum = 0;
        for (index_t r = 0; r < rows; ++r) sum += double(dy[r * width + c]);
        REQUIRE(double(dbias[c]) == doctest::Approx(2 * sum).epsilon(1e-5).scale(30));
        first_dbias[c] /= 2;
      }
    } else {
      CHECK(same_bits(dx, first_dx));
      CHECK(same_bits(dgain, first_dgain));
      CHECK(same_bits(dbias, first_dbias));
    }
  }
}

TEST_CASE("layer_norm: no rows change nothing, no columns are refused, a not-a-number stays in its row") {
  cpu_backend backend(1);
  problem p(3, 5);
  cpu::layer_norm_backward<double>(backend, {p.dy.data(), 0, 5}, {p.x.data(), 0, 5}, {p.stats.data(), 0, 2},
                                   p.gain.data(), {p.dx.data(), 0, 5}, false, p.dgain.data(), p.dbias.data());
  CHECK(p.dgain[0] == 0);
  CHECK_THROWS_WITH_AS(
      cpu::layer_norm_forward<double>(backend, {p.x.data(), 3, 0}, p.gain.data(), p.bias.data(), eps,
                                      {p.y.data(), 3, 0}, p.statistics()),
      doctest::Contains("layer_norm: x is [3, 0]"), error);
  p.loss(backend);
  const storage<double> clean = copy_of(p.y);
  p.x[7] = std::nan("");
  p.loss(backend);
  for (index_t i = 0; i < 15; ++i) CHECK((i / 5 == 1 ? p.y[i] != p.y[i] : p.y[i] == clean[i]));
}

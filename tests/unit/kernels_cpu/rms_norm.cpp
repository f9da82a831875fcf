#include <formwork/kernels/cpu/rms_norm.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "../../support/difference.hpp"
#include "../../support/random.hpp"

using namespace formwork;
using namespace formwork_test;

namespace {

constexpr double eps = 1e-5;

/// The definition in plain loops and double.
std::vector<double> expected_row(const double* x, const double* gain, index_t n, cpu::row_size by) {
  double squares = 0;
  for (index_t i = 0; i < n; ++i) squares += x[i] * x[i];
  const double root = std::sqrt((by == cpu::row_size::rms ? squares / double(n) : squares) + eps);
  std::vector<double> y;
  for (index_t i = 0; i < n; ++i) y.push_back(x[i] / root * gain[i]);
  return y;
}

struct problem {
  index_t rows, width;
  cpu::row_size by;
  storage<double> x, gain, dy, y, inverse, dx, dgain;

  problem(index_t rows, index_t width, cpu::row_size by)
      : rows(rows),
        width(width),
        by(by),
        x(normal_numbers<double>(rows * width, 1)),
        gain(normal_numbers<double>(width, 2)),
        dy(normal_numbers<double>(rows * width, 4)),
        y(rows * width),
        inverse(rows),
        dx(rows * width),
        dgain(width) {}

  matrix_view<double> view(storage<double>& s) { return {s.data(), rows, width}; }
  matrix_view<double> sizes() { return {inverse.data(), rows, 1}; }

  /// A scalar with curvature behind the norm: sum of dy * y + 0.1 y^3.
  double loss(cpu_backend& backend) {
    cpu::rms_norm_forward<double>(backend, view(x), gain.data(), by, eps, view(y), sizes());
    double sum = 0;
    for (index_t i = 0; i < y.size(); ++i) sum += dy[i] * y[i] + 0.1 * y[i] * y[i] * y[i];
    return sum;
  }
  void gradients(cpu_backend& backend) {
    loss(backend);
    storage<double> d(y.size());
    for (index_t i = 0; i < y.size(); ++i) d[i] = dy[i] + 0.3 * y[i] * y[i];
    cpu::rms_norm_backward<double>(backend, view(d), view(x), sizes(), gain.data(), by, view(dx), false,
                                   dgain.data());
  }
};

}  // namespace

TEST_CASE_TEMPLATE("rms_norm: equals the definition at any width, with strides", T, float, double) {
  cpu_backend backend(2);
  for (const cpu::row_size by : {cpu::row_size::rms, cpu::row_size::length})
    for (const index_t width : {1, 2, 3, 16, 31, 33, 64, 128, 257, 600}) {
      const auto x = normal_numbers<T>(7 * (width + 3), 1), gain = normal_numbers<T>(width, 2);
      const auto x_exact = converted<double>(x), gain_exact = converted<double>(gain);
      storage<T> y(7 * (width + 1)), inverse(14);
      for (T& v : y) v = T(77);
      cpu::rms_norm_forward<T>(backend, {x.data(), 7, width, width + 3}, gain.data(), by, eps,
                               {y.data(), 7, width, width + 1}, {inverse.data(), 7, 1, 2});
      for (index_t r = 0; r < 7; ++r) {
        const auto expected = expected_row(x_exact.data() + r * (width + 3), gain_exact.data(), width, by);
        const double tolerance = std::is_same_v<T, float> ? 2e-6 : 1e-14;
        for (index_t c = 0; c < width; ++c)
          REQUIRE(std::fabs(double(y[r * (width + 1) + c]) - expected[std::size_t(c)]) < tolerance);
        REQUIRE(y[r * (width + 1) + width] == T(77));
        REQUIRE(inverse[2 * r + 1] == T(0));
      }
    }
}

TEST_CASE("rms_norm: gradients shrink their error with the square of the step") {
  cpu_backend backend(2);
  for (const cpu::row_size by : {cpu::row_size::rms, cpu::row_size::length})
    for (const auto& [rows, width] : {std::pair<index_t, index_t>{1, 7}, {19, 3}, {5, 33}, {2, 67}}) {
      problem p(rows, width, by);
      p.gradients(backend);
      CHECK(is_gradient([&] { return p.loss(backend); }, p.x, p.dx, 2e-4));
      CHECK(is_gradient([&] { return p.loss(backend); }, p.gain, p.dgain));
    }
}

TEST_CASE_TEMPLATE("rms_norm: backward adds where asked, in place over dy, equal for any threads", T, float,
                   double) {
  const index_t rows = 1100, width = 67;
  const auto x = normal_numbers<T>(rows * width, 1), dy = normal_numbers<T>(rows * width, 2),
             gain = normal_numbers<T>(width, 3);
  storage<T> first_dx, first_dgain;
  for (const int threads : {1, 2, 3}) {
    cpu_backend backend(threads);
    storage<T> y(rows * width), inverse(rows), dx = copy_of(dy), dgain(width);
    const matrix_view<T> sizes{inverse.data(), rows, 1};
    cpu::rms_norm_forward<T>(backend, {x.data(), rows, width}, gain.data(), cpu::row_size::rms, eps,
                             {y.data(), rows, width}, sizes);
    const auto backward = [&](matrix_view<const T> d, bool add, T* gains) {
      cpu::rms_norm_backward<T>(backend, d, {x.data(), rows, width}, sizes, gain.data(), cpu::row_size::rms,
                                {dx.data(), rows, width}, add, gains);
    };
    backward({dx.data(), rows, width}, false, dgain.data());
    const storage<T> once = copy_of(dx), gain_once = copy_of(dgain);
    backward({dy.data(), rows, width}, true, dgain.data());
    for (index_t i = 0; i < dx.size(); ++i) REQUIRE(dx[i] == 2 * once[i]);
    for (index_t i = 0; i < width; ++i) REQUIRE(dgain[i] == 2 * gain_once[i]);
    backward({dy.data(), rows, width}, false, nullptr);
    CHECK(same_bits(dx, once));
    if (threads == 1)
      first_dx = copy_of(once), first_dgain = copy_of(gain_once);
    else
      CHECK((same_bits(once, first_dx) && same_bits(gain_once, first_dgain)));
  }
}

TEST_CASE("rms_norm: no rows change nothing, no columns are refused, zeros and large numbers stay finite") {
  cpu_backend backend(1);
  problem p(3, 5, cpu::row_size::rms);
  cpu::rms_norm_backward<double>(backend, {p.dy.data(), 0, 5}, {p.x.data(), 0, 5}, {p.inverse.data(), 0, 1},
                                 p.gain.data(), p.by, {p.dx.data(), 0, 5}, false, p.dgain.data());
  CHECK(p.dgain[0] == 0);
  CHECK_THROWS_WITH_AS(cpu::rms_norm_forward<double>(backend, {p.x.data(), 3, 0}, p.gain.data(), p.by, eps,
                                                     {p.y.data(), 3, 0}, p.sizes()),
                       doctest::Contains("rms_norm: x is [3, 0]"), error);
  std::vector<float> x(64, 1e4f), y(64), size(1), gain(64, 1.0f);
  x[3] = -1e4f;
  cpu::rms_norm_forward<float>(backend, {x.data(), 1, 64}, gain.data(), cpu::row_size::rms, eps,
                               {y.data(), 1, 64}, {size.data(), 1, 1});
  CHECK((y[0] == doctest::Approx(1).epsilon(1e-6) && y[3] == doctest::Approx(-1).epsilon(1e-6)));
  std::fill(x.begin(), x.end(), 0.0f);
  for (const cpu::row_size by : {cpu::row_size::rms, cpu::row_size::length}) {
    cpu::rms_norm_forward<float>(backend, {x.data(), 1, 64}, gain.data(), by, 1e-10, {y.data(), 1, 64},
                                 {size.data(), 1, 1});
    CHECK((y[0] == 0 && std::isfinite(size[0])));
  }
}

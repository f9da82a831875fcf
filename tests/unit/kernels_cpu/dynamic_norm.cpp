#include <formwork/kernels/cpu/dynamic_norm.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/norm/norm.hpp>

#include <cmath>

#include "../../support/difference.hpp"
#include "../../support/random.hpp"

using namespace formwork;
using namespace formwork_test;

namespace {

template <class T>
struct numbers {
  index_t rows, width;
  storage<T> x, dy, gain, bias, alpha, shift;
  storage<T> y, dx, dgain, dbias, dalpha, dshift;

  numbers(index_t rows, index_t width)
      : rows(rows),
        width(width),
        x(normal_numbers<T>(rows * width, 1)),
        dy(normal_numbers<T>(rows * width, 2)),
        gain(normal_numbers<T>(width, 3)),
        bias(normal_numbers<T>(width, 4)),
        alpha(normal_numbers<T>(1, 5)),
        shift(normal_numbers<T>(1, 6)),
        y(rows * width),
        dx(rows * width),
        dgain(width),
        dbias(width),
        dalpha(1),
        dshift(1) {}

  matrix_view<T> view(storage<T>& s) { return {s.data(), rows, width}; }
  cpu::dynamic_norm_parameters<const T> parameters() {
    return {gain.data(), bias.data(), alpha.data(), shift.data()};
  }
  template <class F>
  void forward(cpu_backend& backend, F f) {
    cpu::dynamic_norm_forward<T>(backend, view(x), f, parameters(), view(y));
  }
  template <class F>
  void backward(cpu_backend& backend, F f, matrix_view<const T> d, bool add) {
    cpu::dynamic_norm_backward<T>(backend, d, view(x), f, parameters(), view(dx), add,
                                  {dgain.data(), dbias.data(), dalpha.data(), dshift.data()});
  }
  /// A scalar with curvature behind it: sum of dy * y + 0.1 y^3.
  template <class F>
  double loss(cpu_backend& backend, F f) {
    forward(backend, f);
    double sum = 0;
    for (index_t i = 0; i < y.size(); ++i) sum += double(dy[i] * y[i] + T(0.1) * y[i] * y[i] * y[i]);
    return sum;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("dynamic_norm: equals the definition at any width, with strides", T, float, double) {
  cpu_backend backend(2);
  for (const index_t width : {1, 3, 16, 31, 33, 64, 257}) {
    numbers<T> p(9, width);
    storage<T> y(9 * (width + 1));
    for (T& v : y) v = T(77);
    for (const bool shifted : {true, false}) {
      const auto check = [&](auto f, auto exact) {
        auto parameters = p.parameters();
        if (!shifted) parameters.shift = nullptr;
        cpu::dynamic_norm_forward<T>(backend, p.view(p.x), f, parameters, {y.data(), 9, width, width + 1});
        for (index_t r = 0; r < 9; ++r) {
          for (index_t c = 0; c < width; ++c) {
            const double z = double(p.alpha[0]) * double(p.x[r * width + c]) + shifted * double(p.shift[0]);
            const double expected = double(p.gain[c]) * exact(z) + double(p.bias[c]);
            REQUIRE(std::fabs(double(y[r * (width + 1) + c]) - expected) <
                    (std::is_same_v<T, float> ? 2e-6 : 1e-14));
          }
          REQUIRE(y[r * (width + 1) + width] == T(77));
        }
      };
      check(hyperbolic_tangent{}, [](double z) { return std::tanh(z); });
      check(error_function{}, [](double z) { return std::erf(z); });
    }
  }
}

TEST_CASE_TEMPLATE("dynamic_norm: gradients shrink their error with the square of the step", F,
                   hyperbolic_tangent, error_function) {
  cpu_backend backend(2);
  for (const auto& [rows, width] : {std::pair<index_t, index_t>{1, 7}, {19, 3}, {37, 33}, {2, 1}}) {
    numbers<double> p(rows, width);
    const auto loss = [&] { return p.loss(backend, F{}); };
    loss();
    storage<double> d(p.y.size());
    for (index_t i = 0; i < d.size(); ++i) d[i] = p.dy[i] + 0.3 * p.y[i] * p.y[i];
    p.backward(backend, F{}, p.view(d), false);
    CHECK(is_gradient(loss, p.x, p.dx));
    CHECK(is_gradient(loss, p.gain, p.dgain));
    CHECK(is_gradient(loss, p.bias, p.dbias));
    CHECK(is_gradient(loss, p.alpha, p.dalpha));
    CHECK(is_gradient(loss, p.shift, p.dshift));
  }
}

TEST_CASE_TEMPLATE("dynamic_norm: backward adds where asked, in place over dy, equal for any threads", T,
                   float, double) {
  storage<T> first, first_gain, first_alpha;
  for (const int threads : {1, 2, 3}) {
    cpu_backend backend(threads);
    numbers<T> p(1100, 67);
    p.dx = copy_of(p.dy);
    p.backward(backend, hyperbolic_tangent{}, p.view(p.dx), false);
    const storage<T> once = copy_of(p.dx), gain = copy_of(p.dgain), alpha = copy_of(p.dalpha);
    p.backward(backend, hyperbolic_tangent{}, p.view(p.dy), true);
    for (index_t i = 0; i < once.size(); ++i)
      REQUIRE(double(p.dx[i]) == doctest::Approx(2 * double(once[i])).epsilon(1e-6));
    for (index_t i = 0; i < gain.size(); ++i) REQUIRE(p.dgain[i] == 2 * gain[i]);
    CHECK(p.dalpha[0] == 2 * alpha[0]);
    if (threads == 1)
      first = copy_of(once), first_gain = copy_of(gain), first_alpha = copy_of(alpha);
    else
      CHECK((same_bits(once, first) && same_bits(gain, first_gain) && same_bits(alpha, first_alpha)));
  }
}

TEST_CASE("dynamic_norm: shapes that do not fit are refused, no rows change nothing") {
  cpu_backend backend(1);
  numbers<double> p(3, 5);
  CHECK_THROWS_WITH_AS(cpu::dynamic_norm_forward<double>(backend, p.view(p.x), hyperbolic_tangent{},
                                                         p.parameters(), {p.y.data(), 3, 4}),
                       "dynamic_norm: x is [3, 5], y is [3, 4]; expected equal shapes", error);
  p.rows = 0;
  p.backward(backend, hyperbolic_tangent{}, p.view(p.dy), false);
  CHECK((p.dgain[0] == 0 && p.dalpha[0] == 0));
}

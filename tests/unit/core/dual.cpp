#include <formwork/core/dual.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace formwork;

namespace {

// The error of a central difference must shrink with the square of the step: a wrong slope stays put.
template <class F>
void check_slope(F f, double x) {
  const dual<double> y = derivative(f, x);
  CHECK(y.value == doctest::Approx(f(x)).epsilon(1e-14));
  const auto error = [&](double h) { return std::abs((f(x + h) - f(x - h)) / (2 * h) - y.slope); };
  const double coarse = error(1e-2), fine = error(1e-3);
  CHECK(coarse < 0.05);
  CHECK(fine < coarse * 0.02 + 1e-12);
}

}  // namespace

TEST_CASE("dual: every element function has the slope of its central difference") {
  for (double x : {-1.7, -0.4, 0.3, 0.9, 2.1}) {
    CAPTURE(x);
    check_slope([](auto v) { return formwork::exp(v); }, x);
    check_slope([](auto v) { return formwork::tanh(v); }, x);
    check_slope([](auto v) { return formwork::erf(v); }, x);
    check_slope([](auto v) { return formwork::sigmoid(v); }, x);
    check_slope([](auto v) { return formwork::log(v * v + 1.0); }, x);
    check_slope([](auto v) { return formwork::sqrt(v * v + 0.5); }, x);
    check_slope([](auto v) { return formwork::abs(v) * v; }, x);
    check_slope([](auto v) { return formwork::max(v * v, v) + formwork::min(v, -v); }, x);
    check_slope([](auto v) { return formwork::where(v > decltype(v)(0.5), v * v, formwork::exp(v)); }, x);
    check_slope([](auto v) { return formwork::sign(v) * v * v; }, x);
  }
}

TEST_CASE("dual: arithmetic with constants on either side and with other duals") {
  for (double x : {-1.3, 0.7}) {
    check_slope([](auto v) { return (2.0 - v) * (v - 3.0) / (v * v + 4.0); }, x);
    check_slope([](auto v) { return 1.0 / (v + 5.0) - (-v) / 2.0; }, x);
    check_slope([](auto v) { return 1.0 + 3.0 * v + v * 0.5; }, x);
  }
  const dual<float> y = derivative([](auto v) { return 2 * v + 1; }, 3.0f);  // integers are constants too
  CHECK(y.value == 7.0f);
  CHECK(y.slope == 2.0f);
}

TEST_CASE("dual: a constant has slope zero and an infinite value does not spoil a product with a constant") {
  const dual<double> c = 4.0;
  CHECK(c.value == 4.0);
  CHECK(c.slope == 0.0);
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK((dual<double>(infinity, 1.0) * 2.0).slope == 2.0);
}

TEST_CASE("dual: the slope of sigmoid is zero, not not-a-number, where exp overflows") {
  const auto f = [](auto v) { return formwork::sigmoid(v); };
  CHECK(derivative(f, -1e4f).slope == 0.0f);
  CHECK(derivative(f, 1e4f).slope == 0.0f);
  CHECK(derivative(f, -1e4f).value == 0.0f);
}

TEST_CASE("dual: ties of max and min take the slope of the first, abs has slope zero at zero") {
  const auto doubled = [](auto v) { return formwork::max(v, v * 2.0f); };
  CHECK(derivative(doubled, 0.0f).slope == 1.0f);
  CHECK(derivative([](auto v) { return formwork::abs(v); }, 0.0f).slope == 0.0f);
}

TEST_CASE("dual: a batch gives every element its own slope") {
  const auto f = [](auto v) {
    using V = decltype(v);
    return formwork::where(v > V(0.0f), v * formwork::exp(-v), formwork::tanh(v) / 2.0f);
  };
  constexpr index_t width = simd::width<float>;
  float x[width], value[width], slope[width];
  for (index_t i = 0; i < width; ++i) x[i] = float(i) - float(width) / 2 + 0.25f;
  const auto y = derivative(f, simd::load(x));
  simd::store(value, y.value);
  simd::store(slope, y.slope);
  for (index_t i = 0; i < width; ++i) {
    const dual<double> expected = derivative(f, double(x[i]));
    CHECK(value[i] == doctest::Approx(expected.value).epsilon(1e-6));
    CHECK(slope[i] == doctest::Approx(expected.slope).epsilon(1e-5));
  }
}

TEST_CASE("dual: a dual of duals gives the second derivative") {
  const auto cube = [](auto v) { return v * v * v; };
  const auto y = derivative(cube, dual<double>(2.0, 1.0));
  CHECK(y.value.value == 8.0);
  CHECK(y.slope.value == 12.0);
  CHECK(y.slope.slope == 12.0);
}

#include <formwork/tensor/element.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace formwork;

TEST_CASE("element: the functions behind the operators") {
  CHECK(element::add{}(2.0, 3.0) == 5.0);
  CHECK(element::subtract{}(2.0, 3.0) == -1.0);
  CHECK(element::multiply{}(2.0f, 3.0f) == 6.0f);
  CHECK(element::divide{}(3.0, 2.0) == 1.5);
  CHECK(element::maximum{}(2.0, 3.0) == 3.0);
  CHECK(element::minimum{}(2.0, 3.0) == 2.0);
  CHECK(element::negate{}(2.0) == -2.0);
  CHECK(element::exponential{}(0.5) == std::exp(0.5));
  CHECK(element::logarithm{}(0.5) == std::log(0.5));
  CHECK(element::hyperbolic{}(0.5) == std::tanh(0.5));
  CHECK(element::error_function{}(0.5) == std::erf(0.5));
  CHECK(element::root{}(0.25) == 0.5);
  CHECK(element::magnitude{}(-0.25) == 0.25);
  CHECK(element::logistic{}(0.0) == 0.5);
}

TEST_CASE("element: the slope of a function is its derivative, for scalars and batches") {
  const element::slope_of<element::hyperbolic> slope{};
  const double t = std::tanh(0.3);
  CHECK(slope(0.3) == doctest::Approx(1 - t * t).epsilon(1e-14));
  double lane[simd::width<double>];
  simd::store(lane, slope(simd::batch<double>(0.3)));
  CHECK(lane[0] == doctest::Approx(1 - t * t).epsilon(1e-14));
}

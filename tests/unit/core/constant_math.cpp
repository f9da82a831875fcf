#include <formwork/core/constant_math.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace formwork;

TEST_CASE("constant_math: roots and logarithms agree with <cmath>") {
  for (double x = 1e-12; x < 1e12; x *= 3.7) {
    CHECK(constant_sqrt(x) == doctest::Approx(std::sqrt(x)).epsilon(4e-16));
    CHECK(constant_log(x) == doctest::Approx(std::log(x)).epsilon(1e-14));
  }
  CHECK(constant_sqrt(0) == 0);
  CHECK(constant_log(1) == 0);
  static_assert(constant_sqrt(144) == 12 && constant_sqrt(0.0625) == 0.25);
}

TEST_CASE("constant_math: arguments without a result are sentences") {
  CHECK_THROWS_WITH_AS(constant_sqrt(-1), "constant_sqrt: the number is negative or too large", const char*);
  CHECK_THROWS_WITH_AS(constant_log(0), "constant_log: the number is not positive or too large",
                       const char*);
}

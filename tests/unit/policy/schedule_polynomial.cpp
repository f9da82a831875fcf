#include <formwork/policy/schedule/polynomial.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/schedule/linear.hpp>

#include "../../support/schedule_golden.hpp"

using namespace formwork;
using formwork_test::check_golden_rates;

TEST_CASE("polynomial: rates equal the ones computed with 50 digits") {
  check_golden_rates("polynomial 2",
                     polynomial{.lr = 0.5, .warmup = 5, .total = 20, .exponent = 2, .end = 0.05});
  check_golden_rates("polynomial 0.7", polynomial{.lr = 0.5, .total = 20, .exponent = 0.7});
}

TEST_CASE("polynomial: exponent 1 is linear") {
  const polynomial lr{.lr = 0.5, .warmup = 7, .total = 50, .end = 0.1, .initial = 0.2};
  const linear straight{.lr = 0.5, .warmup = 7, .total = 50, .end = 0.1, .initial = 0.2};
  for (step_t t = 1; t <= 60; ++t) CHECK(formwork_test::same_digits(lr(t), straight(t), 1e-14));
}

TEST_CASE("polynomial: a total of 1 and a warm-up as long as the total are legal") {
  CHECK(polynomial{.lr = 0.5, .total = 1}(1) == 0.5);
  CHECK(polynomial{.lr = 0.5, .total = 1, .end = 0.1}(2) == 0.1);
  CHECK(polynomial{.lr = 0.5, .warmup = 5, .total = 5}(5) == 0.5);
  CHECK(polynomial{.lr = 0.5, .warmup = 5, .total = 5}(6) == 0);
}

TEST_CASE("polynomial: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS((polynomial{.total = 1, .exponent = 0}.validate()),
                       "polynomial: exponent is 0, expected a finite number above 0", error);
  CHECK_THROWS_WITH_AS((polynomial{.warmup = 2, .total = 1}.validate()),
                       "polynomial: warmup 2 is more than total 1", error);
  CHECK_THROWS_AS(polynomial{}.validate(), error);
}

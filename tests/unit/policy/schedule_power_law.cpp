#include <formwork/policy/schedule/power_law.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/schedule/inverse_sqrt.hpp>

#include "../../support/schedule_golden.hpp"

using namespace formwork;

TEST_CASE("power_law: rates equal the ones computed with 50 digits") {
  formwork_test::check_golden_rates(
      "power_law", power_law{.lr = 0.5, .warmup = 7, .decay_from = 7, .exponent = -0.8, .initial = 0.1});
}

TEST_CASE("power_law: exponent -1/2 is the inverse square root") {
  for (const step_t w : {0, 1, 50, 400}) {
    const power_law lr{.lr = 0.5, .warmup = w, .decay_from = 100, .initial = 0.2};
    const inverse_sqrt root{.lr = 0.5, .warmup = w, .decay_from = 100, .initial = 0.2};
    for (step_t t = 1; t <= 1000; ++t) CHECK(formwork_test::same_digits(lr(t), root(t), 1e-14));
  }
}

TEST_CASE("power_law: bad numbers are refused with a sentence") {
  CHECK_NOTHROW(power_law{}.validate());
  CHECK_THROWS_WITH_AS(power_law{.exponent = 0}.validate(),
                       "power_law: exponent is 0, expected a finite number below 0", error);
  CHECK_THROWS_WITH_AS(power_law{.decay_from = 0}.validate(),
                       "power_law: decay_from is 0, expected 1 or more", error);
  CHECK_THROWS_AS(power_law{.lr = 0}.validate(), error);
  CHECK_THROWS_AS(power_law{.warmup = -1}.validate(), error);
}

#include <formwork/policy/schedule/cooldown.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/schedule/constant.hpp>
#include <formwork/policy/schedule/power_law.hpp>
#include <formwork/policy/schedule/wsd.hpp>

#include "../../support/schedule_golden.hpp"

using namespace formwork;

TEST_CASE("cooldown: rates equal the ones computed with 50 digits") {
  const power_law base{.lr = 0.5, .warmup = 7, .decay_from = 7, .exponent = -0.51};
  formwork_test::check_golden_rates("power_law tail", cooldown{base, 30, 10, 0.01});
}

TEST_CASE("cooldown: of a constant rate it is a warm-up, stable, decay schedule without warm-up") {
  const cooldown lr{constant{0.5}, 100, 30, 0.1, sqrt_tail{}};
  const wsd<sqrt_tail> same{.lr = 0.5, .total = 100, .decay = 30, .end = 0.1};
  for (step_t t = 1; t <= 120; ++t) CHECK(lr(t) == same(t));
}

TEST_CASE("cooldown: starts at the rate that it finds and ends at the last one") {
  const cooldown lr{[](step_t t) { return 1.0 / double(t); }, 40, 20};
  for (step_t t = 1; t <= 20; ++t) CHECK(lr(t) == 1.0 / double(t));
  CHECK(lr(30) == doctest::Approx(0.025).epsilon(1e-14));
  CHECK(lr(40) == 0);
  CHECK(lr(1000) == 0);
}

TEST_CASE("cooldown: no updates, all updates and a total of 1 are legal") {
  const cooldown none{constant{0.5}, 10, 0};
  CHECK_NOTHROW(none.validate());
  CHECK(none(10) == 0.5);
  CHECK(none(11) == 0);
  for (const step_t updates : {9, 10}) {  // update 1 has the full rate in any case
    const cooldown all{constant{0.5}, 10, updates};
    CHECK_NOTHROW(all.validate());
    CHECK(all(1) == 0.5);
    CHECK(all(10) == 0);
  }
  const cooldown one{constant{0.5}, 1, 1};
  CHECK_NOTHROW(one.validate());
  CHECK(one(1) == 0.5);
}

TEST_CASE("cooldown: bad numbers are refused with a sentence, also those of the parts") {
  CHECK_THROWS_WITH_AS((cooldown{power_law{.warmup = 50}, 100, 51}.validate()),
                       "cooldown: the warm-up of 50 updates is longer than the 49 before the tail", error);
  CHECK_NOTHROW((cooldown{power_law{.warmup = 50}, 100, 50}.validate()));
  CHECK_THROWS_WITH_AS((cooldown{constant{}, 10, 11}.validate()),
                       "cooldown: updates 11 is more than total 10", error);
  CHECK_THROWS_AS((cooldown{constant{}, 10, -1}.validate()), error);
  CHECK_THROWS_AS((cooldown{constant{}, 0, 0}.validate()), error);
  CHECK_THROWS_AS((cooldown{constant{}, 10, 1, -1}.validate()), error);
  CHECK_THROWS_AS((cooldown{constant{0}, 10, 1}.validate()), error);
  CHECK_THROWS_AS((cooldown{constant{}, 10, 1, 0, exponential_tail{0}}.validate()), error);
}

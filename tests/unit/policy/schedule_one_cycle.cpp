#include <formwork/policy/schedule/one_cycle.hpp>
//
#include <doctest/doctest.h>

#include "../../support/schedule_golden.hpp"

using namespace formwork;
using formwork_test::check_golden_rates;

TEST_CASE("one_cycle: rates and momentum equal the ones computed with 50 digits") {
  const one_cycle cycle{.lr = 0.5, .total = 20};
  check_golden_rates("one_cycle", cycle);
  check_golden_rates("one_cycle momentum", [cycle](step_t t) { return cycle.momentum(t); });
  check_golden_rates("one_cycle between",
                     one_cycle{.lr = 0.5, .total = 23, .rise = 0.4, .start_divisor = 10, .end_divisor = 100});
}

TEST_CASE("one_cycle: the values that PyTorch's tests of OneCycleLR expect") {
  const one_cycle lr{.lr = 25, .total = 10, .end_divisor = 2};
  const double first[] = {1, 13, 25};
  for (step_t t = 1; t <= 3; ++t) CHECK(lr(t) == doctest::Approx(first[t - 1]).epsilon(1e-14));
  for (step_t t = 3; t <= 10; ++t) {
    const double u = double(t - 3) / 7;
    CHECK(lr(t) ==
          doctest::Approx(0.5 + (25 - 0.5) / 2 * (std::cos(std::numbers::pi * u) + 1)).epsilon(1e-14));
  }
}

TEST_CASE("one_cycle: the momentum is lowest where the rate is highest") {
  const one_cycle cycle{.total = 100};
  CHECK(cycle.momentum(1) == 0.95);
  CHECK(cycle.momentum(30) == doctest::Approx(0.85).epsilon(1e-15));
  CHECK(cycle.momentum(100) == doctest::Approx(0.95).epsilon(1e-15));
  CHECK(cycle.momentum(200) == 0.95);
  for (step_t t = 2; t <= 100; ++t)
    CHECK((cycle(t) > cycle(t - 1)) == (cycle.momentum(t) < cycle.momentum(t - 1)));
}

TEST_CASE("one_cycle: a part without updates is left out") {
  for (const double rise : {0.0, 0.3, 1.0}) {
    const one_cycle one{.lr = 0.5, .total = 1, .rise = rise};
    CHECK(one(1) == 0.5);
    CHECK(one(2) == 0.5 / 25 / 1e4);
  }
  CHECK(one_cycle{.lr = 0.5, .total = 10, .rise = 0}(1) == 0.5);
  CHECK(one_cycle{.lr = 0.5, .total = 10, .rise = 1}(10) == 0.5);
  CHECK(one_cycle{.lr = 0.5, .total = 2}(1) == 0.5);
}

TEST_CASE("one_cycle: bad numbers are refused with a sentence") {
  CHECK_NOTHROW(one_cycle{.total = 1}.validate());
  CHECK_THROWS_WITH_AS(one_cycle{}.validate(),
                       "one_cycle: total is 0, expected the number of updates, 1 or more", error);
  CHECK_THROWS_WITH_AS((one_cycle{.total = 1, .rise = 1.5}.validate()),
                       "one_cycle: rise is 1.5, expected a number in [0, 1]", error);
  CHECK_THROWS_AS((one_cycle{.lr = 0, .total = 1}.validate()), error);
  CHECK_THROWS_AS((one_cycle{.total = 1, .start_divisor = 0.5}.validate()), error);
  CHECK_THROWS_AS((one_cycle{.total = 1, .end_divisor = 0}.validate()), error);
  CHECK_THROWS_WITH_AS((one_cycle{.total = 1, .high_momentum = 0.8}.validate()),
                       "one_cycle: momentum between 0.85 and 0.8, expected 0 <= low <= high < 1", error);
  CHECK_THROWS_AS((one_cycle{.total = 1, .high_momentum = 1}.validate()), error);
}

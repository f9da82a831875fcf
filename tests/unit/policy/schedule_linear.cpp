#include <formwork/policy/schedule/linear.hpp>
//
#include <doctest/doctest.h>

#include "../../support/schedule_golden.hpp"

using namespace formwork;

TEST_CASE("linear: rates equal the ones computed with 50 digits") {
  formwork_test::check_golden_rates("linear", linear{.lr = 0.5, .total = 20, .end = 0.05});
  formwork_test::check_golden_rates("linear warm",
                                    linear{.lr = 0.5, .warmup = 5, .total = 20, .end = 0.05, .initial = 0.1});
}

TEST_CASE("linear: the rates of a small example") {
  const linear lr{.lr = 8, .warmup = 4, .total = 8, .end = 0};
  const double expected[] = {2, 4, 6, 8, 6, 4, 2, 0, 0, 0};
  for (step_t t = 1; t <= 10; ++t) CHECK(lr(t) == expected[t - 1]);
}

TEST_CASE("linear: without warm-up update 1 has the full rate, and the end is met exactly") {
  const linear lr{.lr = 0.3, .total = 11, .end = 0.1};
  CHECK(lr(1) == 0.3);
  CHECK(lr(6) == doctest::Approx(0.2).epsilon(1e-15));
  CHECK(lr(11) == 0.1);
  CHECK(lr(1'000'000) == 0.1);
}

TEST_CASE("linear: a total of 1 and a warm-up as long as the total are legal") {
  for (const step_t w : {0, 1}) {
    const linear lr{.lr = 0.5, .warmup = w, .total = 1};
    CHECK_NOTHROW(lr.validate());
    CHECK(lr(1) == 0.5);
    CHECK(lr(2) == 0);
  }
  const linear lr{.lr = 0.5, .warmup = 5, .total = 5, .end = 0.125};
  CHECK(lr(5) == 0.5);
  CHECK(lr(6) == 0.125);
}

TEST_CASE("linear: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS((linear{.warmup = 500, .total = 100}.validate()),
                       "linear: warmup 500 is more than total 100", error);
  CHECK_THROWS_WITH_AS(linear{}.validate(), "linear: total is 0, expected the number of updates, 1 or more",
                       error);
  CHECK_THROWS_AS((linear{.warmup = -1, .total = 1}.validate()), error);
  CHECK_THROWS_AS((linear{.lr = 0, .total = 1}.validate()), error);
  CHECK_THROWS_AS((linear{.total = 1, .end = -1}.validate()), error);
  CHECK_THROWS_AS((linear{.total = 1, .initial = -1}.validate()), error);
}

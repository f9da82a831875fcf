#include <formwork/policy/schedule/wsd.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/schedule/linear.hpp>

#include "../../support/schedule_golden.hpp"

using namespace formwork;
using formwork_test::check_golden_rates;

TEST_CASE("wsd: rates equal the ones computed with 50 digits") {
  check_golden_rates("wsd linear",
                     wsd<>{.lr = 0.5, .warmup = 6, .total = 30, .decay = 10, .end = 0.05, .initial = 0.1});
  check_golden_rates("wsd sqrt", wsd<sqrt_tail>{.lr = 0.5, .total = 30, .decay = 12});
  check_golden_rates(
      "wsd exponential",
      wsd<exponential_tail>{
          .lr = 0.5, .warmup = 6, .total = 30, .decay = 10, .end = 0.05, .tail = {.halvings = 4}});
}

TEST_CASE("wsd: without a stable part it is linear") {
  const wsd<> lr{.lr = 0.5, .warmup = 10, .total = 100, .decay = 90, .end = 0.1};
  const linear straight{.lr = 0.5, .warmup = 10, .total = 100, .end = 0.1};
  for (step_t t = 1; t <= 120; ++t) CHECK(formwork_test::same_digits(lr(t), straight(t), 1e-14));
}

TEST_CASE("wsd: the tail is a tenth of the total unless it is said, or what warm-up leaves of that") {
  CHECK(wsd<>{.total = 1000}.decay_begin() == 900);
  CHECK(wsd<>{.total = 1000, .decay = 250}.decay_begin() == 750);
  CHECK(wsd<>{.total = 14}.decay_begin() == 13);
  CHECK(wsd<>{.total = 15}.decay_begin() == 13);
  CHECK(wsd<>{.warmup = 95, .total = 100}.decay_begin() == 95);
  const wsd<> lr{.lr = 0.5, .total = 1000};
  CHECK(lr(900) == 0.5);
  CHECK(lr(950) == 0.25);
  CHECK(lr(1000) == 0);
}

TEST_CASE("wsd: up to its tail the rate does not depend on the total") {
  const wsd<sqrt_tail> first{.lr = 0.5, .warmup = 10, .total = 100, .decay = 20};
  const wsd<sqrt_tail> longer{.lr = 0.5, .warmup = 10, .total = 500, .decay = 20};
  for (step_t t = 1; t <= 80; ++t) CHECK(first(t) == longer(t));
}

TEST_CASE("wsd: a total of 1 and a warm-up as long as the total are legal") {
  for (const step_t w : {0, 1}) {
    const wsd<> lr{.lr = 0.5, .warmup = w, .total = 1, .end = 0.1};
    CHECK_NOTHROW(lr.validate());
    CHECK(lr(1) == 0.5);
    CHECK(lr(2) == 0.1);
  }
  const wsd<> lr{.lr = 0.5, .warmup = 50, .total = 50};
  CHECK_NOTHROW(lr.validate());
  CHECK(lr(50) == 0.5);
  CHECK(lr(51) == 0);
  CHECK(wsd<>{.lr = 0.5, .total = 4, .decay = 4}(1) == 0.5);
}

TEST_CASE("wsd: a tail of one's own") {
  constexpr auto parabola = [](double u) { return 1 - u * u; };
  const wsd<decltype(parabola)> lr{.lr = 0.5, .total = 100, .decay = 50, .end = 0.1};
  CHECK(lr(50) == 0.5);
  CHECK(lr(75) == doctest::Approx(0.1 + 0.4 * 0.75));
  CHECK(lr(100) == 0.1);
}

TEST_CASE("wsd: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS((wsd<>{.warmup = 60, .total = 100, .decay = 50}.validate()),
                       "wsd: warmup 60 and decay 50 are together more than total 100", error);
  CHECK_THROWS_WITH_AS((wsd<>{.warmup = 101, .total = 100}.validate()),
                       "wsd: warmup 101 is more than total 100", error);
  CHECK_THROWS_AS((wsd<>{.total = 100, .decay = -1}.validate()), error);
  CHECK_THROWS_AS((wsd<>{}.validate()), error);
  CHECK_THROWS_AS((wsd<exponential_tail>{.total = 10, .tail = {.halvings = -1}}.validate()), error);
}

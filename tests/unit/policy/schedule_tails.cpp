#include <formwork/policy/schedule/tails.hpp>
//
#include <doctest/doctest.h>

using namespace formwork;

static_assert(decay_tail<double (*)(double)> && !decay_tail<int>);
static_assert(decay_tail<decltype([](double u) { return 1 - u * u; })>);
static_assert(!decay_tail<decltype([](double) {})>);

TEST_CASE("tails: start at 1, fall, and end where they say") {
  const auto falls_to = [](const auto& left, double last) {
    CHECK(left(1e-12) == doctest::Approx(1).epsilon(1e-5));
    for (int i = 1; i < 100; ++i) CHECK(left((i + 1) / 100.0) < left(i / 100.0));
    CHECK(left(1) == last);
  };
  falls_to(linear_tail{}, 0);
  falls_to(sqrt_tail{}, 0);
  falls_to(exponential_tail{}, 1.0 / 32);
  falls_to(exponential_tail{.halvings = 2}, 0.25);
}

TEST_CASE("tails: the values of their formulas") {
  CHECK(linear_tail{}(0.25) == 0.75);
  CHECK(sqrt_tail{}(0.25) == 0.5);
  CHECK(exponential_tail{.halvings = 4}(0.25) == 0.5);
  CHECK(exponential_tail{.halvings = 4}(0.75) == 0.125);
}

TEST_CASE("tails: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS(exponential_tail{0}.validate(),
                       "exponential_tail: halvings is 0, expected a finite number above 0", error);
}

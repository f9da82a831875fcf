#include <formwork/policy/schedule/compose.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/schedule/constant.hpp>
#include <formwork/policy/schedule/cosine.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>
#include <formwork/policy/schedule/linear.hpp>

#include "../../support/schedule_golden.hpp"

using namespace formwork;

TEST_CASE("warmup: multiplies the rates of a schedule whose clock runs from update 1") {
  const cosine inner{.lr = 0.5, .total = 100};
  const warmup lr{10, inner};
  for (step_t t = 1; t <= 120; ++t) CHECK(lr(t) == doctest::Approx(inner(t) * std::min(1.0, double(t) / 10)));
}

TEST_CASE("warmup: rates equal the ones computed with 50 digits") {
  formwork_test::check_golden_rates("warmup", warmup{6, linear{.lr = 0.5, .total = 20, .end = 0.05}});
}

TEST_CASE("warmup: may start from a rate of its own") {
  const warmup lr{4, constant{0.5}, 0.1};
  const double expected[] = {0.2, 0.3, 0.4, 0.5, 0.5};
  for (step_t t = 1; t <= 5; ++t) CHECK(lr(t) == doctest::Approx(expected[t - 1]).epsilon(1e-15));
  for (const step_t w : {0, 1}) CHECK(warmup{w, constant{0.5}, 0.1}(1) == 0.5);
}

TEST_CASE("then: the second schedule starts its clock again") {
  const then lr{constant{0.5}, 3, linear{.lr = 0.5, .total = 5}};
  const double expected[] = {0.5, 0.5, 0.5, 0.5, 0.375, 0.25, 0.125, 0, 0};
  for (step_t t = 1; t <= 9; ++t) CHECK(lr(t) == expected[t - 1]);
  const then only_second{constant{0.5}, 0, constant{0.25}};
  CHECK(only_second(1) == 0.25);
}

TEST_CASE("compose: parts may be lambdas and nest") {
  const auto wave = [](step_t t) { return t % 2 == 0 ? 1.0 : 0.5; };
  const auto lr = scaled{4, warmup{2, then{wave, 4, constant{0.125}}}};
  const double expected[] = {1, 4, 2, 4, 0.5, 0.5};
  for (step_t t = 1; t <= 6; ++t) CHECK(lr(t) == expected[t - 1]);
  CHECK_NOTHROW(lr.validate());
}

TEST_CASE("compose: bad numbers are refused with a sentence, also those of the parts") {
  CHECK_THROWS_WITH_AS((warmup{-1, constant{}}.validate()), "warmup: steps is -1, expected 0 or more", error);
  CHECK_THROWS_AS((warmup{1, constant{0}}.validate()), error);
  CHECK_THROWS_WITH_AS((warmup{1, constant{}, -1}.validate()),
                       "warmup: initial is -1, expected a finite number, 0 or more", error);
  CHECK_THROWS_WITH_AS((warmup{11, cosine{.total = 10}}.validate()), "warmup: steps 11 is more than total 10",
                       error);
  CHECK_THROWS_AS((warmup{11, scaled{2, cosine{.total = 10}}}.validate()), error);
  CHECK_NOTHROW((warmup{10, cosine{.total = 10}}.validate()));
  CHECK_THROWS_WITH_AS((then{inverse_sqrt{.warmup = 9}, 8, constant{}}.validate()),
                       "then: the warm-up of 9 updates is longer than the first part, 8", error);
  CHECK_THROWS_AS((then{constant{}, -1, constant{}}.validate()), error);
  CHECK_THROWS_AS((then{constant{0}, 1, constant{}}.validate()), error);
  CHECK_THROWS_AS((then{constant{}, 1, cosine{}}.validate()), error);
  CHECK_THROWS_AS((scaled{0, constant{}}.validate()), error);
  CHECK_THROWS_AS((scaled{1, warmup{5, constant{-1}}}.validate()), error);
}

#include <formwork/policy/schedule/tri_stage.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/schedule/wsd.hpp>

#include "../../support/schedule_golden.hpp"

using namespace formwork;

TEST_CASE("tri_stage: rates equal the ones computed with 50 digits") {
  formwork_test::check_golden_rates(
      "tri_stage",
      tri_stage{.lr = 0.5, .warmup = 6, .hold = 8, .decay = 12, .initial_share = 0.2, .end_share = 0.05});
}

TEST_CASE("tri_stage: is a warm-up, stable, decay schedule with an exponential tail") {
  const tri_stage lr{
      .lr = 0.5, .warmup = 10, .hold = 20, .decay = 30, .initial_share = 0, .end_share = 1.0 / 64};
  const wsd<exponential_tail> same{
      .lr = 0.5, .warmup = 10, .total = 60, .decay = 30, .tail = {.halvings = 6}};
  for (step_t t = 1; t <= 80; ++t) CHECK(formwork_test::same_digits(lr(t), same(t), 1e-14));
}

TEST_CASE("tri_stage: any stage may be missing") {
  const tri_stage no_decay{.lr = 0.5, .warmup = 2, .hold = 2};
  CHECK_NOTHROW(no_decay.validate());
  CHECK(no_decay(4) == 0.5);
  CHECK(no_decay(5) == 0.5 * 0.01);
  const tri_stage only_decay{.lr = 0.5, .decay = 3, .end_share = 0.25};
  CHECK_NOTHROW(only_decay.validate());
  CHECK(only_decay(1) == 0.5);
  CHECK(only_decay(2) == 0.25);
  CHECK(only_decay(3) == 0.125);
}

TEST_CASE("tri_stage: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS(tri_stage{}.validate(),
                       "tri_stage: warmup, hold and decay are together 0, expected 1 or more", error);
  CHECK_THROWS_WITH_AS((tri_stage{.decay = 1, .end_share = 0}.validate()),
                       "tri_stage: end_share is 0, expected a number in (0, 1]", error);
  CHECK_THROWS_AS((tri_stage{.lr = 0, .decay = 1}.validate()), error);
  CHECK_THROWS_AS((tri_stage{.warmup = -1, .decay = 2}.validate()), error);
  CHECK_THROWS_AS((tri_stage{.hold = -1, .decay = 2}.validate()), error);
  CHECK_THROWS_AS((tri_stage{.hold = 2, .decay = -1}.validate()), error);
  CHECK_THROWS_AS((tri_stage{.decay = 1, .initial_share = -0.5}.validate()), error);
  CHECK_THROWS_AS((tri_stage{.decay = 1, .initial_share = 1.5}.validate()), error);
}

#include <formwork/policy/schedule/step_decay.hpp>
//
#include <doctest/doctest.h>

#include "../../support/schedule_golden.hpp"

using namespace formwork;
using formwork_test::check_golden_rates;

TEST_CASE("step_decay: rates equal the ones computed with 50 digits") {
  check_golden_rates("step_decay", step_decay<2>{.lr = 0.5, .boundaries = {6, 20}, .factor = 0.3});
  check_golden_rates("epoch_decay",
                     epoch_decay<2>{.lr = 0.5, .epochs = {3, 6}, .steps_per_epoch = 5, .factor = 0.1});
  check_golden_rates("staircase", staircase{.lr = 0.5, .every = 7, .factor = 0.9});
}

TEST_CASE("step_decay: a boundary is the last update with the old rate") {
  constexpr step_decay<2> lr{.lr = 8, .boundaries = {3, 5}, .factor = 0.5};
  const double expected[] = {8, 8, 8, 4, 4, 2, 2};
  for (step_t t = 1; t <= 7; ++t) CHECK(lr(t) == expected[t - 1]);
}

TEST_CASE("epoch_decay: the 8th epoch begins after seven") {
  constexpr epoch_decay<1> lr{.lr = 5e-4, .epochs = {8}, .steps_per_epoch = 1050};
  static_assert(lr(1) == 5e-4 && lr(7 * 1050) == 5e-4 && lr(7 * 1050 + 1) == 5e-4 * 0.1);
  const step_decay<1> same{.lr = 5e-4, .boundaries = {7 * 1050}};
  for (const step_t t : {1, 7349, 7350, 7351, 100'000}) CHECK(lr(t) == same(t));
}

TEST_CASE("staircase: all stairs have the same length and start at the full rate") {
  const staircase lr{.lr = 8, .every = 3, .factor = 0.5};
  const double expected[] = {8, 8, 8, 4, 4, 4, 2, 2, 2, 1};
  for (step_t t = 1; t <= 10; ++t) CHECK(lr(t) == expected[t - 1]);
}

TEST_CASE("step_decay: bad numbers are refused with a sentence") {
  CHECK_THROWS_AS((step_decay<1>{}.validate()), error);
  CHECK_THROWS_WITH_AS((step_decay<2>{.boundaries = {5, 5}}.validate()),
                       "step_decay: boundary 5 must be above 5", error);
  CHECK_THROWS_AS((step_decay<1>{.boundaries = {5}, .factor = 0}.validate()), error);
  CHECK_THROWS_AS((step_decay<1>{.lr = -1, .boundaries = {5}}.validate()), error);
  CHECK_NOTHROW((step_decay<2>{.boundaries = {5, 6}}.validate()));
}

TEST_CASE("epoch_decay: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS((epoch_decay<1>{.epochs = {1}, .steps_per_epoch = 10}.validate()),
                       "epoch_decay: epoch 1 must be above 1", error);
  CHECK_THROWS_AS((epoch_decay<2>{.epochs = {3, 3}, .steps_per_epoch = 10}.validate()), error);
  CHECK_THROWS_WITH_AS((epoch_decay<1>{.epochs = {8}}.validate()),
                       "epoch_decay: steps_per_epoch is 0, expected the updates of an epoch, 1 or more",
                       error);
  CHECK_THROWS_AS((epoch_decay<1>{.lr = 0, .epochs = {8}, .steps_per_epoch = 1}.validate()), error);
  CHECK_THROWS_AS((epoch_decay<1>{.epochs = {8}, .steps_per_epoch = 1, .factor = 0}.validate()), error);
  CHECK_NOTHROW((epoch_decay<2>{.epochs = {2, 3}, .steps_per_epoch = 1}.validate()));
}

TEST_CASE("staircase: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS(staircase{}.validate(),
                       "staircase: every is 0, expected the updates of a stair, 1 or more", error);
  CHECK_THROWS_AS((staircase{.lr = 0, .every = 1}.validate()), error);
  CHECK_THROWS_AS((staircase{.every = 1, .factor = 0}.validate()), error);
  CHECK_NOTHROW((staircase{.every = 1}.validate()));
}

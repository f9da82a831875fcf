#include <formwork/policy/schedule/constant.hpp>
//
#include <doctest/doctest.h>

using namespace formwork;

static_assert(constant{0.25}(1) == 0.25 && constant{0.25}(1'000'000'000'000) == 0.25);

TEST_CASE("step_decay: a boundary is the last update with the old rate") {
  constexpr step_decay<2> lr{.lr = 8, .boundaries = {3, 5}, .factor = 0.5};
  const double expected[] = {8, 8, 8, 4, 4, 2, 2};
  for (step_t t = 1; t <= 7; ++t) CHECK(lr(t) == expected[t - 1]);
}

TEST_CASE("constant, step_decay: bad numbers are refused with a sentence") {
  CHECK_THROWS_WITH_AS(constant{0}.validate(), "constant: lr is 0, expected a number above 0", error);
  CHECK_THROWS_AS((step_decay<1>{}.validate()), error);
  CHECK_THROWS_WITH_AS((step_decay<2>{.boundaries = {5, 5}}.validate()),
                       "step_decay: boundary 5 must be above 5", error);
  CHECK_THROWS_AS((step_decay<1>{.boundaries = {5}, .factor = 0}.validate()), error);
  CHECK_THROWS_AS((step_decay<1>{.lr = -1, .boundaries = {5}}.validate()), error);
  CHECK_NOTHROW((step_decay<2>{.boundaries = {5, 6}}.validate()));
}

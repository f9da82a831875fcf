#include <formwork/policy/schedule/phases.hpp>
//
#include <doctest/doctest.h>

using namespace formwork;

static_assert(detail::ramp(1, 0, 0.25, 0.5) == 0.5 && detail::ramp(1, 1, 0.25, 0.5) == 0.5);
static_assert(detail::ramp(1, 4, 0, 1) == 0.25 && detail::ramp(4, 4, 0, 1) == 1 &&
              detail::ramp(9, 4, 0, 1) == 1);
static_assert(detail::warmup_share(3, 4) == 0.75 && detail::warmup_share(1, 0) == 1);

TEST_CASE("phases: the decay goes from 0 at its begin to 1 at the total, without a division by 0") {
  for (const step_t begin : {0, 1}) {
    CHECK(detail::decay_progress(1, begin, 5) == 0);
    CHECK(detail::decay_progress(2, begin, 5) == 0.25);
  }
  CHECK(detail::decay_progress(7, 4, 10) == 0.5);
  CHECK(detail::decay_progress(10, 4, 10) == 1);
  CHECK(detail::decay_progress(1'000'000, 4, 10) == 1);
  CHECK(detail::decay_progress(1, 0, 1) == 0);
  CHECK(detail::decay_progress(2, 0, 1) == 1);
  CHECK(detail::decay_progress(5, 5, 5) == 0);
  CHECK(detail::decay_progress(6, 5, 5) == 1);
}

TEST_CASE("phases: numbers that no schedule may have are refused with its name") {
  CHECK_NOTHROW(detail::validate_decay("name", 1, 2, 2, 0, 0));
  CHECK_THROWS_WITH_AS(detail::validate_decay("name", 0, 0, 1, 0, 0),
                       "name: lr is 0, expected a finite number above 0", error);
  CHECK_THROWS_WITH_AS(detail::validate_decay("name", 1, -1, 1, 0, 0),
                       "name: warmup is -1, expected 0 or more", error);
  CHECK_THROWS_WITH_AS(detail::validate_decay("name", 1, 0, 1, 0, -1),
                       "name: initial is -1, expected a finite number, 0 or more", error);
  CHECK_THROWS_WITH_AS(detail::validate_decay("name", 1, 0, 1, -1, 0),
                       "name: the last rate is -1, expected a finite number, 0 or more", error);
  CHECK_THROWS_WITH_AS(detail::validate_decay("name", 1, 0, 0, 0, 0),
                       "name: total is 0, expected the number of updates, 1 or more", error);
  CHECK_THROWS_WITH_AS(detail::validate_decay("name", 1, 3, 2, 0, 0), "name: warmup 3 is more than total 2",
                       error);
}

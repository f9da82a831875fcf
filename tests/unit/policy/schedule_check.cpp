#include <formwork/policy/schedule/check.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/schedule/linear.hpp>
#include <limits>

using namespace formwork;

TEST_CASE("check_schedule: accepts sound schedules") {
  CHECK_NOTHROW(check_schedule([](step_t t) { return t < 100 ? 1e-3 : 1e-4; }));
  CHECK_NOTHROW(check_schedule([](step_t) { return 1; }));
  CHECK_NOTHROW(check_schedule(linear{.total = 10}, 100));
}

TEST_CASE("check_schedule: names the rule that a schedule breaks") {
  CHECK_THROWS_WITH_AS(check_schedule([](step_t t) { return double(t - 1); }),
                       "schedule: the rate of update 1 is 0, the update would be lost", error);
  CHECK_THROWS_WITH_AS(check_schedule([](step_t t) { return 5.0 - double(t); }, 10),
                       "schedule: the rate of update 6 is -1, expected a finite number, 0 or more", error);
  CHECK_THROWS_AS(check_schedule([](step_t) { return std::numeric_limits<double>::quiet_NaN(); }), error);
  CHECK_THROWS_AS(check_schedule([](step_t t) { return 1.0 / double(t - 3); }, 3), error);
  int calls = 0;
  CHECK_THROWS_WITH_AS(check_schedule([&calls](step_t) { return double(++calls); }, 2),
                       "schedule: the rate of update 2 was 2, asked again it is 3", error);
  CHECK_THROWS_AS(check_schedule(linear{.warmup = 20, .total = 10}), error);
}

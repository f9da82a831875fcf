#include <formwork/policy/schedule/run_length.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/schedule/compose.hpp>
#include <formwork/policy/schedule/cooldown.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>
#include <formwork/policy/schedule/linear.hpp>
#include <formwork/policy/schedule/tri_stage.hpp>

using namespace formwork;

// Constants are checked by the compiler; tests/fail/schedule.cpp has the ones that it refuses.
constexpr auto open = checked(inverse_sqrt{.warmup = 4000}, 4000);
constexpr auto closed = checked(linear{.warmup = 10, .total = 100});
static_assert(open.warmup == 4000 && closed.total == 100);

namespace {

struct int_members {
  int warmup = 7, total = 9;
  double operator()(step_t) const { return 1; }
};
struct other_members {  // of the same names, but no numbers of updates
  double warmup = 7;
  const char* total = "";
  double operator()(step_t) const { return 1; }
};

template <class Schedule>
std::pair<step_t, step_t> lengths(const Schedule& lr) {
  return {detail::warmup_of(lr), detail::total_of(lr)};
}

using both = std::pair<step_t, step_t>;

}  // namespace

TEST_CASE("run_length: schedules say their warm-up and total, also through compositions") {
  const linear inner{.warmup = 10, .total = 100};
  CHECK(lengths(inner) == both{10, 100});
  CHECK(lengths(inverse_sqrt{.warmup = 40}) == both{40, 0});
  CHECK(lengths([](step_t) { return 1.0; }) == both{0, 0});
  CHECK(lengths(int_members{}) == both{7, 9});
  CHECK(lengths(other_members{}) == both{0, 0});
  CHECK(lengths(warmup{20, inner}) == both{20, 100});
  CHECK(lengths(warmup{5, inner}) == both{10, 100});
  CHECK(lengths(scaled{2, warmup{20, inner}}) == both{20, 100});
  CHECK(lengths(then{inverse_sqrt{.warmup = 40}, 50, inner}) == both{40, 150});
  CHECK(lengths(then{inverse_sqrt{.warmup = 40}, 0, inner}) == both{10, 100});
  CHECK(lengths(then{inner, 100, inverse_sqrt{}}) == both{10, 0});
  CHECK(lengths(cooldown{inverse_sqrt{.warmup = 40}, 200, 10}) == both{40, 200});
  CHECK(lengths(tri_stage{.warmup = 1, .hold = 2, .decay = 3}) == both{1, 6});
}

TEST_CASE("validate_run: a warm-up that is longer than the run is refused") {
  CHECK_NOTHROW(validate_run(inverse_sqrt{.warmup = 1000}, 1000));
  CHECK_THROWS_WITH_AS(validate_run(inverse_sqrt{.warmup = 4000}, 1000),
                       "schedule: the warm-up of 4000 updates is longer than the run of 1000", error);
  CHECK_THROWS_AS(validate_run(warmup{11, [](step_t) { return 1.0; }}, 10), error);
  CHECK_THROWS_AS(validate_run(scaled{2, noam{}}, 10), error);
  CHECK_NOTHROW(validate_run([](step_t) { return 1.0; }, 1));
}

TEST_CASE("validate_run: the schedule's own rules and the length itself are checked too") {
  CHECK_THROWS_WITH_AS(validate_run(linear{.warmup = 20, .total = 10}, 100),
                       "linear: warmup 20 is more than total 10", error);
  CHECK_THROWS_WITH_AS(validate_run(noam{}, 0), "schedule: the run has 0 updates, expected 1 or more", error);
}

#include <formwork/policy/schedule/schedule.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/schedule/check.hpp>
#include <formwork/policy/schedule/compose.hpp>
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/policy/schedule/cosine.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>
#include <tuple>

using namespace formwork;

namespace {

// Every shipped schedule with the given warm-up, 100 updates in all and highest rate 0.5.
auto all_schedules(step_t w) {
  return std::tuple{linear{.lr = 0.5, .warmup = w, .total = 100},
                    cosine{.lr = 0.5, .warmup = w, .total = 100},
                    inverse_sqrt{.lr = 0.5, .warmup = w, .decay_from = 100},
                    fairseq_inverse_sqrt{.lr = 0.5, .warmup = w},
                    noam{.d_model = 1, .warmup = w, .factor = 0.5 * std::sqrt(double(w > 1 ? w : 1))},
                    warmup{w, constant{0.5}},
                    warmup{w, step_decay<2>{.lr = 0.5, .boundaries = {100, 110}}},
                    scaled{2, warmup{w, linear{.lr = 0.25, .total = 1000, .end = 0.25}}}};
}

template <class Check>
void for_each(const auto& schedules, Check check) {
  std::apply([&check](const auto&... each) { (check(each), ...); }, schedules);
}

}  // namespace

static_assert(schedule<double (*)(step_t)> && schedule<double (*)(int)> && !schedule<int>);
static_assert(schedule<decltype([](step_t) { return 1; })>);
static_assert(!schedule<decltype([](step_t) {})>);
static_assert(!schedule<decltype([n = 0](step_t) mutable { return ++n; })>);

// Schedules are literal types and work with designated initialisers.
constexpr inverse_sqrt translation{.lr = 5e-4, .warmup = 4000};
constexpr warmup<cosine> gpt{.steps = 10, .peak = {.lr = 6e-4, .total = 100}};
constexpr then<constant, linear> phases{.first = {1e-3}, .steps = 900, .second = {.lr = 1e-3, .total = 100}};
constexpr scaled<noam> larger{.factor = 2, .base = {.d_model = 256}};
static_assert((validate(translation), validate(gpt), validate(phases), validate(larger), true));
static_assert(linear{.lr = 1, .warmup = 4, .total = 8}(2) == 0.5 && phases(1) == 1e-3);

TEST_CASE("schedule: each shipped one passes the public check with warm-up from 0 to the total") {
  for (const step_t w : {0, 1, 2, 7, 99, 100})
    for_each(all_schedules(w), [](const auto& lr) { CHECK_NOTHROW(check_schedule(lr, 99)); });
}

TEST_CASE("schedule: the first update has the highest rate over the warm-up, not 0") {
  for (const step_t w : {1, 4, 100})
    for_each(all_schedules(w),
             [w](const auto& lr) { CHECK(lr(1) == doctest::Approx(0.5 / double(w)).epsilon(1e-6)); });
  CHECK(fairseq_inverse_sqrt{.lr = 5e-4, .warmup = 4000, .initial = 0}(1) == doctest::Approx(5e-4 / 4000));
}

TEST_CASE("schedule: warm-up ends at the highest rate and rises until then") {
  for (const step_t w : {2, 7, 100})
    for_each(all_schedules(w), [w](const auto& lr) {
      CHECK(lr(w) == doctest::Approx(0.5));
      for (step_t t = 2; t <= w; ++t) CHECK(lr(t) > lr(t - 1));
      for (step_t t = w + 1; t <= 120; ++t) CHECK(lr(t) <= lr(t - 1));
    });
}

TEST_CASE("schedule: warm-up 0 and 1 are the same") {
  const auto rates = [](const auto& schedules, step_t t) {
    return std::apply([t](const auto&... lr) { return std::vector<double>{double(lr(t))...}; }, schedules);
  };
  for (step_t t = 1; t <= 120; ++t) CHECK(rates(all_schedules(0), t) == rates(all_schedules(1), t));
}

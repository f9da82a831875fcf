#include <formwork/policy/schedule/schedule.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/schedule/check.hpp>
#include <formwork/policy/schedule/compose.hpp>
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/policy/schedule/cooldown.hpp>
#include <formwork/policy/schedule/cosine.hpp>
#include <formwork/policy/schedule/cosine_restarts.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>
#include <formwork/policy/schedule/linear.hpp>
#include <formwork/policy/schedule/one_cycle.hpp>
#include <formwork/policy/schedule/polynomial.hpp>
#include <formwork/policy/schedule/power_law.hpp>
#include <formwork/policy/schedule/step_decay.hpp>
#include <formwork/policy/schedule/tri_stage.hpp>
#include <formwork/policy/schedule/wsd.hpp>
#include <tuple>

#include "../../support/wrong_numbers.hpp"

using namespace formwork;

namespace {

// Every shipped schedule without jumps, with the given warm-up, `n` updates in all and highest rate 0.5.
auto smooth_schedules(step_t w, step_t n = 100) {
  return std::tuple{linear{.lr = 0.5, .warmup = w, .total = n},
                    polynomial{.lr = 0.5, .warmup = w, .total = n, .exponent = 2},
                    cosine{.lr = 0.5, .warmup = w, .total = n},
                    cosine_restarts{.lr = 0.5, .first_cycle = 3 * n, .warmup = w},
                    wsd<>{.lr = 0.5, .warmup = w, .total = n},
                    wsd<sqrt_tail>{.lr = 0.5, .warmup = w, .total = n},
                    wsd<exponential_tail>{.lr = 0.5, .warmup = w, .total = n},
                    tri_stage{.lr = 0.5, .warmup = w, .hold = n - w, .decay = n, .initial_share = 0},
                    inverse_sqrt{.lr = 0.5, .warmup = w, .decay_from = n},
                    fairseq_inverse_sqrt{.lr = 0.5, .warmup = w},
                    noam{.d_model = 1, .warmup = w, .factor = noam::factor_for(0.5, 1, w)},
                    power_law{.lr = 0.5, .warmup = w, .decay_from = n, .exponent = -0.3},
                    cooldown{power_law{.lr = 0.5, .warmup = w, .decay_from = n}, 2 * n, n / 2},
                    warmup{w, constant{0.5}},
                    scaled{2, warmup{w, linear{.lr = 0.25, .total = 10 * n, .end = 0.25}}}};
}

// The ones that jump after update 100 are added.
auto all_schedules(step_t w) {
  return std::tuple_cat(
      smooth_schedules(w),
      std::tuple{warmup{w, step_decay<2>{.lr = 0.5, .boundaries = {100, 110}}},
                 warmup{w, epoch_decay<2>{.lr = 0.5, .epochs = {11, 12}, .steps_per_epoch = 10}},
                 warmup{w, staircase{.lr = 0.5, .every = 100}},
                 then{warmup{w, constant{0.5}}, 100, constant{0.1}}});
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
constexpr wsd<sqrt_tail> large{.lr = 3e-4, .warmup = 10, .total = 1000, .decay = 200};
constexpr cooldown<inverse_sqrt> ended{.base = translation, .total = 10'000, .updates = 1000};
static_assert((validate(translation), validate(gpt), validate(phases), validate(larger), true));
static_assert((validate(large), validate(ended), true));
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

TEST_CASE("schedule: phases join without a jump") {
  const step_t n = 100'000;
  for (const step_t w : {step_t(0), n / 3, n})
    for_each(smooth_schedules(w, n), [&](const auto& lr) {
      // where w is 0, two of them fall with 1 / sqrt(t) from update 1 on
      const step_t from = w > 0 ? 1 : n / 10;
      // the steepest is the square root at its begin: 0.5 sqrt(1 / (n / 10)); w == n leaves wsd no tail
      for (step_t t = from; t < (w == n ? n : 3 * n); ++t) {
        const double jump = std::fabs(lr(t + 1) - lr(t));
        if (jump > 0.006) FAIL(t << " " << jump);
      }
    });
}

TEST_CASE("schedule: a resumed run has the rates of one that was not interrupted") {
  for_each(all_schedules(7), [](const auto& lr) {
    std::vector<double> whole;
    for (step_t t = 1; t <= 150; ++t) whole.push_back(lr(t));
    for (const step_t begin : {101, 51}) {
      const auto again = lr;  // in another process
      for (step_t t = begin; t <= 150; ++t) CHECK(again(t) == whole[std::size_t(t - 1)]);
    }
  });
}

TEST_CASE("schedule: after the total the rate stays") {
  for_each(
      std::tuple{linear{.total = 50, .end = 0.1}, polynomial{.total = 50, .end = 0.1}, cosine{.total = 50},
                 wsd<>{.total = 50}, wsd<exponential_tail>{.total = 50}, one_cycle{.total = 50},
                 tri_stage{.warmup = 10, .decay = 40}, cooldown{inverse_sqrt{.warmup = 10}, 50, 10}},
      [](const auto& lr) {
        for (const step_t t : {51, 52, 1000, 1'000'000})
          CHECK(lr(t) == doctest::Approx(lr(50)).epsilon(1e-12));
      });
}

TEST_CASE("schedule: warm-up 0 and 1 are the same") {
  const auto rates = [](const auto& schedules, step_t t) {
    return std::apply([t](const auto&... lr) { return std::vector<double>{double(lr(t))...}; }, schedules);
  };
  for (step_t t = 1; t <= 120; ++t) CHECK(rates(all_schedules(0), t) == rates(all_schedules(1), t));
}

TEST_CASE("schedule: no rate, factor or exponent may be infinite, no number, or out of its range") {
  using formwork_test::check_number;
  const auto rates = [](auto lr, auto... others) {  // the highest, and others that may be 0
    using type = decltype(lr);
    check_number(lr, &type::lr, {1e-9, 10}, {0, -1e-3});
    (check_number(lr, others, {0, 1}, {-1e-3}), ...);
  };
  rates(constant{});
  rates(step_decay<1>{.boundaries = {1}});
  rates(epoch_decay<1>{.epochs = {2}, .steps_per_epoch = 1});
  rates(staircase{.every = 1});
  rates(linear{.total = 1}, &linear::end, &linear::initial);
  rates(polynomial{.total = 1}, &polynomial::end, &polynomial::initial);
  rates(cosine{.total = 1}, &cosine::minimum, &cosine::initial);
  rates(cosine_restarts{.first_cycle = 1}, &cosine_restarts::minimum, &cosine_restarts::initial);
  rates(wsd<>{.total = 1}, &wsd<>::end, &wsd<>::initial);
  rates(tri_stage{.hold = 1}, &tri_stage::initial_share);
  rates(one_cycle{.total = 1});
  rates(inverse_sqrt{}, &inverse_sqrt::initial);
  rates(fairseq_inverse_sqrt{}, &fairseq_inverse_sqrt::initial);
  rates(tfixup_inverse_sqrt{});
  rates(power_law{}, &power_law::initial);
  check_number(noam{}, &noam::factor, {1e-3, 10}, {0, -1});
  check_number(step_decay<1>{.boundaries = {1}}, &step_decay<1>::factor, {0.1, 2}, {0, -1});
  check_number(epoch_decay<1>{.epochs = {2}, .steps_per_epoch = 1}, &epoch_decay<1>::factor, {0.1, 2},
               {0, -1});
  check_number(staircase{.every = 1}, &staircase::factor, {0.1, 2}, {0, -1});
  check_number(polynomial{.total = 1}, &polynomial::exponent, {0.1, 4}, {0, -1});
  check_number(power_law{}, &power_law::exponent, {-0.1, -2}, {0, 1});
  check_number(cosine_restarts{.first_cycle = 1}, &cosine_restarts::length_factor, {1, 3}, {0.99, 0, -1});
  check_number(cosine_restarts{.first_cycle = 1}, &cosine_restarts::lr_factor, {0.1, 1}, {0, 1.01, -1});
  check_number(cosine_restarts{.first_cycle = 1}, &cosine_restarts::k, {0.1, 4}, {0, -1});
  check_number(exponential_tail{}, &exponential_tail::halvings, {0.1, 20}, {0, -1});
  check_number(tri_stage{.hold = 1}, &tri_stage::end_share, {1e-9, 1}, {0, 1.01, -1});
  check_number(one_cycle{.total = 1}, &one_cycle::rise, {0, 1}, {1.01, -0.1});
  check_number(one_cycle{.total = 1}, &one_cycle::start_divisor, {1, 100}, {0.9, 0, -1});
  check_number(one_cycle{.total = 1}, &one_cycle::end_divisor, {0.1, 100}, {0, -1});
  check_number(scaled{1, constant{}}, &scaled<constant>::factor, {1e-3, 10}, {0, -1});
  check_number(warmup{1, constant{}}, &warmup<constant>::initial, {0, 1}, {-1});
  check_number(cooldown{constant{}, 2, 1}, &cooldown<constant>::end, {0, 1}, {-1});
}

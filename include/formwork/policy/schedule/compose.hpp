#pragma once
#include <formwork/core/error.hpp>
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/run_length.hpp>
#include <formwork/policy/schedule/schedule.hpp>
#include <formwork/policy/validate.hpp>

namespace formwork {

/// Linear warm-up for any schedule: initial + (peak(t) - initial) min(1, t / steps). The clock of `peak` runs
/// from update 1, so its total includes the warm-up.
/// Written warmup{4000, cosine{.total = 100'000}}, with the rate from which it rises as third.
/// When: a schedule without warm-up of its own
template <class Schedule>
struct warmup {
  static_assert(explain_schedule<Schedule>());

  step_t steps = 0;  ///< 0 and 1: none
  Schedule peak{};
  double initial = 0;  ///< where warm-up starts; update 1 is one step above

  constexpr double operator()(step_t step) const {
    return detail::ramp(step, steps, initial, double(peak(step)));
  }
  constexpr step_t warmup_steps() const {
    const step_t inner = detail::warmup_of(peak);
    return steps > inner ? steps : inner;
  }
  constexpr step_t total_steps() const { return detail::total_of(peak); }
  constexpr void validate() const {
    if (steps < 0) fail("warmup: steps is ", steps, ", expected 0 or more");
    detail::expect_not_negative("warmup", "initial", initial);
    formwork::validate(peak);
    if (total_steps() > 0 && steps > total_steps())
      fail("warmup: steps ", steps, " is more than total ", total_steps());
  }
};
template <class Schedule>
warmup(step_t, Schedule) -> warmup<Schedule>;
template <class Schedule>
warmup(step_t, Schedule, double) -> warmup<Schedule>;

/// `first` for `steps` updates, then `second`, whose clock starts at 1 again.
/// Written then{constant{1e-3}, 900, linear{.lr = 1e-3, .total = 100}}.
/// When: phases; whether the rate jumps between them is up to their numbers
template <class First, class Second>
struct then {
  static_assert(explain_schedule<First>());
  static_assert(explain_schedule<Second>());

  First first{};
  step_t steps = 0;
  Second second{};

  constexpr double operator()(step_t step) const {
    return step <= steps ? double(first(step)) : double(second(step - steps));
  }
  constexpr step_t warmup_steps() const {
    return steps > 0 ? detail::warmup_of(first) : detail::warmup_of(second);
  }
  constexpr step_t total_steps() const {
    const step_t rest = detail::total_of(second);
    return rest > 0 ? steps + rest : 0;
  }
  constexpr void validate() const {
    if (steps < 0) fail("then: steps is ", steps, ", expected 0 or more");
    formwork::validate(first);
    formwork::validate(second);
    if (steps > 0 && detail::warmup_of(first) > steps)
      fail("then: the warm-up of ", detail::warmup_of(first), " updates is longer than the first part, ",
           steps);
  }
};
template <class First, class Second>
then(First, step_t, Second) -> then<First, Second>;

/// Another schedule times a factor. Written scaled{0.5, noam{}}.
/// When: another batch size, or parameters that learn at another pace
template <class Schedule>
struct scaled {
  static_assert(explain_schedule<Schedule>());

  double factor = 1;
  Schedule base{};

  constexpr double operator()(step_t step) const { return factor * double(base(step)); }
  constexpr step_t warmup_steps() const { return detail::warmup_of(base); }
  constexpr step_t total_steps() const { return detail::total_of(base); }
  constexpr void validate() const {
    detail::expect_positive("scaled", "factor", factor);
    formwork::validate(base);
  }
};
template <class Schedule>
scaled(double, Schedule) -> scaled<Schedule>;

}  // namespace formwork

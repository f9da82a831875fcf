#pragma once
#include <formwork/core/error.hpp>
#include <formwork/policy/schedule/schedule.hpp>
#include <formwork/policy/validate.hpp>

namespace formwork {

/// Linear warm-up for any schedule: `peak(t) * min(1, t / steps)`. The clock of `peak` runs from update 1, so
/// its total includes the warm-up. Written warmup{4000, cosine{.total = 100'000}}.
template <class Schedule>
struct warmup {
  static_assert(explain_schedule<Schedule>());

  step_t steps = 0;  ///< 0 and 1: none
  Schedule peak{};

  constexpr double operator()(step_t step) const {
    return double(peak(step)) * (step < steps ? double(step) / double(steps) : 1);
  }
  constexpr void validate() const {
    if (steps < 0) fail("warmup: steps is ", steps, ", expected 0 or more");
    formwork::validate(peak);
  }
};
template <class Schedule>
warmup(step_t, Schedule) -> warmup<Schedule>;

/// `first` for `steps` updates, then `second`, whose clock starts at 1 again.
/// Written then{constant{1e-3}, 900, linear{.lr = 1e-3, .total = 100}}.
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
  constexpr void validate() const {
    if (steps < 0) fail("then: steps is ", steps, ", expected 0 or more");
    formwork::validate(first);
    formwork::validate(second);
  }
};
template <class First, class Second>
then(First, step_t, Second) -> then<First, Second>;

/// Another schedule times a factor. Written scaled{0.5, noam{}}.
template <class Schedule>
struct scaled {
  static_assert(explain_schedule<Schedule>());

  double factor = 1;
  Schedule base{};

  constexpr double operator()(step_t step) const { return factor * double(base(step)); }
  constexpr void validate() const {
    if (!(factor > 0)) fail("scaled: factor is ", factor, ", expected a number above 0");
    formwork::validate(base);
  }
};
template <class Schedule>
scaled(double, Schedule) -> scaled<Schedule>;

}  // namespace formwork

#pragma once
#include <formwork/core/error.hpp>
#include <formwork/policy/schedule/schedule.hpp>
#include <formwork/policy/validate.hpp>

namespace formwork {

namespace detail {

// A schedule says how long it warms up and how many updates it is made for by members `warmup` and `total`,
// or by functions where these follow from its parts. 0: it does not say.
template <class Schedule>
constexpr step_t warmup_of(const Schedule& lr) {
  if constexpr (requires { step_t{lr.warmup_steps()}; })
    return lr.warmup_steps();
  else if constexpr (requires { step_t{lr.warmup}; })
    return lr.warmup;
  else
    return 0;
}

template <class Schedule>
constexpr step_t total_of(const Schedule& lr) {
  if constexpr (requires { step_t{lr.total_steps()}; })
    return lr.total_steps();
  else if constexpr (requires { step_t{lr.total}; })
    return lr.total;
  else
    return 0;
}

}  // namespace detail

/// Checks a schedule for a run of so many updates: its own `validate()`, and that the warm-up ends within the
/// run. A schedule with a total knows that itself; one without end, such as inverse_sqrt or noam, does not.
/// Error: a sentence, for example "schedule: the warm-up of 4000 updates is longer than the run of 1000"
template <class Schedule>
constexpr void validate_run(const Schedule& lr, step_t updates) {
  static_assert(explain_schedule<Schedule>());
  validate(lr);
  if (updates < 1) fail("schedule: the run has ", updates, " updates, expected 1 or more");
  const step_t warmup = detail::warmup_of(lr);
  if (warmup > updates)
    fail("schedule: the warm-up of ", warmup, " updates is longer than the run of ", updates);
}

/// A schedule of constants, checked by the compiler, for a run of so many updates:
///   constexpr auto lr = checked(inverse_sqrt{.warmup = 4000}, 100'000);
/// Error: does not compile; the message quotes the sentence of `validate_run`
template <class Schedule>
consteval Schedule checked(Schedule lr, step_t updates) {
  validate_run(lr, updates);
  return lr;
}

}  // namespace formwork

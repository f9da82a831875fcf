#pragma once
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/run_length.hpp>
#include <formwork/policy/schedule/schedule.hpp>
#include <formwork/policy/schedule/tails.hpp>
#include <formwork/policy/validate.hpp>

namespace formwork {

/// Ends any schedule: `base` up to update begin = max(total - updates, 1), then from the rate it has there
/// to `end` at update `total`.
///   t > begin: end + (base(begin) - end) tail(u), u = (t - begin) / (total - begin);  later as at the total
/// Written cooldown{power_law{}, 100'000, 10'000}, with the last rate and the tail as fourth and fifth.
/// When:   power_law, inverse_sqrt or a constant rate, when the end of the run has become known
/// Source: Hägele et al. 2024
template <class Schedule, class Tail = linear_tail>
struct cooldown {
  static_assert(explain_schedule<Schedule>());
  static_assert(explain_tail<Tail>());

  Schedule base{};
  step_t total = 0;    ///< must be set
  step_t updates = 0;  ///< the last ones of the total, which the tail takes
  double end = 0;      ///< rate to which the tail leads
  Tail tail{};

  constexpr double operator()(step_t step) const {
    const step_t begin = total - updates > 1 ? total - updates : 1;
    const double u = detail::decay_progress(step, begin, total);
    if (!(u > 0)) return double(base(step));
    return end + (double(base(begin)) - end) * double(tail(u));
  }
  constexpr step_t warmup_steps() const { return detail::warmup_of(base); }
  constexpr void validate() const {
    if (total < 1) fail("cooldown: total is ", total, ", expected the number of updates, 1 or more");
    if (updates < 0) fail("cooldown: updates is ", updates, ", expected 0 or more");
    if (updates > total) fail("cooldown: updates ", updates, " is more than total ", total);
    detail::expect_not_negative("cooldown", "the last rate", end);
    formwork::validate(base);
    formwork::validate(tail);
    if (warmup_steps() > total - updates && warmup_steps() > 1)
      fail("cooldown: the warm-up of ", warmup_steps(), " updates is longer than the ", total - updates,
           " before the tail");
  }
};
template <class Schedule>
cooldown(Schedule, step_t, step_t) -> cooldown<Schedule>;
template <class Schedule>
cooldown(Schedule, step_t, step_t, double) -> cooldown<Schedule>;
template <class Schedule, class Tail>
cooldown(Schedule, step_t, step_t, double, Tail) -> cooldown<Schedule, Tail>;

}  // namespace formwork

#pragma once
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/schedule.hpp>

#include <cmath>
#include <numbers>

namespace formwork {

/// Rises linearly to `lr` in `warmup` updates, then falls along half a cosine to `minimum` at update `total`.
///   t <= warmup: initial + (lr - initial) t / warmup;  then minimum + (lr - minimum) (1 + cos(pi u)) / 2,
///   u = (t - begin) / (total - begin), begin = max(warmup, 1);  after the total: minimum
/// When:   GPT; the number of updates must be known
/// Source: Loshchilov, Hutter 2017, eq. 5, one period
struct cosine {
  double lr = 1e-3;   ///< the highest rate
  step_t warmup = 0;  ///< at most total
  step_t total = 0;   ///< must be set
  double minimum = 0;
  double initial = 0;  ///< where warm-up starts; update 1 is one step above

  double operator()(step_t step) const {
    const double u = detail::decay_progress(step, warmup, total);
    if (u >= 1) return minimum;  // cos(pi) leaves a rounding error
    if (u <= 0) return detail::ramp(step, warmup, initial, lr);
    return minimum + (lr - minimum) * (0.5 * (1 + std::cos(std::numbers::pi * u)));
  }
  constexpr void validate() const { detail::validate_decay("cosine", lr, warmup, total, minimum, initial); }
};
static_assert(schedule<cosine>);

}  // namespace formwork

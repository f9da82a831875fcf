#pragma once
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/schedule.hpp>

#include <cmath>

namespace formwork {

/// Rises linearly to `lr` in `warmup` updates, then falls as a power of the updates that are left to `end` at
/// update `total` and stays there.
///   t <= warmup: initial + (lr - initial) t / warmup;  then end + (lr - end) (1 - u)^exponent,
///   u = (t - begin) / (total - begin), begin = max(warmup, 1);  after the total: end
/// When:   as `linear`, which is exponent 1; above 1 it falls early and ends gently, below 1 it stays up
/// Source: fairseq's polynomial_decay (there: power)
struct polynomial {
  double lr = 1e-3;     ///< the highest rate
  step_t warmup = 0;    ///< at most total
  step_t total = 0;     ///< must be set
  double exponent = 1;  ///< above 0
  double end = 0;
  double initial = 0;  ///< where warm-up starts; update 1 is one step above

  double operator()(step_t step) const {
    const double u = detail::decay_progress(step, warmup, total);
    return u > 0 ? end + (lr - end) * std::pow(1 - u, exponent) : detail::ramp(step, warmup, initial, lr);
  }
  constexpr void validate() const {
    detail::validate_decay("polynomial", lr, warmup, total, end, initial);
    detail::expect_positive("polynomial", "exponent", exponent);
  }
};
static_assert(schedule<polynomial>);

}  // namespace formwork

#pragma once
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/schedule.hpp>

namespace formwork {

/// Rises linearly to `lr` in `warmup` updates,
/// then falls linearly to `end` at update `total` and stays there.
///   t <= warmup: initial + (lr - initial) t / warmup
///   then:        lr + (end - lr) (t - begin) / (total - begin), begin = max(warmup, 1)
/// When:   BERT, fine-tuning, RAdam; the number of updates must be known
/// Source: Devlin et al. 2019, appendix A.2
struct linear {
  double lr = 1e-3;   ///< the highest rate
  step_t warmup = 0;  ///< at most total
  step_t total = 0;   ///< must be set
  double end = 0;
  double initial = 0;  ///< where warm-up starts; update 1 is one step above

  constexpr double operator()(step_t step) const {
    const double u = detail::decay_progress(step, warmup, total);
    return u > 0 ? lr * (1 - u) + end * u : detail::ramp(step, warmup, initial, lr);
  }
  constexpr void validate() const { detail::validate_decay("linear", lr, warmup, total, end, initial); }
};
static_assert(schedule<linear>);

}  // namespace formwork

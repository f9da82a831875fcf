#pragma once
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/schedule.hpp>

#include <cmath>

namespace formwork {

/// Three stages: rises linearly from initial_share lr to `lr` in `warmup` updates, stays there for `hold`,
/// and falls exponentially to end_share lr in `decay`.
///   t <= warmup:        lr (initial_share + (1 - initial_share) t / warmup)
///   t <= warmup + hold: lr
///   then:               lr end_share^u, u = (t - warmup - hold) / decay;  after that: end_share lr
/// When:   speech recognition
/// Source: Park et al. 2019 (SpecAugment); the shares as in fairseq's tri_stage
struct tri_stage {
  double lr = 1e-3;  ///< the highest rate
  step_t warmup = 0;
  step_t hold = 0;
  step_t decay = 0;             ///< warmup, hold and decay are together 1 or more
  double initial_share = 0.01;  ///< of lr; update 1 is one step above
  double end_share = 0.01;      ///< of lr, in (0, 1]

  double operator()(step_t step) const {
    const double u = detail::decay_progress(step, warmup + hold, total_steps());
    return u > 0 ? lr * std::pow(end_share, u) : detail::ramp(step, warmup, initial_share * lr, lr);
  }
  constexpr step_t total_steps() const { return warmup + hold + decay; }
  constexpr void validate() const {
    detail::validate_ramp("tri_stage", lr, warmup, initial_share);
    if (hold < 0) fail("tri_stage: hold is ", hold, ", expected 0 or more");
    if (decay < 0) fail("tri_stage: decay is ", decay, ", expected 0 or more");
    if (total_steps() < 1) fail("tri_stage: warmup, hold and decay are together 0, expected 1 or more");
    if (!(initial_share <= 1)) fail("tri_stage: initial_share is ", initial_share, ", expected at most 1");
    if (!(end_share > 0 && end_share <= 1))
      fail("tri_stage: end_share is ", end_share, ", expected a number in (0, 1]");
  }
};
static_assert(schedule<tri_stage>);

}  // namespace formwork

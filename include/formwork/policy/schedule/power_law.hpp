#pragma once
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/schedule.hpp>

#include <cmath>

namespace formwork {

/// `inverse_sqrt` with another exponent: ramp(t) (max(t, decay_from) / decay_from)^exponent. With decay_from
/// equal to warmup it is lr (t / warmup)^exponent after warm-up. With a linear tail:
/// cooldown{power_law{...}, total, updates}.
/// When:   one schedule for runs of many lengths, ended by a cooldown when the length is known
/// Source: Shen et al. 2024, "Power Scheduler", in which the exponent is about -0.51
struct power_law {
  double lr = 5e-4;          ///< the highest rate
  step_t warmup = 4000;      ///< 0: none
  step_t decay_from = 4000;  ///< last update without decay
  double exponent = -0.5;    ///< below 0
  double initial = 0;        ///< where warm-up starts; update 1 is one step above

  double operator()(step_t step) const {
    const double decay = step > decay_from ? std::pow(double(step) / double(decay_from), exponent) : 1;
    return detail::ramp(step, warmup, initial, lr) * decay;
  }
  constexpr void validate() const {
    detail::validate_ramp("power_law", lr, warmup, initial);
    if (decay_from < 1) fail("power_law: decay_from is ", decay_from, ", expected 1 or more");
    if (!(exponent < 0 && is_finite(exponent)))
      fail("power_law: exponent is ", exponent, ", expected a finite number below 0");
  }
};
static_assert(schedule<power_law>);

}  // namespace formwork

#pragma once
#include <formwork/core/error.hpp>
#include <formwork/policy/schedule/schedule.hpp>

#include <cmath>

namespace formwork {

namespace detail {

constexpr double ramp(step_t step, step_t warmup, double initial, double lr) {
  return step < warmup ? initial + (lr - initial) * (double(step) / double(warmup)) : lr;
}

constexpr void validate_ramp(const char* name, double lr, step_t warmup, double initial) {
  if (!(lr > 0)) fail(name, ": lr is ", lr, ", expected a number above 0");
  if (warmup < 0) fail(name, ": warmup is ", warmup, ", expected 0 or more");
  if (!(initial >= 0)) fail(name, ": initial is ", initial, ", expected 0 or more");
}

}  // namespace detail

/// Rises linearly from `initial` to `lr` in `warmup` updates and decays with the square root of the step,
/// where the decay begins at an update of its own: ramp(t) sqrt(decay_from / max(t, decay_from)). With
/// warm-up 0 or 1 the first `decay_from` updates therefore have the full rate. That is what "no warm-up, the
/// same decay" means in a study of warm-up; fairseq_inverse_sqrt would begin to decay at update 1.
/// Source: Xiong et al. 2020, section 3.1, where the begin of the decay is left open
struct inverse_sqrt {
  double lr = 5e-4;          ///< the highest rate
  step_t warmup = 4000;      ///< 0: none
  step_t decay_from = 4000;  ///< last update without decay
  double initial = 0;        ///< where warm-up starts; update 1 is one step above

  double operator()(step_t step) const {
    const double decay = step > decay_from ? std::sqrt(double(decay_from) / double(step)) : 1;
    return detail::ramp(step, warmup, initial, lr) * decay;
  }
  constexpr void validate() const {
    detail::validate_ramp("inverse_sqrt", lr, warmup, initial);
    if (decay_from < 1) fail("inverse_sqrt: decay_from is ", decay_from, ", expected 1 or more");
  }
};
static_assert(schedule<inverse_sqrt>);

/// The inverse square root schedule of the fairseq toolkit: initial + t (lr - initial) / warmup for t <
/// warmup, then lr sqrt(warmup / t). With warm-up 0 or 1 it is lr / sqrt(t), a small rate almost everywhere.
struct fairseq_inverse_sqrt {
  double lr = 5e-4;       ///< the highest rate
  step_t warmup = 4000;   ///< 0 is taken as 1
  double initial = 1e-7;  ///< where warm-up starts

  double operator()(step_t step) const {
    const step_t begin = warmup > 1 ? warmup : 1;
    return inverse_sqrt{lr, begin, begin, initial}(step);
  }
  constexpr void validate() const { detail::validate_ramp("fairseq_inverse_sqrt", lr, warmup, initial); }
};
static_assert(schedule<fairseq_inverse_sqrt>);

/// factor d_model^-0.5 min(t^-0.5, t warmup^-1.5): the highest rate is factor / sqrt(d_model warmup).
/// Source: Vaswani et al. 2017, eq. 3
struct noam {
  index_t d_model = 512;
  step_t warmup = 4000;  ///< 0 is taken as 1
  double factor = 1;

  double operator()(step_t step) const {
    const step_t begin = warmup > 1 ? warmup : 1;
    return inverse_sqrt{factor / std::sqrt(double(d_model) * double(begin)), begin, begin, 0}(step);
  }
  constexpr void validate() const {
    if (d_model < 1) fail("noam: d_model is ", d_model, ", expected 1 or more");
    if (warmup < 0) fail("noam: warmup is ", warmup, ", expected 0 or more");
    if (!(factor > 0)) fail("noam: factor is ", factor, ", expected a number above 0");
  }
};
static_assert(schedule<noam>);

}  // namespace formwork

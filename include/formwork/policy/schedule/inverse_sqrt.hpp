#pragma once
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/schedule.hpp>

#include <cmath>

namespace formwork {

/// Rises linearly from `initial` to `lr` in `warmup` updates and decays with the square root of the step,
/// where the decay begins at an update of its own: ramp(t) sqrt(decay_from / max(t, decay_from)). With
/// warm-up 0 or 1 the first `decay_from` updates therefore have the full rate. That is what "no warm-up, the
/// same decay" means in a study of warm-up; fairseq_inverse_sqrt would begin to decay at update 1.
/// When:   translation; the number of updates may stay open
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
/// When: to repeat recipes of that toolkit
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

/// factor d_model^-0.5 min(t^-0.5, t warmup^-1.5): the rate rises to peak() in `warmup` updates.
/// When:   the original Transformer; one recipe for models of several widths
/// Source: Vaswani et al. 2017, eq. 3
struct noam {
  index_t d_model = 512;
  step_t warmup = 4000;  ///< 0 is taken as 1
  double factor = 1;

  double operator()(step_t step) const { return inverse_sqrt{peak(), begin(), begin(), 0}(step); }

  /// The highest rate, factor / sqrt(d_model warmup); 6.99e-4 with the defaults.
  double peak() const { return factor / std::sqrt(double(d_model) * double(begin())); }
  /// The factor with which the highest rate is `lr`.
  static double factor_for(double lr, index_t d_model, step_t warmup) {
    return lr / noam{d_model, warmup}.peak();
  }

  constexpr void validate() const {
    if (d_model < 1) fail("noam: d_model is ", d_model, ", expected 1 or more");
    if (warmup < 0) fail("noam: warmup is ", warmup, ", expected 0 or more");
    detail::expect_positive("noam", "factor", factor);
  }

 private:
  step_t begin() const { return warmup > 1 ? warmup : 1; }
};
static_assert(schedule<noam>);

/// lr sqrt(D / (D + t)), D = `half`: without warm-up or joint; at update D the rate is lr / sqrt(2).
/// When:   T-Fixup and other models that train without warm-up
/// Source: Huang et al. 2020, T-Fixup; D = 4000 as in its authors' program
struct tfixup_inverse_sqrt {
  double lr = 5e-4;    ///< the limit at update 0; update 1 is a little below
  step_t half = 4000;  ///< D, the update at which the square of the rate has halved

  double operator()(step_t step) const {
    return lr * std::sqrt(double(half) / (double(half) + double(step)));
  }
  constexpr void validate() const {
    detail::expect_positive("tfixup_inverse_sqrt", "lr", lr);
    if (half < 1) fail("tfixup_inverse_sqrt: half is ", half, ", expected 1 or more");
  }
};
static_assert(schedule<tfixup_inverse_sqrt>);

}  // namespace formwork

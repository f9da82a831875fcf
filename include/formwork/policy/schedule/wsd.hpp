#pragma once
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/schedule.hpp>
#include <formwork/policy/schedule/tails.hpp>
#include <formwork/policy/validate.hpp>

namespace formwork {

/// Warm-up, stable, decay: rises linearly to `lr` in `warmup` updates, stays there, and falls in the last
/// `decay` updates of `total`.
///   t <= warmup: initial + (lr - initial) t / warmup;  t <= total - decay: lr
///   then:        end + (lr - end) tail(u), u = (t - (total - decay)) / decay;  later as at the total
/// Written wsd<>{.lr = 1e-3, .total = 10'000} or wsd<sqrt_tail>{...}. A run whose length is not yet known
/// starts with any total and is resumed, before its tail, with the right one.
/// When:   the length of the run may change: all but the tail is the same for every total
/// Source: Hu et al. 2024 (MiniCPM)
template <class Tail = linear_tail>
struct wsd {
  static_assert(explain_tail<Tail>());

  double lr = 1e-3;   ///< the highest rate
  step_t warmup = 0;  ///< warmup + decay at most total
  step_t total = 0;   ///< must be set
  step_t decay = 0;   ///< updates of the tail; 0: a tenth of the total, or what warm-up leaves
  double end = 0;     ///< rate to which the tail leads
  Tail tail{};
  double initial = 0;  ///< where warm-up starts; update 1 is one step above

  constexpr double operator()(step_t step) const {
    const double u = detail::decay_progress(step, decay_begin(), total);
    return u > 0 ? end + (lr - end) * double(tail(u)) : detail::ramp(step, warmup, initial, lr);
  }
  /// Last update before the tail.
  constexpr step_t decay_begin() const {
    const step_t begin = total - (decay > 0 ? decay : total / 10 + (total % 10 >= 5));
    return begin > warmup ? begin : warmup;
  }
  constexpr void validate() const {
    detail::validate_decay("wsd", lr, warmup, total, end, initial);
    if (decay < 0) fail("wsd: decay is ", decay, ", expected 0 or more");
    if (decay > total - warmup)
      fail("wsd: warmup ", warmup, " and decay ", decay, " are together more than total ", total);
    formwork::validate(tail);
  }
};
static_assert(schedule<wsd<>>);
static_assert(schedule<wsd<sqrt_tail>>);
static_assert(schedule<wsd<exponential_tail>>);

}  // namespace formwork

#pragma once
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/schedule.hpp>

#include <cmath>
#include <numbers>

namespace formwork {

/// Cycles of half a cosine, each `length_factor` times as long as the one before and starting at
/// `lr_factor` times its peak. Cycle i from 0 has T_i = first_cycle length_factor^i updates; the first
/// starts at update begin = max(warmup, 1), before which the rate rises as in `cosine`. With s updates
/// since the start of cycle i:
///   minimum + (lr lr_factor^i - minimum) (1 + cos(pi (s / T_i)^k)) / 2
/// Where a cycle starts, the rate jumps: that is the restart. A cycle whose peak would be below the minimum
/// stays at the minimum. fairseq's lr_shrink shrinks the minimum too; with minimum 0 that is the same.
/// When:   snapshots at the end of each cycle; runs that may go on for another cycle
/// Source: Loshchilov, Hutter 2017, eq. 5 (T_0, T_mult); Zhang, Li 2020 (k-decay: k > 1 stays high longer)
struct cosine_restarts {
  double lr = 1e-3;          ///< the highest rate
  step_t first_cycle = 0;    ///< T_0, updates of the first cycle; must be set
  double length_factor = 1;  ///< T_mult, m; 1 or more
  double lr_factor = 1;      ///< gamma, in (0, 1]
  double minimum = 0;
  double k = 1;        ///< exponent of the time within a cycle, above 0
  step_t warmup = 0;   ///< before the first cycle
  double initial = 0;  ///< where warm-up starts; update 1 is one step above

  double operator()(step_t step) const {
    const step_t begin = warmup > 1 ? warmup : 1;
    if (step < begin) return detail::ramp(step, warmup, initial, lr);
    double since = double(step - begin), length = double(first_cycle), peak = lr;
    if (length_factor > 1) {
      for (; since >= length; length *= length_factor, peak *= lr_factor) since -= length;
    } else {
      const double cycle = std::floor(since / length);
      since -= cycle * length;
      peak *= std::pow(lr_factor, cycle);
    }
    if (peak <= minimum) return minimum;
    return minimum +
           (peak - minimum) * (0.5 * (1 + std::cos(std::numbers::pi * std::pow(since / length, k))));
  }
  constexpr void validate() const {
    detail::validate_ramp("cosine_restarts", lr, warmup, initial);
    if (first_cycle < 1)
      fail("cosine_restarts: first_cycle is ", first_cycle, ", expected the updates of a cycle, 1 or more");
    if (!(length_factor >= 1 && is_finite(length_factor)))
      fail("cosine_restarts: length_factor is ", length_factor, ", expected a finite number, 1 or more");
    if (!(lr_factor > 0 && lr_factor <= 1))
      fail("cosine_restarts: lr_factor is ", lr_factor, ", expected a number in (0, 1]");
    detail::expect_not_negative("cosine_restarts", "minimum", minimum);
    detail::expect_positive("cosine_restarts", "k", k);
  }
};
static_assert(schedule<cosine_restarts>);

}  // namespace formwork

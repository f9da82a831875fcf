#pragma once
#include <formwork/core/error.hpp>
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/schedule.hpp>

#include <cmath>
#include <numbers>

namespace formwork {

/// One cycle along half cosines: the rate goes from lr / start_divisor up to `lr` and down to
/// lr / start_divisor / end_divisor at update `total`; the momentum goes the other way round.
///   x = t - 1, up = max(rise total - 1, 0), c(a, b, u) = a + (b - a) (1 - cos(pi u)) / 2
///   x <= up: c(start, lr, x / up);  then: c(lr, end, (x - up) / (total - 1 - up));  after the total: end
/// The rate is the schedule. For the momentum, an optimizer of one's own takes `momentum(step)` for its
/// beta1 in `prepare`; tests/user/own_schedule.cpp has one.
/// When:   short runs at a high rate
/// Source: Smith, Topin 2019, with the two phases and cosines of PyTorch's OneCycleLR
struct one_cycle {
  double lr = 1e-3;           ///< the highest rate
  step_t total = 0;           ///< must be set
  double rise = 0.3;          ///< share of the total in which the rate rises, in [0, 1]
  double start_divisor = 25;  ///< first rate: lr / start_divisor
  double end_divisor = 1e4;   ///< last rate: first rate / end_divisor
  double high_momentum = 0.95, low_momentum = 0.85;

  double operator()(step_t step) const {
    return between(step, lr / start_divisor, lr, lr / start_divisor / end_divisor);
  }
  /// Momentum (Adam: beta1) of an update: lowest where the rate is highest.
  double momentum(step_t step) const { return between(step, high_momentum, low_momentum, high_momentum); }

  constexpr void validate() const {
    detail::expect_positive("one_cycle", "lr", lr);
    if (total < 1) fail("one_cycle: total is ", total, ", expected the number of updates, 1 or more");
    if (!(rise >= 0 && rise <= 1)) fail("one_cycle: rise is ", rise, ", expected a number in [0, 1]");
    if (!(start_divisor >= 1 && is_finite(start_divisor)))
      fail("one_cycle: start_divisor is ", start_divisor, ", expected a finite number, 1 or more");
    detail::expect_positive("one_cycle", "end_divisor", end_divisor);
    if (!(0 <= low_momentum && low_momentum <= high_momentum && high_momentum < 1))
      fail("one_cycle: momentum between ", low_momentum, " and ", high_momentum,
           ", expected 0 <= low <= high < 1");
  }

 private:
  double between(step_t step, double start, double middle, double end) const {
    const double x = double(step - 1), last = double(total - 1);
    const double up = rise * double(total) > 1 ? rise * double(total) - 1 : 0;
    const auto along = [](double a, double b, double u) {
      return a + (b - a) * (0.5 * (1 - std::cos(std::numbers::pi * u)));
    };
    if (x > last) return end;
    if (x <= up) return up > 0 ? along(start, middle, x / up) : middle;
    return along(middle, end, (x - up) / (last - up));
  }
};
static_assert(schedule<one_cycle>);

}  // namespace formwork

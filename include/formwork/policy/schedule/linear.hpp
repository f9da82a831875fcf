#pragma once
#include <formwork/core/error.hpp>
#include <formwork/policy/schedule/schedule.hpp>

namespace formwork {

namespace detail {

/// Share of the way from the end of warm-up to the total: 0 up to update max(warmup, 1), 1 from the total on.
constexpr double decay_progress(step_t step, step_t warmup, step_t total) {
  const step_t begin = warmup > 1 ? warmup : 1;
  if (step <= begin) return 0;
  return step >= total ? 1 : double(step - begin) / double(total - begin);
}

/// Share of the peak during warm-up: step / warmup, 1 afterwards and without warm-up.
constexpr double warmup_share(step_t step, step_t warmup) {
  return step < warmup ? double(step) / double(warmup) : 1;
}

constexpr void validate_decay(const char* name, double lr, step_t warmup, step_t total, double end) {
  if (!(lr > 0)) fail(name, ": lr is ", lr, ", expected a number above 0");
  if (!(end >= 0)) fail(name, ": the last rate is ", end, ", expected 0 or more");
  if (total < 1) fail(name, ": total is ", total, ", expected the number of updates, 1 or more");
  if (warmup < 0) fail(name, ": warmup is ", warmup, ", expected 0 or more");
  if (warmup > total) fail(name, ": warmup ", warmup, " is more than total ", total);
}

}  // namespace detail

/// Rises linearly to `lr` in `warmup` updates,
/// then falls linearly to `end` at update `total` and stays there.
///   t <= warmup: lr t / warmup;  then lr + (end - lr) (t - begin) / (total - begin), begin = max(warmup, 1)
/// Source: Devlin et al. 2019, appendix A.2
struct linear {
  double lr = 1e-3;   ///< the highest rate
  step_t warmup = 0;  ///< at most total
  step_t total = 0;   ///< must be set
  double end = 0;

  constexpr double operator()(step_t step) const {
    const double u = detail::decay_progress(step, warmup, total);
    return (lr * (1 - u) + end * u) * detail::warmup_share(step, warmup);
  }
  constexpr void validate() const { detail::validate_decay("linear", lr, warmup, total, end); }
};
static_assert(schedule<linear>);

}  // namespace formwork

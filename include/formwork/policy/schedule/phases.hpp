#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/core/types.hpp>

// What schedules have in common: how far an update is in the warm-up or in the decay, and which numbers are
// refused.
namespace formwork::detail {

/// Share of the peak during warm-up: step / warmup, 1 afterwards and without warm-up.
constexpr double warmup_share(step_t step, step_t warmup) {
  return step < warmup ? double(step) / double(warmup) : 1;
}

/// Rate during and after a linear warm-up from `initial` to `lr`; update 1 is one step above `initial`.
constexpr double ramp(step_t step, step_t warmup, double initial, double lr) {
  return step < warmup ? initial + (lr - initial) * warmup_share(step, warmup) : lr;
}

/// Share of the way from the begin of the decay, or from update 1 if that is later, to the total: 0 up to the
/// begin, 1 from the total on.
constexpr double decay_progress(step_t step, step_t begin, step_t total) {
  const step_t from = begin > 1 ? begin : 1;
  if (step <= from) return 0;
  return step >= total ? 1 : double(step - from) / double(total - from);
}

constexpr void expect_positive(const char* name, const char* what, double value) {
  if (!(value > 0 && is_finite(value)))
    fail(name, ": ", what, " is ", value, ", expected a finite number above 0");
}

constexpr void expect_not_negative(const char* name, const char* what, double value) {
  if (!(value >= 0 && is_finite(value)))
    fail(name, ": ", what, " is ", value, ", expected a finite number, 0 or more");
}

constexpr void validate_ramp(const char* name, double lr, step_t warmup, double initial) {
  expect_positive(name, "lr", lr);
  if (warmup < 0) fail(name, ": warmup is ", warmup, ", expected 0 or more");
  expect_not_negative(name, "initial", initial);
}

constexpr void validate_decay(const char* name, double lr, step_t warmup, step_t total, double end,
                              double initial) {
  validate_ramp(name, lr, warmup, initial);
  expect_not_negative(name, "the last rate", end);
  if (total < 1) fail(name, ": total is ", total, ", expected the number of updates, 1 or more");
  if (warmup > total) fail(name, ": warmup ", warmup, " is more than total ", total);
}

}  // namespace formwork::detail

#pragma once
#include <formwork/core/error.hpp>
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/schedule.hpp>

#include <array>
#include <cmath>

namespace formwork {

/// Starts at `lr` and is multiplied by `factor` after each boundary: update t has lr * factor^(boundaries <
/// t). A boundary is the last update with the old rate.
/// Written step_decay<2>{.lr = 5e-4, .boundaries = {7000, 14000}, .factor = 0.1}.
/// When: the updates at which the rate has to fall are known; `epoch_decay` counts in epochs
template <std::size_t Count = 1>
struct step_decay {
  double lr = 1e-3;
  std::array<step_t, Count> boundaries{};  ///< rising, each at least 1
  double factor = 0.1;

  constexpr double operator()(step_t step) const {
    double rate = lr;
    for (const step_t boundary : boundaries)
      if (step > boundary) rate *= factor;
    return rate;
  }
  constexpr void validate() const {
    detail::expect_positive("step_decay", "lr", lr);
    detail::expect_positive("step_decay", "factor", factor);
    step_t previous = 0;
    for (const step_t boundary : boundaries) {
      if (boundary <= previous) fail("step_decay: boundary ", boundary, " must be above ", previous);
      previous = boundary;
    }
  }
};
static_assert(schedule<step_decay<2>>);

/// `lr`, multiplied by `factor` at the begin of each named epoch, counted from 1: "x0.1 at the 8th epoch" is
/// epoch_decay<1>{.lr = 5e-4, .epochs = {8}, .steps_per_epoch = 1050}, and update 7 * 1050 + 1 is the first
/// with the lower rate. batch_source::batches_in_epoch(), divided by the batches of an update, is the number
/// of updates of an epoch.
/// When:   pre-norm without warm-up
/// Source: Xiong et al. 2020, section 4
template <std::size_t Count = 1>
struct epoch_decay {
  double lr = 1e-3;
  std::array<step_t, Count> epochs{};  ///< rising, each at least 2
  step_t steps_per_epoch = 0;          ///< updates of an epoch; must be set
  double factor = 0.1;

  constexpr double operator()(step_t step) const {
    double rate = lr;
    for (const step_t epoch : epochs)
      if (step > (epoch - 1) * steps_per_epoch) rate *= factor;
    return rate;
  }
  constexpr void validate() const {
    detail::expect_positive("epoch_decay", "lr", lr);
    detail::expect_positive("epoch_decay", "factor", factor);
    if (steps_per_epoch < 1)
      fail("epoch_decay: steps_per_epoch is ", steps_per_epoch,
           ", expected the updates of an epoch, 1 or more");
    step_t previous = 1;
    for (const step_t epoch : epochs) {
      if (epoch <= previous) fail("epoch_decay: epoch ", epoch, " must be above ", previous);
      previous = epoch;
    }
  }
};
static_assert(schedule<epoch_decay<2>>);

/// Stairs of equal length: lr * factor^floor((t - 1) / every).
/// When: PyTorch's StepLR; in epochs, `every` is their number times the updates of one
struct staircase {
  double lr = 1e-3;
  step_t every = 0;  ///< updates of a stair; must be set
  double factor = 0.1;

  double operator()(step_t step) const { return lr * std::pow(factor, double((step - 1) / every)); }
  constexpr void validate() const {
    detail::expect_positive("staircase", "lr", lr);
    if (every < 1) fail("staircase: every is ", every, ", expected the updates of a stair, 1 or more");
    detail::expect_positive("staircase", "factor", factor);
  }
};
static_assert(schedule<staircase>);

}  // namespace formwork

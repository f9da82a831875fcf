#pragma once
#include <formwork/core/error.hpp>
#include <formwork/policy/schedule/schedule.hpp>

#include <array>

namespace formwork {

/// The same rate at each update.
struct constant {
  double lr = 1e-3;

  constexpr double operator()(step_t) const { return lr; }
  constexpr void validate() const {
    if (!(lr > 0)) fail("constant: lr is ", lr, ", expected a number above 0");
  }
};
static_assert(schedule<constant>);

/// Starts at `lr` and is multiplied by `factor` after each boundary: update t has lr * factor^(boundaries <
/// t). A boundary is the last update with the old rate; "at the 8th epoch" is 7 times the updates of an
/// epoch. Written step_decay<2>{.lr = 5e-4, .boundaries = {7000, 14000}, .factor = 0.1}.
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
    if (!(lr > 0)) fail("step_decay: lr is ", lr, ", expected a number above 0");
    if (!(factor > 0)) fail("step_decay: factor is ", factor, ", expected a number above 0");
    step_t previous = 0;
    for (const step_t boundary : boundaries) {
      if (boundary <= previous) fail("step_decay: boundary ", boundary, " must be above ", previous);
      previous = boundary;
    }
  }
};
static_assert(schedule<step_decay<2>>);

}  // namespace formwork

#pragma once
#include <formwork/policy/schedule/phases.hpp>
#include <formwork/policy/schedule/schedule.hpp>

namespace formwork {

/// The same rate at each update.
/// When: fine-tuning for few steps, small problems, and as a part of compositions
struct constant {
  double lr = 1e-3;

  constexpr double operator()(step_t) const { return lr; }
  constexpr void validate() const { detail::expect_positive("constant", "lr", lr); }
};
static_assert(schedule<constant>);

}  // namespace formwork

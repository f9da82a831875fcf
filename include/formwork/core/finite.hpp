#pragma once
#include <limits>

namespace formwork {

/// False for infinities and for not-a-number. Unlike std::isfinite before C++23 it can be asked in constants,
/// as `validate()` of a policy is.
constexpr bool is_finite(double x) {
  return x >= std::numeric_limits<double>::lowest() && x <= (std::numeric_limits<double>::max)();
}

}  // namespace formwork

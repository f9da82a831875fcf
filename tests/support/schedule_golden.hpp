#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <formwork/core/types.hpp>
#include <string_view>

namespace formwork_test {

/// One line of tests/golden/schedules.txt: the learning rate of an update. See schedules.py beside it.
struct golden_rate {
  std::string_view name;
  formwork::step_t update;
  double rate;
};

inline constexpr golden_rate golden_schedules[] = {
#include "../golden/schedules.txt"
};

/// Compares the rates of updates 1 to 40. The highest is 0.5 (a momentum: 0.95), so 1e-14 is a few last bits.
template <class Schedule>
void check_golden_rates(std::string_view name, const Schedule& lr) {
  CAPTURE(name);
  formwork::step_t compared = 0;
  for (const golden_rate& line : golden_schedules) {
    if (line.name != name) continue;
    CAPTURE(line.update);
    REQUIRE(line.update == ++compared);
    const double rate = lr(line.update);
    CHECK(std::fabs(rate - line.rate) <= 1e-14);
  }
  REQUIRE(compared == 40);
}

/// True if two numbers differ by at most `share` of the second. doctest::Approx forgives 1e-5 to numbers that
/// are themselves no larger.
inline bool same_digits(double a, double b, double share = 1e-13) {
  return std::fabs(a - b) <= share * std::fabs(b);
}

}  // namespace formwork_test

#pragma once
#include <formwork/policy/init/initialiser.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace formwork {

/// What the first values of one parameter look like.
struct initial_moments {
  double mean = 0, variance = 0, largest = 0;
};

template <class Init>
initial_moments moments_of(const Init& init, const parameter_info& p) {
  initial_moments m;
  for (index_t i = 0; i < p.size(); ++i) {
    const double x = init(p, random_stream{.seed = 3, .stream = 1 + std::uint64_t(p.role)}, std::uint64_t(i));
    m.mean += x / double(p.size());
    m.variance += x * x / double(p.size());
    m.largest = std::max(m.largest, std::fabs(x));
  }
  return m;
}

/// Mean 0 and the expected variance within 2 per cent, for parameters of 100,000 elements and more: five
/// deviations of what chance does to a normal distribution. The seed is fixed, what passes keeps passing.
template <class Init>
void check_variance(const Init& init, const parameter_info& p, double variance) {
  REQUIRE(p.size() >= 100'000);
  const initial_moments m = moments_of(init, p);
  CHECK(std::fabs(m.mean) < 4 * std::sqrt(variance / double(p.size())));
  CHECK(std::fabs(m.variance - variance) < 0.02 * variance);
}

}  // namespace formwork

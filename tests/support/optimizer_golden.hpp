#pragma once
#include <doctest/doctest.h>

#include <array>
#include <formwork/core/update.hpp>
#include <string_view>

namespace formwork_test {

/// One line of tests/golden/optimizers.txt: three weights after an update. See optimizers.py beside it.
struct golden_weights {
  std::string_view name;
  formwork::step_t update;
  std::array<double, 3> weights;
};

inline constexpr golden_weights golden_optimizers[] = {
#include "../golden/optimizers.txt"
};

/// Moves three weights by the gradients of optimizers.py and compares each of the 12 updates.
template <class Optimizer>
void check_golden(std::string_view name, const Optimizer& policy, double lr) {
  CAPTURE(name);
  std::array<double, 3> w{0.5, -1.25, 2};
  std::array<std::array<double, std::size_t(Optimizer::moments)>, 3> state{};
  int compared = 0;
  for (const golden_weights& line : golden_optimizers) {
    if (line.name != name) continue;
    CAPTURE(line.update);
    REQUIRE(line.update == ++compared);
    const auto prepared = policy.prepare({.step = line.update, .lr = lr, .decays = true});
    for (int i = 0; i < 3; ++i) {
      const double g = (double((7 * line.update + 5 * i) % 11) - 5) / 8;
      policy.update(w[i], g, state[i], prepared);
      CHECK(w[i] == doctest::Approx(line.weights[i]).epsilon(1e-12));
    }
  }
  REQUIRE(compared == 12);
}

}  // namespace formwork_test

#pragma once
#include <doctest/doctest.h>

#include <formwork/policy/optimizer/state.hpp>

#include <array>
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

/// One line of tests/golden/optimizers_long.txt or optimizers_torch.txt: the weights of all parameters after
/// an update. See the scripts beside them.
struct golden_run {
  std::string_view name;
  formwork::step_t update;
  std::array<double, 18> weights;
};

inline constexpr golden_run golden_runs[] = {
#include "../golden/optimizers_long.txt"
#include "../golden/optimizers_torch.txt"
};

/// The parameters of optimizers_long.py, their gradients and what a policy remembers.
template <class Policy>
struct long_run {
  std::array<double, 18> w{}, g{};
  formwork::cpu_backend backend{1};
  formwork::optimizer_state<double, Policy> state;
  double lr;

  long_run(const Policy& policy, double lr) : state(policy, start()), lr(lr) {}

  void update(formwork::step_t t) {
    const double rate = lr * std::min(1.0, double(t) / 5);
    if (state.samples_labels(t)) {
      for (int i = 0; i < 18; ++i) g[std::size_t(i)] = (double((3 * t + 5 * i) % 7) - 3) / 4;
      state.observe(backend, t, rate, 1);
    }
    for (int i = 0; i < 18; ++i)
      g[std::size_t(i)] = double(1 + i % 3) / 4 * (w[std::size_t(i)] - double((13 * i) % 7 - 3) / 2) +
                          (double((7 * t + 5 * i) % 11) - 5) / 16;
    state.update(backend, t, rate);
  }

 private:
  std::vector<formwork::trained_parameter<double>> start() {
    using formwork::role;
    for (int i = 0; i < 18; ++i) w[std::size_t(i)] = double((29 * i) % 97 - 48) / 32;
    return {{0, {.role = role::up, .rows = 3, .columns = 2}, &w[0], &g[0]},
            {1, {.role = role::value, .rows = 2, .columns = 3}, &w[6], &g[6]},
            {2, {.role = role::embedding, .rows = 2, .columns = 2}, &w[12], &g[12]},
            {3, {.role = role::bias, .rows = 2, .columns = 1}, &w[16], &g[16]}};
  }
};

/// Makes the 100 updates of optimizers_long.py and compares the weights, and those to evaluate, at all
/// updates that are stored.
template <class Policy>
void check_run(std::string_view name, const Policy& policy, double lr, double tolerance = 1e-10) {
  CAPTURE(name);
  long_run<Policy> run(policy, lr);
  int compared = 0;
  const auto compare = [&](std::string_view line_name, formwork::step_t t) {
    for (const golden_run& line : golden_runs) {
      if (line.name != line_name || line.update != t) continue;
      CAPTURE(t);
      ++compared;
      for (std::size_t i = 0; i < 18; ++i)
        CHECK(run.w[i] == doctest::Approx(line.weights[i]).epsilon(tolerance));
    }
  };
  for (formwork::step_t t = 1; t <= 100; ++t) {
    run.update(t);
    compare(name, t);
    if (!run.state.has_views()) continue;
    const auto training = run.w;
    run.state.show_evaluated(run.backend);
    compare(std::string(name) + " evaluated", t);
    run.w = training;
  }
  REQUIRE(compared == (run.state.has_views() ? 10 : 5));
}

}  // namespace formwork_test

#include <formwork/policy/optimizer/trial.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/lamb.hpp>
#include <formwork/policy/optimizer/prodigy.hpp>
#include <formwork/policy/optimizer/sophia.hpp>

using namespace formwork;

namespace {

/// The trial's plain loops and the library's kernels move one matrix of [n, 1] alike.
template <class O>
void agree(const O& policy, double lr) {
  constexpr index_t n = 37;
  detail::weights_under_test<double, double, O> trial{policy, std::vector<double>(n)};
  std::vector<double> w(n), g(n);
  for (index_t i = 0; i < n; ++i)
    trial.w[std::size_t(i)] = w[std::size_t(i)] = double((29 * i) % 97 - 48) / 32;
  cpu_backend backend(1);
  const std::vector<trained_parameter<double>> parameters{
      {0, {.role = role::up, .rows = n, .columns = 1}, w.data(), g.data()}};
  optimizer_state<double, O> state(policy, parameters);
  for (step_t t = 1; t <= 25; ++t) {
    for (index_t i = 0; i < n; ++i) g[std::size_t(i)] = double((31 * i + 7 * t) % 89 - 44) / 32;
    trial.update(g, {.step = t, .lr = lr, .decays = true});
    if (state.samples_labels(t)) state.observe(backend, t, lr, 1);
    state.update(backend, t, lr);
  }
  for (std::size_t i = 0; i < std::size_t(n); ++i)
    REQUIRE(trial.w[i] == doctest::Approx(w[i]).epsilon(1e-12));
}

}  // namespace

TEST_CASE("trial: one parameter moves as it does in the library") {
  agree(adamw{}, 0.01);
  agree(lamb{}, 0.01);
  agree(prodigy{}, 1);
  agree(sophia_g{}, 0.01);
}

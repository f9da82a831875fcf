#include <formwork/policy/optimizer/bf16_moments.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/lamb.hpp>
#include <formwork/policy/optimizer/lion.hpp>

#include "../../support/optimizer_golden.hpp"

using namespace formwork;

static_assert(std::is_same_v<moment_of<bf16_moments<adamw>, float>, bfloat16>);
static_assert(std::is_same_v<moment_of<adamw, float>, float>);
static_assert(label(bf16_moments<lion>::name) == label("bf16.lion"));

namespace {

/// Weights after so many updates by noisy gradients of a quadratic around 0 with a slope of 0.01 at 1.
template <class O>
std::vector<float> moved(const O& policy, step_t steps, int threads = 1) {
  constexpr index_t n = 20000;
  std::vector<float> w(n, 1.0f), g(n);
  const random_stream noise{.seed = 8};
  cpu_backend backend(threads);
  optimizer_state<float, O> state(policy,
                                  {{0, {.role = role::up, .rows = n, .columns = 1}, w.data(), g.data()}});
  for (step_t t = 1; t <= steps; ++t) {
    for (index_t i = 0; i < n; ++i)
      g[std::size_t(i)] =
          float(0.01 * double(w[std::size_t(i)]) + 0.1 * (noise.uniform(std::uint64_t(t * n + i)) - 0.5));
    state.update(backend, t, 1e-3);
  }
  return w;
}

double mean(const std::vector<float>& w) {
  double sum = 0;
  for (const float x : w) sum += double(x);
  return sum / double(w.size());
}

}  // namespace

TEST_CASE("bf16_moments: weights move on average as with moments in single precision") {
  const double narrow = mean(moved(bf16_moments{adamw{}}, 300)), wide = mean(moved(adamw{}, 300));
  CHECK(wide < 0.97);
  CHECK(narrow == doctest::Approx(wide).epsilon(5e-4));
  CHECK(mean(moved(bf16_moments{lamb{}}, 100)) == doctest::Approx(mean(moved(lamb{}, 100))).epsilon(5e-4));
}

TEST_CASE("bf16_moments: a slow running mean follows its gradients, which rounding to nearest would not") {
  std::vector<float> w(1000), g(1000);
  cpu_backend backend(1);
  using policy = bf16_moments<adam>;
  optimizer_state<float, policy> state(
      policy{}, {{0, {.role = role::up, .rows = 1000, .columns = 1}, w.data(), g.data()}});
  for (step_t t = 1; t <= 3000; ++t) {
    std::fill(g.begin(), g.end(), t <= 1500 ? 1.0f : 2.0f);
    state.update(backend, t, 0);
  }
  double v = 0;
  state.each_kept([&](const std::string& prefix, const auto&, const bfloat16* data, index_t n) {
    if (prefix != "moment1.") return;
    for (index_t i = 0; i < n; ++i) v += double(widened(data[i])) / double(n);
  });
  const double kept = std::pow(0.999, 1500);
  CHECK(v == doctest::Approx(4 - 4 * kept + kept * (1 - kept)).epsilon(0.01));
}

TEST_CASE("bf16_moments: the bits do not depend on the number of threads") {
  CHECK(moved(bf16_moments{adamw{}}, 20, 1) == moved(bf16_moments{adamw{}}, 20, 3));
}

TEST_CASE("bf16_moments: the public check accepts it, numbers of the inner optimizer are checked") {
  CHECK_NOTHROW(check_optimizer(bf16_moments{adamw{}}));
  CHECK_THROWS_AS(check_optimizer(bf16_moments{adamw{.beta1 = 1}}), error);
}

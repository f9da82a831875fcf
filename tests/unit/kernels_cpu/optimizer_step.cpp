#include <formwork/kernels/cpu/optimizer_step.hpp>

#include <formwork/core/math.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

using namespace formwork;

namespace {

// Policies of the test's own, with 0 to 3 numbers per weight: each moment decays at its own pace and pulls
// the weight.
template <int Moments>
struct pulls {
  static constexpr int moments = Moments;
  struct prepared {
    double rate, keep;
  };
  template <class V>
  void update(V& w, V g, std::array<V, std::size_t(Moments)>& state, const prepared& p) const {
    V pull = g / (sqrt(abs(g)) + V(0.5));
    for (V& m : state) {
      m = V(p.keep) * m + g;
      pull = pull + m;
    }
    w = w - V(p.rate) * pull;
  }
};

std::vector<float> numbers(index_t n, int seed) {
  std::vector<float> out(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) out[std::size_t(i)] = float((i * 29 + seed) % 97 - 48) / 32;
  return out;
}

template <int Moments>
void compare(index_t n, int threads) {
  const index_t stride = n + 3;
  std::vector<float> w = numbers(n + 1, 1), expected = w, g = numbers(n + 1, 7);
  std::vector<float> state = numbers(Moments * stride + 1, 5), expected_state = state;
  const std::vector<float> g_before = g;
  const pulls<Moments> policy;
  const typename pulls<Moments>::prepared prepared{0.125, 0.5};
  for (index_t i = 0; i < n; ++i) {
    std::array<float, std::size_t(Moments)> moment;
    for (int m = 0; m < Moments; ++m) moment[std::size_t(m)] = expected_state[std::size_t(m * stride + i)];
    policy.update(expected[std::size_t(i)], g[std::size_t(i)] * 0.25f, moment, prepared);
    for (int m = 0; m < Moments; ++m) expected_state[std::size_t(m * stride + i)] = moment[std::size_t(m)];
  }
  cpu_backend backend(threads);
  cpu::optimizer_step(backend, policy, prepared, w.data(), g.data(), state.data(), stride, n, 0.25);
  CHECK(g == g_before);
  for (std::size_t i = 0; i < w.size(); ++i)
    CHECK(std::abs(w[i] - expected[i]) <= 1e-6f);  // contraction to fma
  for (std::size_t i = 0; i < state.size(); ++i) CHECK(std::abs(state[i] - expected_state[i]) <= 1e-6f);
  CHECK(w.back() == expected.back());  // behind the end nothing is written
}

}  // namespace

TEST_CASE("optimizer step: zero to three moments agree with a plain loop at every length") {
  for (index_t n : {0, 1, 7, 16, 31, 100}) {
    CAPTURE(n);
    compare<0>(n, 1);
    compare<1>(n, 2);
    compare<2>(n, 1);
    compare<3>(n, 2);
  }
}

TEST_CASE("optimizer step: the bits do not depend on the number of threads") {
  const index_t n = 70001;
  std::vector<float> first, first_state;
  for (int threads : {1, 2, 3}) {
    std::vector<float> w = numbers(n, 3), g = numbers(n, 4), state(std::size_t(2 * n));
    cpu_backend backend(threads);
    for (int step = 0; step < 3; ++step)
      cpu::optimizer_step(backend, pulls<2>{}, pulls<2>::prepared{0.01, 0.9}, w.data(), g.data(),
                          state.data(), n, n, 1.0 / 3);
    if (first.empty()) first = w, first_state = state;
    CHECK(std::memcmp(first.data(), w.data(), w.size() * sizeof(float)) == 0);
    CHECK(std::memcmp(first_state.data(), state.data(), state.size() * sizeof(float)) == 0);
  }
}

#include <formwork/kernels/cpu/optimizer_step.hpp>

#include <formwork/core/math.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

using namespace formwork;

namespace {

struct pull_numbers {
  double rate, keep;
};

// Policies of the test's own, with 0 to 3 numbers per weight: each moment decays at its own pace and pulls
// the weight.
template <int Moments>
struct pulls {
  static constexpr int moments = Moments, sums = 2;
  template <class V>
  void update(V& w, V g, std::array<V, std::size_t(Moments)>& state, const pull_numbers& p) const {
    V pull = g / (sqrt(abs(g)) + V(0.5));
    for (V& m : state) {
      m = V(p.keep) * m + g;
      pull = pull + m;
    }
    w = w - V(p.rate) * pull;
  }
  template <class V>
  std::array<V, 2> measure(V w, V g, std::array<V, std::size_t(Moments)> state, const pull_numbers&) const {
    V all = w * g;
    for (const V& m : state) all = all + m;
    return {V(1), all};  // 1 also for lanes behind the end, where it must not count
  }
  template <class V>
  void observe(V g, std::array<V, std::size_t(Moments)>& state, const pull_numbers& p) const {
    for (V& m : state) m = m + V(p.keep) * g * g;
  }
  template <class V>
  V evaluated(V w, const std::array<V, std::size_t(Moments)>& state) const {
    for (const V& m : state) w = w + m;
    return w;
  }
};

std::vector<float> numbers(index_t n, int seed) {
  std::vector<float> out(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) out[std::size_t(i)] = float((i * 29 + seed) % 97 - 48) / 32;
  return out;
}

// Parameters of these lengths with their gradients and moments, one behind the other.
template <int Moments>
struct trial {
  std::vector<index_t> lengths;
  std::vector<float> w, g, state;
  std::vector<cpu::optimizer_operand<float>> operands;
  std::vector<pull_numbers> prepared;

  explicit trial(std::vector<index_t> sizes) : lengths(std::move(sizes)) {
    index_t total = 0;
    for (const index_t n : lengths) total += n;
    w = numbers(total + 1, 1), g = numbers(total, 7), state = numbers(Moments * (total + 3) + 1, 5);
    index_t at = 0;
    for (const index_t n : lengths) {
      operands.push_back({w.data() + at, g.data() + at, state.data() + at, total + 3, n});
      prepared.push_back({0.125 + 0.0625 * double(prepared.size()), 0.5});
      at += n;
    }
  }

  /// Calls f(w, g, moments, numbers, parameter) for every weight, as plain numbers.
  template <class F>
  void each(F f) {
    for (std::size_t o = 0; o < operands.size(); ++o)
      for (index_t i = 0; i < operands[o].n; ++i) {
        std::array<float, std::size_t(Moments)> moment;
        for (int m = 0; m < Moments; ++m)
          moment[std::size_t(m)] = operands[o].state[m * operands[o].stride + i];
        f(operands[o].w[i], operands[o].g[i] * 0.25f, moment, prepared[o], o);
        for (int m = 0; m < Moments; ++m)
          operands[o].state[m * operands[o].stride + i] = moment[std::size_t(m)];
      }
  }

  void compare(const trial& expected) const {
    CHECK(g == expected.g);
    for (std::size_t i = 0; i < w.size(); ++i)
      CHECK(std::abs(w[i] - expected.w[i]) <= 2e-6f);  // contraction to fma
    for (std::size_t i = 0; i < state.size(); ++i) CHECK(std::abs(state[i] - expected.state[i]) <= 1e-6f);
    CHECK(w.back() == expected.w.back());  // behind the end nothing is written
  }
};

template <int Moments>
void compare_all(const std::vector<index_t>& lengths, int threads) {
  using policy_type = pulls<Moments>;
  const policy_type policy;
  cpu_backend backend(threads);
  {
    trial<Moments> found(lengths), expected(lengths);
    cpu::optimizer_step(backend, policy, found.prepared, found.operands, cpu::optimizer_tasks(found.operands),
                        0.25);
    expected.each(
        [&](float& w, float g, auto& m, const pull_numbers& p, std::size_t) { policy.update(w, g, m, p); });
    found.compare(expected);
  }
  {
    trial<Moments> found(lengths), expected(lengths);
    cpu::optimizer_observe(backend, policy, found.prepared, found.operands,
                           cpu::optimizer_tasks(found.operands), 0.25);
    expected.each(
        [&](float&, float g, auto& m, const pull_numbers& p, std::size_t) { policy.observe(g, m, p); });
    found.compare(expected);
  }
  {
    trial<Moments> found(lengths), expected(lengths);
    cpu::optimizer_view(backend, policy, found.operands, cpu::optimizer_tasks(found.operands));
    expected.each(
        [&](float& w, float, auto& m, const pull_numbers&, std::size_t) { w = policy.evaluated(w, m); });
    found.compare(expected);
  }
  {
    trial<Moments> found(lengths);
    const trial<Moments> before(lengths);
    std::vector<std::array<double, 2>> sums(lengths.size(), {5, 5}), expected(lengths.size());
    cpu::optimizer_sums(backend, policy, found.prepared, found.operands, cpu::optimizer_tasks(found.operands),
                        0.25, sums);
    CHECK((found.w == before.w && found.state == before.state));
    found.each([&](float& w, float g, auto& m, const pull_numbers& p, std::size_t o) {
      const auto add = policy.measure(w, g, m, p);
      for (std::size_t k = 0; k < 2; ++k) expected[o][k] += double(add[k]);
    });
    for (std::size_t o = 0; o < sums.size(); ++o) {
      CHECK(sums[o][0] == double(lengths[o]));
      CHECK(sums[o][1] == doctest::Approx(expected[o][1]).epsilon(1e-5));
    }
  }
}

}  // namespace

TEST_CASE("optimizer step: zero to three moments agree with a plain loop at every length") {
  for (const std::vector<index_t>& lengths : std::vector<std::vector<index_t>>{
           {}, {1}, {7}, {16}, {31}, {100}, {3, 1, 64, 17}, {40000, 5, 20000}}) {
    CAPTURE(lengths.size());
    compare_all<0>(lengths, 1);
    compare_all<1>(lengths, 2);
    compare_all<2>(lengths, 1);
    compare_all<3>(lengths, 2);
  }
}

TEST_CASE("optimizer step: long parameters are cut, short ones share a task") {
  const std::vector<cpu::optimizer_operand<float>> operands{{.n = 40000}, {.n = 0}, {.n = 5}, {.n = 9500}};
  const cpu::optimizer_tasks tasks(operands);
  CHECK(tasks.pieces.size() == 5);
  CHECK(tasks.first == std::vector<index_t>{0, 1, 2, 4, 5});
  CHECK(tasks.count() == 4);
  CHECK(cpu::optimizer_tasks(std::vector<cpu::optimizer_operand<float>>{}).count() == 0);
}

TEST_CASE("optimizer step: moments in bfloat16 are neighbours of what single precision makes, tails too") {
  for (const index_t n : {5, 16, 37}) {
    const index_t stride = n + 3;
    std::vector<float> w = numbers(n, 1), g = numbers(n, 7), expected = w;
    std::vector<bfloat16> state(std::size_t(2 * stride), bfloat16{0x3f81}), before = state;
    const std::vector<cpu::optimizer_operand<float, bfloat16>> operands{
        {w.data(), g.data(), state.data(), stride, n}};
    const std::vector<pull_numbers> prepared{{0.125, 0.5}};
    cpu_backend backend(1);
    cpu::optimizer_step(backend, pulls<2>{}, prepared, operands, cpu::optimizer_tasks(operands), 0.25, 7);
    for (index_t i = 0; i < n; ++i) {
      std::array<float, 2> moment{widened(before[0]), widened(before[0])};
      pulls<2>{}.update(expected[std::size_t(i)], g[std::size_t(i)] * 0.25f, moment, prepared[0]);
      CHECK(std::abs(w[std::size_t(i)] - expected[std::size_t(i)]) <= 1e-6f);
      for (index_t m = 0; m < 2; ++m) {
        const float stored = widened(state[std::size_t(m * stride + i)]);
        CHECK(std::abs(stored - moment[std::size_t(m)]) <= std::abs(moment[std::size_t(m)]) / 128);
      }
    }
    for (index_t i = n; i < stride; ++i) CHECK(state[std::size_t(i)] == before[0]);
  }
}

TEST_CASE("optimizer step: the bits do not depend on the number of threads") {
  const std::vector<index_t> lengths{70001, 3, 20000, 511};
  std::vector<float> first, first_state;
  std::vector<std::array<double, 2>> first_sums;
  for (int threads : {1, 2, 3}) {
    trial<2> t(lengths);
    cpu_backend backend(threads);
    const cpu::optimizer_tasks tasks(t.operands);
    std::vector<std::array<double, 2>> sums(lengths.size());
    for (int step = 0; step < 3; ++step)
      cpu::optimizer_step(backend, pulls<2>{}, t.prepared, t.operands, tasks, 1.0 / 3);
    cpu::optimizer_sums(backend, pulls<2>{}, t.prepared, t.operands, tasks, 1.0 / 3, sums);
    if (first.empty()) first = t.w, first_state = t.state, first_sums = sums;
    CHECK(std::memcmp(first.data(), t.w.data(), t.w.size() * sizeof(float)) == 0);
    CHECK(std::memcmp(first_state.data(), t.state.data(), t.state.size() * sizeof(float)) == 0);
    CHECK(first_sums == sums);
  }
}

#pragma once
// One parameter and an optimizer that is being tested (check.hpp).
#include <formwork/core/simd.hpp>
#include <formwork/policy/optimizer/state.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace formwork::detail {

template <class V, class T>
V read_part(const T* p, index_t n) {
  if constexpr (std::is_same_v<V, T>)
    return *p;
  else
    return simd::load_part(p, n);
}

template <class V, class T>
void write_part(T* p, const V& v, index_t n) {
  if constexpr (std::is_same_v<V, T>)
    *p = v;
  else
    simd::store_part(p, v, n);
}

// Weights w of one parameter with all that an element-wise policy keeps, moved by it in numbers T or in SIMD
// batches V of them, with loops that nobody has tuned.
template <class T, class V, class O>
struct weights_under_test {
  O policy;
  std::vector<T> w;
  std::vector<T> moments = std::vector<T>(w.size() * std::size_t(O::moments), T(0));
  run_state_of<O> run{};

  void update(const std::vector<T>& g, update_info info) {
    info.parameter = {.role = role::up, .rows = index_t(w.size()), .columns = 1};
    if constexpr (adjusts<O>) policy.adjust(info);
    if constexpr (optimizer_with_samples<O>)
      if (policy.samples_labels(info.step))
        each(g, [&](V&, const V& slope, auto& state, index_t) {
          policy.observe(slope, state, detail::prepare(policy, info, run));
        });
    [[maybe_unused]] const auto sums = measured(g, info);
    if constexpr (advances_with_sums<O>)
      policy.advance(run, info, sums);
    else if constexpr (has_run_state<O>)
      policy.advance(run, info);
    auto prepared = detail::prepare(policy, info, run);
    if constexpr (concludes<O>) policy.conclude(prepared, sums, info);
    each(g, [&](V& weight, const V& slope, auto& state, index_t) {
      policy.update(weight, slope, state, prepared);
    });
  }

 private:
  auto measured(const std::vector<T>& g, const update_info& info) {
    if constexpr (has_sums<O>) {
      sums_array<O, double> sums{};
      const auto prepared = detail::prepare(policy, info, run);
      each(g, [&](V& weight, const V& slope, auto& state, index_t count) {
        const auto terms = policy.measure(weight, slope, state, prepared);
        for (std::size_t k = 0; k < sums.size(); ++k) {
          T lane[sizeof(V) / sizeof(T)];
          write_part(lane, terms[k], count);
          for (index_t i = 0; i < count; ++i) sums[k] += double(lane[i]);
        }
      });
      return sums;
    } else {
      return 0;
    }
  }

  /// Calls f(weights, slopes, state, how many of them count) for each batch.
  template <class F>
  void each(const std::vector<T>& g, F f) {
    const index_t n = index_t(w.size()), lanes = index_t(sizeof(V) / sizeof(T));
    for (index_t i = 0; i < n; i += lanes) {
      const index_t count = (std::min)(lanes, n - i);
      state_array<O, V> state;
      for (std::size_t k = 0; k < state.size(); ++k)
        state[k] = read_part<V>(moments.data() + index_t(k) * n + i, count);
      V weight = read_part<V>(w.data() + i, count);
      f(weight, read_part<V>(g.data() + i, count), state, count);
      write_part(w.data() + i, weight, count);
      for (std::size_t k = 0; k < state.size(); ++k)
        write_part(moments.data() + index_t(k) * n + i, state[k], count);
    }
  }
};

// The same for an optimizer of whole matrices.
template <class T, class O>
struct matrix_under_test {
  O policy;
  std::vector<T> w;
  index_t columns = w.size() % 2 ? 1 : 2;
  int threads = 1;
  std::vector<T> gradient = std::vector<T>(w.size());
  std::unique_ptr<cpu_backend> backend = std::make_unique<cpu_backend>(threads);
  std::unique_ptr<matrix_state<T, O>> state{};

  void update(const std::vector<T>& g, const update_info& info) {
    gradient = g;
    const index_t rows = index_t(w.size()) / columns;
    if (!state)
      state = std::make_unique<matrix_state<T, O>>(
          policy, std::vector<trained_parameter<T>>{
                      {0, {.role = role::up, .rows = rows, .columns = columns}, w.data(), gradient.data()}});
    const auto adjust = [&](update_info& u) {
      u.decays = info.decays;
      if constexpr (adjusts<O>) policy.adjust(u);
    };
    state->update(*backend, {info.step, info.lr, 1, adjust});
  }
};

template <class T, class V, class O>
using trial_of =
    std::conditional_t<matrix_optimizer<O>, matrix_under_test<T, O>, weights_under_test<T, V, O>>;

}  // namespace formwork::detail

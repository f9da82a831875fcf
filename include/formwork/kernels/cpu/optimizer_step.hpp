#pragma once
#include <formwork/core/simd.hpp>
#include <formwork/kernels/cpu/backend.hpp>

#include <algorithm>
#include <array>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// Moves the weights [begin, end) by one update; see `optimizer_step`.
/// `state` points at the first weight's moments.
template <class Policy, class Prepared, class T>
void optimizer_range(const Policy& policy, const Prepared& prepared, T* w, const T* g, T* state,
                     index_t state_stride, index_t begin, index_t end, T gradient_scale) {
  using V = simd::batch<T>;
  constexpr index_t width = simd::width<T>;
  constexpr std::size_t moments = std::size_t(Policy::moments);
  const V scale(gradient_scale);
  const auto move = [&](const auto& load, const auto& store) {
    V weight = load(w);
    std::array<V, moments> moment;
    for (std::size_t m = 0; m < moments; ++m) moment[m] = load(state + index_t(m) * state_stride);
    policy.update(weight, V(load(g) * scale), moment, prepared);
    store(w, weight);
    for (std::size_t m = 0; m < moments; ++m) store(state + index_t(m) * state_stride, moment[m]);
  };
  index_t i = begin;
  for (; i + width <= end; i += width)
    move([i](const T* p) { return simd::load(p + i); }, [i](T* p, const V& v) { simd::store(p + i, v); });
  if (const index_t rest = end - i; rest > 0)
    move([=](const T* p) { return simd::load_part(p + i, rest); },
         [=](T* p, const V& v) { simd::store_part(p + i, v, rest); });
}

/// One update of n weights: w, g and the moments are read once, w and the moments are written once.
/// Shapes:      w, g [n]; state [Policy::moments, state_stride], zero before the first update
/// Requires:    state_stride >= n, no overlap (unchecked);
///              `prepared` is what policy.prepare(update_info) returned
/// Effects:     the policy sees gradient_scale * g (clipping, mean over tokens); g itself stays
/// Cost:        (3 + 2 moments) n elements of memory traffic
/// Determinism: every weight depends on its own numbers only; the same bits for any number of threads
template <class Policy, class Prepared, class T>
void optimizer_step(cpu_backend& backend, const Policy& policy, const Prepared& prepared, T* w, const T* g,
                    T* state, index_t state_stride, index_t n, double gradient_scale) {
  constexpr index_t weights_per_task = index_t{1} << 14;
  backend.team().run((n + weights_per_task - 1) / weights_per_task, [&](index_t task) {
    const index_t begin = task * weights_per_task;
    optimizer_range(policy, prepared, w, g, state, state_stride, begin, std::min(n, begin + weights_per_task),
                    T(gradient_scale));
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

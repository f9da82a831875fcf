#pragma once
// One update of all weights by an element-wise optimizer (policy/optimizer/optimizer.hpp), and what else such
// an optimizer does with every weight: sums over a parameter, sampled gradients, other views of the weights.
#include <formwork/core/bfloat16.hpp>
#include <formwork/kernels/cpu/backend.hpp>
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/kernels/cpu/slots.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// One parameter: its weights, their gradient and what the optimizer remembers of them, as T or bfloat16.
template <class T, class Moment = T>
struct optimizer_operand {
  T* w = nullptr;           // [n]
  const T* g = nullptr;     // [n]
  Moment* state = nullptr;  // [moments, stride], zero before the first update
  index_t stride = 0;       // >= n
  index_t n = 0;
};

/// How the weights of several parameters are divided into tasks: long parameters are cut, short ones share a
/// task. The division depends on the sizes only.
struct optimizer_tasks {
  struct piece {
    index_t operand, begin, end;
  };
  static constexpr index_t weights_per_task = index_t{1} << 14;

  std::vector<piece> pieces;
  std::vector<index_t> first;  ///< piece with which each task begins; then the number of pieces

  index_t count() const { return index_t(first.size()) - 1; }

  template <class T, class Moment>
  explicit optimizer_tasks(const std::vector<optimizer_operand<T, Moment>>& operands) {
    index_t filled = weights_per_task;
    for (std::size_t o = 0; o < operands.size(); ++o)
      for (index_t begin = 0; begin < operands[o].n; begin += weights_per_task) {
        const index_t end = std::min(operands[o].n, begin + weights_per_task);
        if (filled + (end - begin) > weights_per_task) {
          first.push_back(index_t(pieces.size()));
          filled = 0;
        }
        filled += end - begin;
        pieces.push_back({index_t(o), begin, end});
      }
    first.push_back(index_t(pieces.size()));
  }
};

namespace detail {

// W weights from element i on, or the last few of a piece.
template <class T>
struct whole_lanes {
  static constexpr index_t count = simd::width<T>;
  index_t i;
  simd::batch<T> load(const T* p) const { return simd::load(p + i); }
  void store(T* p, const simd::batch<T>& v) const { simd::store(p + i, v); }
  simd::batch<T> only(const simd::batch<T>& v) const { return v; }
};
template <class T>
struct last_lanes {
  index_t i, count;
  simd::batch<T> load(const T* p) const { return simd::load_part(p + i, count); }
  void store(T* p, const simd::batch<T>& v) const { simd::store_part(p + i, v, count); }
  simd::batch<T> only(const simd::batch<T>& v) const {
    return simd::keep((std::uint64_t{1} << count) - 1, v);
  }
};

/// Calls f(lanes) for all batches of [begin, end).
template <class T, class F>
[[gnu::always_inline]] inline void each_lanes(index_t begin, index_t end, F f) {
  constexpr index_t W = simd::width<T>;
  index_t i = begin;
  for (; i + W <= end; i += W) f(whole_lanes<T>{i});
  if (i < end) f(last_lanes<T>{i, end - i});
}

template <std::size_t Moments, class T, class Moment, class Lanes>
[[gnu::always_inline]] inline std::array<simd::batch<T>, Moments> load_state(
    const optimizer_operand<T, Moment>& o, Lanes lanes) {
  std::array<simd::batch<T>, Moments> state;
  for (std::size_t m = 0; m < Moments; ++m) {
    const Moment* const from = o.state + index_t(m) * o.stride;
    if constexpr (std::is_same_v<Moment, T>) {
      state[m] = lanes.load(from);
    } else {
      alignas(64) T lane[std::size_t(simd::width<T>)] = {};
      for (index_t k = 0; k < lanes.count; ++k) lane[k] = T(widened(from[lanes.i + k]));
      state[m] = simd::load(lane);
    }
  }
  return state;
}

/// `salt` differs from update to update and from parameter to parameter: the random bits of rounding follow.
template <std::size_t Moments, class T, class Moment, class Lanes>
[[gnu::always_inline]] inline void store_state(const optimizer_operand<T, Moment>& o, Lanes lanes,
                                               const std::array<simd::batch<T>, Moments>& state,
                                               [[maybe_unused]] std::uint32_t salt) {
  for (std::size_t m = 0; m < Moments; ++m) {
    Moment* const to = o.state + index_t(m) * o.stride;
    if constexpr (std::is_same_v<Moment, T>) {
      lanes.store(to, state[m]);
    } else {
      alignas(64) T lane[std::size_t(simd::width<T>)];
      simd::store(lane, state[m]);
      const std::uint32_t first = salt + std::uint32_t(m) * 0x9E3779B9u + std::uint32_t(lanes.i);
      for (index_t k = 0; k < lanes.count; ++k)
        to[lanes.i + k] = stochastically_rounded(float(lane[k]), mixed_bits(first + std::uint32_t(k)));
    }
  }
}

inline std::uint32_t rounding_salt(step_t step, std::size_t operand) {
  return mixed_bits(std::uint32_t(step) * 0x85EBCA6Bu + mixed_bits(std::uint32_t(operand)));
}

/// Calls f(operand number, begin, end) for all pieces, in parallel.
template <class F>
void each_piece(cpu_backend& backend, const optimizer_tasks& tasks, F f) {
  backend.team().run(tasks.count(), [&](index_t task) {
    for (index_t p = tasks.first[std::size_t(task)]; p < tasks.first[std::size_t(task) + 1]; ++p) {
      const auto& piece = tasks.pieces[std::size_t(p)];
      f(std::size_t(piece.operand), piece.begin, piece.end);
    }
  });
}

}  // namespace detail

/// One update: w, g and the moments are read once, w and the moments are written once.
/// Requires:    one `prepared` for each operand, what policy.prepare returned; operands that do not overlap
///              (unchecked)
/// Effects:     the policy sees gradient_scale * g (clipping, mean over tokens); g itself stays. Moments in
///              bfloat16 are rounded by random bits that depend on `step`, parameter, moment and weight.
/// Cost:        (3 + 2 moments) elements of memory traffic for each weight
/// Determinism: every weight depends on its own numbers only; the same bits for any number of threads
template <class Policy, class Prepared, class T, class Moment>
void optimizer_step(cpu_backend& backend, const Policy& policy, const std::vector<Prepared>& prepared,
                    const std::vector<optimizer_operand<T, Moment>>& operands, const optimizer_tasks& tasks,
                    double gradient_scale, step_t step = 1) {
  using V = simd::batch<T>;
  const auto scale = V(T(gradient_scale));
  detail::each_piece(backend, tasks, [&](std::size_t n, index_t begin, index_t end) {
    const optimizer_operand<T, Moment> o = operands[n];  // copies: what is stored below cannot change them
    const Prepared p = prepared[n];
    const Policy rule = policy;
    const std::uint32_t salt = detail::rounding_salt(step, n);
    detail::each_lanes<T>(begin, end, [&](auto lanes) {
      auto state = detail::load_state<std::size_t(Policy::moments)>(o, lanes);
      V w = lanes.load(o.w);
      rule.update(w, V(lanes.load(o.g) * scale), state, p);
      lanes.store(o.w, w);
      detail::store_state(o, lanes, state, salt);
    });
  });
}

/// Sums of what policy.measure says of each weight, one row of Policy::sums for each operand; changes no
/// weight and no moment. `sums` is overwritten.
/// Determinism: blocks of 1024 weights are summed in T, blocks and pieces in double, in order.
template <class Policy, class Prepared, class T, class Moment>
void optimizer_sums(cpu_backend& backend, const Policy& policy, const std::vector<Prepared>& prepared,
                    const std::vector<optimizer_operand<T, Moment>>& operands, const optimizer_tasks& tasks,
                    double gradient_scale, std::vector<std::array<double, std::size_t(Policy::sums)>>& sums) {
  using V = simd::batch<T>;
  using terms = std::array<double, std::size_t(Policy::sums)>;
  constexpr index_t block = 1024;
  const auto scale = V(T(gradient_scale));
  terms* const partial = backend.scratch<terms>(slot_reduction, index_t(tasks.pieces.size()));
  backend.team().run(index_t(tasks.pieces.size()), [&](index_t task) {
    const auto& piece = tasks.pieces[std::size_t(task)];
    const optimizer_operand<T, Moment>& o = operands[std::size_t(piece.operand)];
    terms total{};
    for (index_t begin = piece.begin; begin < piece.end; begin += block) {
      std::array<V, std::size_t(Policy::sums)> sum;
      sum.fill(V(T(0)));
      detail::each_lanes<T>(begin, std::min(piece.end, begin + block), [&](auto lanes) {
        const auto state = detail::load_state<std::size_t(Policy::moments)>(o, lanes);
        const auto add = policy.measure(lanes.load(o.w), V(lanes.load(o.g) * scale), state,
                                        prepared[std::size_t(piece.operand)]);
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] = sum[k] + lanes.only(add[k]);
      });
      for (std::size_t k = 0; k < sum.size(); ++k) total[k] += double(simd::sum(sum[k]));
    }
    partial[task] = total;
  });
  std::fill(sums.begin(), sums.end(), terms{});
  for (std::size_t p = 0; p < tasks.pieces.size(); ++p)
    for (std::size_t k = 0; k < terms{}.size(); ++k)
      sums[std::size_t(tasks.pieces[p].operand)][k] += partial[p][k];
}

/// Lets the policy look at a gradient whose labels the model itself has drawn: policy.observe changes
/// moments, no weight.
template <class Policy, class Prepared, class T, class Moment>
void optimizer_observe(cpu_backend& backend, const Policy& policy, const std::vector<Prepared>& prepared,
                       const std::vector<optimizer_operand<T, Moment>>& operands,
                       const optimizer_tasks& tasks, double gradient_scale, step_t step = 1) {
  using V = simd::batch<T>;
  const auto scale = V(T(gradient_scale));
  detail::each_piece(backend, tasks, [&](std::size_t n, index_t begin, index_t end) {
    const optimizer_operand<T, Moment> o = operands[n];
    const std::uint32_t salt = detail::rounding_salt(-step, n);
    detail::each_lanes<T>(begin, end, [&](auto lanes) {
      auto state = detail::load_state<std::size_t(Policy::moments)>(o, lanes);
      policy.observe(V(lanes.load(o.g) * scale), state, prepared[n]);
      detail::store_state(o, lanes, state, salt);
    });
  });
}

/// Replaces every weight by what policy.evaluated makes of it and its moments.
template <class Policy, class T, class Moment>
void optimizer_view(cpu_backend& backend, const Policy& policy,
                    const std::vector<optimizer_operand<T, Moment>>& operands, const optimizer_tasks& tasks) {
  detail::each_piece(backend, tasks, [&](std::size_t n, index_t begin, index_t end) {
    const optimizer_operand<T, Moment> o = operands[n];
    detail::each_lanes<T>(begin, end, [&](auto lanes) {
      const auto state = detail::load_state<std::size_t(Policy::moments)>(o, lanes);
      lanes.store(o.w, policy.evaluated(lanes.load(o.w), state));
    });
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

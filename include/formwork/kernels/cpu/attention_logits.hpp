#pragma once
#include <formwork/core/math.hpp>
#include <formwork/kernels/cpu/dropout.hpp>
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/tensor/view.hpp>

#include <algorithm>
#include <cmath>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// The slope of head h (from 0) of the bias of ALiBi. 2^(-8 (h + 1) / heads) where `heads` is a power of two;
/// otherwise the slopes of the power n below it, then every other one of 2 n.
/// Source: Press, Smith, Lewis 2022, section 3 and their program
inline double distance_slope(index_t h, index_t heads) {
  index_t n = 1;
  while (2 * n <= heads) n *= 2;
  return h < n ? std::exp2(-8.0 * double(h + 1) / double(n))
               : std::exp2(-4.0 * double(2 * (h - n) + 1) / double(n));
}

namespace detail {

template <class T>
constexpr index_t whole_batches(index_t n) {
  return (n + simd::width<T> - 1) / simd::width<T> * simd::width<T>;
}

/// Distance of scratch rows of n elements. Rows a multiple of 4 KiB apart would share one set of the cache.
template <class T>
constexpr index_t scratch_stride(index_t n) {
  const index_t whole = whole_batches<T>(n);
  return whole * index_t(sizeof(T)) % 4096 == 0 ? whole + simd::width<T> : whole;
}

/// One head of one sequence of queries over one sequence of keys.
template <class T>
struct attention_head {
  matrix_view<const T> q, k, v;  // [T, K], [S, K], [S, width of a value]
  bool causal = false;
  T scale = 1;
  dropout_site dropout{};
  index_t mask_row = 0, mask_step = 0;  // row of the dropout mask: mask_row + query * mask_step
  T slope = 0;                          // the logit falls by so much for each position of distance
  T cap = 0;                            // logits become cap tanh(logit / cap); 0: they stay
  index_t window = 0;                   // keys further away are not seen; 0: any is

  /// Scores are only scaled and every query sees its keys from the first one on.
  bool plain() const { return slope == 0 && cap == 0 && window == 0; }
  /// The position of query i among the keys: the last query stands at the last key.
  index_t place(index_t i) const { return i + k.rows - q.rows; }
  /// Query i sees the keys from `from(i)` up to, but not including, `seen(i)`. Neither falls with i.
  index_t from(index_t i) const { return window ? std::clamp<index_t>(place(i) - window, 0, k.rows) : 0; }
  index_t seen(index_t i) const {
    if (!causal && !window) return k.rows;
    return std::clamp<index_t>(place(i) + 1 + (causal ? 0 : window), 0, k.rows);
  }
  /// The first query that sees any key.
  index_t first_query() const {
    return k.rows == 0 ? q.rows : causal ? std::max<index_t>(0, q.rows - k.rows) : 0;
  }
  /// Queries that are worked on together. Their scores over all keys lie in scratch;
  /// no result depends on the number.
  index_t block() const { return k.rows <= 1024 ? 32 : 16; }

  /// Whole batches are written to the end of a row, wherever they begin in it.
  index_t score_stride() const { return scratch_stride<T>(k.rows + (window ? simd::width<T> : 0)); }
  index_t score_elements() const { return block() * score_stride(); }
  index_t key_elements() const { return whole_batches<T>(std::max(k.width, v.width)) * score_stride(); }
};

/// Makes n scores weights that are not yet divided by their sum: exp(scale * s - m) with the largest scaled
/// score m.
template <class T>
void exponentials(T* s, index_t n, T scale, T& largest, T& sum) {
  const simd::batch<T> factor(scale);
  simd::batch<T> top = simd::load_some(s, n, s[0]) * factor;
  for_each_batch<T>(
      n, [&](index_t i, index_t count) __attribute__((always_inline)) {
        top = simd::max(top, simd::load_some(s + i, count, s[0]) * factor);
      });
  largest = simd::highest(top);
  const simd::batch<T> offset(-largest);
  simd::batch<T> total(T(0));
  for_each_batch<T>(
      n, [&](index_t i, index_t count) __attribute__((always_inline)) {
        simd::batch<T> e = simd::exp(simd::fma(simd::load(s + i), factor, offset));
        if (count < simd::width<T>) e = simd::keep((std::uint64_t{1} << count) - 1, e);
        total = total + e;
        simd::store(s + i, e);
      });
  sum = simd::sum(total);
}

/// Makes the n raw scores s of a query and its keys from `first` on logits: scaled, capped, less by the bias
/// of the distance. `derivatives` (if any) gets d logit / d score.
/// Source: Gemma 2 report 2024, section 2 (cap); Press, Smith, Lewis 2022, section 3 (bias)
template <class T>
void logits(const attention_head<T>& head, index_t query, index_t first, index_t n, T* s, T* derivatives) {
  constexpr index_t W = simd::width<T>;
  alignas(64) T count_up[W];
  for (index_t i = 0; i < W; ++i) count_up[i] = T(i);
  const simd::batch<T> factor(head.scale), ramp = simd::load(count_up), slope(-head.slope), cap(head.cap),
                                           inverse(head.cap > 0 ? head.scale / head.cap : T(0)), one(T(1));
  const index_t before = head.place(query) - first;
  for_each_batch<T>(
      n, [&](index_t i, index_t count) __attribute__((always_inline)) {
        const simd::batch<T> score = simd::load_some(s + i, count);
        simd::batch<T> logit = score * factor, derivative = factor;
        if (head.cap > 0) {
          const simd::batch<T> t = tanh(score * inverse);
          logit = cap * t;
          derivative = factor * (one - t * t);
        }
        const simd::batch<T> distance = abs(simd::batch<T>(T(before - i)) - ramp);
        simd::store_some(s + i, simd::fma(slope, distance, logit), count);
        if (derivatives) simd::store_some(derivatives + i, derivative, count);
      });
}

}  // namespace detail
}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

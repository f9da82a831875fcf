#pragma once
#include <formwork/kernels/cpu/dropout.hpp>
#include <formwork/kernels/cpu/gemm_pack.hpp>
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/kernels/cpu/small_product.hpp>

#include <cmath>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {
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

  /// Keys that query i sees: the first seen(i).
  index_t seen(index_t i) const {
    return causal ? std::clamp<index_t>(i + 1 + k.rows - q.rows, 0, k.rows) : k.rows;
  }
  /// The first query that sees any key.
  index_t first_query() const {
    return k.rows == 0 ? q.rows : causal ? std::max<index_t>(0, q.rows - k.rows) : 0;
  }
  /// Queries that are worked on together. Their scores over all keys lie in scratch;
  /// no result depends on the number.
  index_t block() const { return k.rows <= 1024 ? 32 : 16; }

  index_t score_stride() const { return scratch_stride<T>(k.rows); }
  index_t score_elements() const { return block() * score_stride(); }
  index_t key_elements() const { return whole_batches<T>(std::max(k.width, v.width)) * score_stride(); }
};

/// out[j][i] = in[i][j], for products that need the keys along the batches. Out has room for whole batches
/// both ways; what lies past the last column of a row of out is arbitrary.
template <class T>
void transpose_whole(matrix_view<const T> in, T* out, index_t out_stride) {
  constexpr index_t W = simd::width<T>;
  alignas(64) T square[W * W];
  for (index_t i = 0; i < in.rows; i += W)
    for (index_t j = 0; j < in.width; j += W) {
      T* const to = out + j * out_stride + i;
      if (i + W <= in.rows && j + W <= in.width) {
        transpose_square(in.row(i) + j, in.stride, to, out_stride);
        continue;
      }
      for (index_t r = 0; r < W; ++r)
        simd::store(square + r * W,
                    simd::load_some(in.row(std::min(i + r, in.rows - 1)) + j, std::min(W, in.width - j)));
      transpose_square(square, W, to, out_stride);
    }
}

/// scores[r][j] = row (first + r) of a times row j of b, for the keys that the query sees;
/// the rest is arbitrary.
/// Shapes:   a [T, K], transposed [K, S], scores [rows, S]
template <class T>
void attention_products(const attention_head<T>& head, matrix_view<const T> a, const T* transposed,
                        index_t first, index_t rows, T* scores) {
  const index_t stride = head.score_stride(), most = small_product_rows<T>;
  for (index_t r = 0; r < rows; r += most) {
    const index_t count = std::min(most, rows - r),
                  columns = whole_batches<T>(head.seen(first + r + count - 1));
    small_product<T>({a.row(first + r), a.stride, 1, transposed, stride, scores + r * stride, stride, count,
                      columns, a.width});
  }
}

/// Zeros in [from, to) of a scratch row.
template <class T>
void clear(T* row, index_t from, index_t to) {
  for (index_t i = from; i < to; ++i) row[i] = T(0);
}

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

/// out = softmax(scale q k^T) v, row by row of the query;
/// lse (if any) gets the logarithm of each sum of exponentials.
template <class T>
void attend(const attention_head<T>& head, matrix_view<T> out, T* lse, index_t lse_stride, T* scratch) {
  const index_t stride = head.score_stride(), queries = head.q.rows;
  T* const transposed = scratch;
  T* const p = scratch + head.key_elements();
  const index_t start = head.first_query();
  for (index_t i = 0; i < start; ++i) {
    std::fill_n(out.row(i), out.width, T(0));
    if (lse) lse[i * lse_stride] = T(0);
  }
  if (start == queries) return;
  transpose_whole(head.k, transposed, stride);
  const bool drop = !head.dropout.off();
  for (index_t i = start; i < queries; i += head.block()) {
    const index_t rows = std::min(head.block(), queries - i);
    T largest[32], sum[32], inverse[32];
    attention_products(head, head.q, transposed, i, rows, p);
    for (index_t r = 0; r < rows; ++r) {
      T* const row = p + r * stride;
      exponentials(row, head.seen(i + r), head.scale, largest[r], sum[r]);
      if (drop)
        dropout_row(row, row, head.mask_row + (i + r) * head.mask_step, 0, head.seen(i + r), head.dropout);
    }
    for (index_t r = 0; r < rows; ++r) inverse[r] = T(1) / sum[r];
    small_product<T>({p, stride, 1, head.v.data, head.v.stride, out.row(i), out.stride, rows, out.width,
                      head.seen(i), false, head.causal, inverse});
    if (lse)
      for (index_t r = 0; r < rows; ++r) lse[(i + r) * lse_stride] = largest[r] + std::log(sum[r]);
  }
}

/// What backward adds to, one head of one sequence.
template <class T>
struct attention_head_gradients {
  matrix_view<T> dq, dk, dv;
};

/// From scores s and products d = dout v^T of one query: weights w (after dropout), and d becomes the
/// gradient of s; s becomes p, the weights before dropout.
/// Gradient: ds = scale * p * (mask(d) - delta), delta = dout . out
template <class T>
void attention_row_gradient(const attention_head<T>& head, index_t query, T* s, T* d, T* w, T lse, T delta) {
  const index_t n = head.seen(query);
  const simd::batch<T> factor(head.scale), offset(-lse), shift(delta);
  for_each_batch<T>(
      n, [&](index_t i, index_t count) __attribute__((always_inline)) {
        const simd::batch<T> p = simd::exp(simd::fma(simd::load(s + i), factor, offset));
        simd::store_some(s + i, p, count);
      });
  if (!head.dropout.off()) {
    const simd::batch<T> kept_scale(T(head.dropout.scale()));
    const auto mask = [&](index_t i, index_t, std::uint64_t bits) __attribute__((always_inline)) {
      simd::store(w + i, simd::keep(bits, simd::load(s + i) * kept_scale));
      simd::store(d + i, simd::keep(bits, simd::load(d + i) * kept_scale));
    };
    for_each_dropout_batch<T>(head.mask_row + query * head.mask_step, 0, n, head.dropout, mask);
  }
  for_each_batch<T>(
      n, [&](index_t i, index_t count) __attribute__((always_inline)) {
        simd::store_some(d + i, (simd::load(d + i) - shift) * (simd::load(s + i) * factor), count);
      });
}

/// Adds to dq, dk and dv of one head. `out` and `lse` are those of attend.
template <class T>
void attend_backward(const attention_head<T>& head, matrix_view<const T> out, matrix_view<const T> dout,
                     const T* lse, index_t lse_stride, const attention_head_gradients<T>& g, T* scratch) {
  const index_t stride = head.score_stride(), queries = head.q.rows, start = head.first_query();
  if (start == queries) return;
  T* const keys = scratch;
  T* const values = keys + head.key_elements();
  T* const s = values + head.key_elements();
  T* const d = s + head.score_elements();
  T* const w = head.dropout.off() ? s : d + head.score_elements();
  transpose_whole(head.k, keys, stride);
  transpose_whole(head.v, values, stride);
  for (index_t i = start; i < queries; i += head.block()) {
    const index_t rows = std::min(head.block(), queries - i), last = head.seen(i + rows - 1);
    attention_products(head, head.q, keys, i, rows, s);
    attention_products(head, dout, values, i, rows, d);
    for (index_t r = 0; r < rows; ++r) {
      const T* const a = dout.row(i + r);
      const T* const b = out.row(i + r);
      const T delta = row_sum<T>(out.width, [&](index_t c, index_t count) {
        return simd::load_some(a + c, count) * simd::load_some(b + c, count);
      });
      attention_row_gradient(head, i + r, s + r * stride, d + r * stride, w + r * stride,
                             lse[(i + r) * lse_stride], delta);
      clear(w + r * stride, head.seen(i + r), last);
      clear(d + r * stride, head.seen(i + r), last);
    }
    small_product<T>(
        {w, 1, stride, dout.row(i), dout.stride, g.dv.data, g.dv.stride, last, g.dv.width, rows, true});
    small_product<T>(
        {d, 1, stride, head.q.row(i), head.q.stride, g.dk.data, g.dk.stride, last, g.dk.width, rows, true});
    small_product<T>({d, stride, 1, head.k.data, head.k.stride, g.dq.row(i), g.dq.stride, rows, g.dq.width,
                      head.seen(i), true, head.causal});
  }
}

}  // namespace detail
}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

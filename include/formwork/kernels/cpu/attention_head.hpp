#pragma once
#include <formwork/kernels/cpu/attention_logits.hpp>
#include <formwork/kernels/cpu/gemm_pack.hpp>
#include <formwork/kernels/cpu/small_product.hpp>

#include <cmath>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {
namespace detail {

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
                  start = head.from(first + r) / simd::width<T> * simd::width<T>,
                  columns = whole_batches<T>(head.seen(first + r + count - 1) - start);
    small_product<T>({a.row(first + r), a.stride, 1, transposed + start, stride, scores + r * stride + start,
                      stride, count, columns, a.width});
  }
}

/// Zeros in [from, to) of a scratch row.
template <class T>
void clear(T* row, index_t from, index_t to) {
  for (index_t i = from; i < to; ++i) row[i] = T(0);
}

/// out[r] = the sum of weights[r][j] x[j] over the keys j that query first + r sees, times scale[r] if there
/// is one. No row touches a key that it does not see, and each sum is one chain in the order of the keys,
/// whatever rows are computed with it.
template <class T>
void attention_sums(const attention_head<T>& head, const T* weights, matrix_view<const T> x, index_t first,
                    index_t rows, matrix_view<T> out, bool add, const T* scale = nullptr) {
  const index_t stride = head.score_stride(), most = small_product_rows<T>;
  if (!head.window) {
    small_product<T>({weights, stride, 1, x.data, x.stride, out.row(first), out.stride, rows, out.width,
                      head.seen(first), add, head.causal, scale});
    return;
  }
  for (index_t r = 0; r < rows; r += most) {  // what all rows of a tile see, and what is left on both sides
    const index_t count = std::min(most, rows - r);
    const index_t begin = head.from(first + r + count - 1), end = std::max(begin, head.seen(first + r));
    const auto product = [&](index_t row, index_t n, index_t from, index_t to, bool more, const T* factor) {
      small_product<T>({weights + row * stride + from, stride, 1, x.row(from), x.stride, out.row(first + row),
                        out.stride, n, out.width, std::max<index_t>(0, to - from), more, false, factor});
    };
    for (index_t i = r; i < r + count; ++i) {
      const index_t seen = head.seen(first + i);
      product(i, 1, head.from(first + i), std::min(begin, seen), add, nullptr);
    }
    product(r, count, begin, end, true, nullptr);
    for (index_t i = r; i < r + count; ++i)
      product(i, 1, end, head.seen(first + i), true, scale ? scale + i : nullptr);
  }
}

/// out = softmax(logits(q k^T)) v, row by row of the query;
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
  const bool drop = !head.dropout.off(), plain = head.plain();
  for (index_t i = start; i < queries; i += head.block()) {
    const index_t rows = std::min(head.block(), queries - i);
    T largest[32], sum[32], inverse[32];
    attention_products(head, head.q, transposed, i, rows, p);
    for (index_t r = 0; r < rows; ++r) {
      const index_t from = head.from(i + r), seen = head.seen(i + r);
      T* const row = p + r * stride;
      if (!plain) logits<T>(head, i + r, from, seen - from, row + from, nullptr);
      exponentials(row + from, seen - from, plain ? head.scale : T(1), largest[r], sum[r]);
      const index_t first = from / 8 * 8;  // the dropout mask is made of blocks of 8
      if (drop)
        dropout_row(row + first, row + first, head.mask_row + (i + r) * head.mask_step, first, seen - first,
                    head.dropout);
    }
    for (index_t r = 0; r < rows; ++r) inverse[r] = T(1) / sum[r];
    attention_sums<T>(head, p, head.v, i, rows, out, false, inverse);
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
/// gradient of s; s becomes p, the weights before dropout. `derivatives` is scratch for one row.
/// Gradient: ds = d logit / ds * p * (mask(d) - delta), delta = dout . out
template <bool Plain, class T>
void attention_row_gradient(const attention_head<T>& head, index_t query, T* s, T* d, T* w, T lse, T delta,
                            T* derivatives) {
  const index_t from = head.from(query), first = from / 8 * 8, n = head.seen(query) - from;
  const simd::batch<T> factor(Plain ? head.scale : T(1)), offset(-lse), shift(delta);
  s += from, d += from, w += from;
  if (!Plain) logits(head, query, from, n, s, derivatives);
  for_each_batch<T>(
      n, [&](index_t i, index_t count) __attribute__((always_inline)) {
        const simd::batch<T> p = simd::exp(simd::fma(simd::load(s + i), factor, offset));
        simd::store_some(s + i, p, count);
      });
  if (!head.dropout.off()) {
    const simd::batch<T> kept_scale(T(head.dropout.scale()));
    const index_t back = from - first;  // the mask is made of blocks of 8
    const auto mask = [&](index_t i, index_t, std::uint64_t bits) __attribute__((always_inline)) {
      simd::store(w + i - back, simd::keep(bits, simd::load(s + i - back) * kept_scale));
      simd::store(d + i - back, simd::keep(bits, simd::load(d + i - back) * kept_scale));
    };
    for_each_dropout_batch<T>(head.mask_row + query * head.mask_step, first, n + back, head.dropout, mask);
  }
  for_each_batch<T>(
      n, [&](index_t i, index_t count) __attribute__((always_inline)) {
        const simd::batch<T> slope = Plain ? factor : simd::load_some(derivatives + i, count);
        simd::store_some(d + i, (simd::load(d + i) - shift) * (simd::load(s + i) * slope), count);
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
  T* const derivatives = w + (head.dropout.off() ? 2 : 1) * head.score_elements();  // not in a plain head
  transpose_whole(head.k, keys, stride);
  transpose_whole(head.v, values, stride);
  const auto row_gradient =
      head.plain() ? &attention_row_gradient<true, T> : &attention_row_gradient<false, T>;
  for (index_t i = start; i < queries; i += head.block()) {
    const index_t rows = std::min(head.block(), queries - i), first = head.from(i),
                  last = head.seen(i + rows - 1);
    attention_products(head, head.q, keys, i, rows, s);
    attention_products(head, dout, values, i, rows, d);
    for (index_t r = 0; r < rows; ++r) {
      const T* const a = dout.row(i + r);
      const T* const b = out.row(i + r);
      const T delta = row_sum<T>(out.width, [&](index_t c, index_t count) {
        return simd::load_some(a + c, count) * simd::load_some(b + c, count);
      });
      row_gradient(head, i + r, s + r * stride, d + r * stride, w + r * stride, lse[(i + r) * lse_stride],
                   delta, derivatives);
      for (T* const row : {w + r * stride, d + r * stride}) {
        clear(row, first, head.from(i + r));
        clear(row, head.seen(i + r), last);
      }
    }
    small_product<T>({w + first, 1, stride, dout.row(i), dout.stride, g.dv.row(first), g.dv.stride,
                      last - first, g.dv.width, rows, true});
    small_product<T>({d + first, 1, stride, head.q.row(i), head.q.stride, g.dk.row(first), g.dk.stride,
                      last - first, g.dk.width, rows, true});
    attention_sums<T>(head, d, head.k, i, rows, g.dq, true);
  }
}

}  // namespace detail
}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

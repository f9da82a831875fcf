#pragma once
#include <formwork/kernels/cpu/attention.hpp>
#include <formwork/ops/check.hpp>
#include <formwork/ops/dropout.hpp>

#include <algorithm>
#include <cmath>

namespace formwork {

/// Scaled dot-product attention of several heads, each sequence on its own: softmax(Q K^T / sqrt(K width)) V,
/// with what node::form adds.
/// Shapes:   q [N, H K], k and v [M, G K], G heads of keys -> y [N, H K];
///           keeps the log-sum-exp of each query and head, [N, H]
/// Gradient: with P the probabilities and dP = dy v^T: ds = P (dP - sum P dP), times the derivative of a cap;
///           dq = ds k, dk = ds^T q, dv = P^T dy
/// Source:   Vaswani et al. 2017, eq. 1; d_k is the width of one head
struct attention_op {
  static constexpr label name = "attention";
  static constexpr backward_reads reads(const node&) { return {.inputs = 0b111, .output = true}; }
  /// Causal attention decodes by its cache of earlier rows; any other needs all keys and values at once.
  static constexpr unsigned mixes_rows(const node& n) { return n.causal ? 0u : 0b110u; }
  static constexpr index_t saved_width(const node& n) { return n.heads; }
  static constexpr row_cost cost(const graph&, const node& n) {
    return {.flops_per_key = 4.0 * double(n.width)};
  }

  template <class Call>
  static void forward(const Call& c) {
    if (c.pass.decode && c.n.causal) return step(c);
    cpu::attention_forward<typename Call::scalar>(c.backend, arguments(c), c.out, c.saved);
  }
  template <class Call>
  static void backward(const Call& c) {
    cpu::attention_backward<typename Call::scalar>(
        c.backend, arguments(c), c.out, c.saved, c.d_out,
        {c.d_in[0], c.d_in[1], c.d_in[2], c.adds[0], c.adds[1], c.adds[2]});
  }

 private:
  template <class Call>
  static cpu::attention<typename Call::scalar> arguments(const Call& c) {
    return {.q = c.in[0],
            .k = c.in[1],
            .v = c.in[2],
            .query = c.pass.of(c.n.rows),
            .key = c.pass.of(c.key_axis),
            .heads = c.n.heads,
            .causal = c.n.causal,
            .scale = scale(c.n),
            .dropout = site_of(c),
            .form = c.n.form};
  }

  /// Decoding: this step's keys and values join the cache, then each hypothesis attends to its own past.
  template <class Call>
  static void step(const Call& c) {
    using T = typename Call::scalar;
    const auto& decode = *c.pass.decode;
    const attention_cache<T>& cache = decode.caches[c.index];
    const auto keep = [&](matrix_view<T> rows, matrix_view<T> past) {
      for (index_t r = 0; r < rows.rows; ++r)
        std::copy_n(rows.row(r), rows.width, past.row(decode.first_cache_row + r));
    };
    keep(c.in[1], cache.key);
    keep(c.in[2], cache.value);
    cpu::attention_step<T>(c.backend, c.in[0], cache.key, cache.value, decode.rows, decode.lengths, c.n.heads,
                           scale(c.n), c.out, c.n.form);
  }

  static double scale(const node& n) { return 1 / std::sqrt(double(n.width) / n.heads); }
};

namespace ops {

/// Attention of queries q to keys k and values v. `causal`: a position sees itself and what stands before it.
/// `form`: grouped heads of keys and values, distance bias, window, cap.
/// Error: widths that differ or that the heads do not divide; keys and values of different axes;
///           causal, a bias or a window across axes; values of different layers.
constexpr expr attention(expr q, expr k, expr v, int heads, bool causal, attention_form form = {}) {
  if (!same_rows(k, v)) throw "attention: keys and values must run over the same token axis";
  if (heads < 1) throw "attention: heads must be at least 1";
  if (q.width() % heads) throw "attention: d_model must be a multiple of heads";
  if (form.key_heads < 0 || (form.key_heads > 0 && heads % form.key_heads))
    throw "attention: heads must be a multiple of the heads of keys and values";
  if (form.key_heads == heads) form.key_heads = 0;
  if (!form.key_heads && (q.width() != k.width() || q.width() != v.width()))
    throw "attention: queries, keys and values must have one width";
  if (form.key_heads && (k.width() != q.width() / heads * form.key_heads || v.width() != k.width()))
    throw "attention: keys and values must have the width of a head times their heads";
  if (form.window < 0 || !(form.cap >= 0)) throw "attention: a window and a cap must be 0 (none) or more";
  const bool one_axis = same_rows(q, k);
  if (causal && !one_axis) throw "attention: causal attention needs queries and keys on one token axis";
  if ((form.distance_bias || form.window) && !one_axis)
    throw "attention: a distance bias or a window needs queries and keys on one token axis";
  return push(*q.g, {.op = &record_of<attention_op>,
                     .in = {q.id, k.id, v.id, -1},
                     .width = q.width(),
                     .rows = q.rows(),
                     .heads = heads,
                     .causal = causal,
                     .form = form,
                     .dropout = dropout_place::attention});
}

}  // namespace ops

}  // namespace formwork

#pragma once
#include <formwork/core/attention_form.hpp>
#include <formwork/kernels/cpu/attention_head.hpp>
#include <formwork/kernels/cpu/slots.hpp>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// Queries, keys and values of all heads and sequences: head h is columns [h K, (h + 1) K) of each matrix;
/// sequence b of the queries attends to sequence b of the keys. With fewer heads of keys and values, each of
/// them is read by as many heads of queries that stand together.
/// Column blocks of one wide projection are fine (strides).
template <class T>
struct attention {
  matrix_view<const T> q;     // [query rows, H K]
  matrix_view<const T> k, v;  // [key rows, G K], [key rows, G * width of a value], G heads of keys
  sequences query, key;       // equal counts
  index_t heads = 1;
  bool causal =
      false;         // query i of T sees keys j <= i + S - T: of equal lengths, itself and what came before
  double scale = 1;  // of the scores, before the softmax
  dropout_site
      dropout{};  // of the weights; mask row = query row * heads + head, mask column = key in its sequence
  attention_form form{};

  index_t key_heads() const { return form.key_heads ? form.key_heads : heads; }
  /// Heads of queries that read one head of keys.
  index_t group() const { return heads / key_heads(); }
};

/// Where attention_backward writes. A gradient whose flag is set is added to, the others are overwritten.
template <class T>
struct attention_gradients {
  matrix_view<T> dq, dk, dv;
  bool add_dq = false, add_dk = false, add_dv = false;
};

namespace detail {

template <class T>
void check_attention(const attention<T>& a, matrix_view<const T> out, matrix_view<const T> lse) {
  const index_t h = a.heads, g = a.key_heads();
  if (h < 1 || a.q.width % h || a.q.width < h || out.width % h)
    fail("attention: queries of width ", a.q.width, " and results of width ", out.width,
         " do not divide into ", h, " heads");
  if (g < 1 || h % g || a.k.width % g || a.v.width % g || a.v.width < g)
    fail("attention: keys of width ", a.k.width, " and values of width ", a.v.width, " do not divide into ",
         g, " heads that ", h, " heads of queries can share");
  if (a.k.width / g != a.q.width / h || a.v.width / g != out.width / h || a.v.rows != a.k.rows ||
      out.rows != a.q.rows)
    fail("attention: q [", a.q.rows, ", ", a.q.width, "], k [", a.k.rows, ", ", a.k.width, "], v [", a.v.rows,
         ", ", a.v.width, "] and out [", out.rows, ", ", out.width, "] do not fit together");
  if (a.query.count != a.key.count || a.query.rows() != a.q.rows || a.key.rows() != a.k.rows)
    fail("attention: ", a.query.count, " sequences with ", a.query.rows(), " queries and ", a.key.count,
         " with ", a.key.rows(), " keys, expected equal counts, ", a.q.rows, " queries and ", a.k.rows,
         " keys");
  if (a.form.window < 0 || !(a.form.cap >= 0))
    fail("attention: a window of ", a.form.window, " and a cap of ", a.form.cap,
         ", expected 0 (none) or more");
  if (a.form.window && !a.causal)
    for (index_t b = 0; b < a.query.count; ++b)
      if (a.query.length(b) != a.key.length(b))
        fail("attention: a window over ", a.query.length(b), " queries and ", a.key.length(b),
             " keys, expected equal numbers");
  if (lse.data && (lse.rows != a.q.rows || lse.width != h))
    fail("attention: lse is [", lse.rows, ", ", lse.width, "], expected [", a.q.rows, ", ", h, "]");
}

/// Columns of head h and the rows of one sequence.
template <class T>
matrix_view<T> head_of(matrix_view<T> m, const sequences& rows, index_t b, index_t heads, index_t h) {
  const index_t width = m.width / heads;
  return m.columns(h * width, width).slice(rows.begin(b), rows.length(b));
}

template <class T>
attention_head<T> head_of(const attention<T>& a, index_t b, index_t h) {
  return {head_of(a.q, a.query, b, a.heads, h),
          head_of(a.k, a.key, b, a.key_heads(), h / a.group()),
          head_of(a.v, a.key, b, a.key_heads(), h / a.group()),
          a.causal,
          T(a.scale),
          a.dropout,
          a.query.begin(b) * a.heads + h,
          a.heads,
          a.form.distance_bias ? T(distance_slope(h, a.heads)) : T(0),
          T(a.form.cap),
          a.form.window};
}

/// Scratch for the largest task, so that the memory does not depend on who runs which.
template <class T>
index_t attention_scratch(const attention<T>& a, index_t key_buffers, index_t score_buffers) {
  index_t most = 0;
  for (index_t b = 0; b < a.key.count; ++b) {
    const attention_head<T> head = head_of(a, b, 0);
    most = std::max(most, key_buffers * head.key_elements() + score_buffers * head.score_elements());
  }
  return most;
}

template <class T>
void clear(matrix_view<T> m) {
  for (index_t r = 0; r < m.rows; ++r) std::fill_n(m.row(r), m.width, T(0));
}

}  // namespace detail

/// Scaled dot-product attention of several heads over sequences of any lengths: out = softmax(scale q k^T) v,
/// with what `attention_form` adds.
/// The bits of an output row depend on its own query and on the keys and values it sees, on nothing else in
/// the batch. A query that sees no key (an empty source, say) gives zeros.
/// Shapes:   out [query rows, H * width of a value]; lse [query rows, H] for attention_backward, a view
///           without data where no backward follows
/// Requires: shapes and sequences that fit together (checked)
/// Cost:     2 T S (K + width of a value) flops a head and sequence, half of it if causal; scratch a member:
///           one transposed head of keys and 16 to 32 rows of scores
/// Source:   Vaswani et al. 2017, section 3.2
template <class T>
void attention_forward(cpu_backend& backend, const attention<T>& a, matrix_view<T> out, matrix_view<T> lse) {
  detail::check_attention<T>(a, out, lse);
  const index_t elements = detail::attention_scratch(a, 1, 1);
  backend.reserve_members<T>(slot_attention, elements);
  backend.team().run(a.query.count * a.heads, [&](index_t task, int member) {
    const index_t b = task / a.heads, h = task % a.heads;
    T* const scratch = backend.member_scratch<T>(member, slot_attention, elements);
    T* const sums = lse.data ? lse.row(a.query.begin(b)) + h : nullptr;
    detail::attend(detail::head_of(a, b, h), detail::head_of(out, a.query, b, a.heads, h), sums, lse.stride,
                   scratch);
  });
}

/// Gradient of attention_forward; the weights are computed again from lse.
/// Shapes:   out, dout [query rows, H * width of a value], lse [query rows, H]; dq, dk, dv like q, k, v
/// Requires: as for attention_forward (checked); the gradients overlap no input
/// Gradient: with p = softmax(scale q k^T), dp = dout v^T: dv = p^T dout,
///           ds = scale p (dp - rowsum(dout out)), dq = ds k, dk = ds^T q
/// Cost:     2.5 times the flops of the forward
/// Determinism: a head of keys of a sequence is one task; its sums run over the heads of queries that read it
///           and over the queries in order.
template <class T>
void attention_backward(cpu_backend& backend, const attention<T>& a, matrix_view<const T> out,
                        matrix_view<const T> lse, matrix_view<const T> dout,
                        const attention_gradients<T>& g) {
  detail::check_attention<T>(a, out, lse);
  const auto same = [](matrix_view<const T> x, matrix_view<const T> y) {
    return x.rows == y.rows && x.width == y.width;
  };
  if ((!lse.data && a.q.rows > 0) || !same(dout, out) || !same(g.dq, a.q) || !same(g.dk, a.k) ||
      !same(g.dv, a.v))
    fail("attention_backward: dout, dq, dk and dv must have the shapes of out, q, k and v, and lse its data");
  const index_t elements =
      detail::attention_scratch(a, 2, (a.dropout.off() ? 2 : 3) + (a.form.plain() ? 0 : 1));
  backend.reserve_members<T>(slot_attention, elements);
  const index_t key_heads = a.key_heads(), group = a.group();
  backend.team().run(a.query.count * key_heads, [&](index_t task, int member) {
    const index_t b = task / key_heads, of_keys = task % key_heads;
    T* const scratch = backend.member_scratch<T>(member, slot_attention, elements);
    detail::attention_head_gradients<T> part{{},
                                             detail::head_of(g.dk, a.key, b, key_heads, of_keys),
                                             detail::head_of(g.dv, a.key, b, key_heads, of_keys)};
    if (!g.add_dk) detail::clear(part.dk);
    if (!g.add_dv) detail::clear(part.dv);
    for (index_t h = of_keys * group; h < (of_keys + 1) * group; ++h) {
      part.dq = detail::head_of(g.dq, a.query, b, a.heads, h);
      if (!g.add_dq) detail::clear(part.dq);
      detail::attend_backward(detail::head_of(a, b, h), detail::head_of(out, a.query, b, a.heads, h),
                              detail::head_of(dout, a.query, b, a.heads, h), lse.row(a.query.begin(b)) + h,
                              lse.stride, part, scratch);
    }
  });
}

/// One decoding step: row r, the newest token of hypothesis r, attends to lengths[r] cached positions;
/// position t lies in row cache_rows[r][t] of the caches. Hypotheses that share a past share cache rows (beam
/// search moves indices, not keys). The bits equal those of the last row of a causal attention_forward over
/// the same keys and values.
/// Shapes:   q [R, H K], keys [cache rows, G K], values [cache rows, G * width of a value]
///           -> out [R, H * width of a value]
/// Requires: shapes that fit, 0 <= cache_rows[r][t] < cache rows (checked)
/// Cost:     2 lengths[r] (K + width of a value) H flops a row, and a copy of the keys and values it reads
template <class T>
void attention_step(cpu_backend& backend, matrix_view<const T> q, matrix_view<const T> keys,
                    matrix_view<const T> values, const index_t* const* cache_rows, const index_t* lengths,
                    index_t heads, double scale, matrix_view<T> out, const attention_form& form = {}) {
  const index_t ends[2] = {0, keys.rows}, queries[2] = {0, q.rows};
  const attention<T> whole{q, keys, values, {queries, 1}, {ends, 1}, heads, true, scale, {}, form};
  detail::check_attention<T>(whole, out, {});
  index_t longest = 0;
  for (index_t r = 0; r < q.rows; ++r) longest = std::max(longest, lengths[r]);
  if (form.window) longest = std::min(longest, form.window + 1);
  const index_t width = keys.width + values.width;
  detail::attention_head<T> shape{{nullptr, 1, q.width / heads},
                                  {nullptr, longest, q.width / heads},
                                  {nullptr, longest, out.width / heads}};
  shape.window = form.window;
  const index_t elements = longest * width + shape.key_elements() + shape.score_elements();
  backend.reserve_members<T>(slot_attention, elements);
  backend.team().run(q.rows, [&](index_t r, int member) {
    const index_t first = form.window ? std::max<index_t>(0, lengths[r] - 1 - form.window) : 0,
                  n = lengths[r] - first;
    T* const k = backend.member_scratch<T>(member, slot_attention, elements);
    T* const v = k + n * keys.width;
    for (index_t t = 0; t < n; ++t) {
      const index_t row = cache_rows[r][first + t];
      if (row < 0 || row >= keys.rows)
        fail("attention_step: position ", first + t, " of row ", r, " is cache row ", row, ", the cache has ",
             keys.rows, " rows");
      std::copy_n(keys.row(row), keys.width, k + t * keys.width);
      std::copy_n(values.row(row), values.width, v + t * values.width);
    }
    const index_t one[2] = {0, 1}, all[2] = {0, n};
    attention<T> a = whole;
    a.q = q.slice(r, 1), a.k = {k, n, keys.width}, a.v = {v, n, values.width};
    a.query = {one, 1}, a.key = {all, 1};
    for (index_t h = 0; h < heads; ++h)
      detail::attend<T>(detail::head_of(a, 0, h), detail::head_of(out.slice(r, 1), a.query, 0, heads, h),
                        nullptr, 0, k + longest * width);
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

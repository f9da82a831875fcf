#pragma once
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/kernels/cpu/slots.hpp>
#include <formwork/tensor/view.hpp>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {
namespace detail {

inline void check_ids(const token_t* ids, index_t count, index_t vocabulary, const char* what) {
  if (!ids && count > 0) fail(what, ": ", count, " ids expected, none given");
  for (index_t i = 0; i < count; ++i)
    if (ids[i] < 0 || index_t(ids[i]) >= vocabulary)
      fail(what, ": id ", ids[i], " at position ", i, ", expected 0 to ", vocabulary - 1,
           " (a vocabulary of ", vocabulary, ")");
}

}  // namespace detail

/// y[i] = scale * table[ids[i]].
/// Shapes:   ids [y.rows], table [V, D] -> y [N, D]
/// Requires: 0 <= ids[i] < V, equal widths (checked)
/// Gradient: scatter_add with the same ids and scale
/// Cost:     one read and one write of N D elements
template <class T>
void gather(cpu_backend& backend, const token_t* ids, matrix_view<const T> table, double scale,
            matrix_view<T> y) {
  if (table.width != y.width) fail("gather: a table of width ", table.width, " and rows of width ", y.width);
  detail::check_ids(ids, y.rows, table.rows, "gather");
  const row_chunks chunks(y.rows, 16, 256);
  const auto factor = simd::batch<T>(T(scale));
  backend.team().run(chunks.count(), [&](index_t task) {
    for (index_t i = chunks.begin(task); i < chunks.end(task); ++i) {
      const T* const from = table.row(ids[i]);
      T* const to = y.row(i);
      for_each_batch<T>(y.width, [&](index_t c, index_t count) {
        simd::store_some(to + c, simd::load_some(from + c, count) * factor, count);
      });
    }
  });
}

/// dtable[ids[i]] += scale * dy[i] for all i. Positions are sorted by id first (stable counting sort): each
/// touched row is one sum in the order of the positions, in one task. No atomics, the same bits for any
/// number of threads.
/// Shapes:   ids [dy.rows], dy [N, D], dtable [V, D]
/// Requires: 0 <= ids[i] < V, equal widths (checked)
/// Cost:     N D reads, and a read and a write of each touched row only; V + 2 N numbers for the sort
template <class T>
void scatter_add(cpu_backend& backend, const token_t* ids, matrix_view<const T> dy, double scale,
                 matrix_view<T> dtable) {
  const index_t n = dy.rows, vocabulary = dtable.rows;
  if (dtable.width != dy.width)
    fail("scatter_add: a table of width ", dtable.width, " and rows of width ", dy.width);
  detail::check_ids(ids, n, vocabulary, "scatter_add");
  if (n == 0) return;
  index_t* const next = backend.scratch<index_t>(slot_embedding, vocabulary + 2 * n + 1);
  index_t* const order = next + vocabulary;  // positions, sorted by id
  index_t* const start = order + n;          // [touched + 1]: where each touched id begins in `order`
  std::fill_n(next, vocabulary, index_t{0});
  for (index_t i = 0; i < n; ++i) ++next[ids[i]];
  index_t touched = 0, sum = 0;
  for (index_t v = 0; v < vocabulary; ++v) {
    const index_t count = next[v];
    next[v] = sum;
    if (count) start[touched++] = sum;
    sum += count;
  }
  start[touched] = n;
  for (index_t i = 0; i < n; ++i) order[next[ids[i]]++] = i;

  const row_chunks chunks(touched, 4, 256);
  const auto factor = simd::batch<T>(T(scale));
  backend.team().run(chunks.count(), [&](index_t task) {
    for (index_t t = chunks.begin(task); t < chunks.end(task); ++t) {
      T* const to = dtable.row(ids[order[start[t]]]);
      for_each_batch<T>(dy.width, [&](index_t c, index_t count) {
        simd::batch<T> total(T(0));
        for (index_t k = start[t]; k < start[t + 1]; ++k)
          total = total + simd::load_some(dy.row(order[k]) + c, count);
        simd::store_some(to + c, simd::fma(total, factor, simd::load_some(to + c, count)), count);
      });
    }
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

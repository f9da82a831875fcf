#pragma once
#include <formwork/core/sequences.hpp>
#include <formwork/core/simd.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/tensor/view.hpp>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// y = x + table[first + position in the sequence]. y may be x.
/// Shapes:   x, y [N, D]; table [longest, D]
/// Requires: first + the longest sequence <= longest (checked)
template <class T>
void add_positions(cpu_backend& backend, matrix_view<T> x, const sequences& rows, matrix_view<const T> table,
                   index_t first, matrix_view<T> y) {
  for (index_t b = 0; b < rows.count; ++b)
    if (first + rows.length(b) > table.rows)
      fail("position: sequence ", b, " has ", first + rows.length(b), " tokens, the position table has ",
           table.rows, " rows");
  backend.team().run(rows.count, [&](index_t b) {
    for (index_t r = rows.begin(b); r < rows.begin(b + 1); ++r)
      map_row(
          y.row(r), x.width, [](auto v, auto p) { return v + p; }, x.row(r),
          table.row(first + r - rows.begin(b)));
  });
}

/// dtable[p] += the sum of dy over the tokens at position p, in the order of the sequences.
template <class T>
void scatter_positions(cpu_backend& backend, matrix_view<T> dy, const sequences& rows,
                       matrix_view<T> dtable) {
  backend.team().run(dtable.rows, [&](index_t p) {
    for (index_t b = 0; b < rows.count; ++b)
      if (p < rows.length(b))
        map_row(dtable.row(p), dy.width, [](auto a, auto d) { return a + d; }, dtable.row(p),
                dy.row(rows.begin(b) + p));
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

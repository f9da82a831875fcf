#pragma once
#include <formwork/kernels/cpu/backend.hpp>
#include <formwork/tensor/tensor.hpp>

#include <algorithm>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// Elements of one task when threads share the work. Fixed, so that nothing depends on the number of threads.
inline constexpr index_t elements_per_task = index_t{1} << 14;

/// One thread as the team that works out reductions along a row.
struct row_team {
  template <class T, class Operation, class Cursor>
  FORMWORK_HD T reduce(const Operation& operation, Cursor cursor, index_t n) const {
    using V = simd::batch<T>;
    constexpr index_t width = simd::width<T>;
    constexpr T identity = Operation::template identity<T>();
    V total(identity);
    index_t j = 0;
    for (; j + width <= n; j += width) total = operation(total, cursor.template at<V>(j));
    if constexpr (width == 1) {  // under a CUDA compiler, where this must be a device function too
      return operation.finish(total, n);
    } else {
      if (j < n) {  // the tail's other elements must not enter the reduction
        alignas(64) T tail[width];
        simd::store(tail, cursor.template part<V>(j, n - j));
        total = operation(total, simd::load_part(tail, n - j, identity));
      }
      return operation.finish(Operation::across(total), n);
    }
  }
};

/// Writes the elements [begin, end) of a row, or of a whole dense tensor. The cursor is a copy: the
/// compiler then knows that no store changes its pointers.
template <class T, class Cursor>
void store_row(T* out, Cursor cursor, index_t begin, index_t end) {
  using V = simd::batch<T>;
  constexpr index_t width = simd::width<T>;
  index_t j = begin;
  for (; j + width <= end; j += width) simd::store(out + j, cursor.template at<V>(j));
  if (j < end) simd::store_part(out + j, cursor.template part<V>(j, end - j), end - j);
}

/// Runs the fused loop of an expression. `share(tasks, f)` calls f(task) for every task.
template <class T, class D, expression E, class Share>
void evaluate_with(const tensor_view<T, D>& out, const E& e, const Share& share) {
  const index_t size = out.size(), columns = out.shape.columns();
  if (size == 0) return;
  if constexpr (!E::reduces) {
    if (out.contiguous() && e.flat(out.shape)) {
      const auto cursor = e.line();
      return share((size + elements_per_task - 1) / elements_per_task, [&](index_t task) {
        const index_t begin = task * elements_per_task;
        store_row(out.first, cursor, begin, std::min(size, begin + elements_per_task));
      });
    }
  }
  const index_t rows = out.shape.rows(), rows_each = std::max<index_t>(1, elements_per_task / columns);
  share((rows + rows_each - 1) / rows_each, [&](index_t task) {
    for (index_t r = task * rows_each; r < std::min(rows, (task + 1) * rows_each); ++r)
      store_row(out.first + r * out.stride, e.row(position_of_row(out.shape, r), row_team{}), 0, columns);
  });
}

/// The checks that need run-time sizes and addresses.
template <class T, class D, expression E>
void check_evaluation(const tensor_view<T, D>& out, const E& e) {
  check_fills(out.shape, e.extents());
  e.each_view([&](const auto& source) {
    if (conflict(out, source))
      fail(
          "tensor expression: the destination shares memory with an operand at other places; "
          "evaluate into another tensor first");
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

namespace formwork {
inline namespace FORMWORK_ISA {

/// Fills a tensor or view with an expression, in one pass over memory; with a backend its threads share the
/// work, and the bits are the same for any number of them.
/// Requires: extents that fill the destination by broadcasting (compile error where the types tell, else
///           `error`). An operand may be the destination itself (y = f(y)); one that shares its memory in
///           another way is an `error`
/// Cost:     nothing is allocated
template <class Destination, expression E>
void evaluate(cpu_backend& backend, Destination&& destination, const E& e) {
  const auto out = detail::destination_view<E>(destination);
  cpu::check_evaluation(out, e);
  cpu::evaluate_with(out, e, [&](index_t tasks, const auto& f) { backend.team().run(tasks, f); });
}

/// The same on the calling thread.
template <class Destination, expression E>
void evaluate(Destination&& destination, const E& e) {
  const auto out = detail::destination_view<E>(destination);
  cpu::check_evaluation(out, e);
  cpu::evaluate_with(out, e, [](index_t tasks, const auto& f) {
    for (index_t task = 0; task < tasks; ++task) f(task);
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork

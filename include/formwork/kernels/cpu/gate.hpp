#pragma once
#include <formwork/core/dual.hpp>
#include <formwork/kernels/cpu/dropout.hpp>
#include <formwork/kernels/cpu/reduction.hpp>
#include <formwork/kernels/cpu/slots.hpp>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {
namespace detail {

/// y = f(a) b for n numbers.
template <class T, class F>
void gate_row(T* y, const T* a, const T* b, index_t n, F f) {
  for_each_batch<T>(n, [&](index_t i, index_t count) {
    simd::store_some(y + i, f(simd::load_some(a + i, count)) * simd::load_some(b + i, count), count);
  });
}

/// da (+)= dy b f'(a) and db (+)= dy f(a) for n numbers; f and its slope are computed once for both.
template <class T, class F>
void gate_row_gradient(const T* dy, const T* a, const T* b, index_t n, F f, T* da, bool add_da, T* db,
                       bool add_db) {
  for_each_batch<T>(n, [&](index_t i, index_t count) {
    const simd::batch<T> d = simd::load_some(dy + i, count);
    const dual<simd::batch<T>> gate = derivative(f, simd::load_some(a + i, count));
    const auto put = [i, count](T* to, const simd::batch<T>& v, bool add) {
      simd::store_some(to + i, add ? simd::load_some(to + i, count) + v : v, count);
    };
    put(da, d * simd::load_some(b + i, count) * gate.slope, add_da);
    put(db, d * gate.value, add_db);
  });
}

}  // namespace detail

/// y = dropout(f(a) b), element by element; f is an element function.
/// Shapes:   a, b, y [rows, D]
/// Requires: equal shapes (checked); y may be a or b
/// Cost:     one read of each operand, one write
template <class T, class F>
void gate_forward(cpu_backend& backend, F f, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> y,
                  const dropout_site& dropout = {}) {
  if (a.rows != y.rows || a.width != y.width || b.rows != y.rows || b.width != y.width)
    fail("gate: operands [", a.rows, ", ", a.width, "] and [", b.rows, ", ", b.width, "], result [", y.rows,
         ", ", y.width, "]; expected equal shapes");
  const bool drops = !dropout.off();
  const index_t block = std::max<index_t>(1, 16384 / std::max<index_t>(1, y.width));
  backend.team().run((y.rows + block - 1) / block, [&](index_t task) {
    for (index_t r = task * block; r < std::min(y.rows, (task + 1) * block); ++r) {
      detail::gate_row(y.row(r), a.row(r), b.row(r), y.width, f);
      if (drops) dropout_row(y.row(r), y.row(r), r, 0, y.width, dropout);
    }
  });
}

/// Gradient of gate_forward.
/// Shapes:   dy, a, b, da, db [rows, D]
/// Requires: equal shapes (unchecked); da and db may be one matrix if both are added to
/// Gradient: with d = dropout(dy): da = d b f'(a), db = d f(a), added to where asked; f' by dual numbers
template <class T, class F>
void gate_backward(cpu_backend& backend, F f, matrix_view<const T> dy, matrix_view<const T> a,
                   matrix_view<const T> b, matrix_view<T> da, bool add_da, matrix_view<T> db, bool add_db,
                   const dropout_site& dropout = {}) {
  const bool drops = !dropout.off();
  if (drops) backend.reserve_members<T>(slot_linear, dy.width);
  const index_t block = std::max<index_t>(1, 16384 / std::max<index_t>(1, dy.width));
  backend.team().run((dy.rows + block - 1) / block, [&](index_t task, int member) {
    for (index_t r = task * block; r < std::min(dy.rows, (task + 1) * block); ++r) {
      const T* d = dy.row(r);
      if (drops) {
        T* const masked = backend.member_scratch<T>(member, slot_linear, dy.width);
        dropout_row(masked, d, r, 0, dy.width, dropout);
        d = masked;
      }
      detail::gate_row_gradient(d, a.row(r), b.row(r), dy.width, f, da.row(r), add_da, db.row(r), add_db);
    }
  });
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

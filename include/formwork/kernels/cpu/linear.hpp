#pragma once
#include <formwork/kernels/cpu/dropout.hpp>
#include <formwork/kernels/cpu/elementwise.hpp>
#include <formwork/kernels/cpu/gemm.hpp>
#include <formwork/kernels/cpu/map.hpp>

namespace formwork::cpu {
inline namespace FORMWORK_ISA {

/// y = dropout(f(x W^T + b)) + residual. Absent parts are null; `gates` says that f'(z) = (f(z) > 0).
template <class T>
struct linear_arguments {
  matrix_view<T> x{};                 // [N, K]
  const T* weight = nullptr;          // [D, K]
  const T* bias = nullptr;            // [D]
  matrix_view<T> residual{};          // [N, D]
  matrix_view<T> y{};                 // [N, D]
  matrix_view<T> argument{};          // [N, D], receives z = x W^T + b if f needs it for its derivative
  void (*apply)(T* y, const T* x, index_t n) = nullptr;
  void (*scale_by_slope)(T* dx, const T* dy, const T* x, index_t n) = nullptr;
  bool gates = false;
  dropout_site dropout{};
};

/// The product with everything else done on blocks that are still in cache.
template <class T>
void linear_forward(cpu_backend& backend, const linear_arguments<T>& a) {
  const auto sum = [](auto u, auto v) { return u + v; };
  const bool drops = !a.dropout.off();
  const auto finish = [&](index_t row, index_t column, matrix_view<T> block) {
    for (index_t r = 0; r < block.rows; ++r) {
      T* y = block.row(r);
      const index_t n = block.width;
      if (a.bias) map_row(y, n, sum, y, a.bias + column);
      if (a.argument.data) std::copy_n(y, n, a.argument.row(row + r) + column);
      if (a.apply) a.apply(y, y, n);
      const T* residual = a.residual.data ? a.residual.row(row + r) + column : nullptr;
      if (drops && residual) dropout_row_add(y, y, residual, row + r, column, n, a.dropout);
      else if (drops) dropout_row(y, y, row + r, column, n, a.dropout);
      else if (residual) map_row(y, n, sum, y, residual);
    }
  };
  gemm<T>(backend, a.x.width, {a.x.data, a.x.stride}, {a.weight, a.x.width, true}, a.y, false, finish);
}

namespace detail {

/// dz = f'(z) mask dy, in scratch; dy itself where nothing has to be done.
template <class T>
matrix_view<T> linear_argument_gradient(cpu_backend& backend, const linear_arguments<T>& a,
                                        matrix_view<T> dy) {
  if (!a.apply && a.dropout.off()) return dy;
  const matrix_view<T> dz(backend.scratch<T>(slot_linear, dy.rows * dy.width), dy.rows, dy.width);
  const index_t chunk = 32;
  backend.team().run((dy.rows + chunk - 1) / chunk, [&](index_t task) {
    for (index_t r = task * chunk; r < std::min(dy.rows, (task + 1) * chunk); ++r) {
      const T* from = dy.row(r);
      if (!a.dropout.off()) {
        dropout_row(dz.row(r), from, r, 0, dy.width, a.dropout);
        from = dz.row(r);
      }
      if (a.apply) a.scale_by_slope(dz.row(r), from, a.gates ? a.y.row(r) : a.argument.row(r), dy.width);
    }
  });
  return dz;
}

}  // namespace detail

/// dx (+)= dz W, dweight += dz^T x, dbias += column sums of dz, with dz = f'(z) mask dy.
/// The residual's gradient is dy.
template <class T>
void linear_backward(cpu_backend& backend, const linear_arguments<T>& a, matrix_view<T> dy, matrix_view<T> dx,
                     bool add_dx, T* dweight, T* dbias) {
  const matrix_view<T> dz = detail::linear_argument_gradient(backend, a, dy);
  const index_t outputs = dz.width, inputs = a.x.width;
  if (a.bias) column_sum<T>(backend, dz, dbias);
  gemm<T>(backend, dz.rows, {dz.data, dz.stride, true}, {a.x.data, a.x.stride},
          matrix_view<T>(dweight, outputs, inputs), true);
  if (dx.data) gemm<T>(backend, outputs, {dz.data, dz.stride}, {a.weight, inputs}, dx, add_dx);
}

}  // namespace FORMWORK_ISA
}  // namespace formwork::cpu

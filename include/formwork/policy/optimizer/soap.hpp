#pragma once
#include <formwork/kernels/cpu/gemm.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/kernels/cpu/orthonormal_rows.hpp>
#include <formwork/kernels/cpu/symmetric_eigen.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/groups.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace formwork {

namespace detail {

/// One side of a matrix: its moment and, in rows, the moment's eigenvectors. Without memory: not turned.
template <class T>
struct soap_side {
  matrix_view<T> moment{}, basis{};
  bool of_rows = true;

  bool turns() const { return moment.rows > 0; }
};

/// The memory of SOAP for one matrix.
template <class T>
struct soap_memory {
  matrix_view<T> m, v;             // kept, in the eigenbases
  soap_side<T> left, right;        // kept
  matrix_view<T> direction, work;  // scratch
  T* values = nullptr;             // scratch, [side]
  matrix_view<T> fresh{};          // scratch, [side, side] of the longer side
  double* doubles = nullptr;       // scratch

  /// to = E_L from E_R^T, or with `back` E_L^T from E_R; both may be one matrix.
  void turn(cpu_backend& backend, matrix_view<T> from, matrix_view<T> to, bool back) const {
    const index_t rows = m.rows, columns = m.width;
    if (left.turns())
      cpu::gemm<T>(backend, rows, {left.basis.data, rows, back}, {from.data, columns}, work);
    else
      std::copy_n(from.data, rows * columns, work.data);
    if (right.turns())
      cpu::gemm<T>(backend, columns, {work.data, columns}, {right.basis.data, columns, !back}, to);
    else
      std::copy_n(work.data, rows * columns, to.data);
  }

  /// E L, in scratch.
  matrix_view<T> power_step(cpu_backend& backend, const soap_side<T>& side) const {
    const index_t n = side.moment.rows;
    const matrix_view<T> next(fresh.data, n, n);
    cpu::gemm<T>(backend, n, {side.basis.data, n}, {side.moment.data, n}, next);
    return next;
  }

  /// Computes products of all shapes that later updates have, so that the backend's scratch is there.
  void rehearse(cpu_backend& backend) const {
    turn(backend, m, direction, false);
    turn(backend, m, direction, true);
    for (const soap_side<T>& side : {left, right})
      if (side.turns()) power_step(backend, side);
  }

  /// One step of power iteration for the basis of a side; v gets the new order of its rows or columns.
  void refresh(cpu_backend& backend, const soap_side<T>& side) const {
    const index_t n = side.moment.rows;
    double trace = 0;
    for (index_t i = 0; i < n; ++i) trace += double(side.moment.row(i)[i]);
    if (!(trace > 0)) return;  // no gradient yet
    const matrix_view<T> next = power_step(backend, side);
    index_t* const order = backend.template scratch<index_t>(cpu::slot_reduction, n);
    // A vector of value 0 stays what it is instead of becoming noise.
    const auto shift = T(4 * double(std::numeric_limits<T>::epsilon()) * trace);
    for (index_t i = 0; i < n; ++i) {
      double value = 0;
      for (index_t k = 0; k < n; ++k) value += double(next.row(i)[k]) * double(side.basis.row(i)[k]);
      values[i] = T(value);
      order[i] = i;
      for (index_t k = 0; k < n; ++k) next.row(i)[k] += shift * side.basis.row(i)[k];
    }
    std::sort(order, order + n,
              [&](index_t x, index_t y) { return values[x] != values[y] ? values[x] > values[y] : x < y; });
    for (index_t i = 0; i < n; ++i) std::copy_n(next.row(order[i]), n, side.basis.row(i));
    std::copy_n(v.data, v.rows * v.width, work.data);
    for (index_t r = 0; r < v.rows; ++r)
      for (index_t c = 0; c < v.width; ++c)
        v.row(r)[c] = side.of_rows ? work.row(order[r])[c] : work.row(r)[order[c]];
    cpu::orthonormal_rows<T>(backend, side.basis);
  }
};

}  // namespace detail

/// Adam in the eigenbasis of Shampoo's moments, for the matrices inside of layers; everything else is moved
/// by `rest`. With L <- beta L + (1 - beta) g g^T, R likewise of g^T g, and their eigenvectors in the rows of
/// E_L and E_R:
///   G = E_L g E_R^T;  m, v as Adam's of G;  w <- w - lr E_L^T [mhat / (sqrt(vhat) + epsilon)] E_R, epsilon
///   added before the correction;  w <- (1 - lr weight_decay) w.
/// Update 1 only sets L, R and the bases; Adam counts from update 2. Each `every` updates a basis makes one
/// step of power iteration, E <- orthonormal rows of E L in the order of their eigenvalues, and m turns with
/// it. A side longer than `longest` keeps its own basis.
/// When:   the number of updates counts more than their time
/// Cost:   per matrix [m, n]: 12 m n (m + n) flops, and about 6 (m^3 + n^3) in each `every` updates;
///         2 m n + 2 m^2 + 2 n^2 extra numbers
/// Source: Vyas et al. 2024, "SOAP: improving and stabilizing Shampoo using Adam", algorithm 3
struct soap {
  static constexpr label name = "soap";

  double beta1 = 0.95;         ///< weight of the past in m, in [0, 1)
  double beta2 = 0.95;         ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-8;       ///< at least 1e-30
  double weight_decay = 0.01;  ///< decoupled, applied behind the step
  double beta = 0.95;          ///< weight of the past in L and R, in [0, 1)
  int every = 10;              ///< updates with the same bases, 1 or more
  index_t longest = 2048;      ///< of the sides that get a basis, 0 or more
  adamw rest{};                ///< for tables, the output projection and vectors
  double rest_rate = 1;        ///< factor of the rate for `rest`, above 0

  bool takes(const parameter_info& p) const { return hidden_matrices{}(p); }
  void adjust(update_info& u) const {
    if (!takes(u.parameter)) u.lr *= rest_rate;
  }

  index_t kept(index_t rows, index_t columns) const {
    return 2 * rows * columns + 2 * square_of(rows) + 2 * square_of(columns);
  }
  index_t scratch(index_t rows, index_t columns) const {
    const index_t side = longer(rows, columns);
    return 2 * rows * columns + 2 * cpu::symmetric_eigen_scratch(side) + side * side + side;
  }

  template <class Backend, class T>
  void step(Backend& backend, const matrix_update<T>& u) const {
    const detail::soap_memory<T> memory = memory_of(u);
    if (u.info.step > 1) {
      memory.turn(backend, u.g, memory.direction, false);
      adam_step(backend, u.info.step - 1, memory);
      memory.turn(backend, memory.direction, memory.direction, true);
      const auto stay = T(u.info.decays ? 1 - u.info.lr * weight_decay : 1), take = T(u.info.lr);
      cpu::map(
          backend, u.w,
          [=](auto w, auto step) {
            using V = decltype(w);
            return V(stay) * (w - V(take) * step);
          },
          u.w, memory.direction);
    }
    const bool refreshes = u.info.step > 1 && (u.info.step - 1) % every == 0;
    if (refreshes) memory.turn(backend, memory.m, memory.m, true);
    for (const detail::soap_side<T>& side : {memory.left, memory.right}) {
      if (!side.turns()) continue;
      average(backend, u, side, memory);
      if (u.info.step <= 1)
        cpu::symmetric_eigen<T>(backend, side.moment, side.basis, memory.values, memory.doubles);
      else if (refreshes)
        memory.refresh(backend, side);
    }
    if (refreshes) memory.turn(backend, memory.m, memory.m, false);
    if (u.info.step <= 1) memory.rehearse(backend);
  }

  constexpr void validate() const {
    detail::validate_adam("soap", beta1, beta2, epsilon, weight_decay);
    if (!(beta >= 0 && beta < 1)) fail("soap: beta is ", beta, ", expected a number in [0, 1)");
    if (every < 1) fail("soap: every is ", every, ", expected at least 1");
    if (longest < 0) fail("soap: longest is ", longest, ", expected 0 or more");
    if (!(rest_rate > 0 && is_finite(rest_rate)))
      fail("soap: rest_rate is ", rest_rate, ", expected a finite number above 0");
  }

 private:
  bool counts(index_t side) const { return side <= longest; }
  index_t square_of(index_t side) const { return counts(side) ? side * side : 0; }
  index_t longer(index_t rows, index_t columns) const {
    return (std::max)(counts(rows) ? rows : 0, counts(columns) ? columns : 0);
  }

  template <class T>
  detail::soap_memory<T> memory_of(const matrix_update<T>& u) const {
    const index_t rows = u.w.rows, columns = u.w.width, size = rows * columns, side = longer(rows, columns);
    T* const left = u.kept + 2 * size;
    T* const right = left + 2 * square_of(rows);
    // First the doubles, for their alignment.
    T* const scratch = u.scratch + 2 * cpu::symmetric_eigen_scratch(side);
    detail::soap_memory<T> out{.m = {u.kept, rows, columns},
                               .v = {u.kept + size, rows, columns},
                               .left = {.of_rows = true},
                               .right = {.of_rows = false},
                               .direction = {scratch, rows, columns},
                               .work = {scratch + size, rows, columns},
                               .values = scratch + 2 * size,
                               .fresh = {scratch + 2 * size + side, side, side},
                               .doubles = reinterpret_cast<double*>(u.scratch)};
    if (counts(rows)) out.left = {{left, rows, rows}, {left + rows * rows, rows, rows}, true};
    if (counts(columns))
      out.right = {{right, columns, columns}, {right + columns * columns, columns, columns}, false};
    return out;
  }

  /// m, v and the step in the eigenbases, from the gradient there, which the step replaces.
  template <class Backend, class T>
  void adam_step(Backend& backend, step_t t, const detail::soap_memory<T>& memory) const {
    const adam like{beta1, beta2, epsilon, 0, epsilon_place::uncorrected};
    const detail::adam_numbers p = like.prepare({.step = t, .lr = 1}).adam;
    const auto mean = [](double beta, bool squared) {
      return [old = T(beta), fresh = T(1 - beta), squared](auto past, auto g) {
        using V = decltype(past);
        return V(old) * past + V(fresh) * (squared ? g * g : g);
      };
    };
    cpu::map(backend, memory.m, mean(beta1, false), memory.m, memory.direction);
    cpu::map(backend, memory.v, mean(beta2, true), memory.v, memory.direction);
    cpu::map(
        backend, memory.direction,
        [p](auto m, auto v) {
          using V = decltype(m);
          return V(T(p.rate)) * m / (V(T(p.scale)) * sqrt(v) + V(T(p.epsilon)));
        },
        memory.m, memory.v);
  }

  /// The moment of a side: g g^T or g^T g enters it.
  template <class Backend, class T>
  void average(Backend& backend, const matrix_update<T>& u, const detail::soap_side<T>& side,
               const detail::soap_memory<T>& memory) const {
    const index_t n = side.moment.rows, columns = u.g.width;
    const matrix_view<T> square(memory.fresh.data, n, n);
    if (side.of_rows)
      cpu::gemm<T>(backend, columns, {u.g.data, columns}, {u.g.data, columns, true}, square);
    else
      cpu::gemm<T>(backend, u.g.rows, {u.g.data, columns, true}, {u.g.data, columns}, square);
    const auto old = T(beta), fresh = T(1 - beta);
    cpu::map(
        backend, side.moment,
        [=](auto past, auto now) {
          using V = decltype(past);
          return V(old) * past + V(fresh) * now;
        },
        side.moment, square);
  }
};
static_assert(optimizer<soap> && matrix_optimizer<soap>);

}  // namespace formwork

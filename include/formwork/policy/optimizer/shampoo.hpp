#pragma once
#include <formwork/kernels/cpu/elementwise.hpp>
#include <formwork/kernels/cpu/gemm.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/kernels/cpu/symmetric_eigen.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/groups.hpp>

#include <algorithm>
#include <cmath>

namespace formwork {

/// Whose length Shampoo's step has.
enum class shampoo_graft : std::uint8_t {
  adam,  ///< that of g / (sqrt(vhat) + 1e-8): rates are AdamW's
  none   ///< its own, the paper's form
};

/// Gradients between the inverse roots of their second moments by rows and by columns, for the matrices
/// inside of layers; everything else is moved by `rest`. L and R start as epsilon times the identity:
///   L <- beta L + s g g^T, R <- beta R + s g^T g, s = 1 for beta = 1, else 1 - beta;
///   P = L^(-1/4) g R^(-1/4), scaled to the length that `graft` says;
///   B <- momentum B + (1 - momentum) P;  w <- (1 - lr weight_decay) w;  w <- w - lr B.
/// The roots are computed in each `every` updates. A side longer than `longest` is left out, the other one
/// then has the exponent -1/2.
/// When:   the number of updates counts more than their time
/// Cost:   per matrix [m, n]: 4 m n (m + n) flops, and about 16 (m^3 + n^3) in each `every` updates;
///         2 m n + 2 m^2 + 2 n^2 extra numbers
/// Source: Gupta, Koren, Singer 2018, algorithm 1; grafting: Anil et al. 2020, section 3
struct shampoo {
  static constexpr label name = "shampoo";

  double beta = 1;          ///< weight of the past in L and R, in (0, 1]; 1: sums
  double momentum = 0.9;    ///< in [0, 1)
  double epsilon = 1e-4;    ///< no eigenvalue counts as less, above 0
  double weight_decay = 0;  ///< decoupled, as in `adamw`
  shampoo_graft graft = shampoo_graft::adam;
  double beta2 = 0.999;    ///< weight of the past in the v of `graft`, in [0, 1)
  int every = 10;          ///< updates with the same roots, 1 or more
  index_t longest = 2048;  ///< of the sides that get a factor, 0 or more
  adamw rest{};            ///< for tables, the output projection and vectors
  double rest_rate = 1;    ///< factor of the rate for `rest`, above 0

  bool takes(const parameter_info& p) const { return hidden_matrices{}(p); }
  void adjust(update_info& u) const {
    if (!takes(u.parameter)) u.lr *= rest_rate;
  }

  index_t kept(index_t rows, index_t columns) const {
    return 2 * rows * columns + 2 * square_of(rows) + 2 * square_of(columns);
  }
  index_t scratch(index_t rows, index_t columns) const {
    const index_t side = (std::max)(counts(rows) ? rows : 0, counts(columns) ? columns : 0);
    return 2 * symmetric_doubles(side) + side * side + side + rows * columns;
  }

  template <class Backend, class T>
  void step(Backend& backend, const matrix_update<T>& u) const {
    const index_t rows = u.w.rows, columns = u.w.width, size = rows * columns;
    const matrix_view<T> mean(u.kept, rows, columns), v(u.kept + size, rows, columns);
    const double length = graft == shampoo_graft::adam ? adam_length(backend, u, v) : 0;
    T* const left = v.data + size;
    T* const right = left + 2 * square_of(rows);
    const double exponent = counts(rows) && counts(columns) ? 0.25 : 0.5;
    if (counts(rows)) factor<T>(backend, u, {left, rows, rows}, true, exponent);
    if (counts(columns)) factor<T>(backend, u, {right, columns, columns}, false, exponent);
    const matrix_view<T> product(u.scratch, rows, columns);
    matrix_view<T> direction = u.g, other = product;
    if (counts(rows)) {
      cpu::gemm<T>(backend, rows, {left + rows * rows, rows}, {direction.data, columns}, other);
      std::swap(direction, other);
    }
    if (counts(columns)) {
      cpu::gemm<T>(backend, columns, {direction.data, columns}, {right + columns * columns, columns}, other);
      std::swap(direction, other);
    }
    move(backend, u, mean, direction, length);
  }

  constexpr void validate() const {
    if (!(beta > 0 && beta <= 1)) fail("shampoo: beta is ", beta, ", expected a number in (0, 1]");
    if (!(momentum >= 0 && momentum < 1))
      fail("shampoo: momentum is ", momentum, ", expected a number in [0, 1)");
    detail::validate_adam("shampoo", 0, beta2, epsilon, weight_decay);
    if (every < 1) fail("shampoo: every is ", every, ", expected at least 1");
    if (longest < 0) fail("shampoo: longest is ", longest, ", expected 0 or more");
    if (!(rest_rate > 0 && is_finite(rest_rate)))
      fail("shampoo: rest_rate is ", rest_rate, ", expected a finite number above 0");
  }

 private:
  bool counts(index_t side) const { return side <= longest; }
  index_t square_of(index_t side) const { return counts(side) ? side * side : 0; }
  static index_t symmetric_doubles(index_t side) { return cpu::symmetric_eigen_scratch(side); }

  /// Moves v and returns the length of Adam's direction without a mean.
  template <class Backend, class T>
  double adam_length(Backend& backend, const matrix_update<T>& u, matrix_view<T> v) const {
    const matrix_view<T> direction(u.scratch, v.rows, v.width);
    const auto old = T(beta2), fresh = T(1 - beta2);
    cpu::map(
        backend, v,
        [=](auto past, auto g) {
          using V = decltype(past);
          return V(old) * past + V(fresh) * g * g;
        },
        v, u.g);
    const auto scale = T(1 / std::sqrt(1 - std::pow(beta2, double(u.info.step))));
    cpu::map(
        backend, direction,
        [=](auto g, auto squares) {
          using V = decltype(g);
          return g / (V(scale) * sqrt(squares) + V(T(1e-8)));
        },
        u.g, v);
    return std::sqrt(cpu::sum_of_squares<T>(backend, direction.data, v.rows * v.width));
  }

  /// Moves one side's moment, which lies at `moment`, and now and then its root, which lies behind it.
  template <class T, class Backend>
  void factor(Backend& backend, const matrix_update<T>& u, matrix_view<T> moment, bool of_rows,
              double exponent) const {
    const index_t n = moment.rows, columns = u.g.width;
    double* const doubles = reinterpret_cast<double*>(u.scratch);
    const matrix_view<T> vectors(u.scratch + 2 * symmetric_doubles(n), n, n);
    T* const values = vectors.data + n * n;
    if (u.info.step <= 1)
      for (index_t i = 0; i < n; ++i) moment.row(i)[i] = T(epsilon);
    if (of_rows)
      cpu::gemm<T>(backend, columns, {u.g.data, columns}, {u.g.data, columns, true}, vectors);
    else
      cpu::gemm<T>(backend, u.g.rows, {u.g.data, columns, true}, {u.g.data, columns}, vectors);
    const auto old = T(beta), fresh = T(beta < 1 ? 1 - beta : 1);
    cpu::map(
        backend, moment,
        [=](auto past, auto square) {
          using V = decltype(past);
          return V(old) * past + V(fresh) * square;
        },
        moment, vectors);
    if ((u.info.step - 1) % every != 0) return;
    cpu::symmetric_eigen<T>(backend, moment, vectors, values, doubles);
    for (index_t i = 0; i < n; ++i) {
      const auto root = T(std::pow((std::max)(double(values[i]), epsilon), -exponent / 2));
      cpu::map_row(
          vectors.row(i), n, [=](auto x) { return x * decltype(x)(root); }, vectors.row(i));
    }
    const matrix_view<T> root(moment.data + n * n, n, n);
    cpu::gemm<T>(backend, n, {vectors.data, n, true}, {vectors.data, n}, root);
  }

  template <class Backend, class T>
  void move(Backend& backend, const matrix_update<T>& u, matrix_view<T> mean, matrix_view<T> direction,
            double length) const {
    double scale = 1 - momentum;
    if (graft == shampoo_graft::adam) {
      const double own =
          std::sqrt(cpu::sum_of_squares<T>(backend, direction.data, direction.rows * direction.width));
      scale *= own > 0 ? length / own : 0;
    }
    const auto old = T(momentum), fresh = T(scale);
    cpu::map(
        backend, mean,
        [=](auto past, auto step) {
          using V = decltype(past);
          return V(old) * past + V(fresh) * step;
        },
        mean, direction);
    const auto take = T(u.info.lr), stay = T(u.info.decays ? 1 - u.info.lr * weight_decay : 1);
    cpu::map(
        backend, u.w,
        [=](auto w, auto step) {
          using V = decltype(w);
          return V(stay) * w - V(take) * step;
        },
        u.w, mean);
  }
};
static_assert(optimizer<shampoo> && matrix_optimizer<shampoo>);

}  // namespace formwork

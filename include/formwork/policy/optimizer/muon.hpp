#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/kernels/cpu/elementwise.hpp>
#include <formwork/kernels/cpu/gemm.hpp>
#include <formwork/kernels/cpu/map.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/groups.hpp>

#include <algorithm>
#include <cmath>

namespace formwork {

/// The odd polynomial a x + b x^3 + c x^5 that an iteration applies to all singular values of a matrix.
struct quintic {
  double a = 3.4445, b = -4.7750, c = 2.0315;  ///< slope 3.4 at 0: small values grow soonest
};

/// X <- a X + b X X^T X + c X X^T X X^T X, `steps` times: with the default numbers and five steps all
/// singular values between 0.003 and 1 end up between 0.68 and 1.21, singular vectors stay.
/// Shapes:   X [m, n]; scratch of newton_schulz_scratch(m, n) numbers
/// Requires: no singular value above 1 (unchecked)
/// Cost:     4 m n k + 2 k^3 flops a step, k the smaller of m and n
/// Source:   Jordan et al. 2024, "Muon: an optimizer for hidden layers in neural networks"
template <class T>
void newton_schulz(cpu_backend& backend, matrix_view<T> x, int steps, const quintic& p, T* scratch) {
  const bool wide = x.rows <= x.width;
  const index_t k = wide ? x.rows : x.width;
  const matrix_view<T> product(scratch, x.rows, x.width);
  const matrix_view<T> square(scratch + x.rows * x.width, k, k), sum(square.data + k * k, k, k);
  for (int i = 0; i < steps; ++i) {
    // The smaller of X X^T and X^T X: X (X^T X)^j = (X X^T)^j X.
    cpu::gemm<T>(backend, wide ? x.width : x.rows, {x.data, x.stride, !wide}, {x.data, x.stride, wide},
                 square);
    cpu::gemm<T>(backend, k, {square.data, k}, {square.data, k}, sum);
    const auto a = T(p.a), b = T(p.b), c = T(p.c);
    cpu::map(
        backend, sum,
        [=](auto once, auto twice) {
          using V = decltype(once);
          return V(b) * once + V(c) * twice;
        },
        square, sum);
    if (wide)
      cpu::gemm<T>(backend, k, {sum.data, k}, {x.data, x.stride}, product);
    else
      cpu::gemm<T>(backend, k, {x.data, x.stride}, {sum.data, k}, product);
    cpu::map(
        backend, x, [=](auto old, auto more) { return decltype(old)(a) * old + more; }, x, product);
  }
}

/// Numbers of scratch that newton_schulz needs.
constexpr index_t newton_schulz_scratch(index_t rows, index_t columns) {
  const index_t k = rows < columns ? rows : columns;
  return rows * columns + 2 * k * k;
}

/// How the length of Muon's step depends on the shape of the matrix.
enum class muon_scale : std::uint8_t {
  as_adamw,  ///< 0.2 sqrt(max(rows, columns)): a weight moves as far as with AdamW at the same rate
  by_shape   ///< sqrt(max(1, rows / columns)): the authors' form; rates around 0.02, set rest_rate
};

/// Momentum whose direction is made orthogonal, for the matrices inside of layers; everything else is moved
/// by `rest`:
///   B <- momentum B + (1 - momentum) g;  U = (1 - momentum) g + momentum B (without Nesterov: B);
///   X = the orthogonal matrix nearest to U, about (newton_schulz of U / |U|);
///   w <- (1 - lr weight_decay) w;  w <- w - lr scale X.
/// When:   large Transformers; learns from fewer tokens than `adamw`
/// Cost:   per matrix [m, n] of k = min(m, n): 5 (4 m n k + 2 k^3) flops, one extra number a weight
/// Source: Jordan et al. 2024; Liu et al. 2025, "Muon is scalable for LLM training", section 2.2 (as_adamw)
struct muon {
  static constexpr label name = "muon";

  double momentum = 0.95;  ///< in [0, 1)
  bool nesterov = true;
  double weight_decay = 0.01;  ///< decoupled, as in `adamw`
  muon_scale scale = muon_scale::as_adamw;
  int steps = 5;  ///< of the iteration, 1 or more
  quintic polynomial{};
  adamw rest{};          ///< for tables, the output projection and vectors
  double rest_rate = 1;  ///< factor of the rate for `rest`, above 0

  bool takes(const parameter_info& p) const { return hidden_matrices{}(p); }
  void adjust(update_info& u) const {
    if (!takes(u.parameter)) u.lr *= rest_rate;
  }

  index_t kept(index_t rows, index_t columns) const { return rows * columns; }
  index_t scratch(index_t rows, index_t columns) const { return newton_schulz_scratch(rows, columns); }

  template <class Backend, class T>
  void step(Backend& backend, const matrix_update<T>& u) const {
    const index_t rows = u.w.rows, columns = u.w.width;
    const matrix_view<T> mean(u.kept, rows, columns), x = u.g;
    const auto old = T(momentum), fresh = T(1 - momentum);
    const auto mix = [=](auto past, auto g) {
      using V = decltype(past);
      return V(old) * past + V(fresh) * g;
    };
    cpu::map(backend, mean, mix, mean, u.g);
    if (nesterov)
      cpu::map(backend, x, mix, mean, u.g);
    else
      std::copy_n(mean.data, rows * columns, x.data);
    const auto inverse = T(1 / (std::sqrt(cpu::sum_of_squares<T>(backend, x.data, rows * columns)) + 1e-7));
    cpu::map(
        backend, x, [=](auto v) { return v * decltype(v)(inverse); }, x);
    newton_schulz<T>(backend, x, steps, polynomial, u.scratch);
    const auto take = T(u.info.lr * factor(rows, columns));
    const auto stay = T(u.info.decays ? 1 - u.info.lr * weight_decay : 1);
    cpu::map(
        backend, u.w,
        [=](auto w, auto direction) {
          using V = decltype(w);
          return V(stay) * w - V(take) * direction;
        },
        u.w, x);
  }

  constexpr void validate() const {
    if (!(momentum >= 0 && momentum < 1))
      fail("muon: momentum is ", momentum, ", expected a number in [0, 1)");
    if (!(weight_decay >= 0 && is_finite(weight_decay)))
      fail("muon: the decay is ", weight_decay, ", expected a finite number, 0 or more");
    if (steps < 1) fail("muon: steps is ", steps, ", expected at least 1");
    if (!(rest_rate > 0 && is_finite(rest_rate)))
      fail("muon: rest_rate is ", rest_rate, ", expected a finite number above 0");
  }

 private:
  double factor(index_t rows, index_t columns) const {
    if (scale == muon_scale::by_shape) return std::sqrt((std::max)(1.0, double(rows) / double(columns)));
    return 0.2 * std::sqrt(double((std::max)(rows, columns)));
  }
};
static_assert(optimizer<muon> && matrix_optimizer<muon>);

}  // namespace formwork

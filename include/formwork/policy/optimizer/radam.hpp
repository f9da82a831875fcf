#pragma once
#include <formwork/policy/optimizer/adam.hpp>

namespace formwork {

/// What RAdam does in the first updates, while the variance of its adaptive rate is not yet bounded.
enum class unrectified_step : std::uint8_t {
  momentum,  ///< w <- w - lr mhat, gradient descent with momentum: the paper, PyTorch
  none       ///< only the moments change: the default of the authors' program
};

namespace detail {

// The factor r of update t, 0 while it must not be used.
inline double rectification(double t, double beta2, double threshold) {
  const double decayed = std::pow(beta2, t), last = 2 / (1 - beta2) - 1;
  const double rho = last - 2 * t * decayed / (1 - decayed);
  if (!(rho > threshold)) return 0;
  return std::sqrt((rho - 4) * (rho - 2) * last / ((last - 4) * (last - 2) * rho));
}

}  // namespace detail

/// Rectified Adam: Adam whose step is multiplied by a factor r(t) that grows from 0 to 1, a warm-up by
/// calculation. With rho_inf = 2 / (1 - beta2) - 1 and rho = rho_inf - 2 t beta2^t / (1 - beta2^t):
///   r = sqrt((rho - 4)(rho - 2) rho_inf / ((rho_inf - 4)(rho_inf - 2) rho)) once rho > threshold,
///   `before` until then (beta2 = 0.999: updates 1 to 5).
/// Epsilon is added to the uncorrected root by default.
/// When:   post-norm without warm-up; with pre-norm it differs little from Adam
/// Cost:   per weight 12 flops, two extra numbers
/// Source: Liu et al. 2020, algorithm 2; threshold 4 in the paper, 5 in the authors' program and in PyTorch
struct radam {
  static constexpr label name = "radam";
  static constexpr int moments = 2;

  double beta1 = 0.9;       ///< weight of the past in m, in [0, 1)
  double beta2 = 0.999;     ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-8;    ///< at least 1e-30
  double weight_decay = 0;  ///< decoupled, as in `adamw`
  double threshold = 5;     ///< 4 or more
  unrectified_step before = unrectified_step::momentum;
  epsilon_place place = epsilon_place::uncorrected;

  struct prepared {
    detail::adam_numbers adam;
    double shrink;
    bool rectified;
  };

  prepared prepare(const update_info& u) const {
    prepared p{adam{beta1, beta2, epsilon, 0, place, true}.prepare(u).adam,
               u.decays ? 1 - u.lr * weight_decay : 1, false};
    const double t = double(u.step), factor = detail::rectification(t, beta2, threshold);
    p.rectified = factor > 0;
    if (p.rectified) {
      p.adam.rate *= factor;
    } else {
      p.adam.rate = before == unrectified_step::momentum ? u.lr / (1 - std::pow(beta1, t)) : 0;
    }
    return p;
  }

  template <class V>
  FORMWORK_HD V step(V g, std::array<V, 2>& state, const prepared& p) const {
    detail::adam_average(g, state, p.adam);
    return p.rectified ? detail::adam_step(state, p.adam) : V(p.adam.rate) * state[0];
  }
  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 2>& state, const prepared& p) const {
    w = V(p.shrink) * w - step(g, state, p);
  }

  constexpr void validate() const {
    detail::validate_adam("radam", beta1, beta2, epsilon, weight_decay);
    if (!(threshold >= 4 && is_finite(threshold)))
      fail("radam: threshold is ", threshold, ", expected a finite number, 4 or more");
  }
};
static_assert(optimizer<radam>);

}  // namespace formwork

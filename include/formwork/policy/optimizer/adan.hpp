#pragma once
#include <formwork/policy/optimizer/adam.hpp>

namespace formwork {

/// Adaptive Nesterov momentum: means m of gradients g, d of their differences h = g - (previous g), and v of
/// the squares of g + beta2 h; each corrected for its start at 0:
///   w <- [w - lr (mhat + beta2 dhat) / (sqrt(vhat) + epsilon)] / (1 + lr weight_decay)
///   the division where weight decay applies. The betas weigh the past, as in the authors' program.
/// When:   rates several times Adam's, large batches; most memory of the family
/// Cost:   per weight 22 flops, four extra numbers
/// Source: Xie et al. 2022, algorithm 1 (whose betas are one minus these)
struct adan {
  static constexpr label name = "adan";
  static constexpr int moments = 4;

  double beta1 = 0.98;      ///< weight of the past in m, in [0, 1)
  double beta2 = 0.92;      ///< weight of the past in d, in [0, 1)
  double beta3 = 0.99;      ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-8;    ///< at least 1e-30
  double weight_decay = 0;  ///< share of the weight that one update at learning rate 1 would take away

  struct prepared {
    double of_gradient, of_difference, scale, shrink;
    bool first;
  };

  prepared prepare(const update_info& u) const {
    const double t = double(u.step), shrink = u.decays ? 1 / (1 + u.lr * weight_decay) : 1;
    return {.of_gradient = shrink * u.lr / (1 - std::pow(beta1, t)),
            .of_difference = shrink * u.lr * beta2 / (1 - std::pow(beta2, t)),
            .scale = 1 / std::sqrt(1 - std::pow(beta3, t)),
            .shrink = shrink,
            .first = u.step <= 1};
  }

  template <class V>
  FORMWORK_HD V step(V g, std::array<V, 4>& state, const prepared& p) const {
    const V difference = p.first ? V(0) : g - state[3], ahead = g + V(beta2) * difference;
    state = {V(beta1) * state[0] + V(1 - beta1) * g, V(beta2) * state[1] + V(1 - beta2) * difference,
             V(beta3) * state[2] + V(1 - beta3) * ahead * ahead, g};
    return (V(p.of_gradient) * state[0] + V(p.of_difference) * state[1]) /
           (V(p.scale) * sqrt(state[2]) + V(epsilon));
  }
  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 4>& state, const prepared& p) const {
    w = V(p.shrink) * w - step(g, state, p);
  }

  constexpr void validate() const {
    detail::validate_adam("adan", beta1, beta2, epsilon, weight_decay);
    if (!(beta3 >= 0 && beta3 < 1)) fail("adan: beta3 is ", beta3, ", expected a number in [0, 1)");
  }
};
static_assert(optimizer<adan>);

}  // namespace formwork

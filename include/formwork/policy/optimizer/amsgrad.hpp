#pragma once
#include <formwork/policy/optimizer/adam.hpp>

namespace formwork {

/// Adam whose rate never grows again: the largest v so far stands in the place of v,
///   n <- max(n, v);  w <- w - lr mhat / (sqrt(n / (1 - beta2^t)) + epsilon), with g + l2 w for g, and with
///   w <- (1 - lr weight_decay) w before the step, both where weight decay applies.
/// When:   convergence must be certain on convex problems; on Transformers it differs little from `adam`
/// Cost:   per weight 15 flops, three extra numbers
/// Source: Reddi, Kale, Kumar 2018, algorithm 2, with the bias corrections of PyTorch's Adam(amsgrad=True)
struct amsgrad {
  static constexpr label name = "amsgrad";
  static constexpr int moments = 3;

  double beta1 = 0.9;       ///< weight of the past in m, in [0, 1)
  double beta2 = 0.999;     ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-8;    ///< at least 1e-30
  double l2 = 0;            ///< weight of the penalty |w|^2 / 2 in the loss
  double weight_decay = 0;  ///< decoupled, as in `adamw`

  struct prepared {
    detail::adam_numbers adam;
    double l2, shrink;
  };

  prepared prepare(const update_info& u) const {
    return {adam{beta1, beta2, epsilon}.prepare(u).adam, u.decays ? l2 : 0,
            u.decays ? 1 - u.lr * weight_decay : 1};
  }

  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 3>& state, const prepared& p) const {
    std::array<V, 2> adam{state[0], state[1]};
    detail::adam_average(g + V(p.l2) * w, adam, p.adam);
    state = {adam[0], adam[1], max(state[2], adam[1])};
    w = V(p.shrink) * w - detail::adam_step(std::array<V, 2>{state[0], state[2]}, p.adam);
  }

  constexpr void validate() const {
    detail::validate_adam("amsgrad", beta1, beta2, epsilon, l2);
    detail::validate_adam("amsgrad", beta1, beta2, epsilon, weight_decay);
  }
};
static_assert(optimizer<amsgrad>);

}  // namespace formwork

#pragma once
#include <formwork/policy/optimizer/radam.hpp>

namespace formwork {

/// Adam that divides by how far gradients are from their mean, not from zero:
///   s <- beta2 s + (1 - beta2) (g - m)^2 + epsilon;  w <- w - lr r mhat / (sqrt(shat) + epsilon),
///   with (1 - lr weight_decay) w before the step where weight decay applies. While `rectified`, r is RAdam's
///   factor and s is not corrected in front of the second epsilon, which is what the authors' program does.
/// When:   gradients with a steady sign; claims the generalisation of gradient descent at Adam's speed
/// Cost:   per weight 15 flops, two extra numbers
/// Source: Zhuang et al. 2020, algorithm 2; defaults of the authors' program from version 0.2.0 on
struct adabelief {
  static constexpr label name = "adabelief";
  static constexpr int moments = 2;

  double beta1 = 0.9;       ///< weight of the past in m, in [0, 1)
  double beta2 = 0.999;     ///< weight of the past in s, in [0, 1)
  double epsilon = 1e-16;   ///< at least 1e-30; added to s in every update and to its root
  double weight_decay = 0;  ///< decoupled, as in `adamw`
  bool rectified = true;    ///< false: r = 1, s corrected as in Adam

  using prepared = radam::prepared;

  prepared prepare(const update_info& u) const {
    const radam like{.beta1 = beta1, .beta2 = beta2, .epsilon = epsilon, .weight_decay = weight_decay};
    prepared p = like.prepare(u);
    if (!rectified) p = {adam{beta1, beta2, epsilon}.prepare(u).adam, p.shrink, true};
    return p;
  }

  template <class V>
  FORMWORK_HD V step(V g, std::array<V, 2>& state, const prepared& p) const {
    state[0] = V(p.adam.beta1) * state[0] + V(1 - p.adam.beta1) * g;
    const V surprise = g - state[0];
    state[1] = V(p.adam.beta2) * state[1] + V(1 - p.adam.beta2) * surprise * surprise + V(epsilon);
    return p.rectified ? detail::adam_step(state, p.adam) : V(p.adam.rate) * state[0];
  }
  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 2>& state, const prepared& p) const {
    w = V(p.shrink) * w - step(g, state, p);
  }

  constexpr void validate() const { detail::validate_adam("adabelief", beta1, beta2, epsilon, weight_decay); }
};
static_assert(optimizer<adabelief>);

}  // namespace formwork

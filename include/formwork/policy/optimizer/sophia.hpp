#pragma once
#include <formwork/policy/optimizer/adam.hpp>

namespace formwork {

/// Momentum divided by an estimate of the curvature, clipped to the rate. Before the updates 1, 1 + every,
/// 1 + 2 every, ... the gradient s for labels that the model itself has drawn is looked at:
///   h <- beta2 h + (1 - beta2) s^2, s the sum over B target tokens divided by sqrt(B);
///   m <- beta1 m + (1 - beta1) g;  w <- (1 - lr weight_decay) w where weight decay applies;
///   w <- w - lr sign(m) min(1, |m| / (rho h + 1e-15)).
/// When:   language models; rates as AdamW's or lower. A share of 10 to 50 % of weights should not be clipped
/// Cost:   per weight 11 flops, two extra numbers; one more pass over one batch in `every` updates
/// Source: Liu et al. 2023, algorithms 2 and 3 (Gauss-Newton-Bartlett)
struct sophia_g {
  static constexpr label name = "sophia_g";
  static constexpr int moments = 2;

  double beta1 = 0.965;       ///< weight of the past in m, in [0, 1)
  double beta2 = 0.99;        ///< weight of the past in h, in [0, 1)
  double rho = 0.04;          ///< above 0; smaller clips more
  double weight_decay = 0.1;  ///< decoupled, as in `adamw`
  int every = 10;             ///< updates from one look at the curvature to the next, 1 or more

  struct prepared {
    double rate, shrink;
  };

  bool samples_labels(step_t step) const { return (step - 1) % every == 0; }

  prepared prepare(const update_info& u) const { return {u.lr, u.decays ? 1 - u.lr * weight_decay : 1}; }

  template <class V>
  FORMWORK_HD void observe(V s, std::array<V, 2>& state, const prepared&) const {
    state[1] = V(beta2) * state[1] + V(1 - beta2) * s * s;
  }
  template <class V>
  FORMWORK_HD V step(V g, std::array<V, 2>& state, const prepared& p) const {
    state[0] = V(beta1) * state[0] + V(1 - beta1) * g;
    const V quotient = abs(state[0]) / (V(rho) * state[1] + V(1e-15));
    return V(p.rate) * sign(state[0]) * min(V(1), quotient);
  }
  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 2>& state, const prepared& p) const {
    w = V(p.shrink) * w - step(g, state, p);
  }

  constexpr void validate() const {
    detail::validate_adam("sophia_g", beta1, beta2, 1, weight_decay);
    if (!(rho > 0 && is_finite(rho))) fail("sophia_g: rho is ", rho, ", expected a finite number above 0");
    if (every < 1) fail("sophia_g: every is ", every, ", expected at least 1");
  }
};
static_assert(optimizer<sophia_g> && optimizer_with_samples<sophia_g>);

}  // namespace formwork

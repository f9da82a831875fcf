#pragma once
#include <formwork/policy/optimizer/adam.hpp>

#include <limits>

namespace formwork {

/// Adam that converges with any beta2: a gradient is divided by the root of v before it enters v, and the
/// quotient is clipped at c_t = (t - 1)^(1/4):
///   m <- beta1 m + (1 - beta1) clip(g / max(sqrt(v), epsilon), -c_t, c_t);  w <- w - lr m;
///   v <- beta2 v + (1 - beta2) g^2.
///   The first update only sets v = g^2. Decay as in `adamw`.
/// When:   in the place of Adam where beta2 is hard to choose; the first update moves nothing
/// Cost:   per weight 13 flops, two extra numbers
/// Source: Taniguchi et al. 2024, algorithm 2
struct adopt {
  static constexpr label name = "adopt";
  static constexpr int moments = 2;

  double beta1 = 0.9;       ///< weight of the past in m, in [0, 1)
  double beta2 = 0.9999;    ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-6;    ///< at least 1e-30
  double weight_decay = 0;  ///< decoupled, as in `adamw`
  bool clips = true;        ///< false: the paper's algorithm 1, which may leave far in its first updates

  struct prepared {
    double rate, shrink, bound, beta1, beta2;
  };

  prepared prepare(const update_info& u) const {
    const bool first = u.step <= 1;
    const double bound =
        clips ? std::pow(double(u.step - 1), 0.25) : double(std::numeric_limits<float>::max());
    if (first) return {.rate = 0, .shrink = 1, .bound = 0, .beta1 = 0, .beta2 = 0};
    return {.rate = u.lr,
            .shrink = u.decays ? 1 - u.lr * weight_decay : 1,
            .bound = bound,
            .beta1 = beta1,
            .beta2 = beta2};
  }

  template <class V>
  FORMWORK_HD V step(V g, std::array<V, 2>& state, const prepared& p) const {
    const V quotient = g / max(sqrt(state[1]), V(epsilon));
    state[0] = V(p.beta1) * state[0] + V(1 - p.beta1) * min(max(quotient, V(-p.bound)), V(p.bound));
    state[1] = V(p.beta2) * state[1] + V(1 - p.beta2) * g * g;
    return V(p.rate) * state[0];
  }
  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 2>& state, const prepared& p) const {
    w = V(p.shrink) * w - step(g, state, p);
  }

  constexpr void validate() const { detail::validate_adam("adopt", beta1, beta2, epsilon, weight_decay); }
};
static_assert(optimizer<adopt>);

}  // namespace formwork

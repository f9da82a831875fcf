#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/core/math.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>

#include <cmath>

namespace formwork {

/// Where Adam's epsilon is added. It matters for gradients near epsilon and in the first updates.
enum class epsilon_place : std::uint8_t {
  corrected,   ///< to sqrt(v / (1 - beta2^t)): Kingma, Ba 2015, algorithm 1; PyTorch
  uncorrected  ///< to sqrt(v), before the correction: Kingma, Ba 2015, end of section 2; fairseq
};

namespace detail {

// One update of Adam in numbers: m <- beta1 m + (1 - beta1) g, v <- beta2 v + (1 - beta2) g^2,
// w <- w - rate m / (scale sqrt(v) + epsilon). Both places of epsilon and missing bias corrections are other
// values of rate and scale, so the loop over the weights has no branch.
struct adam_numbers {
  double beta1, beta2, rate, scale, epsilon;
};

template <class V>
FORMWORK_HD void adam_average(V g, std::array<V, 2>& state, const adam_numbers& p) {
  state[0] = V(p.beta1) * state[0] + V(1 - p.beta1) * g;
  state[1] = V(p.beta2) * state[1] + V(1 - p.beta2) * g * g;
}

template <class V>
FORMWORK_HD V adam_step(const std::array<V, 2>& state, const adam_numbers& p) {
  return V(p.rate) * state[0] / (V(p.scale) * sqrt(state[1]) + V(p.epsilon));
}

constexpr void validate_adam(const char* name, double beta1, double beta2, double epsilon, double decay) {
  if (!(beta1 >= 0 && beta1 < 1)) fail(name, ": beta1 is ", beta1, ", expected a number in [0, 1)");
  if (!(beta2 >= 0 && beta2 < 1)) fail(name, ": beta2 is ", beta2, ", expected a number in [0, 1)");
  // Below this a weight without any gradient would move by 0 / 0 in single precision.
  if (!(epsilon >= 1e-30 && is_finite(epsilon)))
    fail(name, ": epsilon is ", epsilon, ", expected a finite number of at least 1e-30");
  if (!(decay >= 0 && is_finite(decay)))
    fail(name, ": the decay is ", decay, ", expected a finite number, 0 or more");
}

}  // namespace detail

/// Adam: m and v are running means of g and g^2, corrected for their start at 0;
///   w <- w - lr mhat / (sqrt(vhat) + epsilon), with g + l2 w for g where weight decay applies.
/// When:   the original Transformer (beta2 = 0.98, epsilon = 1e-9); with weight decay prefer `adamw`
/// Cost:   per weight 14 flops, two extra numbers
/// Source: Kingma, Ba 2015, algorithm 1
struct adam {
  static constexpr label name = "adam";
  static constexpr int moments = 2;

  double beta1 = 0.9;     ///< weight of the past in m, in [0, 1)
  double beta2 = 0.999;   ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-8;  ///< at least 1e-30
  double l2 = 0;          ///< weight of the penalty |w|^2 / 2 in the loss (PyTorch: Adam's weight_decay)
  epsilon_place place = epsilon_place::corrected;
  bool bias_correction = true;  ///< false: the optimizer of the first BERT release

  struct prepared {
    detail::adam_numbers adam;
    double l2;
  };

  prepared prepare(const update_info& u) const {
    const double t = double(u.step);
    const double correction1 = bias_correction ? 1 - std::pow(beta1, t) : 1;
    const double root2 = bias_correction ? std::sqrt(1 - std::pow(beta2, t)) : 1;
    const bool inside = place == epsilon_place::uncorrected;
    return {{.beta1 = beta1,
             .beta2 = beta2,
             .rate = u.lr / correction1 * (inside ? root2 : 1),
             .scale = inside ? 1 : 1 / root2,
             .epsilon = epsilon},
            u.decays ? l2 : 0};
  }

  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 2>& state, const prepared& p) const {
    detail::adam_average(g + V(p.l2) * w, state, p.adam);
    w = w - detail::adam_step(state, p.adam);
  }

  constexpr void validate() const { detail::validate_adam("adam", beta1, beta2, epsilon, l2); }
};
static_assert(optimizer<adam>);

/// Adam with decoupled weight decay:
///   w <- (1 - lr weight_decay) w where weight decay applies, then Adam's step.
/// When:   the first choice for Transformers; decays weights with large and with small gradients alike
/// Cost:   per weight 13 flops, two extra numbers
/// Source: Loshchilov, Hutter 2019, algorithm 2, with the decay times the learning rate as in PyTorch
struct adamw {
  static constexpr label name = "adamw";
  static constexpr int moments = 2;

  double beta1 = 0.9;          ///< weight of the past in m, in [0, 1)
  double beta2 = 0.999;        ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-8;       ///< at least 1e-30
  double weight_decay = 0.01;  ///< share of the weight that one update at learning rate 1 would take away
  epsilon_place place = epsilon_place::corrected;
  bool bias_correction = true;  ///< false: the optimizer of the first BERT release

  struct prepared {
    detail::adam_numbers adam;
    double shrink;
  };

  prepared prepare(const update_info& u) const {
    const adam same{beta1, beta2, epsilon, 0, place, bias_correction};
    return {same.prepare(u).adam, u.decays ? 1 - u.lr * weight_decay : 1};
  }

  template <class V>
  FORMWORK_HD V step(V g, std::array<V, 2>& state, const prepared& p) const {
    detail::adam_average(g, state, p.adam);
    return detail::adam_step(state, p.adam);
  }
  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 2>& state, const prepared& p) const {
    w = V(p.shrink) * w - step(g, state, p);
  }

  constexpr void validate() const { detail::validate_adam("adamw", beta1, beta2, epsilon, weight_decay); }
};
static_assert(optimizer<adamw>);

}  // namespace formwork

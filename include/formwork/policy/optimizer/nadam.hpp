#pragma once
#include <formwork/policy/optimizer/adam.hpp>

namespace formwork {

/// Adam with Nesterov's look ahead and a momentum that warms up, mu_t = beta1 (1 - 0.5 * 0.96^(t psi)). With
/// M_t the product of mu_1 to mu_t:
///   w <- w - lr [(1 - mu_t) g / (1 - M_t) + mu_(t+1) m / (1 - M_(t+1))] / (sqrt(vhat) + epsilon)
///   with g + l2 w for g, and w <- (1 - lr weight_decay) w before the step, both where weight decay applies.
/// When:   where Adam is used, for somewhat quicker first epochs
/// Cost:   per weight 16 flops, two extra numbers
/// Source: Dozat 2016, algorithm 1, as PyTorch's NAdam
struct nadam {
  static constexpr label name = "nadam";
  static constexpr int moments = 2;

  double beta1 = 0.9;       ///< weight of the past in m, in [0, 1)
  double beta2 = 0.999;     ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-8;    ///< at least 1e-30
  double l2 = 0;            ///< weight of the penalty |w|^2 / 2 in the loss
  double weight_decay = 0;  ///< decoupled, as in `adamw`
  double psi = 0.004;       ///< pace of the momentum's warm-up, 0 or more; 0: mu is beta1 / 2 for ever

  struct run_state {
    double kept = 1;  // the share of m's start that is still in it: M_t
  };
  struct prepared {
    detail::adam_numbers adam;  // its rate is that of m
    double direct, l2, shrink;  // `direct` is the rate of g
  };

  double momentum(step_t t) const { return beta1 * (1 - 0.5 * std::pow(0.96, double(t) * psi)); }
  void advance(run_state& run, const update_info& u) const {
    run.kept = (u.step <= 1 ? 1 : run.kept) * momentum(u.step);
  }

  prepared prepare(const update_info& u, const run_state& run) const {
    const double now = momentum(u.step), next = momentum(u.step + 1);
    prepared p{adam{beta1, beta2, epsilon}.prepare(u).adam, u.lr * (1 - now) / (1 - run.kept),
               u.decays ? l2 : 0, u.decays ? 1 - u.lr * weight_decay : 1};
    p.adam.rate = u.lr * next / (1 - run.kept * next);
    return p;
  }

  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 2>& state, const prepared& p) const {
    const V slope = g + V(p.l2) * w;
    detail::adam_average(slope, state, p.adam);
    w = V(p.shrink) * w - (V(p.direct) * slope + V(p.adam.rate) * state[0]) /
                              (V(p.adam.scale) * sqrt(state[1]) + V(p.adam.epsilon));
  }

  constexpr void validate() const {
    detail::validate_adam("nadam", beta1, beta2, epsilon, l2);
    detail::validate_adam("nadam", beta1, beta2, epsilon, weight_decay);
    if (!(psi >= 0 && is_finite(psi))) fail("nadam: psi is ", psi, ", expected a finite number, 0 or more");
  }
};
static_assert(optimizer<nadam>);

/// AdamW with Nesterov's look ahead: m counts as it would after the same gradient once more,
///   w <- (1 - lr weight_decay) w where weight decay applies, then
///   w <- w - lr (beta1 m + (1 - beta1) g) / (1 - beta1^t) / (sqrt(vhat) + epsilon).
/// When:   the baseline of the AlgoPerf benchmark; anywhere `adamw` is used
/// Cost:   per weight 16 flops, two extra numbers
/// Source: Dahl et al. 2023, "Benchmarking neural network training algorithms", section 5; Dozat 2016
struct nadamw {
  static constexpr label name = "nadamw";
  static constexpr int moments = 2;

  double beta1 = 0.9;          ///< weight of the past in m, in [0, 1)
  double beta2 = 0.999;        ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-8;       ///< at least 1e-30
  double weight_decay = 0.01;  ///< decoupled, as in `adamw`

  using prepared = adamw::prepared;

  prepared prepare(const update_info& u) const {
    return adamw{beta1, beta2, epsilon, weight_decay}.prepare(u);
  }

  template <class V>
  FORMWORK_HD V step(V g, std::array<V, 2>& state, const prepared& p) const {
    detail::adam_average(g, state, p.adam);
    const V ahead = V(p.adam.beta1) * state[0] + V(1 - p.adam.beta1) * g;
    return detail::adam_step(std::array<V, 2>{ahead, state[1]}, p.adam);
  }
  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 2>& state, const prepared& p) const {
    w = V(p.shrink) * w - step(g, state, p);
  }

  constexpr void validate() const { detail::validate_adam("nadamw", beta1, beta2, epsilon, weight_decay); }
};
static_assert(optimizer<nadamw>);

}  // namespace formwork

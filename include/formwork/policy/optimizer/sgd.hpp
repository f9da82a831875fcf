#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>

namespace formwork {

/// Gradient descent: w <- w - lr (g + l2 w); the term in l2 only where weight decay applies.
/// When:   studies of the plain gradient; keeps nothing per weight
/// Cost:   per weight 4 flops, no extra memory
/// Source: Robbins, Monro 1951
struct plain_sgd {
  static constexpr label name = "plain_sgd";
  static constexpr int moments = 0;

  double l2 = 0;  ///< weight of the penalty |w|^2 / 2 in the loss

  struct prepared {
    double shrink, rate;
  };

  prepared prepare(const update_info& u) const { return {u.decays ? 1 - u.lr * l2 : 1, u.lr}; }

  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 0>&, const prepared& p) const {
    w = V(p.shrink) * w - V(p.rate) * g;
  }

  constexpr void validate() const {
    if (!(l2 >= 0 && is_finite(l2))) fail("plain_sgd: l2 is ", l2, ", expected a finite number, 0 or more");
  }
};
static_assert(optimizer<plain_sgd>);

/// Gradient descent with momentum. With g <- g + l2 w where weight decay applies:
///   b <- momentum b + (1 - damping) g, but b = g in update 1 or without momentum;
///   w <- w - lr b, or with Nesterov's look ahead w <- w - lr (g + momentum b).
/// When:   small problems, and to compare with Adam; `plain_sgd` is the same without momentum and memory
/// Cost:   per weight 7 flops, one extra number
/// Source: Polyak 1964; Sutskever et al. 2013, eq. 1-4, in PyTorch's form (the rate is not part of b)
struct sgd {
  static constexpr label name = "sgd";
  static constexpr int moments = 1;

  double momentum = 0;    ///< in [0, 1)
  double damping = 0;     ///< in [0, 1); reduces what a gradient adds to b
  bool nesterov = false;  ///< needs momentum > 0 and damping 0
  double l2 = 0;          ///< weight of the penalty |w|^2 / 2 in the loss

  struct prepared {
    double l2, keep, take;   // b <- keep b + take g
    double direct, through;  // w <- w - (direct g + through b)
  };

  prepared prepare(const update_info& u) const {
    const bool starts = u.step <= 1 || momentum == 0;
    return {.l2 = u.decays ? l2 : 0,
            .keep = starts ? 0 : momentum,
            .take = starts ? 1 : 1 - damping,
            .direct = nesterov ? u.lr : 0,
            .through = nesterov ? u.lr * momentum : u.lr};
  }

  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 1>& state, const prepared& p) const {
    const V slope = g + V(p.l2) * w;
    state[0] = V(p.keep) * state[0] + V(p.take) * slope;
    w = w - (V(p.direct) * slope + V(p.through) * state[0]);
  }

  constexpr void validate() const {
    if (!(momentum >= 0 && momentum < 1))
      fail("sgd: momentum is ", momentum, ", expected a number in [0, 1)");
    if (!(damping >= 0 && damping < 1)) fail("sgd: damping is ", damping, ", expected a number in [0, 1)");
    if (nesterov && !(momentum > 0 && damping == 0))
      fail("sgd: nesterov needs momentum above 0 and damping 0");
    if (!(l2 >= 0 && is_finite(l2))) fail("sgd: l2 is ", l2, ", expected a finite number, 0 or more");
  }
};
static_assert(optimizer<sgd>);

}  // namespace formwork

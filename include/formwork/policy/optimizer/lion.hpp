#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/core/math.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>

namespace formwork {

/// Sign descent with two rates of forgetting:
///   w <- (1 - lr weight_decay) w where weight decay applies, then w <- w - lr sign(beta1 m + (1 - beta1) g),
///   m <- beta2 m + (1 - beta2) g.
/// Every weight moves by the rate: take a third to a tenth of AdamW's rate and as many times its decay.
/// When:   large batches; memory of one moment instead of two
/// Cost:   per weight 9 flops, one extra number
/// Source: Chen et al. 2023, "Symbolic discovery of optimization algorithms", program 1
struct lion {
  static constexpr label name = "lion";
  static constexpr int moments = 1;

  double beta1 = 0.9;       ///< weight of m in the direction, in [0, 1)
  double beta2 = 0.99;      ///< weight of the past in m, in [0, 1)
  double weight_decay = 0;  ///< share of the weight that one update at learning rate 1 would take away

  struct prepared {
    double rate, shrink;
  };

  prepared prepare(const update_info& u) const { return {u.lr, u.decays ? 1 - u.lr * weight_decay : 1}; }

  template <class V>
  FORMWORK_HD V step(V g, std::array<V, 1>& mean, const prepared& p) const {
    const V direction = V(beta1) * mean[0] + V(1 - beta1) * g;
    mean[0] = V(beta2) * mean[0] + V(1 - beta2) * g;
    return V(p.rate) * sign(direction);
  }
  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 1>& mean, const prepared& p) const {
    w = V(p.shrink) * w - step(g, mean, p);
  }

  constexpr void validate() const {
    if (!(beta1 >= 0 && beta1 < 1)) fail("lion: beta1 is ", beta1, ", expected a number in [0, 1)");
    if (!(beta2 >= 0 && beta2 < 1)) fail("lion: beta2 is ", beta2, ", expected a number in [0, 1)");
    if (!(weight_decay >= 0 && is_finite(weight_decay)))
      fail("lion: the decay is ", weight_decay, ", expected a finite number, 0 or more");
  }
};
static_assert(optimizer<lion>);

}  // namespace formwork

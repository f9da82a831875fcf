#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>

#include <cmath>

namespace formwork {

/// Gradient descent with momentum, the gradient scaled for each parameter to the length of the parameter:
///   b <- momentum b + lr (trust |w| / (|g| + weight_decay |w|)) (g + weight_decay w);  w <- w - b,
///   without the decay where it does not apply. Where |w| or |g| is 0 the factor in brackets is 1, so a bias
///   that starts at 0 makes one plain step: give vectors another optimizer (groups.hpp) at high rates.
/// When:   very large batches for convolution-like models; rates are around 1 to 10
/// Cost:   per weight 11 flops, one extra number; w and g are read twice
/// Source: You, Gitman, Ginsburg 2017, algorithm 1
struct lars {
  static constexpr label name = "lars";
  static constexpr int moments = 1, sums = 2;

  double momentum = 0.9;         ///< in [0, 1)
  double trust = 0.001;          ///< above 0
  double weight_decay = 0.0005;  ///< 0 or more

  struct prepared {
    double rate, decay;
  };

  prepared prepare(const update_info& u) const { return {u.lr, u.decays ? weight_decay : 0}; }

  template <class V>
  FORMWORK_HD std::array<V, 2> measure(V w, V g, std::array<V, 1>, const prepared&) const {
    return {w * w, g * g};
  }
  void conclude(prepared& p, const std::array<double, 2>& sums, const update_info&) const {
    const double length = std::sqrt(sums[0]), slope = std::sqrt(sums[1]);
    if (length > 0 && slope > 0) p.rate *= trust * length / (slope + p.decay * length);
  }
  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 1>& state, const prepared& p) const {
    state[0] = V(momentum) * state[0] + V(p.rate) * (g + V(p.decay) * w);
    w = w - state[0];
  }

  constexpr void validate() const {
    if (!(momentum >= 0 && momentum < 1))
      fail("lars: momentum is ", momentum, ", expected a number in [0, 1)");
    if (!(trust > 0 && is_finite(trust)))
      fail("lars: trust is ", trust, ", expected a finite number above 0");
    if (!(weight_decay >= 0 && is_finite(weight_decay)))
      fail("lars: the decay is ", weight_decay, ", expected a finite number, 0 or more");
  }
};
static_assert(optimizer<lars>);

}  // namespace formwork

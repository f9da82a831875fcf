#pragma once
#include <formwork/policy/optimizer/adam.hpp>

namespace formwork {

/// Adam's step, scaled for each parameter to the length of the parameter:
///   u = mhat / (sqrt(vhat) + epsilon) + weight_decay w (the latter where weight decay applies),
///   w <- w - lr (|w| / |u|) u, with 1 for the quotient where |w| or |u| is 0.
/// When:   very large batches (BERT in 76 minutes); a rate is a share of a parameter's length
/// Cost:   per weight 34 flops, two extra numbers; w, g and moments are read twice
/// Source: You et al. 2020, algorithm 2
struct lamb {
  static constexpr label name = "lamb";
  static constexpr int moments = 2, sums = 2;

  double beta1 = 0.9;          ///< weight of the past in m, in [0, 1)
  double beta2 = 0.999;        ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-6;       ///< at least 1e-30
  double weight_decay = 0.01;  ///< weight of w in u
  double longest = 0;          ///< |w| counts as no more than this, 0: no limit; the authors' programs: 10
  double largest_ratio = 0;    ///< limit of the quotient, 0: none; "LAMBC": 1

  struct prepared {
    detail::adam_numbers adam;  // of Adam at rate 1
    double decay, rate;
  };

  prepared prepare(const update_info& u) const {
    update_info unit = u;
    unit.lr = 1;
    return {adam{beta1, beta2, epsilon}.prepare(unit).adam, u.decays ? weight_decay : 0, u.lr};
  }

  template <class V>
  FORMWORK_HD std::array<V, 2> measure(V w, V g, std::array<V, 2> state, const prepared& p) const {
    const V u = direction(w, g, state, p);
    return {w * w, u * u};
  }
  void conclude(prepared& p, const std::array<double, 2>& sums, const update_info&) const {
    double length = std::sqrt(sums[0]);
    if (longest > 0 && length > longest) length = longest;
    double ratio = sums[0] > 0 && sums[1] > 0 ? length / std::sqrt(sums[1]) : 1;
    if (largest_ratio > 0 && ratio > largest_ratio) ratio = largest_ratio;
    p.rate *= ratio;
  }
  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 2>& state, const prepared& p) const {
    w = w - V(p.rate) * direction(w, g, state, p);
  }

  constexpr void validate() const {
    detail::validate_adam("lamb", beta1, beta2, epsilon, weight_decay);
    if (!(longest >= 0 && is_finite(longest)))
      fail("lamb: longest is ", longest, ", expected a finite number, 0 or more");
    if (!(largest_ratio >= 0 && is_finite(largest_ratio)))
      fail("lamb: largest_ratio is ", largest_ratio, ", expected a finite number, 0 or more");
  }

 private:
  template <class V>
  FORMWORK_HD static V direction(V w, V g, std::array<V, 2>& state, const prepared& p) {
    detail::adam_average(g, state, p.adam);
    return detail::adam_step(state, p.adam) + V(p.decay) * w;
  }
};
static_assert(optimizer<lamb>);

}  // namespace formwork

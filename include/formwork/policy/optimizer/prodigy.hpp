#pragma once
#include <formwork/policy/optimizer/adam.hpp>

#include <algorithm>

namespace formwork {

/// AdamW that finds its rate by itself: d is a lower bound of the distance from the first weights w_0 to a
/// solution, and all steps are multiplied by it. Leave the schedule's rate at 1 (or let it fall from 1 to 0).
/// With L = d lr, before the weights move:
///   r <- beta3 r + (d / d0) L <g, w_0 - w>, s <- beta3 s + (d / d0) L g, beta3 = sqrt(beta2);
///   m <- beta1 m + (1 - beta1) d g;  v <- beta2 v + (1 - beta2) d^2 g^2;
///   d <- max(d, coefficient r / |s|_1), |s|_1 and <., .> over all parameters;
///   w <- (1 - L weight_decay) w where weight decay applies;  w <- w - L m / (sqrt(v) + d epsilon).
/// When:   a learning rate cannot be searched for
/// Cost:   per weight 26 flops, four extra numbers; w, g and moments are read twice
/// Source: Mishchenko, Defazio 2023, algorithm 4, as in the authors' program
struct prodigy {
  static constexpr label name = "prodigy";
  static constexpr int moments = 4, sums = 2;  // m, v, s, w_0

  double beta1 = 0.9;            ///< weight of the past in m, in [0, 1)
  double beta2 = 0.999;          ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-8;         ///< at least 1e-30
  double weight_decay = 0;       ///< decoupled, as in `adamw`
  double first_distance = 1e-6;  ///< d0, above 0; rarely needs another value
  double coefficient = 1;        ///< above 0: the number to tune if there must be one
  double growth = 0;             ///< d grows at most by this factor in an update, above 1; 0: no limit
  bool bias_correction = false;  ///< multiplies L by sqrt(1 - beta2^t) / (1 - beta1^t)

  struct run_state {
    double distance = 0;  // d, 0 before the first update
    double previous = 0;  // d before the last `advance`
    double largest = 0;   // estimate of d so far
    double numerator = 0;
  };
  struct prepared {
    double to_measure;              // (d / d0) L: what a gradient adds to s
    double distance, into_s, rate;  // d, (d / d0) L and L of this update, once `advance` has found the next d
    double decay, epsilon;
    bool first;
  };

  /// Called before `advance` for `measure` and after it for `update`.
  prepared prepare(const update_info& u, const run_state& run) const {
    const double next = of(run.distance), now = of(run.previous), rate = now * factor(u);
    return {.to_measure = next / first_distance * next * factor(u),
            .distance = now,
            .into_s = now / first_distance * rate,
            .rate = rate,
            .decay = u.decays ? rate * weight_decay : 0,
            .epsilon = next * epsilon,
            .first = u.step <= 1};
  }

  template <class V>
  FORMWORK_HD std::array<V, 2> measure(V w, V g, std::array<V, 4> state, const prepared& p) const {
    const V way = p.first ? V(0) : state[3] - w;
    return {V(p.to_measure) * g * way, abs(V(std::sqrt(beta2)) * state[2] + V(p.to_measure) * g)};
  }
  void advance(run_state& run, const update_info& u, const std::array<double, 2>& sums) const {
    if (u.step <= 1) run = {.distance = first_distance, .largest = first_distance};
    const double d = run.distance;
    run.previous = d;
    run.numerator = std::sqrt(beta2) * run.numerator + sums[0];
    if (!(sums[1] > 0 && u.lr > 0)) return;
    const double estimate = coefficient * run.numerator / sums[1];
    const double from = d == first_distance ? (std::max)(d, estimate) : d;
    run.largest = (std::max)(run.largest, estimate);
    run.distance = growth > 0 ? (std::min)(run.largest, from * growth) : run.largest;
  }

  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, 4>& state, const prepared& p) const {
    if (p.first) state[3] = w;
    const V scaled = V(p.distance) * g;
    state[0] = V(beta1) * state[0] + V(1 - beta1) * scaled;
    state[1] = V(beta2) * state[1] + V(1 - beta2) * scaled * scaled;
    state[2] = V(std::sqrt(beta2)) * state[2] + V(p.into_s) * g;
    w = V(1 - p.decay) * w - V(p.rate) * state[0] / (sqrt(state[1]) + V(p.epsilon));
  }

  constexpr void validate() const {
    detail::validate_adam("prodigy", beta1, beta2, epsilon, weight_decay);
    if (!(first_distance > 0 && is_finite(first_distance)))
      fail("prodigy: first_distance is ", first_distance, ", expected a finite number above 0");
    if (!(coefficient > 0 && is_finite(coefficient)))
      fail("prodigy: coefficient is ", coefficient, ", expected a finite number above 0");
    if (!(growth == 0 || (growth > 1 && is_finite(growth))))
      fail("prodigy: growth is ", growth, ", expected 0 for no limit or a finite number above 1");
  }

 private:
  double of(double distance) const { return distance > 0 ? distance : first_distance; }
  double factor(const update_info& u) const {  // L / d
    const double t = double(u.step);
    return u.lr * (bias_correction ? std::sqrt(1 - std::pow(beta2, t)) / (1 - std::pow(beta1, t)) : 1);
  }
};
static_assert(optimizer<prodigy>);

}  // namespace formwork

#pragma once
#include <formwork/policy/optimizer/adam.hpp>

#include <algorithm>

namespace formwork {

namespace detail {

// What both forms of schedule-free learning share. Gradients are taken at y, which the parameters hold;
// z makes the steps, x averages the z and is what counts:
//   z <- z - lr d;  x <- (1 - c) x + c z;  y = (1 - beta1) z + beta1 x.
// x is not stored. Without it, with the z before the step: y <- y + c (z - y) - lr (1 - beta1 (1 - c)) d.
struct schedule_free_numbers {
  double beta1, rate, share, through;

  template <class V>
  FORMWORK_HD void move(V& y, V& z, V direction) const {
    y = y + V(share) * (z - y) - V(through) * direction;
    z = z - V(rate) * direction;
  }
};

// The weights of the average so far.
struct schedule_free_average {
  double weights = 0, largest_rate = 0, share = 0;

  void advance(const update_info& u, double power) {
    if (u.step <= 1) *this = {};
    largest_rate = (std::max)(largest_rate, u.lr);
    const double weight = std::pow(double(u.step), power) * largest_rate * largest_rate;
    weights += weight;
    share = weights > 0 ? weight / weights : 0;
  }
  schedule_free_numbers numbers(const update_info& u, double beta1) const {
    return {beta1, u.lr, share, u.lr * (1 - beta1 * (1 - share))};
  }
};

constexpr void validate_schedule_free(const char* name, double beta1, double power, double decay) {
  if (!(beta1 > 0 && beta1 < 1)) fail(name, ": beta1 is ", beta1, ", expected a number in (0, 1)");
  if (!(power >= 0 && is_finite(power)))
    fail(name, ": power is ", power, ", expected a finite number, 0 or more");
  if (!(decay >= 0 && is_finite(decay)))
    fail(name, ": the decay is ", decay, ", expected a finite number, 0 or more");
}

}  // namespace detail

/// Gradient descent whose weights for evaluation are an average of its steps, in the place of a falling rate.
/// Give it a constant rate behind a warm-up. With d = g + weight_decay y where weight decay applies:
///   z <- z - lr d;  x <- (1 - c) x + c z;  y = (1 - beta1) z + beta1 x;  c = w_t / (w_1 + ... + w_t), w_t =
///   t^power (largest lr so far)^2. Gradients are taken at y; x is evaluated, averaged and saved.
/// When:   the length of the run is not known; anywhere `sgd` with a falling rate is used
/// Cost:   per weight 9 flops, one extra number; a second copy of the weights while x is looked at
/// Source: Defazio et al. 2024, "The road less scheduled", algorithm 1, with the weights of its authors'
///         program
struct schedule_free_sgd {
  static constexpr label name = "schedule_free_sgd";
  static constexpr int moments = 1;

  double beta1 = 0.9;       ///< share of x in y, in (0, 1)
  double weight_decay = 0;  ///< applied at y
  double power = 0;         ///< of the update's number in the average's weights, 0 or more

  using run_state = detail::schedule_free_average;
  struct prepared {
    detail::schedule_free_numbers free;
    double decay;
    bool first;
  };

  void advance(run_state& run, const update_info& u) const { run.advance(u, power); }
  prepared prepare(const update_info& u, const run_state& run) const {
    return {run.numbers(u, beta1), u.decays ? weight_decay : 0, u.step <= 1};
  }
  template <class V>
  FORMWORK_HD void update(V& y, V g, std::array<V, 1>& state, const prepared& p) const {
    if (p.first) state[0] = y;
    p.free.move(y, state[0], g + V(p.decay) * y);
  }
  template <class V>
  FORMWORK_HD V evaluated(V y, const std::array<V, 1>& state) const {
    return (y - V(1 - beta1) * state[0]) / V(beta1);
  }

  constexpr void validate() const {
    detail::validate_schedule_free("schedule_free_sgd", beta1, power, weight_decay);
  }
};
static_assert(optimizer<schedule_free_sgd> && optimizer_with_views<schedule_free_sgd>);

/// The same with AdamW's direction: v <- beta2 v + (1 - beta2) g^2, d = g / (sqrt(vhat) + epsilon) +
/// weight_decay y; x, y and z as in `schedule_free_sgd`.
/// When:   anywhere `adamw` with a falling rate is used; rates are 1 to 10 times AdamW's
/// Cost:   per weight 17 flops, two extra numbers; a second copy of the weights while x is looked at
/// Source: Defazio et al. 2024, algorithm 1 with Adam's v in the base step
struct schedule_free_adamw {
  static constexpr label name = "schedule_free_adamw";
  static constexpr int moments = 2;

  double beta1 = 0.9;       ///< share of x in y, in (0, 1)
  double beta2 = 0.999;     ///< weight of the past in v, in [0, 1)
  double epsilon = 1e-8;    ///< at least 1e-30
  double weight_decay = 0;  ///< applied at y
  double power = 0;         ///< of the update's number in the average's weights, 0 or more

  using run_state = detail::schedule_free_average;
  struct prepared {
    detail::schedule_free_numbers free;
    double decay, scale;
    bool first;
  };

  void advance(run_state& run, const update_info& u) const { run.advance(u, power); }
  prepared prepare(const update_info& u, const run_state& run) const {
    return {run.numbers(u, beta1), u.decays ? weight_decay : 0,
            1 / std::sqrt(1 - std::pow(beta2, double(u.step))), u.step <= 1};
  }
  template <class V>
  FORMWORK_HD void update(V& y, V g, std::array<V, 2>& state, const prepared& p) const {
    if (p.first) state[0] = y;
    state[1] = V(beta2) * state[1] + V(1 - beta2) * g * g;
    p.free.move(y, state[0], g / (V(p.scale) * sqrt(state[1]) + V(epsilon)) + V(p.decay) * y);
  }
  template <class V>
  FORMWORK_HD V evaluated(V y, const std::array<V, 2>& state) const {
    return (y - V(1 - beta1) * state[0]) / V(beta1);
  }

  constexpr void validate() const {
    detail::validate_adam("schedule_free_adamw", beta1, beta2, epsilon, weight_decay);
    detail::validate_schedule_free("schedule_free_adamw", beta1, power, weight_decay);
  }
};
static_assert(optimizer<schedule_free_adamw> && optimizer_with_views<schedule_free_adamw>);

}  // namespace formwork

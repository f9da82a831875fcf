#pragma once
#include <formwork/policy/schedule/phases.hpp>

#include <cmath>
#include <concepts>

// Tails: how `wsd` and `cooldown` end. A tail is called with the share u of its time that has passed, above 0
// and at most 1, and returns the share of the way that is left, near 1 for small u. A lambda will do:
//   [](double u) { return 1 - u * u; }
namespace formwork {

/// A function from the share of the tail that has passed to the share of the rate that is left.
template <class F>
concept decay_tail = std::copy_constructible<F> && requires(const F& left, double u) {
  { left(u) } -> std::convertible_to<double>;
};

/// Says in one sentence what a type lacks to be a tail.
template <class F>
consteval bool explain_tail() {
  static_assert(std::copy_constructible<F>, "tail: make it copyable");
  static_assert(
      requires(const F& left, double u) {
        { left(u) } -> std::convertible_to<double>;
      },
      "tail: make it callable as 'double operator()(double u) const'");
  return decay_tail<F>;
}

/// 1 - u.
/// When: the usual choice
struct linear_tail {
  constexpr double operator()(double u) const { return 1 - u; }
};
static_assert(decay_tail<linear_tail>);

/// 1 - sqrt(u): falls at once and ends gently.
/// When:   often a little better than linear
/// Source: Hägele et al. 2024
struct sqrt_tail {
  double operator()(double u) const { return 1 - std::sqrt(u); }
};
static_assert(decay_tail<sqrt_tail>);

/// 0.5^(halvings u): the rate halves after each H updates if halvings = updates of the tail / H. It ends at
/// 0.5^halvings, not at 0.
/// When:   to repeat MiniCPM
/// Source: Hu et al. 2024 (MiniCPM)
struct exponential_tail {
  double halvings = 5;  ///< above 0

  double operator()(double u) const { return std::exp2(-halvings * u); }
  constexpr void validate() const { detail::expect_positive("exponential_tail", "halvings", halvings); }
};
static_assert(decay_tail<exponential_tail>);

}  // namespace formwork

#pragma once
// Initialisers: the first value of each element of each parameter,
// as a function of the parameter's role and shape.
//
//   xavier_uniform  uniform, variance from fan in and fan out   the first choice; the original Transformer
//   xavier_normal   the same variance, normal                   the setting of the theory of norm placement
//   normal          one standard deviation for everything       GPT (0.02)
//   truncated_normal   the same without the tails               BERT (2 deviations), OLMo (3)
//   he_uniform      uniform, variance from fan in               deep relu networks
//   he_normal       the same variance, normal                   deep relu networks
//   small_init      attention starts as the feed-forward block  pre-norm with little or no warm-up
//   depth_scaled{x}    x, outputs of branches / sqrt(2 L)       GPT-2, Megatron: deep pre-norm stacks
//   ds_init{x}      x, layer l / sqrt(l)                        deep post-norm stacks
//   by_role{x}.with(y, role::head)   y for some roles, x for the others; .times(0.5, role::value) a gain
//
// All start vectors and numbers where their op says (parameter_info::start): biases at 0, norm gains at
// 1, norm biases at 0, learned factors at the value that stands in the equation. To write one: copyable, and
// `double operator()(const parameter_info&, const random_stream&, std::uint64_t i) const` for element i in
// row order. Each parameter has its own stream, numbered by the hash of its full name: draw with i as the
// counter, then no value depends on the number of threads or on other parameters.
#include <formwork/core/philox.hpp>
#include <formwork/core/role.hpp>

#include <concepts>

namespace formwork {

/// A function from a parameter, its random stream and the number of an element to the element's first value.
template <class Initialiser>
concept initialiser = std::copy_constructible<Initialiser> &&
    requires(const Initialiser& init, const parameter_info& p, const random_stream& r, std::uint64_t i) {
  { init(p, r, i) } -> std::convertible_to<double>;
};

/// Says in one sentence what a type lacks to be an initialiser.
template <class Initialiser>
consteval bool explain_initialiser() {
  static_assert(std::copy_constructible<Initialiser>, "initialiser: make it copyable");
  static_assert(std::invocable<Initialiser&, const parameter_info&, const random_stream&, std::uint64_t>,
                "initialiser: add 'double operator()(const parameter_info&, const random_stream&, "
                "std::uint64_t) const'");
  static_assert(std::invocable<const Initialiser&, const parameter_info&, const random_stream&,
                               std::uint64_t>,
                "initialiser: add 'const' to the call operator; a value depends on its arguments alone");
  static_assert(
      requires(const Initialiser& init, const parameter_info& p, const random_stream& r, std::uint64_t i) {
        { init(p, r, i) } -> std::convertible_to<double>;
      },
      "initialiser: return a number");
  return initialiser<Initialiser>;
}

namespace detail {

/// True for the tables and matrices that are drawn at random; the rest starts at parameter_info::start.
constexpr bool is_random(role r) { return is_matrix(r) || r == role::embedding || r == role::position; }

}  // namespace detail

}  // namespace formwork

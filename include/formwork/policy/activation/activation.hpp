#pragma once
// Activation functions. One function of one element, written once with the spelling of core/math.hpp; the
// library calls it with floats, doubles, SIMD batches, device scalars and dual numbers, so its derivative is
// not written by hand.
//
//   relu       max(x, 0)                     the original Transformer
//   gelu       x times the normal cdf        BERT, GPT; exact, through erf
//   gelu_tanh  gelu by a tanh formula        to load weights that were trained with it
//   silu       x times sigmoid(x)            also called swish; gated feed-forward blocks
//
// To write one: default constructible, copyable, parameters are public members with defaults, a `name`, and
// `template <class V> FORMWORK_HD V operator()(V x) const`. Write constants as `scalar_of<V>(0.5)`.
#include <formwork/core/dual.hpp>
#include <formwork/core/fixed_string.hpp>

#include <concepts>

namespace formwork {

namespace detail {
template <class A, class V>
concept element_function = requires(const A& a, V x) {
  { a(x) } -> std::same_as<V>;
};
}  // namespace detail

/// A function of one element that works for scalars, batches and dual numbers.
template <class A>
concept activation = std::default_initializable<A> && std::copyable<A> && requires {
  { A::name } -> std::convertible_to<label>;
} && detail::element_function<A, float> && detail::element_function<A, double> &&
    detail::element_function<A, simd::batch<float>> && detail::element_function<A, dual<float>> &&
    detail::element_function<A, dual<double>> && detail::element_function<A, dual<simd::batch<float>>>;

/// Says in one sentence what a type lacks to be an activation.
template <class A>
consteval bool explain_activation() {
  static_assert(std::default_initializable<A> && std::copyable<A>,
                "activation: make it default constructible and copyable");
  static_assert(
      requires {
        { A::name } -> std::convertible_to<label>;
      },
      "activation: add 'static constexpr formwork::label name = \"...\";'");
  static_assert(detail::element_function<A, float> && detail::element_function<A, double>,
                "activation: add 'template <class V> FORMWORK_HD V operator()(V x) const' that returns V");
  static_assert(detail::element_function<A, simd::batch<float>>,
                "activation: operator() must take SIMD batches; use formwork::exp, tanh, where ... instead "
                "of std:: and if");
  static_assert(
      detail::element_function<A, dual<float>> && detail::element_function<A, dual<double>> &&
          detail::element_function<A, dual<simd::batch<float>>>,
      "activation: operator() must take formwork::dual<V>; write constants as 'formwork::scalar_of<V>(0.5)'");
  return activation<A>;
}

/// max(x, 0).
/// Gradient: 1 for x > 0, else 0 (0 at 0); a not-a-number passes through
/// Source:   Vaswani et al. 2017, eq. 2
struct relu {
  static constexpr label name = "relu";
  static constexpr bool gates = true;  // f'(x) = (f(x) > 0): a backward pass may read the result instead of x
  template <class V>
  FORMWORK_HD V operator()(V x) const {
    const V zero(scalar_of<V>(0));
    return where(x <= zero, zero, x);
  }
};

/// x Phi(x), Phi the distribution function of the normal distribution.
/// Gradient: Phi(x) + x phi(x)
/// Source:   Hendrycks, Gimpel 2016, section 2
struct gelu {
  static constexpr label name = "gelu";
  template <class V>
  FORMWORK_HD V operator()(V x) const {
    using scalar = scalar_of<V>;
    return scalar(0.5) * x * (scalar(1) + erf(scalar(0.70710678118654752440) * x));
  }
};

/// gelu by the formula x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))); at most 5e-4 away from `gelu`.
/// Source:   Hendrycks, Gimpel 2016, section 2
struct gelu_tanh {
  static constexpr label name = "gelu_tanh";
  template <class V>
  FORMWORK_HD V operator()(V x) const {
    using scalar = scalar_of<V>;
    const V inner = scalar(0.79788456080286535588) * x * (scalar(1) + scalar(0.044715) * x * x);
    return scalar(0.5) * x * (scalar(1) + tanh(inner));
  }
};

/// x sigmoid(x).
/// Gradient: s (1 + x (1 - s)), s = sigmoid(x)
/// Source:   Elfwing, Uchibe, Doya 2017, eq. 5
struct silu {
  static constexpr label name = "silu";
  template <class V>
  FORMWORK_HD V operator()(V x) const {
    return x * sigmoid(x);
  }
};

static_assert(activation<relu> && activation<gelu> && activation<gelu_tanh> && activation<silu>);

}  // namespace formwork

#pragma once
// Activation functions. One function of one element, written once with the spelling of core/math.hpp; the
// library calls it with floats, doubles, SIMD batches, device scalars and dual numbers, so its derivative is
// not written by hand.
//
//   relu                max(x, 0)                 the original Transformer
//   squared_relu        max(x, 0)^2               Primer; hidden values grow large, not without norms
//   gelu                x times the normal cdf    BERT, GPT; exact, through erf
//   gelu_tanh           gelu by a tanh formula    to load weights that were trained with it
//   silu                x times sigmoid(x)        also called swish; gated feed-forward blocks
//   logistic_sigmoid    1 / (1 + exp(-x))         gates of equations; small slopes, rarely for hidden values
//   hyperbolic_tangent  tanh(x)                   the same
//
// Gated feed-forward blocks have two products in front, gate and up, and the hidden values f(gate) up. To use
// one: `using activation = formwork::swiglu;`, with two thirds of the plain block's d_ff, so that both have
// equally many parameters.
//
//   swiglu    f = silu                LLaMA, PaLM; the usual choice
//   geglu     f = gelu                T5 1.1, Gemma; as good
//   reglu     f = relu                cheapest
//   glu       f = logistic_sigmoid    the first of them
//   gated<F>  any activation F
//
// To write one: default constructible, copyable, parameters are public members with defaults, a `name`, and
// `template <class V> FORMWORK_HD V operator()(V x) const`. Write constants as `scalar_of<V>(0.5)`.
// In the model's op list: elementwise_op<F>, or gate_op<F> where it is a gate.
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

/// A feed-forward block with a second product as a gate: `gate` is the activation of the gate.
template <class A>
concept gated_activation = requires {
  { A::name } -> std::convertible_to<label>;
} && activation<typename A::gate>;

/// Says in one sentence what a type lacks to be an activation, or its gate if it has one.
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
template <class A>
requires requires { typename A::gate; }
consteval bool explain_activation() {
  static_assert(
      requires {
        { A::name } -> std::convertible_to<label>;
      },
      "gated activation: add 'static constexpr formwork::label name = \"...\";'");
  return explain_activation<typename A::gate>() && gated_activation<A>;
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

/// max(x, 0)^2.
/// Gradient: 2 max(x, 0)
/// Source:   So et al. 2021 (Primer)
struct squared_relu {
  static constexpr label name = "squared_relu";
  template <class V>
  FORMWORK_HD V operator()(V x) const {
    const V positive = relu{}(x);
    return positive * positive;
  }
};

/// 1 / (1 + exp(-x)). Not named `sigmoid`, since that is the function of a number.
/// Gradient: s (1 - s)
struct logistic_sigmoid {
  static constexpr label name = "sigmoid";
  template <class V>
  FORMWORK_HD V operator()(V x) const {
    return sigmoid(x);
  }
};

/// tanh(x). Not named `tanh`, since that is the function of a number.
/// Gradient: 1 - tanh(x)^2
struct hyperbolic_tangent {
  static constexpr label name = "tanh";
  template <class V>
  FORMWORK_HD V operator()(V x) const {
    return tanh(x);
  }
};

static_assert(activation<relu> && activation<gelu> && activation<gelu_tanh> && activation<silu> &&
              activation<squared_relu> && activation<logistic_sigmoid> && activation<hyperbolic_tangent>);

/// A feed-forward block whose hidden values are F(x W_gate + b) (x W_up + c).
/// Source: Shazeer 2020, eq. 5 and 6 (biases are the library's, as in every product)
template <activation F>
struct gated {
  static constexpr label name = join("gated", F::name);
  using gate = F;
};
using swiglu = gated<silu>;
using geglu = gated<gelu>;
using reglu = gated<relu>;
using glu = gated<logistic_sigmoid>;

static_assert(gated_activation<swiglu> && gated_activation<geglu> && gated_activation<reglu> &&
              gated_activation<glu>);

}  // namespace formwork

#pragma once
// Where the norm stands relative to the residual connection: one struct, one equation.
//
//   post_norm   N(x + f(x))     the original Transformer; needs warm-up; best when tuned and shallow
//   pre_norm    x + f(N(x))     trains without warm-up and at any depth; the usual choice
//
// To write one, give it the equation of a sub-layer, f being attention or feed-forward with its dropout:
//
//   struct sandwich {
//     static constexpr formwork::label name = "sandwich";
//     static constexpr bool final_norm = true;   // one more norm behind the last layer of each stack
//     static constexpr formwork::expr block(formwork::expr x, auto f, auto norm) {
//       return x + norm(f(norm(x)));
//     }
//   };
//
// Each norm(...) in the equation gets parameters of its own; norm of the same value written twice is one
// norm. Numbers scale a value (0.5 * x), `formwork::ops` has everything else that may stand in an equation.
// A placement that needs more than one stream, or the layer's input at its end, writes `layer`, not `block`:
//
//   static constexpr int streams = 2;            // both start as the embedding
//   // f...: all sub-layers
//   static constexpr std::array<expr, 2> layer(std::array<expr, 2> s, auto norm, auto... f);
//   // its norms, 24 at most, are named norm, norm2, ... in the order of their first use
//   static constexpr expr merge(std::array<expr, 2> s);  // last of all; without it stream 0 goes on
#include <formwork/ops/add.hpp>

#include <array>
#include <concepts>

namespace formwork {

namespace detail {
struct probe_function {
  constexpr expr operator()(expr x) const { return x; }
};
template <class P>
concept has_block = requires(expr x) {
  { P::block(x, probe_function{}, probe_function{}) } -> std::same_as<expr>;
};
template <class P>
concept has_layer = requires {
  { P::streams } -> std::convertible_to<int>;
  {
    P::layer(std::array<expr, std::size_t(P::streams)>{}, probe_function{}, probe_function{},
             probe_function{})
  } -> std::same_as<std::array<expr, std::size_t(P::streams)>>;
};
}  // namespace detail

/// A rule of where norms and residuals stand in a layer.
template <class P>
concept norm_placement = requires {
  { P::name } -> std::convertible_to<label>;
  { P::final_norm } -> std::convertible_to<bool>;
} && (detail::has_block<P> || detail::has_layer<P>);

/// Says in one sentence what a type lacks to be a norm placement.
template <class P>
consteval bool explain_norm_placement() {
  static_assert(
      requires {
        { P::name } -> std::convertible_to<label>;
      },
      "norm placement: add 'static constexpr formwork::label name = \"...\";'");
  static_assert(
      requires {
        { P::final_norm } -> std::convertible_to<bool>;
      },
      "norm placement: add 'static constexpr bool final_norm = ...;' (a norm behind the last layer)");
  static_assert(
      detail::has_block<P> || detail::has_layer<P>,
      "norm placement: add 'static constexpr formwork::expr block(formwork::expr x, auto f, auto norm)'");
  return norm_placement<P>;
}

/// Number of values that flow from layer to layer.
template <norm_placement P>
inline constexpr int streams_of = [] {
  if constexpr (requires { P::streams; }) return int(P::streams);
  else return 1;
}();

/// x' = N(x + f(x)).
/// Final norm: none, the last layer's output is normalised already.
/// Source: Vaswani et al. 2017, section 3.1; Xiong et al. 2020, table 1 left. Their claim: large gradients
/// near the output at initialisation, hence warm-up.
struct post_norm {
  static constexpr label name = "post_norm";
  static constexpr bool final_norm = false;
  static constexpr expr block(expr x, auto f, auto norm) { return norm(x + f(x)); }
};

/// x' = x + f(N(x)).
/// Final norm: one behind each stack.
/// Source: Xiong et al. 2020, table 1 right. Their claim: gradients about 1/sqrt(layers) of post_norm's,
/// no warm-up needed.
struct pre_norm {
  static constexpr label name = "pre_norm";
  static constexpr bool final_norm = true;
  static constexpr expr block(expr x, auto f, auto norm) { return x + f(norm(x)); }
};

static_assert(norm_placement<post_norm> && norm_placement<pre_norm>);

}  // namespace formwork

#pragma once
// The norm function that a placement calls.
//
//   layer_norm   mean 0, variance 1, trainable gain and bias   the original Transformer, BERT, GPT
//
// To write one: `static constexpr expr apply(expr x, label name)`; `name` is the prefix of its parameters.
#include <formwork/ops/layer_norm.hpp>

#include <concepts>

namespace formwork {

/// A function of one row with parameters named after `name`.
template <class N>
concept norm = requires(expr x, label name) {
  { N::apply(x, name) } -> std::same_as<expr>;
};

/// Says in one sentence what a type lacks to be a norm.
template <class N>
consteval bool explain_norm() {
  static_assert(norm<N>,
                "norm: add 'static constexpr formwork::expr apply(formwork::expr x, formwork::label name)'");
  return norm<N>;
}

/// LayerNorm with an epsilon of 1e-5.
/// Another epsilon is a struct of one line that calls ops::layer_norm with it.
/// Source: Ba, Kiros, Hinton 2016, eq. 4
struct layer_norm {
  static constexpr expr apply(expr x, label name) { return ops::layer_norm(x, name, 1e-5); }
};

static_assert(norm<layer_norm>);

}  // namespace formwork

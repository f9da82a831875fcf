#pragma once
// The norm function that a placement calls.
//
//   layer_norm            mean 0, variance 1, gain and bias      the original Transformer, BERT, GPT
//   rms_norm              mean square 1, gain                    LLaMA, T5; as good without mean and bias
//   unit_offset_rms_norm  the same, the gain written as 1 + g    Gemma; to load its weights
//   scale_norm            length g, one number for all columns   cheapest with a statistic; small data
//   fix_norm              length 1, nothing trainable            embeddings; queries and keys
//   cosine_norm           length g, for queries and keys         logits are 10 times a cosine at the start
//   dyt                   tanh(alpha x), gain and bias           no statistics: nothing is summed over a row
//   derf                  erf(alpha x + s), gain and bias        the same, reported better than dyt
//   no_norm               x                                      equations that need none (ReZero, Fixup)
//
// Norms of each head's columns (query-key norm, value norm) are the same structs with a third argument, the
// number of heads: rms_norm::apply(q, name, heads). The heads share the parameters.
//
// To write one: `static constexpr expr apply(expr x, label name)`; `name` is the prefix of its parameters, as
// in join(name, "gain"). For use on heads also `apply(expr x, label name, int heads)`. Every number is an
// argument of an op, so another epsilon or start is a struct of one line around
//   static constexpr expr apply(expr x, label name) { return ops::layer_norm(x, name, 1e-12); }
// `check_norm` (model/check_norm.hpp) tests it.
#include <formwork/ops/dynamic_norm.hpp>
#include <formwork/ops/layer_norm.hpp>
#include <formwork/ops/rms_norm.hpp>
#include <formwork/policy/activation/activation.hpp>

#include <concepts>

namespace formwork {

/// A function of one row with parameters named after `name`.
template <class N>
concept norm = requires(expr x, label name) {
  { N::apply(x, name) } -> std::same_as<expr>;
};

/// A norm that can also be applied to the columns of each head.
template <class N>
concept head_norm = norm<N> && requires(expr x, label name, int heads) {
  { N::apply(x, name, heads) } -> std::same_as<expr>;
};

/// Says in one sentence what a type lacks to be a norm.
template <class N>
consteval bool explain_norm() {
  static_assert(norm<N>,
                "norm: add 'static constexpr formwork::expr apply(formwork::expr x, formwork::label name)'");
  return norm<N>;
}

/// Says in one sentence what a type lacks to be a norm of each head's columns.
template <class N>
consteval bool explain_head_norm() {
  static_assert(explain_norm<N>());
  static_assert(
      head_norm<N>,
      "head norm: add a third parameter 'int heads = 1' to apply: each head's columns are normalised "
      "on their own");
  return head_norm<N>;
}

/// LayerNorm: (x - mean) / sqrt(variance + 1e-5) gain + bias.
/// Source: Ba, Kiros, Hinton 2016, eq. 4
struct layer_norm {
  static constexpr expr apply(expr x, label name, int heads = 1) {
    return ops::layer_norm(x, name, 1e-5, heads);
  }
};

/// RMSNorm: x / sqrt(mean of x^2 + 1e-5) gain.
/// Source: Zhang, Sennrich 2019, eq. 4
struct rms_norm {
  static constexpr expr apply(expr x, label name, int heads = 1) {
    return ops::rms_norm(x, name, 1e-5, heads);
  }
};

/// RMSNorm with the gain 1 + g, g starting at 0, and an epsilon of 1e-6. Trains as `rms_norm` does: the two
/// differ where something pulls parameters towards 0.
/// Source: the Gemma models
struct unit_offset_rms_norm {
  static constexpr expr apply(expr x, label name, int heads = 1) {
    return ops::unit_offset_rms_norm(x, name, 1e-6, heads);
  }
};

/// ScaleNorm: g x / |x|, g one trainable number that starts at sqrt(D).
/// Source: Nguyen, Salazar 2019, section 2
struct scale_norm {
  static constexpr expr apply(expr x, label name, int heads = 1) {
    return ops::scaled_length(x, name, constant_sqrt(double(detail::width_of_head(x, heads))), 1e-10, heads);
  }
};

/// FixNorm: x / |x|.
/// Source: Nguyen, Chiang 2018; Nguyen, Salazar 2019, section 2
struct fix_norm {
  static constexpr expr apply(expr x, label, int heads = 1) { return ops::unit_length(x, 1e-10, heads); }
};

/// g x / |x| for queries and keys: with K columns a head and the usual division by sqrt(K), the logit of a
/// query and a key starts as 10 cos(query, key). g is one number for all heads.
/// Source: Henry et al. 2020 (query-key norm); the 10 is x-transformers'
struct cosine_norm {
  static constexpr expr apply(expr x, label name, int heads = 1) {
    const double root = constant_sqrt(double(detail::width_of_head(x, heads)));
    return ops::scaled_length(x, name, constant_sqrt(10 * root), 1e-10, heads);
  }
};

/// Dynamic tanh: gain tanh(alpha x) + bias, alpha one trainable number that starts at 0.5.
/// Source: Zhu et al. 2025, section 4. They start large language models at 0.8 in front of attention and 0.2
/// elsewhere.
struct dyt {
  static constexpr expr apply(expr x, label name, int heads = 1) {
    return ops::dynamic_norm(hyperbolic_tangent{}, x, name, 0.5, false, heads);
  }
};

/// The error function, as an element function.
struct error_function {
  static constexpr label name = "erf";
  template <class V>
  FORMWORK_HD V operator()(V x) const {
    return erf(x);
  }
};

/// Dynamic erf: gain erf(alpha x + s) + bias; alpha and s are trainable numbers that start at 0.5 and 0.
/// Source: arXiv 2512.10938
struct derf {
  static constexpr expr apply(expr x, label name, int heads = 1) {
    return ops::dynamic_norm(error_function{}, x, name, 0.5, true, heads);
  }
};

/// x itself.
struct no_norm {
  static constexpr expr apply(expr x, label, int = 1) { return x; }
};

static_assert(head_norm<layer_norm> && head_norm<rms_norm> && head_norm<unit_offset_rms_norm> &&
              head_norm<scale_norm> && head_norm<fix_norm> && head_norm<cosine_norm> && head_norm<dyt> &&
              head_norm<derf> && head_norm<no_norm>);

}  // namespace formwork

#pragma once
// Norms of each head's queries, keys and values, in front of the attention (and of rotary positions).
//
//   no_head_norm         none
//   query_key_norm<N>    queries and keys    logits stay small at large learning rates   Qwen 3, Gemma 3
//   query_key_value_norm<N>   values too     as HybridNorm has it, under any placement
//
// N is a norm that can be applied to heads (policy/norm/norm.hpp). Heads share its parameters, which are
// named self_attention.query.head_norm and so on. To write one:
//   static constexpr expr apply(expr x, projection p, label name, int heads)
// for every projection of every attention; x is [N, heads K].
#include <formwork/policy/norm/norm.hpp>
#include <formwork/policy/norm_placement/norm_placement.hpp>

namespace formwork {

/// A function of queries, keys and values that stands in front of an attention.
template <class P>
concept projection_norm = requires(expr x, label name, int heads) {
  { P::apply(x, projection::query, name, heads) } -> std::same_as<expr>;
};

/// Says in one sentence what a type lacks to be a norm of queries, keys and values.
template <class P>
consteval bool explain_projection_norm() {
  static_assert(projection_norm<P>,
                "head_norm: add 'static constexpr expr apply(expr x, projection p, label name, int heads)'");
  return projection_norm<P>;
}

/// None.
struct no_head_norm {
  static constexpr expr apply(expr x, projection, label, int) { return x; }
};

/// Norms of the queries and keys of each head, in every attention.
/// When:   attention logits that grow until training diverges; large learning rates
/// Source: Henry et al. 2020; Dehghani et al. 2023 (ViT-22B), section 2. OLMo 2 has one norm over all heads.
template <class N = rms_norm>
struct query_key_norm {
  static_assert(explain_head_norm<N>());
  static constexpr expr apply(expr x, projection p, label name, int heads) {
    return p == projection::value ? x : N::apply(x, name, heads);
  }
};

/// The same with a norm of the values.
/// Source: Zhuo et al. 2025 (HybridNorm), eq. 6
template <class N = rms_norm>
struct query_key_value_norm {
  static_assert(explain_head_norm<N>());
  static constexpr expr apply(expr x, projection, label name, int heads) { return N::apply(x, name, heads); }
};

static_assert(projection_norm<no_head_norm> && projection_norm<query_key_norm<>> &&
              projection_norm<query_key_value_norm<>>);

}  // namespace formwork

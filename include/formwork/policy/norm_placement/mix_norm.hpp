#pragma once
#include <formwork/core/constant_math.hpp>
#include <formwork/policy/norm_placement/norm_placement.hpp>

namespace formwork {

/// The first quarter of a stack's layers is post_norm, the rest pre_norm.
/// When:   pre_norm whose upper layers learn too little; a warm-up is still needed
/// Claim:  perplexity at 71 M, 130 M, 250 M and 1 B parameters: 33.1, 26.1, 21.4, 18.2; pre_norm 34.8, 26.8,
///         21.9, 18.7
/// Final norm: one behind each stack.
/// Source: Li, Yin, Liu 2024 (Mix-LN), section 3.2
struct mix_norm {
  static constexpr label name = "mix_norm";
  static constexpr bool final_norm = true;
  using lower = post_norm;
  using upper = pre_norm;
  static constexpr int lower_layers(int depth) { return (depth + 3) / 4; }
};

/// No norm in front of attention, but one of each head's queries, keys and values inside of it; the
/// feed-forward block reads a norm, and its skip connection starts behind that norm:
///   u = x + attention(x), in a decoder also u = u + cross(u);  v = N(u);  x' = v + ffn(v)
/// Output and down matrices start 1/sqrt(2 L) times as large, L the layers of the stack.
/// When:   post_norm's quality with pre_norm's stability; needs a norm that can be applied to heads
/// Final norm: one behind each stack.
/// Source: Zhuo et al. 2025 (HybridNorm), section 3.2; cross-attention, which they do not have, is treated as
///         self-attention
struct hybrid_norm {
  static constexpr label name = "hybrid_norm";
  static constexpr bool final_norm = true;

  static constexpr expr block(expr x, auto f, auto norm) {
    if (norm.part != sublayer::feed_forward) return x + f(x);
    const expr v = norm(x);
    return v + f(v);
  }
  static constexpr expr head(expr x, projection, sublayer, auto norm) { return norm(x); }
  static double gain(const parameter_info& p) {
    const bool scaled = p.role == role::output || p.role == role::cross_output || p.role == role::down;
    return scaled ? 1 / constant_sqrt(2.0 * p.place().layers()) : 1;
  }
};

/// hybrid_norm whose first layer has a norm in front of every sub-layer, x' = x + f(N(x)), besides those of
/// queries, keys and values.
/// When:   hybrid_norm in deep models; their better variant
/// Final norm: one behind each stack.
/// Source: Zhuo et al. 2025, section 3.2 (HybridNorm*)
struct hybrid_norm_star {
  static constexpr label name = "hybrid_norm_star";
  static constexpr bool final_norm = true;
  struct lower : hybrid_norm {
    static constexpr expr block(expr x, auto f, auto norm) { return x + f(norm(x)); }
  };
  using upper = hybrid_norm;
  static constexpr int lower_layers(int depth) { return depth < 1 ? depth : 1; }
};

static_assert(norm_placement<mix_norm> && norm_placement<hybrid_norm> && norm_placement<hybrid_norm_star>);

}  // namespace formwork

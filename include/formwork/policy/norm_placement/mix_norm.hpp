#pragma once
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

static_assert(norm_placement<mix_norm>);

}  // namespace formwork

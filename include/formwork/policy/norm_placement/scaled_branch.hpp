#pragma once
#include <formwork/core/constant_math.hpp>
#include <formwork/policy/norm_placement/norm_placement.hpp>

namespace formwork {

/// x' = x + f(N(x) / sqrt(l)), l the number of the layer from 1: LayerNorm scaling. The variance of the
/// hidden state grows like log(depth) and not like the depth.
/// When:   deep decoder-only models; do not combine with initial values that shrink with the depth
/// Claim:  perplexity at 130 M, 250 M, 350 M and 1 B parameters: 25.8, 20.4, 18.2, 15.7; pre_norm 26.7, 21.9,
///         19.6, 17.0
/// Final norm: one behind each stack.
/// Source: Sun et al. 2025 ("The Curse of Depth"), eq. 12
struct scaled_norm {
  static constexpr label name = "scaled_norm";
  static constexpr bool final_norm = true;
  static constexpr double scale(const layer_place& p) { return 1 / constant_sqrt(p.layer + 1.0); }
  static constexpr expr block(expr x, auto f, auto norm) {
    return x + f(ops::scale_by_layer(&scaled_norm::scale, norm(x)));
  }
};

static_assert(norm_placement<scaled_norm>);

}  // namespace formwork

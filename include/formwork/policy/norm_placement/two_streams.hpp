#pragma once
#include <formwork/core/constant_math.hpp>
#include <formwork/policy/norm_placement/norm_placement.hpp>

namespace formwork {

/// Two streams that share each branch's result, one normalised after every addition, one never:
///   y = f(x);  x' = N(x + y);  d' = d + y;  at the end x + N(d).
/// The first gives post_norm's representations, the second pre_norm's gradients.
/// When:   encoder-decoders where post_norm is better but fails to train
/// Claim:  IWSLT14 De-En at 6+6 and 12+12 layers: 35.6 and 36.1 BLEU; pre_norm 35.1 and 35.2, post_norm 35.4
///         and divergence (as remembered, not checked)
/// Final norm: that of d, part of the equation.
/// Source: Xie et al. 2023 (ResiDual), eq. 3 and 4
struct residual_dual {
  static constexpr label name = "residual_dual";
  static constexpr bool final_norm = false;
  static constexpr int streams = 2;
  static constexpr std::array<expr, 2> block(std::array<expr, 2> s, auto f, auto norm) {
    const expr y = f(s[0]);
    return {norm(s[0] + y), s[1] + y};
  }
  static constexpr expr merge(std::array<expr, 2> s, auto norm) { return s[0] + norm(s[1]); }
};

/// Two streams that share each branch, one normalised (x), one not (y); with l the number of the layer from
///   1: x1 = N(x);  z = f(N(x1 + N(y)));  x' = x1 + z / sqrt(2 l);  y' = y + z;  at the end N(N(x) + N(y)).
/// When:   as residual_dual; the authors report language models, image classifiers and diffusion
/// Claim:  DeiT-S 81.3 against 79.8
/// Final norm: the outer one of the end.
/// Source: SiameseNorm 2026 (arXiv 2602.08064), as in the authors' program
struct siamese_norm {
  static constexpr label name = "siamese_norm";
  static constexpr bool final_norm = true;
  static constexpr int streams = 2;
  static constexpr double scale(const layer_place& p) { return 1 / constant_sqrt(2.0 * (p.layer + 1)); }
  static constexpr std::array<expr, 2> block(std::array<expr, 2> s, auto f, auto norm) {
    const expr x = norm(s[0]);
    const expr z = f(norm(x + norm(s[1])));
    return {x + ops::scale_by_layer(&siamese_norm::scale, z), s[1] + z};
  }
  static constexpr expr merge(std::array<expr, 2> s, auto norm) {
    const expr x = norm(s[0]);  // a statement of its own: names of norms follow the order of the calls
    return x + norm(s[1]);
  }
};

static_assert(norm_placement<residual_dual> && norm_placement<siamese_norm>);

}  // namespace formwork

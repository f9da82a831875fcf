#pragma once
#include <formwork/core/constant_math.hpp>
#include <formwork/ops/columns.hpp>
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

/// x' = x + diag(lambda) f(N(x)): a trainable factor for each column of each branch, small at first: 0.1 up
/// to 18 layers, 1e-5 up to 24, 1e-6 beyond.
/// When:   deep pre-norm stacks (image classifiers first of all)
/// Claim:  ImageNet accuracy at depth 12, 18, 24, 36: 80.5, 81.7, 82.4, 82.9; a retuned pre_norm 79.9, 80.7,
///         81.0, 81.9; rezero 78.3, 80.1, 80.8, 81.6
/// Final norm: one behind each stack.
/// Source: Touvron et al. 2021 (CaiT), eq. 3 and section 4
struct layer_scale {
  static constexpr label name = "layer_scale";
  static constexpr bool final_norm = true;
  static constexpr double start(int depth) { return depth <= 18 ? 0.1 : depth <= 24 ? 1e-5 : 1e-6; }
  static constexpr expr block(expr x, auto f, auto norm) {
    return x + ops::scale_columns(f(norm(x)), norm.name("layer_scale"), 1);
  }
  static double gain(const parameter_info& p) {
    return p.name.view().ends_with("layer_scale") ? start(p.place().layers()) : 1;
  }
};

/// x' = x + alpha f(x), one trainable alpha for all branches of a layer, 0 at first: every layer starts as
/// the identity.
/// When:   without norm and without warm-up
/// Claim:  56 % fewer steps on enwik8 at 12 layers; on translation 1 to 2 BLEU below the others
/// Final norm: none.
/// Source: Bachlechner et al. 2020 (ReZero), eq. 1; one alpha a layer as in the authors' program
struct rezero {
  static constexpr label name = "rezero";
  static constexpr bool final_norm = false;
  static constexpr int streams = 1;
  static constexpr std::array<expr, 1> layer(std::array<expr, 1> s, auto norm, auto... f) {
    ((s[0] = s[0] + ops::scale_by(f(s[0]), norm.name("alpha"), 0)), ...);
    return s;
  }
};

/// x' = x + alpha f(x), an alpha for each branch, 0 at first.
/// When:   as rezero
/// Final norm: none.
/// Source: De, Smith 2020 (SkipInit), section 3
struct skip_init {
  static constexpr label name = "skip_init";
  static constexpr bool final_norm = false;
  static constexpr expr block(expr x, auto f, auto norm) {
    return x + ops::scale_by(f(x), norm.name("alpha"), 0);
  }
};

static_assert(norm_placement<scaled_norm> && norm_placement<layer_scale> && norm_placement<rezero> &&
              norm_placement<skip_init>);

}  // namespace formwork

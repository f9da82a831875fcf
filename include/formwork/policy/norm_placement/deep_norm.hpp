#pragma once
#include <formwork/core/constant_math.hpp>
#include <formwork/ops/columns.hpp>
#include <formwork/policy/norm_placement/norm_placement.hpp>

namespace formwork {

/// x' = N(alpha x + f(x)), and initial values times beta in value, output and feed-forward matrices; alpha
/// and beta depend on the depth.
/// When:   post_norm's quality at depths where post_norm diverges (they trained 1,000 layers); keep a warm-up
/// Init:   Xavier normal; beta is put on top of it
/// Claim:  WMT17 En-De BLEU at 6+6, 18+18, 50+50 and 100+100 layers: 27.8, 28.8, 29.0, 28.9; post_norm 28.1,
///         28.8 and divergence; pre_norm 27.0, 28.0, 27.4, 27.4
/// Final norm: none.
/// Source: Wang et al. 2022 (DeepNet), eq. 2 and figure 2. A widely used program has another constant in the
///         encoder of an encoder-decoder (1.15 for 0.87); this is the paper's.
struct deep_norm {
  static constexpr label name = "deep_norm";
  static constexpr bool final_norm = false;

  /// The factor of the skip connection.
  static constexpr double alpha(const layer_place& p) {
    if (!p.is_paired()) return root4(2.0 * p.layers());
    return p.stack == stack_kind::encoder ? 0.81 * mixed(p) : root4(3.0 * p.decoder_layers);
  }
  /// The factor of the initial values.
  static constexpr double beta(const layer_place& p) {
    if (!p.is_paired()) return 1 / root4(8.0 * p.layers());
    return p.stack == stack_kind::encoder ? 0.87 / mixed(p) : 1 / root4(12.0 * p.decoder_layers);
  }

  static constexpr expr block(expr x, auto f, auto norm) {
    return norm(ops::scale_by_layer(&deep_norm::alpha, x) + f(x));
  }
  static double gain(const parameter_info& p) {
    const bool scaled = p.role == role::value || p.role == role::output || p.role == role::cross_value ||
                        p.role == role::cross_output || p.role == role::up || p.role == role::down;
    return scaled ? beta(p.place()) : 1;
  }

 private:
  static constexpr double root4(double x) { return constant_sqrt(constant_sqrt(x)); }
  /// (N^4 M)^(1/16), N and M the layers of encoder and decoder.
  static constexpr double mixed(const layer_place& p) {
    const double n = p.encoder_layers;
    return root4(root4(n * n * n * n * p.decoder_layers));
  }
};

/// x' = N(omega x + f(x)), omega a trainable number for each column of each skip connection. All begin at one
/// number that follows from the stack's branches, m = their number: sqrt((m + 1) / ln(m + 1) - 1). A
/// profiling pass over one batch (model/profile_admin.hpp) sets them as the paper does: sqrt(1 + the
/// variances of all branches below), 1 in the first.
/// When:   post_norm's quality and pre_norm's stability at moderate depth; keep a warm-up
/// Claim:  WMT14 En-De at 18+18 layers 29.0 BLEU, pre_norm 28.4, post_norm diverges; En-Fr at 60+12 layers
///         43.8 against 43.1
/// Final norm: none.
/// Source: Liu et al. 2020 (Admin), section 4.2; the closed form is that of the authors' later program
struct admin {
  static constexpr label name = "admin";
  static constexpr bool final_norm = false;
  static constexpr label factor = "omega";

  /// The closed form for a stack of m branches.
  static constexpr double omega(int m) { return constant_sqrt((m + 1) / constant_log(m + 1.0) - 1); }

  static constexpr expr block(expr x, auto f, auto norm) {
    return norm(ops::scale_columns(x, norm.name(factor), 1) + f(x));
  }
  static double gain(const parameter_info& p) {
    return p.name.view().ends_with(factor) ? omega(p.place().sublayers()) : 1;
  }
};

static_assert(norm_placement<deep_norm> && norm_placement<admin>);

}  // namespace formwork

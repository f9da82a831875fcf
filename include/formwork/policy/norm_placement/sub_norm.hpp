#pragma once
#include <formwork/core/constant_math.hpp>
#include <formwork/policy/norm_placement/norm_placement.hpp>

namespace formwork {

/// x' = x + f(N(x)) with one more norm inside of f, in front of its last product: behind the joined heads of
/// self-attention and behind the hidden values of the feed-forward block. Value, output and feed-forward
/// matrices start gamma times as large, gamma growing with the depth; cross-attention has neither.
/// When:   one architecture for language, vision and speech was the authors' aim
/// Init:   Xavier normal; gamma is put on top of it
/// Final norm: one behind each stack.
/// Source: Wang et al. 2022 (Foundation Transformers, Magneto), figure 2 and section 3.2
struct sub_norm {
  static constexpr label name = "sub_norm";
  static constexpr bool final_norm = true;

  /// The factor of the initial values.
  static constexpr double gamma(const layer_place& p) {
    if (!p.is_paired()) return constant_sqrt(constant_log(2.0 * p.layers()));
    const double decoder = constant_log(3.0 * p.decoder_layers);
    return p.stack == stack_kind::decoder ? constant_sqrt(decoder)
                                          : constant_sqrt(decoder * constant_log(2.0 * p.encoder_layers) / 3);
  }

  static constexpr expr block(expr x, auto f, auto norm) { return x + f(norm(x)); }
  static constexpr expr inside(expr h, sublayer part, auto norm) {
    return part == sublayer::cross_attention ? h : norm(h);
  }
  static double gain(const parameter_info& p) {
    const bool scaled =
        p.role == role::value || p.role == role::output || p.role == role::up || p.role == role::down;
    return scaled ? gamma(p.place()) : 1;
  }
};

static_assert(norm_placement<sub_norm>);

}  // namespace formwork

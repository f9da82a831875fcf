#pragma once
#include <formwork/core/constant_math.hpp>
#include <formwork/ops/columns.hpp>
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

/// pre_norm with three additions: a norm behind each attention, a trainable factor for each of its heads (1
/// at first), and a norm behind the hidden values of the feed-forward block.
///   attention: x' = x + N(W_O heads(N(x)));  feed-forward: x' = x + W_2 N(phi(W_1 N(x)))
/// When:   pre_norm whose lower layers have larger gradients than its upper ones
/// Claim:  at 1.3 B parameters the baseline's perplexity in 24 % less time or 0.27 lower at equal cost, for
///         0.4 % more parameters; GLUE +1.9 %
/// Final norm: one behind each stack.
/// Source: Shleifer, Weston, Ott 2021 (NormFormer), eq. 1 to 4
struct norm_former {
  static constexpr label name = "norm_former";
  static constexpr bool final_norm = true;
  static constexpr expr block(expr x, auto f, auto norm) {
    const expr y = f(norm(x));
    return x + (norm.part == sublayer::feed_forward ? y : norm(y));
  }
  static constexpr expr inside(expr h, sublayer part, auto norm) {
    if (part == sublayer::feed_forward) return norm(h);
    return ops::head_scale(h, norm.heads, norm.name("head_scale"), 1);
  }
};

/// norm_former whose feed-forward block has a trainable factor for each column of its skip connection (1 at
/// first): x' = diag(lambda) x + W_2 N(phi(W_1 N(x))).
/// When:   small models; the authors drop it in their largest
/// Source: as norm_former, the option "ResScale"
struct norm_former_scaled : norm_former {
  static constexpr label name = "norm_former_scaled";
  static constexpr expr block(expr x, auto f, auto norm) {
    const expr y = f(norm(x));
    if (norm.part != sublayer::feed_forward) return x + norm(y);
    return ops::scale_columns(x, norm.name("skip_scale"), 1) + y;
  }
};

static_assert(norm_placement<sub_norm> && norm_placement<norm_former> && norm_placement<norm_former_scaled>);

}  // namespace formwork

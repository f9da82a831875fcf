#pragma once
#include <formwork/core/constant_math.hpp>
#include <formwork/ops/columns.hpp>
#include <formwork/policy/norm_placement/norm_placement.hpp>

namespace formwork {

/// x' = x + f(x), no norm anywhere; the initial values are scaled down with the depth instead. With N and M
/// the layers of encoder and decoder: the embedding times (9 N)^(-1/4) (a table of the decoder alone
/// (9 M)^(-1/4)); value, output and feed-forward matrices times 0.67 N^(-1/4) in the encoder, (9 M)^(-1/4) in
/// the decoder, cross-attention included.
/// When:   without norm and without warm-up, for models that are trained long: their schedule is
///         5e-4 sqrt(4000 / (4000 + t)), their dropout 0.5
/// Init:   Xavier uniform
/// Claim:  IWSLT14 De-En 35.7 BLEU
/// Final norm: none.
/// Source: Huang et al. 2020 (T-Fixup), section 3.3. Their program multiplies value by sqrt(2) more, because
///         its base has a gain of 1 / sqrt(2) there; do not combine with `fairseq_gains`.
struct t_fixup {
  static constexpr label name = "t_fixup";
  static constexpr bool final_norm = false;
  static constexpr expr block(expr x, auto f, auto) { return x + f(x); }

  static constexpr double encoder_gain(int layers) { return 0.67 / root4(layers); }
  static constexpr double decoder_gain(int layers) { return 1 / root4(9.0 * layers); }

  static double gain(const parameter_info& p) {
    switch (p.role) {
      case role::embedding: {
        const bool of_encoder = p.encoder_layers > 0 && !p.name.view().starts_with("target");
        return decoder_gain(of_encoder ? p.encoder_layers : p.decoder_layers);
      }
      case role::value:
      case role::output:
      case role::up:
      case role::down:
      case role::cross_value:
      case role::cross_output:
        return p.stack == stack_kind::encoder ? encoder_gain(p.encoder_layers)
                                              : decoder_gain(p.decoder_layers);
      default:
        return 1;
    }
  }

 private:
  static constexpr double root4(double x) { return constant_sqrt(constant_sqrt(x)); }
};

/// x' = x + m f(x + a) + b with trainable numbers m (1 at first), a and b (0), and one more shift inside of f
/// in front of its last product. The last matrix of a branch starts at 0, its others L^(-1/2) times as large,
/// L the number of branches of the stack; an output projection of its own starts at 0.
/// When:   without norm; the ancestor of t_fixup, for residual networks of any kind
/// Init:   He normal
/// Final norm: none.
/// Source: Zhang, Dauphin, Ma 2019 (Fixup), rules 1 to 3 of section 3, with two weight layers a branch. Their
///         shift in front of an activation is contained in the product's bias.
struct fixup {
  static constexpr label name = "fixup";
  static constexpr bool final_norm = false;
  static constexpr expr block(expr x, auto f, auto norm) {
    const expr y = f(ops::shift_by(x, norm.name("shift_in"), 0));
    return x + ops::shift_by(ops::scale_by(y, norm.name("multiplier"), 1), norm.name("shift_out"), 0);
  }
  static constexpr expr inside(expr h, sublayer, auto norm) {
    return ops::shift_by(h, norm.name("shift"), 0);
  }
  static double gain(const parameter_info& p) {
    switch (p.role) {
      case role::output:
      case role::cross_output:
      case role::down:
      case role::head:
        return 0;
      case role::query:
      case role::key:
      case role::value:
      case role::up:
      case role::cross_query:
      case role::cross_key:
      case role::cross_value:
        return 1 / constant_sqrt(p.place().sublayers());
      default:
        return 1;
    }
  }
};

static_assert(norm_placement<t_fixup> && norm_placement<fixup>);

}  // namespace formwork

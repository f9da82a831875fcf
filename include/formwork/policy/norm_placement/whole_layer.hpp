#pragma once
#include <formwork/policy/norm_placement/norm_placement.hpp>

namespace formwork {

/// post_norm, and the layer's input is added once more in front of the layer's last norm:
///   u = N(x + attention(x)), in a decoder also u = N(u + cross(u));  x' = N(u + ffn(u) + x)
/// The bottom-to-top connection passes by all norms but the last of each layer. No extra parameters.
/// When:   post_norm's quality with stable gradients in deeper models
/// Claim:  stable at 18+18 layers, where post_norm fails; better than pre_norm at 6+6 and 18+18
/// Final norm: none.
/// Source: Takase et al. 2022 (B2T connection), eq. 9 and figure 1
struct b2t {
  static constexpr label name = "b2t";
  static constexpr bool final_norm = false;
  static constexpr int streams = 1;
  static constexpr std::array<expr, 1> layer(std::array<expr, 1> s, auto norm, auto... f) {
    const expr x = s[0];
    expr u = x;
    std::size_t left = sizeof...(f);
    const auto step = [&](auto branch) { u = norm(--left ? u + branch(u) : u + branch(u) + x); };
    (step(f), ...);
    return {u};
  }
};

/// All branches of a layer read the same norm: x' = x + attention(N(x)) + ffn(N(x)), in a decoder also
/// + cross(N(x)).
/// When:   speed at large scale (15 % in their report) for a small loss of quality that vanishes with size
/// Final norm: one behind each stack.
/// Source: Wang, Komatsuzaki 2021 (GPT-J); Chowdhery et al. 2022 (PaLM), section 2
struct parallel_block {
  static constexpr label name = "parallel_block";
  static constexpr bool final_norm = true;
  static constexpr int streams = 1;
  static constexpr std::array<expr, 1> layer(std::array<expr, 1> s, auto norm, auto... f) {
    const expr x = norm(s[0]);
    ((s[0] = s[0] + f(x)), ...);
    return s;
  }
};

static_assert(norm_placement<b2t> && norm_placement<parallel_block>);

}  // namespace formwork

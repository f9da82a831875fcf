#pragma once
#include <formwork/policy/norm_placement/norm_placement.hpp>

namespace formwork {

/// x' = x + N(f(N(x))): a norm in front of each branch and one behind it.
/// When:   runs that diverge with pre_norm; the hidden state grows by a fixed amount for each branch
/// Final norm: one behind each stack.
/// Source: Ding et al. 2021 (CogView), section 2.4
struct sandwich_norm {
  static constexpr label name = "sandwich_norm";
  static constexpr bool final_norm = true;
  static constexpr expr block(expr x, auto f, auto norm) { return x + norm(f(norm(x))); }
};

/// sandwich_norm with one more norm right behind the embedding.
/// Claim:  benchmark averages of 51.6 against pre_norm's 49.7 (400 M parameters), 56.6 against 53.7 (1.5 B),
///         and no diverging seed
/// Final norm: one behind each stack.
/// Source: Kim et al. 2025 (Peri-LN), section 3; the norm of the embedding is their option
struct peri_norm : sandwich_norm {
  static constexpr label name = "peri_norm";
  static constexpr bool embedding_norm = true;
};

/// x' = x + N(f(x)): the norm stands behind the branch, inside of the residual connection.
/// When:   with a norm of queries and keys, in which the published models trust for stability
/// Final norm: one behind each stack.
/// Source: OLMo Team 2025 (OLMo 2), section 3.2; EXAONE 4 has the same
struct reordered_norm {
  static constexpr label name = "reordered_norm";
  static constexpr bool final_norm = true;
  static constexpr expr block(expr x, auto f, auto norm) { return x + norm(f(x)); }
};

/// x' = N(alpha x + f(N(x))) with a function of the layer's place for alpha, as `keel`.
template <double (*Alpha)(const layer_place&)>
struct basic_keel {
  static constexpr label name = "keel";
  static constexpr bool final_norm = false;
  static constexpr expr block(expr x, auto f, auto norm) {
    return norm(ops::scale_by_layer(Alpha, x) + f(norm(x)));
  }
};

/// The number of residual branches of the stack.
constexpr double count_sublayers(const layer_place& p) { return p.sublayers(); }
/// The number of layers of the stack.
constexpr double count_layers(const layer_place& p) { return p.layers(); }

/// x' = N(alpha x + f(N(x))), alpha the number of residual branches of the stack: post-norm whose skip
/// connection outweighs the branch, which has a norm of its own.
/// When:   very deep stacks without a special initialisation
/// Claim:  averages over benchmarks of 62.5 against pre_norm's 58.7; trains beyond 1,000 layers
/// Final norm: none.
/// Source: Chen, Wei 2026 (KEEL), "Post-LayerNorm Is Back". Sources disagree on whether alpha counts layers
///         or sub-layers; basic_keel takes any function.
struct keel : basic_keel<&count_sublayers> {};

static_assert(norm_placement<sandwich_norm> && norm_placement<peri_norm> && norm_placement<reordered_norm> &&
              norm_placement<keel>);

}  // namespace formwork

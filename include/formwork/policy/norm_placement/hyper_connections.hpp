#pragma once
#include <formwork/ops/linear.hpp>
#include <formwork/ops/mix.hpp>
#include <formwork/ops/stream_weights.hpp>
#include <formwork/policy/norm_placement/norm_placement.hpp>

namespace formwork {

namespace detail {

/// What the placements of this header share: four streams, of which each branch reads a mixture, and which
/// are mixed anew, with the branch's result, behind it. All weights of a branch lie in one row of numbers, in
/// the order of cpu::stream_weight.
struct hyper_streams {
  static constexpr bool final_norm = true;
  static constexpr int streams = 4;
  static constexpr index_t weights = cpu::stream_weight_count(streams);
  using state = std::array<expr, streams>;

  static constexpr expr merge(state s, auto) { return s[0] + s[1] + s[2] + s[3]; }

 protected:
  /// y = f(N(sum_j m_j s_j)); s'_i = sum_j r_ij s_j + b_i y. `mixed` makes a mixture of terms from the
  /// weights from a first one on.
  static constexpr state connect(state s, auto f, auto norm, auto mixed) {
    const expr y = f(norm(mixed(s, index_t{0})));
    state out{};
    for (int i = 0; i < streams; ++i)
      out[std::size_t(i)] = mixed(std::array{s[0], s[1], s[2], s[3], y}, cpu::stream_weight(streams, i, 0));
    return out;
  }
  /// The weights as columns of a value.
  static constexpr state connect(state s, auto f, auto norm, expr w) {
    return connect(s, f, norm, [w]<std::size_t N>(const std::array<expr, N>& x, index_t first) {
      return ops::mix(x, ops::slice(w, first, index_t(N)));
    });
  }

  struct first_values {
    double input, other_input, same, other, branch;
  };
  /// Where weight i starts: that of the stream a branch reads at first, of the others; of a stream in itself,
  /// in another; of the branch's result. Branch number l of a stack, from 0, reads stream l mod 4.
  static double start_at(const first_values& v, const parameter_info& p, index_t i) {
    if (i < streams) return i == branch_of(p) % streams ? v.input : v.other_input;
    const index_t to = (i - streams) / (streams + 1), from = (i - streams) % (streams + 1);
    return from == streams ? v.branch : from == to ? v.same : v.other;
  }

 private:
  static index_t branch_of(const parameter_info& p) {
    const int parts = p.place().layer_parts();
    const bool attention = p.name.view().starts_with("self"), cross = p.name.view().starts_with("cross");
    return p.layer * parts + (attention ? 0 : cross ? 1 : parts - 1);
  }
};

}  // namespace detail

/// Four streams s_1 ... s_4, mixed by trainable numbers m, r and b of each branch:
///   y = f(N(sum_j m_j s_j));  s'_i = sum_j r_ij s_j + b_i y;  at the end the sum of the streams.
/// At first m = e_(l mod 4), l the number of the branch in its stack, r = I and b = 1.
/// When:   pre_norm whose upper layers learn too little, at hardly any cost
/// Final norm: one behind each stack.
/// Source: Zhu et al. 2024 (Hyper-Connections), eq. 2 and 14
struct hyper_connections_static : detail::hyper_streams {
  static constexpr label name = "hyper_connections_static";
  static constexpr state block(state s, auto f, auto norm) {
    return connect(s, f, norm, [norm](const auto& x, index_t first) {
      return ops::mix(x, norm.name("streams"), weights, first);
    });
  }
  static double start(const parameter_info& p, index_t i) {
    return p.name.view().ends_with("streams") ? start_at({1, 0, 1, 0, 1}, p, i) : p.start;
  }
};

/// hyper_connections_static whose numbers depend on the token: those of stream j, m_j, r_ij for all i and
/// b_j, get a (tanh(W N(s_j))) each, W [6, D] one matrix a branch that starts at 0, a trainable, one number
/// for m and r, one for b, 0.01 at first.
/// When:   as hyper_connections_static; the form that the authors recommend
/// Final norm: one behind each stack.
/// Source: Zhu et al. 2024 (Hyper-Connections), eq. 10 to 14; here the norm of each stream has a gain of its
///         own
struct hyper_connections : detail::hyper_streams {
  static constexpr label name = "hyper_connections";
  static constexpr state block(state s, auto f, auto norm) {
    state z{};
    for (std::size_t j = 0; j < z.size(); ++j)
      z[j] = ops::linear(norm(s[j]), streams + 2, norm.name("dynamic"), role::up, false);
    return connect(s, f, norm, ops::tanh_weights(z, norm.name("streams"), 0.01));
  }
  static double gain(const parameter_info& p) { return p.name.view().ends_with("dynamic.weight") ? 0 : 1; }
  static double start(const parameter_info& p, index_t i) {
    return p.name.view().ends_with("streams.constant") ? start_at({1, 0, 1, 0, 1}, p, i) : p.start;
  }
};

/// hyper_connections whose mixture of the streams is a weighted mean, so that no product of them over the
/// depth grows: with v = c + a sum_j W_j N(s_j) for each of the numbers, m = sigmoid(v), b = 2 sigmoid(v) and
/// r = the doubly stochastic matrix that 20 steps of Sinkhorn's iteration make of exp(v). W starts at 0, a at
/// 0.01, and c so that m is about e_(l mod 4) / 2, r about I and b = 1.
/// When:   hyper_connections in large models, where theirs became unstable
/// Claim:  at 27 B parameters the largest gain of all layers 1.6 and not 3,000; loss 0.02 below pre_norm's
/// Final norm: one behind each stack.
/// Source: Xie et al. 2025 (mHC), eq. 7 to 9; here each stream has a norm of its own and not all together,
///         and the first values are chosen after those of hyper_connections
struct manifold_hyper_connections : detail::hyper_streams {
  static constexpr label name = "manifold_hyper_connections";
  static constexpr state block(state s, auto f, auto norm) {
    constexpr label own[] = {"dynamic", "dynamic2", "dynamic3", "dynamic4"};
    state z{};
    for (std::size_t j = 0; j < z.size(); ++j)
      z[j] = ops::linear(norm(s[j]), weights, norm.name(own[j]), role::up, false);
    return connect(s, f, norm, ops::sinkhorn_weights(z, norm.name("streams"), 0.01));
  }
  static double gain(const parameter_info& p) {
    return p.name.view().find("dynamic") != std::string_view::npos ? 0 : 1;
  }
  static double start(const parameter_info& p, index_t i) {
    return p.name.view().ends_with("streams.constant") ? start_at({0, -8, 0, -8, 0}, p, i) : p.start;
  }
};

static_assert(norm_placement<hyper_connections_static> && norm_placement<hyper_connections> &&
              norm_placement<manifold_hyper_connections>);

}  // namespace formwork

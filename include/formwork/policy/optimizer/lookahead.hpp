#pragma once
#include <formwork/core/error.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>
#include <formwork/policy/validate.hpp>

namespace formwork {

namespace detail {

// One pass over the weights is all that such an optimizer makes.
template <class O>
concept one_pass =
    elementwise_optimizer<O> && !has_sums<O> && !optimizer_with_views<O> && !optimizer_with_samples<O>;

}  // namespace detail

/// Another optimizer makes `every` updates with the weights w, then slow weights follow a share of the way
/// and it starts again from them:
///   w: the inner optimizer;  each `every` updates  slow <- slow + share (w - slow), w <- slow.
///   The slow weights are evaluated, averaged and saved.
/// When:   around radam ("Ranger") or sgd; less variance at the same rate
/// Cost:   that of the inner optimizer and one extra number; a second copy of the weights while the slow ones
///         are looked at
/// Source: Zhang et al. 2019, "Lookahead optimizer: k steps forward, 1 step back", algorithm 1
template <class Inner>
struct lookahead {
  static_assert(
      detail::one_pass<Inner>,
      "lookahead: the inner optimizer must be element-wise, without sums, views and sampled labels");

  static constexpr label name = join("lookahead", Inner::name);
  static constexpr int moments = Inner::moments + 1;

  Inner inner{};
  int every = 5;       ///< updates of the inner optimizer for one of the slow weights, 1 or more
  double share = 0.5;  ///< of the way that the slow weights follow, in (0, 1]

  using run_state = run_state_of<Inner>;
  struct prepared {
    detail::prepared_type<Inner> inner;
    double share;
    bool first, last;  // of the updates from one slow weight to the next: the very first one, any last one
  };

  prepared prepare(const update_info& u, const run_state& run) const {
    return {detail::prepare(inner, u, run), share, u.step <= 1, u.step % every == 0};
  }
  void advance(run_state& run, const update_info& u) const {
    if constexpr (detail::has_run_state<Inner>) inner.advance(run, u);
  }

  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, std::size_t(moments)>& state, const prepared& p) const {
    constexpr std::size_t slow = std::size_t(moments) - 1;
    if (p.first) state[slow] = w;
    std::array<V, slow> own;
    for (std::size_t m = 0; m < slow; ++m) own[m] = state[m];
    inner.update(w, g, own, p.inner);
    for (std::size_t m = 0; m < slow; ++m) state[m] = own[m];
    if (!p.last) return;
    w = state[slow] + V(p.share) * (w - state[slow]);
    state[slow] = w;
  }
  template <class V>
  FORMWORK_HD V evaluated(V, const std::array<V, std::size_t(moments)>& state) const {
    return state[std::size_t(moments) - 1];
  }

  constexpr void validate() const {
    formwork::validate(inner);
    if (every < 1) fail("lookahead: every is ", every, ", expected at least 1");
    if (!(share > 0 && share <= 1)) fail("lookahead: share is ", share, ", expected a number in (0, 1]");
  }
};

}  // namespace formwork

#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/core/math.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>
#include <formwork/policy/validate.hpp>

#include <algorithm>

namespace formwork {

namespace detail {

// Optimizers that decay a weight and then subtract a step that does not depend on it.
template <class O>
concept has_step =
    elementwise_optimizer<O> && !has_sums<O> && !optimizer_with_views<O> && !optimizer_with_samples<O> &&
    requires(const O& policy, state_array<O, double>& state, const prepared_type<O>& p) {
  { policy.step(1.0, state, p) } -> std::same_as<double>;
  { p.shrink } -> std::convertible_to<double>;
};

}  // namespace detail

/// Another optimizer that moves a weight only if its gradient agrees: with u the inner optimizer's step,
///   mask = 1 where u g > 0, else 0;  w <- shrink w - u mask / max(mean of the mask, floor),
///   the mean over the parameter; moments and decay are the inner optimizer's.
/// When:   steadier descent at the same rate; one more look at g and the moments
/// Cost:   that of the inner optimizer, twice
/// Source: Liang et al. 2024, "Cautious optimizers", algorithm 1, with the mean of the authors' program
template <class Inner>
struct cautious {
  static_assert(
      detail::has_step<Inner>,
      "cautious: the inner optimizer needs 'V step(V g, std::array<V, moments>& state, const prepared& "
      "p) const' and a 'double shrink' in prepared");

  static constexpr label name = join("cautious", Inner::name);
  static constexpr int moments = Inner::moments, sums = 1;

  Inner inner{};
  double floor = 1e-3;  ///< smallest mean that counts, above 0

  using run_state = run_state_of<Inner>;
  struct prepared {
    detail::prepared_type<Inner> inner;
    double factor;
  };

  prepared prepare(const update_info& u, const run_state& run) const {
    return {detail::prepare(inner, u, run), 1};
  }
  void advance(run_state& run, const update_info& u) const {
    if constexpr (detail::has_run_state<Inner>) inner.advance(run, u);
  }

  template <class V>
  FORMWORK_HD std::array<V, 1> measure(V, V g, std::array<V, std::size_t(moments)> state,
                                       const prepared& p) const {
    return {where(inner.step(g, state, p.inner) * g > V(0), V(1), V(0))};
  }
  void conclude(prepared& p, const std::array<double, 1>& sums, const update_info& u) const {
    p.factor = 1 / (std::max)(sums[0] / double(u.parameter.size()), floor);
  }
  template <class V>
  FORMWORK_HD void update(V& w, V g, std::array<V, std::size_t(moments)>& state, const prepared& p) const {
    const V u = inner.step(g, state, p.inner);
    w = V(p.inner.shrink) * w - where(u * g > V(0), V(p.factor) * u, V(0));
  }

  constexpr void validate() const {
    formwork::validate(inner);
    if (!(floor > 0 && is_finite(floor)))
      fail("cautious: floor is ", floor, ", expected a finite number above 0");
  }
};

}  // namespace formwork

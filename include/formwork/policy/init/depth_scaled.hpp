#pragma once
#include <formwork/policy/init/normal.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/validate.hpp>

namespace formwork {

/// Another initialiser, the last matrix of every branch (output, cross_output, down) divided by sqrt(2 L), L
/// the layers of its stack: the sum of the branches then starts as large in a deep stack as in a shallow one.
/// `depth_scaled{}` is GPT-2's; `depth_scaled{truncated_normal{.stddev = s, .deviations = 3}}` Megatron's.
/// When:   deep pre-norm stacks; not with a placement that scales by depth itself
/// Source: Radford et al. 2019, section 2.3; Shoeybi et al. 2019 (Megatron)
template <class Base = normal>
struct depth_scaled {
  static_assert(explain_initialiser<Base>());

  Base base{};

  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    const double x = base(p, r, i);
    const bool ends_branch = p.role == role::output || p.role == role::cross_output || p.role == role::down;
    return ends_branch && p.stack != stack_kind::none ? x / std::sqrt(2.0 * p.place().layers()) : x;
  }
  constexpr void validate() const { formwork::validate(base); }
};
template <class Base>
depth_scaled(Base) -> depth_scaled<Base>;
static_assert(initialiser<depth_scaled<>>);

/// Another initialiser, all matrices of layer l, from 1, times alpha / sqrt(l): a layer's output then varies
/// less the higher it stands, so that the gradient that passes the norms behind it shrinks less.
/// When:   deep post-norm stacks, at 12 layers and more
/// Source: Zhang, Titov, Sennrich 2019, "Improving deep Transformer with depth-scaled initialization and
///         merged attention"
template <class Base = xavier_uniform>
struct ds_init {
  static_assert(explain_initialiser<Base>());

  Base base{};
  double alpha = 1;

  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    const double x = base(p, r, i);
    return p.stack != stack_kind::none && is_matrix(p.role) ? x * alpha / std::sqrt(p.layer + 1.0) : x;
  }
  constexpr void validate() const {
    formwork::validate(base);
    if (!(alpha > 0 && is_finite(alpha)))
      fail("ds_init: alpha is ", alpha, ", expected a finite number above 0");
  }
};
template <class Base>
ds_init(Base) -> ds_init<Base>;
template <class Base>
ds_init(Base, double) -> ds_init<Base>;
static_assert(initialiser<ds_init<>>);

}  // namespace formwork

#pragma once
#include <formwork/policy/init/xavier.hpp>

namespace formwork {

/// The matrices of attention N(0, 2 / (5 D)), D the width of the model: the variance that Xavier gives to a
/// feed-forward block of inner width 4 D. Everything else as in `xavier_normal`.
/// When:   pre-norm, few data, little or no warm-up
/// Source: Nguyen, Salazar 2019, "Transformers without tears" (SmallInit)
struct small_init {
  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    if (!detail::is_random(p.role)) return p.start;
    if (p.role > role::cross_output) return detail::xavier_deviation(p, 1, false) * r.normal(i);
    const bool returns = p.role == role::output || p.role == role::cross_output;
    return std::sqrt(2 / (5 * double(returns ? p.rows : p.columns))) * r.normal(i);
  }
};
static_assert(initialiser<small_init>);

}  // namespace formwork

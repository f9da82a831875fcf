#pragma once
#include <formwork/policy/init/xavier.hpp>

namespace formwork {

namespace detail {

// What both He initialisers share: the standard deviation of a parameter.
inline double he_deviation(const parameter_info& p, double gain) {
  return has_fans(p.role) ? gain * std::sqrt(2 / double(p.columns)) : xavier_deviation(p, 1, false);
}

}  // namespace detail

/// He (Kaiming) uniform: matrices uniform in +-gain sqrt(6 / fan in). The tables and the output projection
/// as in `xavier_uniform`. A gain of 1 / sqrt(2) keeps the variance of linear layers (LeCun).
/// When:   deep networks of relu without norms; in a Transformer the branches start larger than with Xavier
/// Source: He et al. 2015, "Delving deep into rectifiers", eq. 10
struct he_uniform {
  double gain = 1;

  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    if (!detail::is_random(p.role)) return p.start;
    const double deviation = detail::he_deviation(p, gain);
    if (!detail::has_fans(p.role)) return deviation * r.normal(i);
    return deviation * std::numbers::sqrt3 * (2 * r.uniform(i) - 1);
  }
  constexpr void validate() const {
    if (!(gain > 0 && is_finite(gain)))
      fail("he_uniform: gain is ", gain, ", expected a finite number above 0");
  }
};
static_assert(initialiser<he_uniform>);

/// He (Kaiming) normal: matrices N(0, gain^2 2 / fan in); the rest as in `he_uniform`.
/// When:   the same
/// Source: He et al. 2015, "Delving deep into rectifiers", eq. 10
struct he_normal {
  double gain = 1;

  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    return detail::is_random(p.role) ? detail::he_deviation(p, gain) * r.normal(i) : p.start;
  }
  constexpr void validate() const {
    if (!(gain > 0 && is_finite(gain)))
      fail("he_normal: gain is ", gain, ", expected a finite number above 0");
  }
};
static_assert(initialiser<he_normal>);

}  // namespace formwork

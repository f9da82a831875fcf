#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/policy/init/initialiser.hpp>

#include <numbers>

namespace formwork {

namespace detail {

constexpr bool has_fans(role r) { return is_matrix(r) && r != role::head; }

// What both Xavier initialisers share: the standard deviation of a parameter. Tables and the output
// projection are N(0, 1 / D), D the width: times sqrt(D) a row of the embedding has entries of variance 1,
// and so has a logit of a normalised state. A tied output projection is the embedding itself; an untied one
// starts the same way.
inline double xavier_deviation(const parameter_info& p, double gain, bool fairseq_gains) {
  if (!has_fans(p.role)) return 1 / std::sqrt(double(p.columns));
  const bool fused = p.role == role::query || p.role == role::key || p.role == role::value ||
                     p.role == role::cross_query || p.role == role::cross_key || p.role == role::cross_value;
  if (fairseq_gains && fused) gain *= 1 / std::numbers::sqrt2;
  return gain * std::sqrt(2 / double(p.rows + p.columns));
}

}  // namespace detail

/// Xavier (Glorot) uniform: matrices uniform in +-gain sqrt(6 / (fan in + fan out)).
/// Embedding, learned positions and output projection: N(0, D^-0.5 as standard deviation), whatever the gain.
/// `fairseq_gains` multiplies the gain of query, key and value by 1 / sqrt(2), in self- and cross-attention:
/// that toolkit treats the three as one matrix of three times the rows. Use it to repeat published runs.
/// When:   the first choice for Transformers of up to some 20 layers
/// Source: Glorot, Bengio 2010, eq. 16
struct xavier_uniform {
  double gain = 1;
  bool fairseq_gains = false;

  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    if (!detail::is_random(p.role)) return p.start;
    const double deviation = detail::xavier_deviation(p, gain, fairseq_gains);
    if (!detail::has_fans(p.role)) return deviation * r.normal(i);
    return deviation * std::numbers::sqrt3 * (2 * r.uniform(i) - 1);
  }
  constexpr void validate() const {
    if (!(gain > 0 && is_finite(gain)))
      fail("xavier_uniform: gain is ", gain, ", expected a finite number above 0");
  }
};
static_assert(initialiser<xavier_uniform>);

/// Xavier (Glorot) normal: matrices N(0, gain^2 2 / (fan in + fan out)); the rest as in `xavier_uniform`.
/// When:   to compare with the theory of gradients at initialisation, which assumes it
/// Source: Glorot, Bengio 2010, eq. 12; Xiong et al. 2020, section 3.2
struct xavier_normal {
  double gain = 1;
  bool fairseq_gains = false;

  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    if (!detail::is_random(p.role)) return p.start;
    return detail::xavier_deviation(p, gain, fairseq_gains) * r.normal(i);
  }
  constexpr void validate() const {
    if (!(gain > 0 && is_finite(gain)))
      fail("xavier_normal: gain is ", gain, ", expected a finite number above 0");
  }
};
static_assert(initialiser<xavier_normal>);

}  // namespace formwork

#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/policy/init/initialiser.hpp>

#include <cmath>

namespace formwork {

/// N(0, stddev^2) for all matrices, the embedding and learned positions, whatever their shape.
/// When:   to repeat BERT or GPT; pairs with embeddings that are not multiplied by sqrt(D)
/// Source: Radford et al. 2018, section 4.1 (BERT: `truncated_normal`)
struct normal {
  double stddev = 0.02;

  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    return detail::is_random(p.role) ? stddev * r.normal(i) : p.start;
  }
  constexpr void validate() const {
    if (!(stddev > 0 && is_finite(stddev)))
      fail("normal: stddev is ", stddev, ", expected a finite number above 0");
  }
};
static_assert(initialiser<normal>);

/// N(0, stddev^2) drawn again until it lies within `deviations` standard deviations, for all matrices, the
/// embedding and learned positions. What is drawn at first and lies within is the value of `normal`. The
/// result varies less than stddev: by the factor 0.880 at 2 deviations, 0.987 at 3.
/// When:   to repeat BERT, ViT (2 deviations) or OLMo (3); no weight starts as an outlier
/// Source: Devlin et al. 2019, their program
struct truncated_normal {
  double stddev = 0.02;   ///< of the normal distribution before it is cut
  double deviations = 2;  ///< 0.5 or more

  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    if (!detail::is_random(p.role)) return p.start;
    // Later draws have counters that no parameter of less than 2^40 elements reaches.
    for (std::uint64_t draw = i;; draw += std::uint64_t{1} << 40)
      if (const double x = r.normal(draw); std::fabs(x) <= deviations) return stddev * x;
  }
  constexpr void validate() const {
    if (!(stddev > 0 && is_finite(stddev)))
      fail("truncated_normal: stddev is ", stddev, ", expected a finite number above 0");
    if (!(deviations >= 0.5 && is_finite(deviations)))
      fail("truncated_normal: deviations is ", deviations, ", expected a finite number of 0.5 or more");
  }
};
static_assert(initialiser<truncated_normal>);

}  // namespace formwork

#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/policy/init/initialiser.hpp>

namespace formwork {

/// N(0, stddev^2) for all matrices, the embedding and learned positions, whatever their shape.
/// When:   to repeat BERT or GPT; pairs with embeddings that are not multiplied by sqrt(D)
/// Source: Radford et al. 2018, section 4.1 (BERT truncates at two deviations, this does not)
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

}  // namespace formwork

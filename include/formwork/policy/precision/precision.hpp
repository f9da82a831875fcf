#pragma once
// The number type of parameters, activations and arithmetic.
//
//   fp32   single precision throughout, sums that matter in double   the usual choice
//   fp64   double precision                                          checks; the oracle of all others
#include <concepts>

namespace formwork {

/// Names the type that a model computes with.
template <class P>
concept precision = std::floating_point<typename P::scalar>;

struct fp32 {
  using scalar = float;
};
struct fp64 {
  using scalar = double;
};

}  // namespace formwork

#pragma once
// The number type of parameters, activations and arithmetic.
//
//   fp32   single precision throughout, sums that matter in double   the usual choice
//   fp64   double precision                                          checks; the oracle of all others
#include <concepts>

namespace formwork {

/// Names the type that a model computes with: float or double. The kernels have no other type.
template <class P>
concept precision = std::same_as<typename P::scalar, float> || std::same_as<typename P::scalar, double>;

/// Single precision. Sums over many terms (losses, norms) are made in double precision.
struct fp32 {
  using scalar = float;
};

/// Double precision, the oracle of all others.
struct fp64 {
  using scalar = double;
};

}  // namespace formwork

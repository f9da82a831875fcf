#pragma once
#include <formwork/core/types.hpp>

#include <bit>
#include <cstdint>

namespace formwork {

/// The upper half of a float: its range with 8 bits of precision. For storage; arithmetic is done in float.
struct bfloat16 {
  std::uint16_t bits = 0;

  constexpr bool operator==(const bfloat16&) const = default;
};

/// The same number as a float.
constexpr float widened(bfloat16 x) { return std::bit_cast<float>(std::uint32_t(x.bits) << 16); }

/// One of the two neighbours of x, by 16 random bits: the mean over all random bits is x. Rounding to nearest
/// would lose for good every change below half a unit, as those of a slow running mean are.
/// Requires: x is a number
constexpr bfloat16 stochastically_rounded(float x, std::uint32_t random_bits) {
  return {std::uint16_t((std::bit_cast<std::uint32_t>(x) + (random_bits & 0xFFFF)) >> 16)};
}

/// 32 well-mixed bits of a number.
/// Source: the "lowbias32" integer hash of C. Wellons, 2018
constexpr std::uint32_t mixed_bits(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352d;
  x = (x ^ x >> 15) * 0x846ca68b;
  return x ^ x >> 16;
}

}  // namespace formwork

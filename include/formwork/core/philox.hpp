#pragma once
#include <formwork/core/types.hpp>

#include <array>
#include <cmath>
#include <numbers>

namespace formwork {

/// Four words: a counter, or the random bits made from it.
using philox_block = std::array<std::uint32_t, 4>;

/// Philox 4x32 with ten rounds: 128 random bits that depend on nothing but the counter and the key, so any
/// thread may draw any number in any order.
/// Source: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3", section 4.
FORMWORK_HD constexpr philox_block philox(philox_block counter, std::uint64_t key) {
  std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * counter[0],
                        p1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {std::uint32_t(p1 >> 32) ^ counter[1] ^ k0, std::uint32_t(p1),
               std::uint32_t(p0 >> 32) ^ counter[3] ^ k1, std::uint32_t(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return counter;
}

/// One numbered stream of random numbers: number i of the stream is a pure function of (seed, stream, i).
struct random_stream {
  std::uint64_t seed = 1;
  std::uint64_t stream = 0;

  constexpr philox_block block(std::uint64_t i) const {
    return philox(
        {std::uint32_t(i), std::uint32_t(i >> 32), std::uint32_t(stream), std::uint32_t(stream >> 32)}, seed);
  }
  /// 64 random bits.
  constexpr std::uint64_t bits(std::uint64_t i) const {
    const philox_block b = block(i);
    return std::uint64_t(b[1]) << 32 | b[0];
  }
  /// Uniform in [0, 1), 53 bits.
  constexpr double uniform(std::uint64_t i) const { return double(bits(i) >> 11) * 0x1p-53; }
  /// Uniform integer in [0, bound); bound >= 1. The bias is below bound / 2^64.
  constexpr std::uint64_t below(std::uint64_t i, std::uint64_t bound) const {
    return std::uint64_t((static_cast<unsigned __int128>(bits(i)) * bound) >> 64);
  }
  /// Standard normal number (Box and Muller 1958): two uniform numbers of one block give one normal number.
  double normal(std::uint64_t i) const {
    const philox_block b = block(i);
    const double u = (double(std::uint64_t(b[1]) << 32 | b[0]) + 0.5) * 0x1p-64;
    const double v = double(std::uint64_t(b[3]) << 32 | b[2]) * 0x1p-64;
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }
};

}  // namespace formwork

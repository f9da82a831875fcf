#include <formwork/core/philox.hpp>

#include <doctest/doctest.h>

#include <set>

using namespace formwork;

// The known answers that come with Random123 (kat_vectors, philox4x32 with 10 rounds).
static_assert(philox({0, 0, 0, 0}, 0) == philox_block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(philox({~0u, ~0u, ~0u, ~0u}, ~std::uint64_t{0}) ==
              philox_block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
              philox_block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

TEST_CASE("random_stream: seed, stream and number each give other bits") {
  std::set<std::uint64_t> seen;
  const std::uint64_t far = std::uint64_t{1} << 32;
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, far})
    for (const std::uint64_t stream : {std::uint64_t{0}, std::uint64_t{1}, far})
      for (const std::uint64_t i : {std::uint64_t{0}, std::uint64_t{1}, far})
        seen.insert(random_stream{seed, stream}.bits(i));
  CHECK(seen.size() == 27);
}

TEST_CASE("random_stream: uniform and normal numbers have the moments they should have") {
  const random_stream random{.seed = 3, .stream = 4};
  const int n = 100000;
  double mean = 0, square = 0, cube = 0, fourth = 0, uniform = 0, uniform_square = 0, previous = 0,
         serial = 0;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform(std::uint64_t(i)), x = random.normal(std::uint64_t(i));
    REQUIRE((u >= 0 && u < 1));
    uniform += u, uniform_square += u * u;
    mean += x, square += x * x, cube += x * x * x, fourth += x * x * x * x, serial += x * previous;
    previous = x;
  }
  const double deviation = 1 / std::sqrt(double(n));  // of a mean of numbers with variance 1
  CHECK(std::fabs(uniform / n - 0.5) < 4 * deviation * std::sqrt(1. / 12));
  CHECK(std::fabs(uniform_square / n - 1. / 3) < 4 * deviation * std::sqrt(4. / 45));
  CHECK(std::fabs(mean / n) < 4 * deviation);
  CHECK(std::fabs(square / n - 1) < 4 * deviation * std::sqrt(2.));
  CHECK(std::fabs(cube / n) < 4 * deviation * std::sqrt(15.));
  CHECK(std::fabs(fourth / n - 3) < 4 * deviation * std::sqrt(96.));
  CHECK(std::fabs(serial / n) < 4 * deviation);
}

TEST_CASE("random_stream: below gives every number under the bound equally often") {
  const random_stream random{.seed = 5};
  int count[7]{};
  for (int i = 0; i < 70000; ++i) ++count[random.below(std::uint64_t(i), 7)];
  for (const int c : count) CHECK(std::abs(c - 10000) < 400);
  CHECK(random.below(1, 1) == 0);
}

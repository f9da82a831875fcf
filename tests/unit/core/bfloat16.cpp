#include <formwork/core/bfloat16.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

using namespace formwork;

static_assert(sizeof(bfloat16) == 2);
static_assert(widened({0x3f80}) == 1 && widened({0xc040}) == -3);
static_assert(stochastically_rounded(1.5f, 0xFFFFFFFF) == bfloat16{0x3fc0});

TEST_CASE("bfloat16: a number is rounded to its neighbours, on average to itself") {
  for (const float x : {1.001f, -0.3f, 1e-20f, 12345.6f, -3e38f}) {
    double sum = 0;
    const float below = widened(stochastically_rounded(x, 0)),
                above = widened(stochastically_rounded(x, 0xFFFF));
    for (std::uint32_t r = 0; r < 65536; ++r) {
      const float y = widened(stochastically_rounded(x, r));
      REQUIRE((y == below || y == above));
      sum += double(y);
    }
    CHECK(sum / 65536 == doctest::Approx(double(x)).epsilon(1e-7));
    CHECK(std::abs(below) <= std::abs(x));
    CHECK(std::abs(above) >= std::abs(x));
  }
}

TEST_CASE("bfloat16: numbers with 8 bits stay, zero and infinity too") {
  for (const float x : {0.0f, -0.0f, 1.0f, -1.9921875f, std::numeric_limits<float>::infinity()})
    for (const std::uint32_t r : {0u, 1u, 0xFFFFu}) {
      const float y = widened(stochastically_rounded(x, r));
      CHECK(y == x);
      CHECK(std::signbit(y) == std::signbit(x));
    }
}

TEST_CASE("bfloat16: mixed bits of neighbours share nothing") {
  int equal[32] = {};
  for (std::uint32_t i = 0; i < 4096; ++i)
    for (int bit = 0; bit < 32; ++bit) equal[bit] += ((mixed_bits(i) ^ mixed_bits(i + 1)) >> bit & 1) == 0;
  for (const int n : equal) CHECK(std::abs(n - 2048) < 200);
}

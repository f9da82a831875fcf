#include <formwork/io/dtype.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace formwork;

static_assert(dtype_of<float>() == dtype::F32 && dtype_of<double>() == dtype::F64);
static_assert(dtype_of<std::int8_t>() == dtype::I8 && dtype_of<std::uint8_t>() == dtype::U8);
static_assert(dtype_of<long long>() == dtype::I64 && dtype_of<long>() == dtype_of<std::intptr_t>());
static_assert(name_of(dtype::BF16) == "BF16" && bytes_of(dtype::BF16) == 2);

TEST_CASE("dtype: every type has a name of its own and its width in it") {
  for (const dtype type : all_dtypes) {
    CAPTURE(name_of(type));
    if (type == dtype::BOOL) continue;
    const std::string digits(name_of(type).substr(name_of(type).find_first_of("0123456789")));
    CHECK(std::stoi(digits) == 8 * bytes_of(type));
  }
}

TEST_CASE("half_to_float: every finite half is its formula's value") {
  for (int bits = 0; bits < 65536; ++bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float value = half_to_float(std::uint16_t(bits));
    const double size =
        exponent ? std::ldexp(1 + fraction / 1024.0, exponent - 15) : std::ldexp(fraction / 1024.0, -14);
    if (exponent == 31) {
      CHECK((fraction ? std::isnan(value) : std::isinf(value)));
    } else {
      REQUIRE(std::fabs(double(value)) == size);
    }
    REQUIRE(std::signbit(value) == bool(bits >> 15));
  }
}

TEST_CASE("bfloat16_to_float: is the upper half of a float") {
  for (const float value : {0.f, -0.f, 1.f, -2.5f, 0x1p-130f, INFINITY}) {
    CHECK(bfloat16_to_float(std::uint16_t(std::bit_cast<std::uint32_t>(value) >> 16)) == value);
  }
}

TEST_CASE("read_elements: converts in blocks, from either byte order") {
  std::vector<std::uint16_t> halves(20'000);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = std::uint16_t(i % 0x7c00);
  const auto* bytes = reinterpret_cast<const unsigned char*>(halves.data());
  std::vector<unsigned char> swapped(bytes, bytes + 40'000);
  detail::swap_bytes(swapped.data(), 20'000, 2);
  std::vector<double> little(20'000), big(20'000);
  const auto from = [](const unsigned char* source) {
    return [source](index_t offset, void* to, index_t count) {
      std::memcpy(to, source + offset, std::size_t(count));
    };
  };
  detail::read_elements(from(bytes), 0, dtype::F16, false, 20'000, little.data());
  detail::read_elements(from(swapped.data()), 0, dtype::F16, true, 20'000, big.data());
  for (std::size_t i = 0; i < halves.size(); ++i) REQUIRE(little[i] == double(half_to_float(halves[i])));
  CHECK(big == little);
}

TEST_CASE("bytes_of_shape: tells sizes that 63 bits do not hold") {
  CHECK(detail::bytes_of_shape({}, 8) == 8);
  CHECK(detail::bytes_of_shape({2, 3}, 4) == 24);
  CHECK(detail::bytes_of_shape({2, 0, 3}, 4) == 0);
  CHECK(detail::bytes_of_shape({index_t{1} << 61}, 4) == -1);
  CHECK(detail::bytes_of_shape({-1}, 4) == -1);
  CHECK(detail::text_of_shape({2, 3}) == "[2, 3]");
  CHECK(detail::text_of_shape({}) == "[]");
}

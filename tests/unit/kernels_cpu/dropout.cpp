#include <formwork/kernels/cpu/dropout.hpp>

#include <doctest/doctest.h>

#include "../../support/random.hpp"

#include <cmath>
#include <limits>

using namespace formwork;
using namespace formwork_test;

namespace {

bool kept(const dropout_site& site, index_t row, index_t column) {
  const philox_block block =
      philox({std::uint32_t(column / 8), std::uint32_t(row), site.site, site.step}, site.seed);
  const std::uint32_t half = block[std::size_t(column % 8 / 2)] >> (column % 2 * 16) & 0xFFFF;
  return half >= std::uint32_t(std::lround(site.rate * 65536));
}

}  // namespace

TEST_CASE_TEMPLATE("dropout: every element follows the scalar definition", T, float, double) {
  cpu_backend backend(2);
  for (const index_t width : {1, 3, 8, 31, 33, 64, 65, 127, 128, 129, 257, 300})
    for (const double rate : {0.0, 0.1, 0.5, 0.999}) {
      const dropout_site site{rate, 0x123456789ABCDEF0, 7, 3};
      const auto x = normal_numbers<T>(5 * (width + 2), 1);
      storage<T> y(5 * (width + 1));
      for (T& v : y) v = T(77);
      cpu::dropout<T>(backend, {x.data(), 5, width, width + 2}, {y.data(), 5, width, width + 1}, site);
      for (index_t r = 0; r < 5; ++r) {
        for (index_t c = 0; c < width; ++c)
          REQUIRE(y[r * (width + 1) + c] ==
                  (kept(site, r, c) ? x[r * (width + 2) + c] * T(site.scale()) : T(0)));
        REQUIRE(y[r * (width + 1) + width] == T(77));
      }
    }
}

TEST_CASE("dropout: a row drawn in parts is the row drawn at once") {
  const dropout_site site{0.3, 5, 6, 7};
  const auto x = normal_numbers<float>(200, 2);
  storage<float> whole(200), parts(200);
  cpu::dropout_row(whole.data(), x.data(), 9, 0, 200, site);
  for (const auto& [first, n] : {std::pair{0, 8}, {8, 72}, {80, 16}, {96, 104}})
    cpu::dropout_row(parts.data() + first, x.data() + first, 9, first, n, site);
  CHECK(same_bits(whole, parts));
}

TEST_CASE("dropout: the mean is kept and the share of zeros is the rate") {
  cpu_backend backend(2);
  const index_t n = 1 << 20;
  storage<float> x(n), y(n);
  for (float& v : x) v = 1;
  for (const double rate : {0.1, 0.25, 0.9}) {
    cpu::dropout<float>(backend, {x.data(), 1024, 1024}, {y.data(), 1024, 1024}, {rate, 11, 1, 0});
    double sum = 0, zeros = 0, pairs = 0;
    for (index_t i = 0; i < n; ++i)
      sum += y[i], zeros += y[i] == 0, pairs += y[i] == 0 && y[(i + 1) % n] == 0;
    const double deviation = std::sqrt(rate * (1 - rate) / double(n));
    CHECK(std::fabs(zeros / double(n) - rate) < 5 * deviation);
    CHECK(std::fabs(sum / double(n) - 1) < 5 * deviation / (1 - rate));
    CHECK(std::fabs(pairs / double(n) - rate * rate) < 10 * deviation);  // neighbours are independent
  }
}

TEST_CASE("dropout: seed, step, site and row each give another mask") {
  storage<float> x(256), base(256), other(256);
  for (float& v : x) v = 1;
  cpu::dropout_row(base.data(), x.data(), 0, 0, 256, {0.5, 1, 1, 1});
  const auto differs = [&](index_t row, dropout_site site) {
    cpu::dropout_row(other.data(), x.data(), row, 0, 256, site);
    int count = 0;
    for (index_t i = 0; i < 256; ++i) count += other[i] != base[i];
    return count > 80 && count < 176;
  };
  CHECK(differs(0, {0.5, 2, 1, 1}));
  CHECK(differs(0, {0.5, std::uint64_t{1} << 32 | 1, 1, 1}));
  CHECK(differs(0, {0.5, 1, 2, 1}));
  CHECK(differs(0, {0.5, 1, 1, 2}));
  CHECK(differs(1, {0.5, 1, 1, 1}));
}

TEST_CASE("dropout: adding to a residual, in place, and a dropped not-a-number") {
  cpu_backend backend(1);
  const dropout_site site{0.5, 3, 1, 0};  // scale 2, so that products are exact
  const auto x = normal_numbers<double>(3 * 45, 4), residual = normal_numbers<double>(3 * 45, 5);
  storage<double> y = copy_of(residual), in_place = copy_of(x), row(45);
  cpu::dropout<double>(backend, {x.data(), 3, 45}, {y.data(), 3, 45}, site, true);
  cpu::dropout<double>(backend, {in_place.data(), 3, 45}, {in_place.data(), 3, 45}, site);
  for (index_t i = 0; i < x.size(); ++i) {
    const double dropped = kept(site, i / 45, i % 45) ? 2 * x[i] : 0;
    CHECK(y[i] == residual[i] + dropped);
    CHECK(in_place[i] == dropped);
  }
  storage<float> bad(64), out(64);
  for (float& v : bad) v = std::numeric_limits<float>::quiet_NaN();
  cpu::dropout_row(out.data(), bad.data(), 0, 0, 64, site);
  for (index_t i = 0; i < 64; ++i) CHECK((out[i] == 0) == !kept(site, 0, i));
}

TEST_CASE("dropout: any number of threads gives the same bits, and no rows are fine") {
  const auto x = normal_numbers<float>(300 * 130, 6);
  storage<float> first;
  for (const int threads : {1, 2, 3}) {
    cpu_backend backend(threads);
    storage<float> y(x.size());
    cpu::dropout<float>(backend, {x.data(), 300, 130}, {y.data(), 300, 130}, {0.1, 1, 2, 3});
    cpu::dropout<float>(backend, {x.data(), 0, 130}, {y.data(), 0, 130}, {0.1, 1, 2, 3});
    if (threads == 1)
      first = std::move(y);
    else
      CHECK(same_bits(first, y));
  }
}

TEST_CASE("dropout: a wrong rate is refused with a sentence") {
  cpu_backend backend(1);
  float x = 1;
  for (const double rate : {1.0, -0.1, 0.999999, std::nan("")})
    CHECK_THROWS_WITH_AS(cpu::dropout<float>(backend, {&x, 1, 1}, {&x, 1, 1}, {rate, 1, 1, 1}),
                         doctest::Contains("expected a number in [0, 1)"), error);
}

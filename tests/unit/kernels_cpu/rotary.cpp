#include <formwork/kernels/cpu/rotary.hpp>

#include <doctest/doctest.h>

#include "../../support/difference.hpp"
#include "../../support/random.hpp"

using namespace formwork;
using namespace formwork_test;
using cpu::rotary_pairs;

namespace {

constexpr index_t start[] = {0, 3, 3, 4, 9};
constexpr index_t position[9] = {0, 1, 2, 0, 0, 1, 2, 3, 4};

/// RoFormer's equation 34 by plain loops.
template <class T>
storage<double> expected(const storage<T>& x, index_t heads, index_t width, index_t first, double base,
                         rotary_pairs pairs) {
  storage<double> y(x.size());
  for (index_t r = 0; r < 9; ++r)
    for (index_t h = 0; h < heads; ++h)
      for (index_t i = 0; i < width / 2; ++i) {
        const double angle = double(first + position[r]) / std::pow(base, 2.0 * double(i) / double(width));
        const index_t at = (r * heads + h) * width;
        const index_t a = at + (pairs == rotary_pairs::halves ? i : 2 * i),
                      b = at + (pairs == rotary_pairs::halves ? width / 2 + i : 2 * i + 1);
        y[a] = double(x[a]) * std::cos(angle) - double(x[b]) * std::sin(angle);
        y[b] = double(x[b]) * std::cos(angle) + double(x[a]) * std::sin(angle);
      }
  return y;
}

}  // namespace

TEST_CASE_TEMPLATE("rotate: equals plain loops, both kinds of pairs, from any position", T, float, double) {
  cpu_backend backend(2);
  for (const index_t width : {2, 6, 34, 64})
    for (const rotary_pairs pairs : {rotary_pairs::halves, rotary_pairs::neighbours})
      for (const index_t first : {0, 7}) {
        const index_t d = 3 * width;
        const auto x = normal_numbers<T>(9 * d, 1);
        storage<T> y(9 * d);
        const cpu::rotation r{{start, 4}, first, 3, 500, pairs};
        cpu::rotate<T>(backend, r, {x.data(), 9, d}, {y.data(), 9, d});
        CHECK(largest_difference(y, expected(x, 3, width, first, 500, pairs)) <
              (sizeof(T) == 4 ? 1e-6 : 1e-14));
      }
}

TEST_CASE("rotate: back again gives the start, adding adds, strides are kept") {
  cpu_backend backend(1);
  const auto x = normal_numbers<double>(9 * 8, 1);
  for (const rotary_pairs pairs : {rotary_pairs::halves, rotary_pairs::neighbours}) {
    storage<double> y(9 * 11), z(9 * 8);
    for (double& v : y) v = 5;
    for (double& v : z) v = 2;
    cpu::rotation r{{start, 4}, 3, 2, 10000, pairs};
    cpu::rotate<double>(backend, r, {x.data(), 9, 8}, {y.data(), 9, 8, 11});
    r.back = true;
    cpu::rotate<double>(backend, r, {y.data(), 9, 8, 11}, {z.data(), 9, 8}, true);
    for (index_t i = 0; i < 72; ++i) CHECK(z[i] == doctest::Approx(x[i] + 2).epsilon(1e-14));
    for (index_t row = 0; row < 9; ++row)
      for (index_t c = 8; c < 11; ++c) CHECK(y[row * 11 + c] == 5);
  }
}

TEST_CASE("rotate: the product of a query and a key depends on their distance only") {
  cpu_backend backend(1);
  const auto q = normal_numbers<double>(6, 1), k = normal_numbers<double>(6, 2);
  const index_t one[2] = {0, 1};
  const auto product = [&](index_t of_query, index_t of_key) {
    storage<double> a(6), b(6);
    cpu::rotate<double>(backend, {{one, 1}, of_query}, {const_cast<double*>(q.data()), 1, 6},
                        {a.data(), 1, 6});
    cpu::rotate<double>(backend, {{one, 1}, of_key}, {const_cast<double*>(k.data()), 1, 6}, {b.data(), 1, 6});
    double sum = 0;
    for (index_t i = 0; i < 6; ++i) sum += a[i] * b[i];
    return sum;
  };
  CHECK(product(3, 1) == doctest::Approx(product(40, 38)).epsilon(1e-12));
  CHECK(product(3, 1) != doctest::Approx(product(1, 3)).epsilon(1e-3));
}

TEST_CASE_TEMPLATE("rotate: a row has the bits it has alone, for any number of threads", T, float, double) {
  const index_t d = 2 * 22;
  const auto x = normal_numbers<T>(9 * d, 1);
  for (const rotary_pairs pairs : {rotary_pairs::halves, rotary_pairs::neighbours})
    for (const int threads : {1, 2, 3}) {
      cpu_backend backend(threads);
      storage<T> y(9 * d), one(d);
      cpu::rotate<T>(backend, {{start, 4}, 0, 2, 10000, pairs}, {x.data(), 9, d}, {y.data(), 9, d});
      for (index_t row = 0; row < 9; ++row) {
        const index_t single[2] = {0, 1};
        cpu::rotate<T>(backend, {{single, 1}, position[row], 2, 10000, pairs}, {x.data() + row * d, 1, d},
                       {one.data(), 1, d});
        CHECK(std::memcmp(one.data(), y.data() + row * d, sizeof(T) * std::size_t(d)) == 0);
      }
    }
}

TEST_CASE("rotate: heads of an odd width are refused with a sentence") {
  cpu_backend backend(1);
  storage<float> x(9 * 6);
  CHECK_THROWS_WITH_AS(cpu::rotate<float>(backend, {{start, 4}, 0, 2}, {x.data(), 9, 6}, {x.data(), 9, 6}),
                       doctest::Contains("heads need an even width"), error);
  CHECK_THROWS_WITH_AS(cpu::rotate<float>(backend, {{start, 3}, 0, 1}, {x.data(), 9, 6}, {x.data(), 9, 6}),
                       doctest::Contains("4 rows"), error);
}

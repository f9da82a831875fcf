#include <formwork/kernels/cpu/elementwise.hpp>

#include <doctest/doctest.h>

#include "../../support/random.hpp"

#include <cmath>
#include <limits>

using namespace formwork;
using namespace formwork_test;

TEST_CASE_TEMPLATE("add_scaled: every element once, also across chunks", T, float, double) {
  cpu_backend backend(2);
  for (const index_t n : {0, 1, 31, 257, 40003}) {
    const auto x = normal_numbers<T>(n, 1), before = normal_numbers<T>(n, 2);
    storage<T> y = copy_of(before);
    cpu::add_scaled(backend, y.data(), x.data(), n, 0.5);  // the product is exact
    for (index_t i = 0; i < n; ++i) REQUIRE(y[i] == before[i] + T(0.5) * x[i]);
  }
}

TEST_CASE_TEMPLATE("column_sum: adds the sums of all rows, any width, stride and number of threads", T, float,
                   double) {
  for (const index_t width : {1, 3, 31, 33, 128, 130, 257})
    for (const index_t rows : {0, 1, 33, 2500}) {
      const auto x = normal_numbers<T>(rows * (width + 3), 1), before = normal_numbers<T>(width, 2);
      storage<double> exact = converted<double>(before);
      for (index_t r = 0; r < rows; ++r)
        for (index_t c = 0; c < width; ++c) exact[c] += double(x[r * (width + 3) + c]);
      storage<T> first;
      for (const int threads : {1, 2, 3}) {
        cpu_backend backend(threads);
        storage<T> sums = copy_of(before);
        cpu::column_sum<T>(backend, {x.data(), rows, width, width + 3}, sums.data());
        REQUIRE(largest_difference(sums, exact) < (std::is_same_v<T, float> ? 1e-4 : 1e-12));
        if (threads == 1)
          first = std::move(sums);
        else
          REQUIRE(same_bits(first, sums));
      }
    }
}

TEST_CASE_TEMPLATE("sum_of_squares: close to the sum in double, the same bits for any threads", T, float,
                   double) {
  for (const index_t n : {0, 1, 31, 1025, 100003}) {
    const auto x = normal_numbers<T>(n, 1);
    double exact = 0, first = 0;
    for (const T v : x) exact += double(v) * double(v);
    for (const int threads : {1, 2, 3}) {
      cpu_backend backend(threads);
      const double sum = cpu::sum_of_squares(backend, x.data(), n);
      CHECK(sum == doctest::Approx(exact).epsilon(std::is_same_v<T, float> ? 1e-6 : 1e-14));
      if (threads == 1)
        first = sum;
      else
        CHECK(sum == first);
    }
  }
}

TEST_CASE("sum_of_squares: large floats do not overflow, a not-a-number shows") {
  cpu_backend backend(1);
  storage<float> x(3000);
  x[5] = 1e30f, x[2999] = 2;
  CHECK(cpu::sum_of_squares(backend, x.data(), x.size()) == doctest::Approx(double(1e30f) * double(1e30f)));
  x[7] = std::nanf("");
  CHECK(std::isnan(cpu::sum_of_squares(backend, x.data(), x.size())));
}

TEST_CASE_TEMPLATE("first_non_finite: finds the first infinity or not-a-number and nothing else", T, float,
                   double) {
  cpu_backend backend(3);
  using limits = std::numeric_limits<T>;
  storage<T> x(50000);
  for (index_t i = 0; i < x.size(); ++i)
    x[i] = i % 4 == 0 ? limits::max() : i % 4 == 1 ? -limits::max() : limits::denorm_min();
  CHECK(cpu::first_non_finite(backend, x.data(), x.size()) == -1);  // their sum would overflow
  CHECK(cpu::first_non_finite(backend, x.data(), 0) == -1);
  for (const index_t i : {49999, 49998, 40000, 16384, 16383, 65, 64, 63, 1, 0}) {
    x[i] = i % 2 ? limits::quiet_NaN() : -limits::infinity();
    CHECK(cpu::first_non_finite(backend, x.data(), x.size()) == i);
    CHECK(cpu::first_non_finite(backend, x.data(), i) == -1);
  }
}

#include <formwork/tensor/reductions.hpp>

#include <formwork/kernels/cpu/evaluate.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace formwork;

TEST_CASE("reductions: sum, mean and maximum of rows of every length around the batch width") {
  for (index_t width : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100}) {
    CAPTURE(width);
    matrix<double> a(3, width);
    for (index_t i = 0; i < a.size(); ++i)
      a.data()[i] = double((i * 7) % 11) - 20;  // below zero: a tail of zeros shows
    const tensor<double, dynamic, 1> sum(row_sum(a)), mean(row_mean(a)), largest(row_max(a));
    for (index_t r = 0; r < 3; ++r) {
      double total = 0, best = -1e9;
      for (index_t j = 0; j < width; ++j) {
        total += a(r, j);
        best = std::max(best, a(r, j));
      }
      CHECK(sum(r, 0) == total);
      CHECK(mean(r, 0) == total / double(width));
      CHECK(largest(r, 0) == best);
    }
  }
}

TEST_CASE("reductions: a function before the reduction does not see the end of the row") {
  tensor<float, 2, 5> a;
  const tensor<float, 2, 1> sum(row_sum(exp(a)));
  CHECK(sum(1, 0) == 5.0f);  // exp(0) of the five elements, nothing of a tail
}

TEST_CASE("reductions: empty rows give the identity") {
  tensor<float, 2, 0> a;
  const tensor<float, 2, 1> sum(row_sum(a)), largest(row_max(a)), mean(row_mean(a));
  CHECK(sum(1, 0) == 0.0f);
  CHECK(largest(1, 0) == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(mean(1, 0)));
}

TEST_CASE("reductions: along the last axis of three, nested in each other") {
  tensor<double, 2, dynamic, 3> a(4), y(4);
  for (index_t i = 0; i < a.size(); ++i) a.data()[i] = 0.3 * double(i % 5);
  y = (a - row_mean(a)) / sqrt(row_mean((a - row_mean(a)) * (a - row_mean(a))) + 1e-5);  // a layer norm
  for (index_t i = 0; i < 2; ++i)
    for (index_t j = 0; j < 4; ++j) {
      const double mean = (a(i, j, 0) + a(i, j, 1) + a(i, j, 2)) / 3;
      double variance = 0;
      for (index_t k = 0; k < 3; ++k) variance += (a(i, j, k) - mean) * (a(i, j, k) - mean) / 3;
      for (index_t k = 0; k < 3; ++k)
        CHECK(y(i, j, k) == doctest::Approx((a(i, j, k) - mean) / std::sqrt(variance + 1e-5)).epsilon(1e-12));
    }
}

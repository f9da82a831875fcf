#include <formwork/kernels/cpu/orthonormal_rows.hpp>

#include <doctest/doctest.h>

#include "../../support/random.hpp"

#include <cmath>
#include <vector>

using namespace formwork;

namespace {

template <class T>
void check(index_t rows, index_t width, double tolerance) {
  CAPTURE(rows);
  storage<T> x = formwork_test::normal_numbers<T>(rows * width, 1);
  // The last two rows are nearly one.
  for (index_t c = 0; rows > 2 && c < width; ++c)
    x[(rows - 1) * width + c] = x[(rows - 2) * width + c] * (1 + T(1e-3) * T(c));
  const std::vector<T> before(x.begin(), x.end());
  cpu_backend backend(2);
  cpu::orthonormal_rows<T>(backend, {x.data(), rows, width});
  const auto dot = [&](const T* a, const T* b) {
    double sum = 0;
    for (index_t c = 0; c < width; ++c) sum += double(a[c]) * double(b[c]);
    return sum;
  };
  for (index_t r = 0; r < rows; ++r) {
    for (index_t o = 0; o <= r; ++o)
      REQUIRE(dot(&x[r * width], &x[o * width]) == doctest::Approx(r == o).epsilon(tolerance));
    // A row has nothing of the rows behind it: x = R Q with a lower triangle R.
    for (index_t o = r + 1; o < rows; ++o)
      REQUIRE(std::abs(dot(&before[std::size_t(r * width)], &x[o * width])) <= 100 * tolerance);
    CHECK(dot(&before[std::size_t(r * width)], &x[r * width]) > 0);
  }
}

}  // namespace

TEST_CASE("orthonormal_rows: rows are orthonormal and span what the first rows spanned") {
  for (const auto& [rows, width] : {std::pair<index_t, index_t>{1, 1}, {1, 9}, {7, 7}, {40, 40}, {33, 70}}) {
    check<double>(rows, width, 1e-13);
    check<float>(rows, width, 1e-6);
  }
}

TEST_CASE("orthonormal_rows: a row of zeros stays, the bits do not depend on the number of threads") {
  std::vector<float> first;
  for (const int threads : {1, 3}) {
    storage<float> x = formwork_test::normal_numbers<float>(60 * 80, 2);
    std::fill_n(&x[5 * 80], 80, 0.0f);
    cpu_backend backend(threads);
    cpu::orthonormal_rows<float>(backend, {x.data(), 60, 80});
    for (index_t c = 0; c < 80; ++c) CHECK(x[5 * 80 + c] == 0);
    if (first.empty()) first.assign(x.begin(), x.end());
    CHECK(std::equal(first.begin(), first.end(), x.begin()));
  }
}

#include <formwork/kernels/cpu/map.hpp>

#include <doctest/doctest.h>

#include "../../support/random.hpp"

using namespace formwork;
using formwork_test::normal_numbers;

TEST_CASE_TEMPLATE("map_row: every length, and nothing behind the last element changes", T, float, double) {
  for (index_t n = 0; n <= 3 * simd::width<T> + 1; ++n) {
    const auto a = normal_numbers<T>(n, 1), b = normal_numbers<T>(n, 2);
    storage<T> y(n + 2 * simd::width<T>);
    for (T& v : y) v = T(77);
    cpu::map_row(
        y.data(), n, [](auto u, auto v) { return u - v; }, a.data(), b.data());
    for (index_t i = 0; i < y.size(); ++i) REQUIRE(y[i] == (i < n ? a[i] - b[i] : T(77)));
    storage<T> in_place = formwork_test::copy_of(a);
    cpu::map_row(
        in_place.data(), n, [](auto u, auto v) { return u * v; }, in_place.data(), b.data());
    for (index_t i = 0; i < n; ++i) REQUIRE(in_place[i] == a[i] * b[i]);
  }
}

TEST_CASE("map: matrices with gaps between their rows, with any number of threads") {
  for (const int threads : {1, 3}) {
    cpu_backend backend(threads);
    const index_t rows = 5000, width = 13;  // more than one task
    const auto x = normal_numbers<float>(rows * 16, 3);
    storage<float> y(rows * 15);
    cpu::map(
        backend, matrix_view<float>(y.data(), rows, width, 15), [](auto v) { return v + v; },
        matrix_view<const float>(x.data(), rows, width, 16));
    bool right = true;
    for (index_t r = 0; r < rows; ++r)
      for (index_t c = 0; c < 15; ++c) right = right && y[r * 15 + c] == (c < width ? 2 * x[r * 16 + c] : 0);
    CHECK(right);
  }
}

#include <formwork/kernels/cpu/attention_head.hpp>

#include <doctest/doctest.h>

#include "../../support/random.hpp"

using namespace formwork;
using namespace formwork::cpu::detail;
using formwork_test::normal_numbers;

TEST_CASE("attention head: how many keys a query sees") {
  storage<float> x(64);
  attention_head<float> head{.q = {x.data(), 3, 2}, .k = {x.data(), 5, 2}, .v = {x.data(), 5, 2}};
  CHECK((head.seen(0) == 5 && head.first_query() == 0));
  head.causal = true;  // the last query sees all keys
  CHECK((head.seen(0) == 3 && head.seen(2) == 5 && head.first_query() == 0));
  head.k = {x.data(), 2, 2};  // fewer keys than queries: the first query sees none
  CHECK((head.seen(0) == 0 && head.seen(1) == 1 && head.first_query() == 1));
  head.k = {x.data(), 0, 2};
  CHECK(head.first_query() == 3);
}

TEST_CASE_TEMPLATE("attention head: scratch rows hold whole batches and never lie a page apart", T, float,
                   double) {
  for (index_t n = 1; n < 5000; ++n) {
    const index_t stride = scratch_stride<T>(n);
    REQUIRE((stride >= n && stride % simd::width<T> == 0 && stride - n < 2 * simd::width<T>));
    REQUIRE(stride * index_t(sizeof(T)) % 4096 != 0);
  }
}

TEST_CASE_TEMPLATE("attention head: transposing matrices of any shape", T, float, double) {
  for (const index_t rows : {1, 5, 16, 33})
    for (const index_t width : {1, 8, 19, 32}) {
      const auto x = normal_numbers<T>(rows * (width + 3), 1);
      const index_t stride = whole_batches<T>(rows) + simd::width<T>;
      storage<T> y(whole_batches<T>(width) * stride);
      transpose_whole<T>({x.data(), rows, width, width + 3}, y.data(), stride);
      for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < width; ++j) REQUIRE(y[j * stride + i] == x[i * (width + 3) + j]);
    }
}

TEST_CASE_TEMPLATE("attention head: exponentials do not overflow, and their sum counts no element twice", T,
                   float, double) {
  for (const index_t n : {1, 3, 16, 17, 70}) {
    storage<T> s = normal_numbers<T>(n, 2, 1000);
    const storage<T> before = formwork_test::copy_of(s);
    T largest, sum;
    exponentials<T>(s.data(), n, T(0.5), largest, sum);
    double top = -1e300, expected = 0;
    for (index_t i = 0; i < n; ++i) top = std::max(top, 0.5 * double(before[i]));
    for (index_t i = 0; i < n; ++i) expected += std::exp(0.5 * double(before[i]) - top);
    CHECK(double(largest) == top);
    CHECK(double(sum) == doctest::Approx(expected).epsilon(sizeof(T) == 4 ? 1e-4 : 1e-12));
  }
}

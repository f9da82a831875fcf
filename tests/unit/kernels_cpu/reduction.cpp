#include <formwork/kernels/cpu/reduction.hpp>

#include <doctest/doctest.h>

#include "../../support/random.hpp"

#include <cmath>

using namespace formwork;
using namespace formwork_test;

TEST_CASE("row_chunks: every row is in one chunk, whatever the numbers") {
  for (const index_t rows : {0, 1, 7, 8, 9, 511, 512, 513, 4096, 100003})
    for (const index_t least : {0, 1, 8, 33}) {
      const cpu::row_chunks chunks(rows, least);
      index_t next = 0;
      for (index_t i = 0; i < chunks.count(); ++i) {
        REQUIRE(chunks.begin(i) == next);
        REQUIRE(chunks.end(i) > next);
        next = chunks.end(i);
      }
      REQUIRE(next == rows);
      REQUIRE(chunks.count() <= 64);
    }
}

TEST_CASE_TEMPLATE("row_sum and for_each_batch: all elements once, at any length", T, float, double) {
  for (index_t n = 0; n < 200; ++n) {
    const auto x = normal_numbers<T>(n, 1);
    storage<T> y(n + 1);
    double sum = 0;
    for (index_t i = 0; i < n; ++i) sum += double(x[i]);
    const T got =
        cpu::row_sum<T>(n, [&](index_t i, index_t count) { return simd::load_some(x.data() + i, count); });
    REQUIRE(std::fabs(double(got) - sum) < (sizeof(T) == 4 ? 2e-5 : 1e-13));
    cpu::for_each_batch<T>(n, [&](index_t i, index_t count) {
      simd::store_some(y.data() + i, simd::load_some(x.data() + i, count) + simd::batch<T>(T(1)), count);
    });
    for (index_t i = 0; i < n; ++i) REQUIRE(y[i] == x[i] + 1);
    REQUIRE(y[n] == 0);
  }
}

TEST_CASE("add_partial_sums: adds in order and keeps what was there") {
  cpu_backend backend(2);
  const index_t n = 2100, parts = 5;
  const auto partial = normal_numbers<double>(parts * (n + 3), 2);
  storage<double> out = normal_numbers<double>(n, 3);
  const storage<double> before = copy_of(out);
  cpu::add_partial_sums(backend, out.data(), partial.data(), parts, n, n + 3);
  for (index_t i = 0; i < n; ++i) {
    double sum = 0;
    for (index_t p = 0; p < parts; ++p) sum += partial[p * (n + 3) + i];
    REQUIRE(out[i] == before[i] + sum);
  }
}

#include <formwork/kernels/cpu/position.hpp>

#include <doctest/doctest.h>

#include "../../support/random.hpp"

using namespace formwork;
using formwork_test::normal_numbers;

namespace {

constexpr index_t start[] = {0, 3, 3, 4, 9}, width = 7;
constexpr index_t position[9] = {0, 1, 2, 0, 0, 1, 2, 3, 4};

}  // namespace

TEST_CASE("add_positions: counts from the first position of each sequence, in place too") {
  cpu_backend backend(2);
  const auto x = normal_numbers<float>(9 * width, 1), table = normal_numbers<float>(8 * width, 2);
  storage<float> y = formwork_test::copy_of(x);
  for (const index_t first : {0, 3}) {
    y.assign(x.data(), x.size());
    const matrix_view<float> all(y.data(), 9, width);
    cpu::add_positions<float>(backend, all, {start, 4}, {table.data(), 8, width}, first, all);
    for (index_t r = 0; r < 9; ++r)
      for (index_t c = 0; c < width; ++c)
        CHECK(y[r * width + c] == x[r * width + c] + table[(first + position[r]) * width + c]);
  }
}

TEST_CASE("add_positions: a sequence longer than the table is an error that names it") {
  cpu_backend backend(1);
  storage<float> x(9 * width), table(8 * width);
  const matrix_view<float> all(x.data(), 9, width);
  const auto with = [&](index_t rows, index_t first) {
    cpu::add_positions<float>(backend, all, {start, 4}, {table.data(), rows, width}, first, all);
  };
  CHECK_NOTHROW(with(5, 0));
  CHECK_THROWS_WITH_AS(with(4, 0), "position: sequence 3 has 5 tokens, the position table has 4 rows", error);
  CHECK_THROWS_WITH_AS(with(8, 4), "position: sequence 3 has 9 tokens, the position table has 8 rows", error);
}

TEST_CASE("scatter_positions: sums over sequences, in their order, onto what is there") {
  cpu_backend backend(2);
  const auto dy = normal_numbers<float>(9 * width, 3), before = normal_numbers<float>(6 * width, 4);
  storage<float> table = formwork_test::copy_of(before);
  cpu::scatter_positions<float>(backend, {const_cast<float*>(dy.data()), 9, width}, {start, 4},
                                {table.data(), 6, width});
  for (index_t p = 0; p < 6; ++p)
    for (index_t c = 0; c < width; ++c) {
      float sum = before[p * width + c];
      for (index_t r = 0; r < 9; ++r)
        if (position[r] == p) sum += dy[r * width + c];
      CHECK(table[p * width + c] == sum);
    }
}

#include <formwork/kernels/cpu/embedding.hpp>

#include <doctest/doctest.h>

#include "../../support/random.hpp"

#include <cmath>
#include <vector>

using namespace formwork;
using namespace formwork_test;

namespace {

std::vector<token_t> some_ids(index_t count, index_t vocabulary) {
  std::vector<token_t> ids;
  const random_stream random{7, 1};
  // A third of the positions hold one id, as in a language.
  for (index_t i = 0; i < count; ++i)
    ids.push_back(i % 3 == 0 ? 2 % token_t(vocabulary)
                             : token_t(random.below(std::uint64_t(i), std::uint64_t(vocabulary))));
  return ids;
}

}  // namespace

TEST_CASE_TEMPLATE("gather: rows of the table, scaled, at any width", T, float, double) {
  cpu_backend backend(2);
  for (const index_t width : {1, 3, 31, 33, 128, 257}) {
    const auto ids = some_ids(50, 9);
    const auto table = normal_numbers<T>(9 * (width + 1), 1);
    storage<T> y(50 * (width + 2));
    cpu::gather<T>(backend, ids.data(), {table.data(), 9, width, width + 1}, 1.5,
                   {y.data(), 50, width, width + 2});
    for (index_t i = 0; i < 50; ++i) {
      for (index_t c = 0; c < width; ++c)
        REQUIRE(y[i * (width + 2) + c] == table[ids[std::size_t(i)] * (width + 1) + c] * T(1.5));
      REQUIRE(y[i * (width + 2) + width] == 0);
    }
  }
}

TEST_CASE_TEMPLATE("scatter_add: sums by id, leaves other rows alone, equal for any threads", T, float,
                   double) {
  for (const index_t width : {1, 33, 64}) {
    const index_t n = 1000, vocabulary = 301;
    auto ids = some_ids(n, 200);
    const auto dy = normal_numbers<T>(n * width, 2), before = normal_numbers<T>(vocabulary * width, 3);
    storage<double> exact = converted<double>(before);
    for (index_t i = 0; i < n; ++i)
      for (index_t c = 0; c < width; ++c)
        exact[ids[std::size_t(i)] * width + c] += 0.5 * double(dy[i * width + c]);
    storage<T> first;
    for (const int threads : {1, 2, 3}) {
      cpu_backend backend(threads);
      storage<T> table = copy_of(before);
      cpu::scatter_add<T>(backend, ids.data(), {dy.data(), n, width}, 0.5, {table.data(), vocabulary, width});
      CHECK(largest_difference(table, exact) < (std::is_same_v<T, float> ? 5e-5 : 1e-13));
      for (index_t i = 200 * width; i < table.size(); ++i) REQUIRE(table[i] == before[i]);
      if (threads == 1)
        first = std::move(table);
      else
        CHECK(same_bits(first, table));
    }
  }
}

TEST_CASE("scatter_add: is the transpose of gather") {
  cpu_backend backend(1);
  const index_t n = 40, vocabulary = 13, width = 5;
  const auto ids = some_ids(n, vocabulary);
  const auto table = normal_numbers<double>(vocabulary * width, 1), dy = normal_numbers<double>(n * width, 2);
  storage<double> y(n * width), dtable(vocabulary * width);
  cpu::gather<double>(backend, ids.data(), {table.data(), vocabulary, width}, 0.7, {y.data(), n, width});
  cpu::scatter_add<double>(backend, ids.data(), {dy.data(), n, width}, 0.7,
                           {dtable.data(), vocabulary, width});
  double left = 0, right = 0;
  for (index_t i = 0; i < y.size(); ++i) left += y[i] * dy[i];
  for (index_t i = 0; i < table.size(); ++i) right += table[i] * dtable[i];
  CHECK(left == doctest::Approx(right).epsilon(1e-13));
}

TEST_CASE("embedding: ids outside of the vocabulary are refused by position, no positions are fine") {
  cpu_backend backend(1);
  storage<float> table(12), y(6);
  const token_t high[3] = {0, 3, 4}, low[3] = {0, -1, 1};
  CHECK_THROWS_WITH_AS(cpu::gather<float>(backend, high, {table.data(), 4, 3}, 1, {y.data(), 3, 3}),
                       "gather: id 4 at position 2, expected 0 to 3 (a vocabulary of 4)", error);
  CHECK_THROWS_WITH_AS(cpu::scatter_add<float>(backend, low, {y.data(), 3, 3}, 1, {table.data(), 4, 3}),
                       "scatter_add: id -1 at position 1, expected 0 to 3 (a vocabulary of 4)", error);
  cpu::gather<float>(backend, nullptr, {table.data(), 4, 3}, 1, {y.data(), 0, 3});
  cpu::scatter_add<float>(backend, nullptr, {y.data(), 0, 3}, 1, {table.data(), 4, 3});
  CHECK(table[0] == 0);
}

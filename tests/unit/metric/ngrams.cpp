#include <formwork/metric/ngrams.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

using namespace formwork;

using symbols = std::vector<std::uint32_t>;

TEST_CASE("ngrams: counts agree with a map of all windows") {
  // Pseudo-random sequences over few symbols, so that n-grams repeat.
  std::uint32_t state = 1;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 24; };
  for (int trial = 0; trial < 50; ++trial) {
    symbols a(next() % 12), b(next() % 12);
    for (auto& s : a) s = next() % 3;
    for (auto& s : b) s = next() % 3;
    ngram_table table(4);
    const ngram_counts x = table.count(a), y = table.count(b);
    for (std::size_t n = 1; n <= 4; ++n) {
      std::map<symbols, index_t> in_a, in_b;
      for (std::size_t i = 0; i + n <= a.size(); ++i) ++in_a[symbols(a.begin() + i, a.begin() + i + n)];
      for (std::size_t i = 0; i + n <= b.size(); ++i) ++in_b[symbols(b.begin() + i, b.begin() + i + n)];
      index_t expected = 0;
      for (const auto& [gram, count] : in_a) expected += (std::min)(count, in_b[gram]);
      CHECK(common_ngrams(x[n - 1], y[n - 1]) == expected);
      const auto windows = static_cast<index_t>(a.size() >= n ? a.size() - n + 1 : 0);
      CHECK(std::accumulate(x[n - 1].begin(), x[n - 1].end(), index_t{0}) == windows);
    }
  }
}

TEST_CASE("ngrams: the same words in another text have the same numbers") {
  word_numbers numbers;
  const std::vector<std::string_view> first{"a", "b", "a"}, second{"c", "b"};
  CHECK(numbers(first) == symbols{0, 1, 0});
  CHECK(numbers(second) == symbols{2, 1});
}

TEST_CASE("ngrams: a table of order 0 counts nothing") {
  ngram_table table(0);
  CHECK(table.count(symbols{1, 2}).empty());
}

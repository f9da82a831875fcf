#include <formwork/metric/unicode_categories.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>

using namespace formwork::detail;

namespace {

// Binary search relies on this.
constexpr bool sorted_and_apart(std::span<const unicode_range> ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].count < 1) return false;
    if (i > 0 && ranges[i].first < ranges[i - 1].first + static_cast<char32_t>(ranges[i - 1].count))
      return false;
  }
  return true;
}
static_assert(sorted_and_apart(unicode_categories));
static_assert(sorted_and_apart(sigma_contexts));

}  // namespace

TEST_CASE("unicode categories: the tables have the sizes that Unicode 14 publishes") {
  int punctuation = 0, symbols = 0, numbers = 0, lowercase = 0;
  for (const auto& range : unicode_categories) {
    punctuation += range.kind == 'P' ? range.count : 0;
    symbols += range.kind == 'S' ? range.count : 0;
    numbers += range.kind == 'N' ? range.count : 0;
  }
  for (const auto& range : lowercase_ranges) lowercase += range.count;
  CHECK(punctuation == 819);
  CHECK(symbols == 7741);
  CHECK(numbers == 1791);
  CHECK(lowercase == 1432);
}

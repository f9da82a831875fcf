#pragma once
#include <formwork/core/types.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace formwork {

/// How often each n-gram occurs in a sequence: counts[n - 1][k] for the k-th n-gram of order n of an
/// ngram_table. n-grams beyond the end of a row do not occur.
using ngram_counts = std::vector<std::vector<index_t>>;

/// Numbers the n-grams of several sequences, so that equal n-grams of one order get the same number in all
/// of them. An n-gram is looked up as its first n - 1 symbols, already numbered, and its last one; nothing
/// is hashed down to a value that two n-grams could share.
/// Cost: one hash lookup for each position and order
class ngram_table {
 public:
  explicit ngram_table(int max_order) : numbers_(static_cast<std::size_t>(max_order)) {}

  /// Counts the n-grams of orders 1 to max_order of a sequence of symbols.
  ngram_counts count(std::span<const std::uint32_t> symbols) {
    ngram_counts counts(numbers_.size());
    std::vector<std::uint64_t> prefix(symbols.size(), 0);  // number of the (n - 1)-gram that starts here
    for (std::size_t n = 1; n <= numbers_.size(); ++n) {
      auto& numbers = numbers_[n - 1];
      auto& row = counts[n - 1];
      for (std::size_t i = 0; i + n <= symbols.size(); ++i) {
        const std::uint64_t key = prefix[i] << 32 | symbols[i + n - 1];
        const std::size_t number = numbers.try_emplace(key, numbers.size()).first->second;
        if (row.size() <= number) row.resize(number + 1, 0);
        ++row[number];
        prefix[i] = number;
      }
    }
    return counts;
  }

 private:
  std::vector<std::unordered_map<std::uint64_t, std::size_t>> numbers_;  // by order
};

/// Numbers the words of several texts, so that equal words get the same number in all of them.
class word_numbers {
 public:
  std::vector<std::uint32_t> operator()(std::span<const std::string_view> words) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(words.size());
    for (const std::string_view word : words) {
      const auto unused = index_t(numbers_.size());
      numbers.push_back(std::uint32_t(numbers_.try_emplace(std::string(word), unused).first->second));
    }
    return numbers;
  }

 private:
  std::unordered_map<std::string, index_t> numbers_;
};

/// Number of n-grams that two sequences share: the sum of the smaller count of each.
inline index_t common_ngrams(std::span<const index_t> a, std::span<const index_t> b) {
  index_t common = 0;
  for (std::size_t k = 0; k < (std::min)(a.size(), b.size()); ++k) common += (std::min)(a[k], b[k]);
  return common;
}

}  // namespace formwork

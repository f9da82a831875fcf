#pragma once
#include <formwork/core/philox.hpp>
#include <formwork/data/batch.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace examples {

/// Sentences of 6 to 10 random symbols of 37; the translation is the reversed sentence with each symbol
/// replaced by another, always the same one. Small enough to learn in seconds, impossible without attention.
class reversal_task {
 public:
  static constexpr formwork::index_t vocabulary = 40;  // three marks and 37 symbols

  reversal_task() : translated_(symbols) {
    std::iota(translated_.begin(), translated_.end(), first);
    const formwork::random_stream random{1, 1};
    for (std::uint64_t i = symbols - 1; i > 0; --i)
      std::swap(translated_[i], translated_[random.below(i, i + 1)]);
  }

  /// Batch `number` of the row that belongs to the seed.
  void fill(formwork::batch& to, int sentences, std::uint64_t seed, std::uint64_t number) {
    const formwork::random_stream random{seed, 2 + number};
    std::uint64_t drawn = 0;
    formwork::parallel_corpus corpus;
    for (int s = 0; s < sentences; ++s) {
      std::vector<formwork::token_t> source(6 + random.below(drawn++, 5)), target;
      for (formwork::token_t& t : source) t = first + formwork::token_t(random.below(drawn++, symbols));
      for (auto t = source.rbegin(); t != source.rend(); ++t)
        target.push_back(translated_[std::size_t(*t - first)]);
      corpus.add(source, target);
    }
    std::vector<formwork::index_t> all(std::size_t(sentences), 0);
    std::iota(all.begin(), all.end(), 0);
    to.fill(corpus, all);
  }

 private:
  static constexpr std::uint64_t symbols = 37;
  static constexpr formwork::token_t first = 3;

  std::vector<formwork::token_t> translated_;
};

}  // namespace examples

#pragma once
#include <formwork/core/philox.hpp>

#include <cstddef>
#include <string>

namespace formwork::embedded {

/// A German phrase and its English translation.
struct phrase {
  std::string german, english;
};

/// The decisions of one sentence: a row of random numbers that depends on the seed and the number
/// of the sentence.
class dice {
 public:
  dice(std::uint64_t seed, index_t sentence) : random_{seed, std::uint64_t(sentence)} {}

  /// Uniform in [0, bound).
  index_t below(index_t bound) { return index_t(random_.below(next_++, std::uint64_t(bound))); }
  /// Uniform in [low, high].
  index_t between(index_t low, index_t high) { return low + below(high - low + 1); }
  bool percent(index_t chance) { return below(100) < chance; }

  /// One element of an array, all equally likely.
  template <class T, std::size_t N>
  const T& pick(const T (&options)[N]) {
    return options[below(index_t(N))];
  }

 private:
  random_stream random_;
  std::uint64_t next_ = 0;
};

}  // namespace formwork::embedded

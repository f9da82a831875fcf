#pragma once
#include <formwork/data/parallel_corpus.hpp>
#include <formwork/model/encoder_decoder.hpp>
#include <formwork/policy/init/xavier.hpp>

#include <algorithm>

namespace formwork_test {

/// Sentences of random symbols and their reversal:
/// small enough to train in seconds, impossible without attention.
inline formwork::parallel_corpus reversal_corpus(int sentences, std::uint64_t seed, int shortest = 2,
                                                 int longest = 7, int symbols = 17) {
  const formwork::random_stream random{seed};
  std::uint64_t k = 0;
  formwork::parallel_corpus corpus;
  for (int i = 0; i < sentences; ++i) {
    std::vector<formwork::token_t> s(std::size_t(shortest) +
                                     random.below(k++, std::uint64_t(longest - shortest + 1)));
    for (formwork::token_t& t : s) t = 3 + formwork::token_t(random.below(k++, std::uint64_t(symbols)));
    std::vector<formwork::token_t> t(s.rbegin(), s.rend());
    corpus.add(s, t);
  }
  return corpus;
}

inline constexpr formwork::vocabulary_sizes reversal_vocabulary{20, 20};

/// A model of 1 + 1 layers of width 16.
template <class Placement = formwork::pre_norm, class Precision = formwork::fp32>
struct small_config : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 16, .d_ff = 32, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
  using placement = Placement;
  using precision = Precision;
};

}  // namespace formwork_test

#pragma once
#include <formwork/decode/options.hpp>

#include <algorithm>

namespace formwork {

/// How many sentences are translated together. What a search keeps for a batch is made for the worst case,
/// every sentence with a full beam up to the longest translation: this bounds it, whatever the sentences are.
class batch_budget {
 public:
  static constexpr index_t cache_rows = 16384;                 ///< hypotheses x steps: keys and values
  static constexpr index_t probabilities = index_t{8} << 20;   ///< hypotheses x V: what one step computes

  batch_budget(const decode_options& options, index_t vocabulary)
      : tokens_left_(options.batch_tokens), beam_(options.beam), vocabulary_(vocabulary) {}

  /// Takes a sentence into the batch if everything still fits; the first one always does.
  bool take(index_t source_tokens, index_t steps) {
    const index_t longest = std::max(longest_, steps), hypotheses = (sentences_ + 1) * beam_;
    if (sentences_ > 0 && (source_tokens > tokens_left_ || hypotheses > cache_rows / longest ||
                           hypotheses > probabilities / vocabulary_))
      return false;
    ++sentences_;
    tokens_left_ -= source_tokens;
    longest_ = longest;
    return true;
  }

 private:
  index_t tokens_left_, beam_, vocabulary_, sentences_ = 0, longest_ = 1;
};

}  // namespace formwork

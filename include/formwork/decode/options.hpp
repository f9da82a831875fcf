#pragma once
#include <formwork/core/error.hpp>

#include <cmath>

namespace formwork {

/// How the score of a finished hypothesis, the sum of its log-probabilities, is made comparable between
/// lengths. The length counts the end mark.
enum class length_penalty : std::uint8_t {
  average,  ///< sum / length^alpha; alpha = 1 is the mean log-probability (fairseq's --lenpen)
  gnmt      ///< sum / ((5 + length) / 6)^alpha (Wu et al. 2016, eq. 14)
};

/// Numbers of a search; the defaults are the field's usual ones.
struct decode_options {
  int beam = 5;                  ///< live hypotheses of a sentence; 1: greedy
  int nbest = 1;                 ///< most results of a sentence, best first; at most `beam`
  length_penalty penalty = length_penalty::average;
  double alpha = 1;              ///< strength of the length penalty; 0: none
  double max_length_factor = 2;  ///< a translation has at most factor x source tokens + extra
  index_t max_length_extra = 20;
  index_t min_length = 0;        ///< tokens before the end mark may come
  /// Most tokens of a source, its end mark left out; 0: no limit. A longer one is an error: time grows with the
  /// square of the length.
  index_t max_source_length = 1000;
  index_t batch_tokens = 2000;   ///< most source tokens that are translated together
  bool source_end = true;        ///< sources must have the end mark; false: the model was trained without
  bool sample = false;           ///< draw from the distribution instead of searching
  double temperature = 1;        ///< sampling: logits are divided by it
  int top_k = 0;                 ///< sampling: only the k likeliest; 0: all
  std::uint64_t seed = 1;        ///< sampling

  /// Error: a number that makes no sense, in one sentence.
  void validate() const {
    if (beam < 1 || beam > 1000000) fail("decoding: beam is ", beam, ", expected 1 to 1000000");
    if (nbest < 1 || nbest > beam) fail("decoding: nbest is ", nbest, ", expected 1 to the beam of ", beam);
    if (!(alpha >= 0 && alpha <= 20)) fail("decoding: the length penalty is ", alpha, ", expected 0 to 20");
    if (!(max_length_factor >= 0 && max_length_factor <= 1000))
      fail("decoding: max_length_factor is ", max_length_factor, ", expected 0 to 1000");
    if (max_length_extra < 0 || max_length_extra > 1000000)
      fail("decoding: max_length_extra is ", max_length_extra, ", expected 0 to 1000000");
    if (min_length < 0) fail("decoding: min_length is ", min_length, ", expected 0 or more");
    if (max_source_length < 0)
      fail("decoding: max_source_length is ", max_source_length, ", expected 0 or more");
    if (batch_tokens < 1) fail("decoding: batch_tokens is ", batch_tokens, ", expected at least 1");
    if (!(temperature > 0 && std::isfinite(temperature)))
      fail("decoding: the temperature is ", temperature, ", expected a finite number above 0");
    if (top_k < 0) fail("decoding: top_k is ", top_k, ", expected 0 or more");
    if (sample && beam != 1) fail("decoding: sampling draws one translation a sentence; set beam to 1");
  }

  /// The most tokens, without the end mark, of a translation of a source of so many tokens
  /// (its end mark left out).
  index_t max_length(index_t source_tokens) const {
    return index_t(std::ceil(max_length_factor * double(source_tokens))) + max_length_extra;
  }
  /// The score by which hypotheses of different lengths compare; `length` counts the end mark.
  double normalised(double log_probability, index_t length) const {
    const double base = penalty == length_penalty::gnmt ? (5.0 + double(length)) / 6.0 : double(length);
    return log_probability / std::pow(base, alpha);
  }
};

}  // namespace formwork

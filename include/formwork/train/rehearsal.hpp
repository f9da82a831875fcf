#pragma once
#include <formwork/data/batch_source.hpp>
#include <formwork/model/encoder_decoder.hpp>

namespace formwork {

/// A batch as the model sees it.
inline sequence_pairs view_of(const batch& b) {
  return {b.source.data(), b.target_in.data(), b.target_out.data(), b.source_sequences(),
          b.target_sequences()};
}

/// Limits that both hold for.
inline batch_limits upper(const batch_limits& a, const batch_limits& b) {
  return {std::max(a.source_tokens, b.source_tokens), std::max(a.target_tokens, b.target_tokens),
          std::max(a.sentences, b.sentences), std::max(a.source_length, b.source_length),
          std::max(a.target_length, b.target_length)};
}

/// The largest batch that the limits allow, of as long sentences as they allow, with nothing in it. A pass
/// over it asks for all memory that any later batch needs: a run that does not fit ends at its start and
/// not hours later, when the longest sentences are drawn.
/// Requires: sentences of at least one token on each side that has tokens (checked)
inline batch largest_batch(const batch_limits& limits) {
  if ((limits.source_tokens > 0 && limits.source_length < 1) ||
      (limits.target_tokens > 0 && limits.target_length < 1))
    fail("largest batch: ", limits.source_tokens, " and ", limits.target_tokens,
         " tokens in sentences of at most ", limits.source_length, " and ", limits.target_length);
  batch b;
  index_t s = limits.source_tokens, t = limits.target_tokens;
  for (index_t i = 0; s > 0 || t > 0; ++i) {
    const index_t source = std::min(s, limits.source_length), target = std::min(t, limits.target_length);
    b.source.insert(b.source.end(), std::size_t(source), end_token);
    for (auto* tokens : {&b.target_in, &b.target_out})
      tokens->insert(tokens->end(), std::size_t(target), end_token);
    b.source_start.push_back(b.source_tokens());
    b.target_start.push_back(b.target_tokens());
    b.sentences.push_back(i);
    s -= source;
    t -= target;
  }
  return b;
}

}  // namespace formwork

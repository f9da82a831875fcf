#pragma once
#include <formwork/core/sequences.hpp>
#include <formwork/data/parallel_corpus.hpp>

#include <span>
#include <vector>

namespace formwork {

/// A batch of sentence pairs for a translation model, packed: the sentences stand one after the other,
/// nothing is padded.
/// Shapes:   source [S tokens], target_in and target_out [T tokens], starts [B + 1], sentences [B]
struct batch {
  std::vector<token_t> source;      ///< each sentence ended by `</s>`
  std::vector<token_t> target_in;   ///< what the decoder reads: `<s>`, then the sentence
  std::vector<token_t> target_out;  ///< what it must say: the sentence, then `</s>`
  std::vector<index_t> source_start{0}, target_start{0};
  std::vector<index_t> sentences;  ///< where each pair stands in the corpus

  index_t size() const { return index_t(sentences.size()); }
  sequences source_sequences() const { return {source_start.data(), size()}; }
  sequences target_sequences() const { return {target_start.data(), size()}; }
  index_t source_tokens() const { return index_t(source.size()); }
  index_t target_tokens() const {
    return index_t(target_out.size());
  }  ///< `</s>` counted: the loss has so many terms

  /// Becomes the batch of the named pairs, in this order.
  /// Memory is kept, so it allocates only while it grows.
  /// Requires: 0 <= index < corpus.size() (unchecked)
  void fill(const parallel_corpus& corpus, std::span<const index_t> indices) {
    clear();
    for (const index_t i : indices) {
      const auto s = corpus.source_sentence(i), t = corpus.target_sentence(i);
      source.insert(source.end(), s.begin(), s.end());
      source.push_back(end_token);
      target_in.push_back(begin_token);
      target_in.insert(target_in.end(), t.begin(), t.end());
      target_out.insert(target_out.end(), t.begin(), t.end());
      target_out.push_back(end_token);
      source_start.push_back(index_t(source.size()));
      target_start.push_back(index_t(target_out.size()));
      sentences.push_back(i);
    }
  }

  void clear() {
    for (auto* tokens : {&source, &target_in, &target_out}) tokens->clear();
    sentences.clear();
    for (auto* start : {&source_start, &target_start}) start->assign(1, 0);
  }

  /// Makes room for batches up to these sizes, so that `fill` allocates nothing.
  void reserve(index_t source_count, index_t target_count, index_t sentence_count) {
    source.reserve(std::size_t(source_count));
    for (auto* tokens : {&target_in, &target_out}) tokens->reserve(std::size_t(target_count));
    for (auto* start : {&source_start, &target_start}) start->reserve(std::size_t(sentence_count) + 1);
    sentences.reserve(std::size_t(sentence_count));
  }
};

}  // namespace formwork

#pragma once
#include <formwork/core/utf8.hpp>
#include <formwork/data/lines.hpp>
#include <formwork/data/parallel_corpus.hpp>
#include <formwork/data/sentence_pair.hpp>

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace formwork {

/// Turns a line into ids without `<s>` and `</s>`: either appends them, `encode(line, ids)`, or returns them,
/// `encode(line)`. Vocabulary, byte pairs and SentencePiece fit through a lambda.
template <class F>
concept line_encoder = std::invocable < F&,
        std::string_view, std::vector<token_t>
& > || requires(F& f) {
  { f(std::string_view{}) } -> std::convertible_to<std::vector<token_t>>;
};

namespace detail {

/// Checks and encodes one line after the other into one side of a corpus.
template <line_encoder Encode>
class side_writer {
 public:
  side_writer(std::string_view name, Encode& encode, std::vector<token_t>& tokens,
              std::vector<index_t>& start)
      : name_(name), encode_(encode), tokens_(tokens), start_(start) {}

  void operator()(std::string_view line, index_t number) {
    if (const index_t bad = first_invalid_utf8(line); bad >= 0) {
      fail_at(name_, number, "byte ", bad + 1, " of the line is not valid UTF-8");
    }
    const std::size_t before = tokens_.size();
    if constexpr (std::invocable<Encode&, std::string_view, std::vector<token_t>&>) {
      encode_(line, tokens_);
    } else {
      const std::vector<token_t> ids = encode_(line);
      tokens_.insert(tokens_.end(), ids.begin(), ids.end());
    }
    for (std::size_t i = before; i < tokens_.size(); ++i) {
      if (tokens_[i] < 0 || tokens_[i] == begin_token || tokens_[i] == end_token) {
        fail_at(name_, number, "the encoder gave token ", tokens_[i],
                "; it must give the tokens of the text only, batches add <s> (1) and </s> (2)");
      }
    }
    start_.push_back(index_t(tokens_.size()));
  }

 private:
  std::string_view name_;
  Encode& encode_;
  std::vector<token_t>& tokens_;
  std::vector<index_t>& start_;
};

inline index_t count_lines(const std::string& path) {
  return for_each_line(path, [](std::string_view, index_t) {});
}

}  // namespace detail

/// Reads a translation corpus from two text files, plain or gzip, line i of one the translation of line i of
/// the other. All lines are counted before any is encoded, so that unequal files are found at once. Requires:
/// equal numbers of lines, UTF-8, something left after dropping (checked: `error` names files, lines, bytes)
/// Returns:  the pairs that are kept; `report` says how many were dropped and why
/// Cost:     each file is read twice
template <line_encoder EncodeSource, line_encoder EncodeTarget>
parallel_corpus read_parallel_corpus(const std::string& source_path, const std::string& target_path,
                                     EncodeSource encode_source, EncodeTarget encode_target,
                                     const corpus_options& options = {}) {
  const index_t source_lines = detail::count_lines(source_path),
                target_lines = detail::count_lines(target_path);
  if (source_lines != target_lines) {
    fail("corpus: ", source_path, " has ", source_lines, " lines, but ", target_path, " has ", target_lines);
  }
  if (source_lines == 0) fail("corpus: ", source_path, " and ", target_path, " have no lines");
  parallel_corpus corpus;
  detail::side_writer source(source_path, encode_source, corpus.source, corpus.source_start);
  detail::side_writer target(target_path, encode_target, corpus.target, corpus.target_start);
  for_each_line(source_path, source);
  for_each_line(target_path, target);
  if (corpus.source_start.size() != corpus.target_start.size()) {
    fail("corpus: ", source_path, " or ", target_path, " changed while it was read");
  }
  corpus.filter(options);
  return corpus;
}

/// The same from pairs in memory. Errors name "source" or "target" and the number of the pair, from 1.
template <line_encoder EncodeSource, line_encoder EncodeTarget>
parallel_corpus encode_parallel_corpus(std::span<const sentence_pair> pairs, EncodeSource encode_source,
                                       EncodeTarget encode_target, const corpus_options& options = {}) {
  parallel_corpus corpus;
  detail::side_writer source("source", encode_source, corpus.source, corpus.source_start);
  detail::side_writer target("target", encode_target, corpus.target, corpus.target_start);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    source(pairs[i].source, index_t(i) + 1);
    target(pairs[i].target, index_t(i) + 1);
  }
  corpus.filter(options);
  return corpus;
}

}  // namespace formwork

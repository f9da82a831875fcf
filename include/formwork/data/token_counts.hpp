#pragma once
#include <formwork/data/vocabulary.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace formwork {

/// What to leave out of a vocabulary.
struct vocabulary_options {
  index_t size_limit = 0;  ///< at most this many entries, the three special ones included; 0: no limit
  index_t min_count = 1;   ///< rarer tokens become unknown
};

/// Counts tokens over any number of lines and files, then makes the vocabulary of the most frequent ones.
/// Memory: one map entry for each distinct token.
class token_counts {
 public:
  void add_line(std::string_view line) {
    for_each_token(line, [this](std::string_view token) {
      const auto found = counts_.find(token);
      if (found == counts_.end()) {
        counts_.emplace(token, 1);
      } else {
        ++found->second;
      }
    });
  }

  /// Requires: UTF-8 (checked: `error` names file, line and byte)
  void add_file(const std::string& path) {
    for_each_line(path, [&](std::string_view line, index_t number) {
      if (const index_t bad = first_invalid_utf8(line); bad >= 0) {
        fail_at(path, number, "byte ", bad + 1, " of the line is not valid UTF-8");
      }
      add_line(line);
    });
  }

  index_t distinct() const { return index_t(counts_.size()); }
  index_t count(std::string_view token) const {
    const auto found = counts_.find(token);
    return found == counts_.end() ? 0 : found->second;
  }

  /// The vocabulary by falling count; equal counts in the order of their bytes, so that neither the machine
  /// nor the locale nor the order of the lines matters.
  /// Tokens that spell a special entry are not counted again.
  /// Requires: at least one token was counted and is kept (checked)
  vocabulary build(const vocabulary_options& options = {}) const {
    if (options.size_limit != 0 && options.size_limit <= special_tokens) {
      fail("vocabulary: a size limit of ", options.size_limit, " leaves no room beside the ", special_tokens,
           " special entries");
    }
    std::vector<std::pair<index_t, std::string_view>> kept;
    for (const auto& [token, count] : counts_) {
      const bool special = std::find(std::begin(special_entries), std::end(special_entries), token) !=
                           std::end(special_entries);
      if (!special && count >= options.min_count) kept.emplace_back(-count, token);
    }
    if (counts_.empty())
      fail("vocabulary: the text is empty or has only blank lines; there is nothing to count");
    if (kept.empty()) fail("vocabulary: no token occurs ", options.min_count, " times; lower min_count");
    std::sort(kept.begin(), kept.end());
    if (options.size_limit != 0) {
      kept.resize((std::min)(kept.size(), std::size_t(options.size_limit - special_tokens)));
    }
    std::vector<std::string> entries;
    for (const auto& [count, token] : kept) entries.emplace_back(token);
    return vocabulary(entries);
  }

 private:
  detail::text_map<index_t> counts_;
};

/// The joint vocabulary of tokenised text files (one sentence a line, tokens separated by spaces).
inline vocabulary build_vocabulary(std::span<const std::string> paths,
                                   const vocabulary_options& options = {}) {
  token_counts counts;
  for (const std::string& path : paths) counts.add_file(path);
  return counts.build(options);
}

}  // namespace formwork

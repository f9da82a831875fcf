#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/utf8.hpp>
#include <formwork/data/bpe_codes.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace formwork {

/// How byte-pair encoding is written into text.
struct bpe_options {
  std::string separator = "@@";  ///< marks every piece of a word but the last
  /// Strings that are never split, nor merged with what stands beside them. Plain text; in subword-nmt they
  /// are regular expressions.
  std::vector<std::string> glossaries{};
};

/// Segments words by byte-pair encoding: starts from characters and carries out the merges in the order in
/// which they were learnt. Equal to subword-nmt, to the last byte. Keeps the words it has seen, so use one
/// object for each thread.
/// Source: Sennrich, Haddow, Birch 2016, section 3.2
class bpe {
 public:
  explicit bpe(const bpe_codes& codes, bpe_options options = {})
      : options_(std::move(options)), end_is_symbol_(codes.version == 1) {
    for (std::size_t rank = 0; rank < codes.merges.size(); ++rank) {
      const auto& [left, right] = codes.merges[rank];
      const std::uint64_t key = key_of(number(left), number(right));
      merges_.try_emplace(key,
                          merge{static_cast<index_t>(rank), number(left + right)});  // the first one counts
    }
  }

  /// Segments the words of a line: "iron cement" becomes "ir@@ on c@@ ement". Words are what stands between
  /// plain spaces; any other space, and a combining mark, is a character. Spaces and line ends at both ends
  /// of the line stay; several spaces between two words become one.
  /// Requires: valid UTF-8 (checked: `error` names the offset of the first invalid byte)
  /// Cost:     one look-up for a word seen before, else at most quadratic in the word's length
  std::string apply(std::string_view line) {
    if (const index_t byte = first_invalid_utf8(line); byte >= 0) {
      fail("byte-pair encoding: the line is not valid UTF-8 at byte ", byte, " (counted from 0)");
    }
    const std::size_t begin = (std::min)(line.find_first_not_of(outer_space), line.size());
    const std::size_t end = line.find_last_not_of(outer_space) + 1;  // 0 where there is no word
    std::string segmented(line.substr(0, begin));
    bool first = true;
    for (std::size_t at = begin; at < end;) {
      const std::size_t stop = (std::min)(line.find(' ', at), end);
      if (stop > at) {
        if (!first) segmented += ' ';
        first = false;
        segmented += segment(line.substr(at, stop - at));
      }
      at = stop + 1;
    }
    if (begin < line.size()) segmented += line.substr(end);
    return segmented;
  }

 private:
  struct merge {
    index_t rank;
    std::int32_t joined;
  };
  struct piece {
    std::int32_t symbol;  // -1 for a character that occurs in no merge
    std::size_t bytes;    // of the word, without the end-of-word mark
  };

  static constexpr std::string_view outer_space = "\r\n ";
  static constexpr std::string_view end_of_word = "</w>";
  static constexpr std::size_t most_cached_words = 1 << 20;

  static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
  }

  std::int32_t number(const std::string& symbol) {
    return std::int32_t(symbols_.try_emplace(symbol, index_t(symbols_.size())).first->second);
  }
  std::int32_t find(std::string symbol) const {
    const auto found = symbols_.find(symbol);
    return found == symbols_.end() ? -1 : std::int32_t(found->second);
  }

  const std::string& segment(std::string_view word) {
    std::string key(word);
    if (const auto found = cache_.find(key); found != cache_.end()) return found->second;
    std::string segmented;
    for (const std::string_view part : split_at_glossaries(word)) {
      for (const std::string_view text : pieces_of(part)) {
        if (!segmented.empty()) segmented += options_.separator + " ";
        segmented += text;
      }
    }
    if (cache_.size() >= most_cached_words) cache_.clear();
    return cache_.emplace(std::move(key), std::move(segmented)).first->second;
  }

  /// Each glossary in turn cuts itself out of all parts made so far.
  std::vector<std::string_view> split_at_glossaries(std::string_view word) const {
    std::vector<std::string_view> parts{word};
    for (const std::string& glossary : options_.glossaries) {
      if (glossary.empty()) continue;
      std::vector<std::string_view> cut;
      for (std::string_view part : parts) {
        for (std::size_t at = part.find(glossary); at != part.npos; at = part.find(glossary)) {
          if (at > 0) cut.push_back(part.substr(0, at));
          cut.push_back(part.substr(at, glossary.size()));
          part.remove_prefix(at + glossary.size());
        }
        if (!part.empty()) cut.push_back(part);
      }
      parts = std::move(cut);
    }
    return parts;
  }

  std::vector<std::string_view> pieces_of(std::string_view word) const {
    if (std::find(options_.glossaries.begin(), options_.glossaries.end(), word) != options_.glossaries.end())
      return {word};
    std::vector<piece> pieces = characters_of(word);
    while (merge_best_pair(pieces)) {
    }
    std::vector<std::string_view> texts;
    for (const piece& p : pieces) {
      if (p.bytes > 0) texts.push_back(word.substr(0, p.bytes));
      word.remove_prefix(p.bytes);
    }
    return texts;
  }

  std::vector<piece> characters_of(std::string_view word) const {
    std::vector<piece> pieces;
    for (std::string_view rest = word; !rest.empty();) {
      const auto bytes = static_cast<std::size_t>(decode_utf8(rest, 0).bytes);
      std::string symbol(rest.substr(0, bytes));
      rest.remove_prefix(bytes);
      if (rest.empty() && !end_is_symbol_) symbol += end_of_word;
      pieces.push_back({find(std::move(symbol)), bytes});
    }
    // A word of one character stays whole in either version.
    if (end_is_symbol_ && pieces.size() > 1) pieces.push_back({find(std::string(end_of_word)), 0});
    return pieces;
  }

  /// Carries out the earliest merge that applies, everywhere in the word from left to right.
  bool merge_best_pair(std::vector<piece>& pieces) const {
    const merge* best = nullptr;
    std::uint64_t best_key = 0;
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
      const std::uint64_t key = key_of(pieces[i].symbol, pieces[i + 1].symbol);
      const auto found = merges_.find(key);
      if (found == merges_.end() || (best && best->rank <= found->second.rank)) continue;
      best = &found->second;
      best_key = key;
    }
    if (!best) return false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      piece p = pieces[i];
      if (i + 1 < pieces.size() && key_of(p.symbol, pieces[i + 1].symbol) == best_key) {
        p = {best->joined, p.bytes + pieces[i + 1].bytes};
        ++i;
      }
      pieces[kept++] = p;
    }
    pieces.resize(kept);
    return true;
  }

  bpe_options options_;
  bool end_is_symbol_;  // version 0.1: the end of a word is a symbol of its own, not part of the last
                        // character
  std::unordered_map<std::string, index_t> symbols_;
  std::unordered_map<std::uint64_t, merge> merges_;
  std::unordered_map<std::string, std::string> cache_;  // word -> its pieces, with separators
};

/// Joins the pieces of words again: takes out every separator with the space after it, and one at the end.
/// Undoes bpe::apply for lines without runs of spaces and without a separator in the text itself.
inline std::string remove_bpe(std::string_view line, std::string_view separator = "@@") {
  const std::string mark = std::string(separator) + ' ';
  std::string joined;
  joined.reserve(line.size());
  for (std::size_t at = line.find(mark); at != line.npos; at = line.find(mark)) {
    joined += line.substr(0, at);
    line.remove_prefix(at + mark.size());
  }
  if (line.ends_with(separator)) line.remove_suffix(separator.size());
  return joined.append(line);
}

}  // namespace formwork

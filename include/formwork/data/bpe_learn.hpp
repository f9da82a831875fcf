#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/utf8.hpp>
#include <formwork/data/bpe_codes.hpp>

#include <algorithm>
#include <cstdint>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace formwork {

namespace detail {

/// Counts of neighbouring symbols in weighted words, kept up to date from merge to merge.
class bpe_pairs {
 public:
  bpe_pairs() = default;
  bpe_pairs(const bpe_pairs&) = delete;  // the queue refers to the names

  void add(std::string_view text, index_t count) {
    word added{.symbols = {}, .count = count};
    while (!text.empty()) {
      const auto bytes = static_cast<std::size_t>(decode_utf8(text, 0).bytes);
      std::string symbol(text.substr(0, bytes));
      text.remove_prefix(bytes);
      if (text.empty()) symbol += "</w>";
      added.symbols.push_back(number(symbol));
    }
    words_.push_back(std::move(added));
    count_pairs(words_.size() - 1, +1);
  }

  /// The most frequent pair, of several the one that is greatest as a pair of strings,
  /// if it occurs `least` times.
  bool best(index_t least, bpe_merge& merge, std::uint64_t& pair) {
    publish();
    while (!queue_.empty()) {
      const entry top = queue_.top();
      if (top.count == pairs_[top.pair].count) {  // else it is out of date
        if (top.count < least) return false;
        merge = {names_[left(top.pair)], names_[right(top.pair)]};
        pair = top.pair;
        return true;
      }
      queue_.pop();
    }
    return false;
  }

  /// Joins a pair everywhere. Only words that held it are looked at.
  void join(std::uint64_t pair) {
    const std::uint32_t joined = number(names_[left(pair)] + names_[right(pair)]);
    const std::vector<std::size_t> holders = std::move(pairs_[pair].words);
    pairs_[pair].words.clear();
    for (const std::size_t w : holders) {
      auto& symbols = words_[w].symbols;
      if (!holds(symbols, pair)) continue;  // listed twice, or merged away since
      count_pairs(w, -1);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < symbols.size(); ++i) {
        const bool here = i + 1 < symbols.size() && key_of(symbols[i], symbols[i + 1]) == pair;
        symbols[kept++] = here ? joined : symbols[i];
        i += here;
      }
      symbols.resize(kept);
      count_pairs(w, +1);
    }
  }

 private:
  struct word {
    std::vector<std::uint32_t> symbols;
    index_t count;
  };
  struct pair_state {
    index_t count = 0;
    index_t published = 0;           // the count of its latest entry in the queue
    std::vector<std::size_t> words;  // all that hold it, and some that held it
  };
  struct entry {
    index_t count;
    std::uint64_t pair;
  };
  struct less_frequent {
    const bpe_pairs* pairs;
    bool operator()(const entry& a, const entry& b) const {
      if (a.count != b.count) return a.count < b.count;
      const int lefts = pairs->names_[left(a.pair)].compare(pairs->names_[left(b.pair)]);
      return lefts != 0 ? lefts < 0 : pairs->names_[right(a.pair)] < pairs->names_[right(b.pair)];
    }
  };

  static std::uint64_t key_of(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }
  static std::uint32_t left(std::uint64_t pair) { return static_cast<std::uint32_t>(pair >> 32); }
  static std::uint32_t right(std::uint64_t pair) { return static_cast<std::uint32_t>(pair); }

  static bool holds(const std::vector<std::uint32_t>& symbols, std::uint64_t pair) {
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      if (key_of(symbols[i], symbols[i + 1]) == pair) return true;
    }
    return false;
  }

  std::uint32_t number(const std::string& symbol) {
    const auto [found, added] = numbers_.try_emplace(symbol, index_t(names_.size()));
    if (added) names_.push_back(symbol);
    return std::uint32_t(found->second);
  }

  void count_pairs(std::size_t w, index_t sign) {
    const auto& [symbols, count] = words_[w];
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const std::uint64_t key = key_of(symbols[i], symbols[i + 1]);
      pair_state& state = pairs_[key];
      state.count += sign * count;
      changed_.push_back(key);
      if (sign > 0 && (state.words.empty() || state.words.back() != w)) state.words.push_back(w);
    }
  }

  /// Enters the pairs whose counts have changed into the queue, each once.
  void publish() {
    for (const std::uint64_t key : changed_) {
      pair_state& state = pairs_[key];
      if (state.count == state.published) continue;
      state.published = state.count;
      if (state.count > 0) queue_.push({state.count, key});
    }
    changed_.clear();
  }

  std::vector<word> words_;
  std::vector<std::string> names_;  // of symbols
  std::unordered_map<std::string, index_t> numbers_;
  std::unordered_map<std::uint64_t, pair_state> pairs_;
  std::vector<std::uint64_t> changed_;
  std::priority_queue<entry, std::vector<entry>, less_frequent> queue_{less_frequent{this}};
};

}  // namespace detail

/// Learns byte-pair codes: counts the words of a text, then joins the most frequent pair of neighbouring
/// symbols again and again. For a joint encoding of two languages add the lines of both. The codes are
/// those of subword-nmt, with one exception: in words with other white space inside, a no-break space say,
/// it searches for text and then also joins parts of symbols; this learner joins symbols only.
/// Source: Sennrich, Haddow, Birch 2016, algorithm 1; of equally frequent pairs the lexicographically
///         greatest by code point, as in subword-nmt
class bpe_learner {
 public:
  /// Counts the words of a line: what stands between plain spaces,
  /// without spaces and line ends at both ends.
  /// Requires: valid UTF-8 (checked: `error` names the offset of the first invalid byte)
  void add(std::string_view line) {
    if (const index_t byte = first_invalid_utf8(line); byte >= 0) {
      fail("byte-pair encoding: the line is not valid UTF-8 at byte ", byte, " (counted from 0)");
    }
    constexpr std::string_view outer_space = "\r\n ";
    line.remove_prefix((std::min)(line.find_first_not_of(outer_space), line.size()));
    line = line.substr(0, line.find_last_not_of(outer_space) + 1);
    while (!line.empty()) {
      const std::size_t stop = (std::min)(line.find(' '), line.size());
      if (stop > 0) ++words_[std::string(line.substr(0, stop))];
      line.remove_prefix((std::min)(stop + 1, line.size()));
    }
  }

  /// At most `merges` merges; fewer when no pair occurs `least_count` times any more.
  /// Cost: about the number of distinct words that hold the joined pair, for each merge
  bpe_codes learn(index_t merges, index_t least_count = 2) const {
    detail::bpe_pairs pairs;
    for (const auto& [word, count] : words_) pairs.add(word, count);
    bpe_codes codes;
    bpe_merge merge;
    for (std::uint64_t pair = 0; static_cast<index_t>(codes.merges.size()) < merges;) {
      if (!pairs.best((std::max)(least_count, index_t{1}), merge, pair)) break;
      codes.merges.push_back(merge);
      pairs.join(pair);
    }
    return codes;
  }

 private:
  std::unordered_map<std::string, index_t> words_;
};

}  // namespace formwork

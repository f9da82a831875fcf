#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/core/sequences.hpp>
#include <formwork/data/special_tokens.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace formwork {

/// Which pairs to drop. A dropped pair is dropped from both sides and counted.
struct corpus_options {
  index_t max_length = 0;  ///< longest source and longest target in tokens, end marks included; 0: no limit
  double max_ratio = 0;    ///< longest length ratio of the two sides, end marks included; 0: no limit
  bool drop_empty = true;  ///< drop pairs with an empty side; false for test sets: all lines must remain

  /// Error: a number that makes no sense, in one sentence.
  void validate() const {
    if (max_length < 0) fail("corpus: max_length is ", max_length, ", expected 0 or more");
    if (!(max_ratio >= 0 && is_finite(max_ratio)))
      fail("corpus: max_ratio is ", max_ratio, ", expected a finite number, 0 or more");
  }
};

/// What happened to the pairs of a corpus. A pair counts under the first reason that applies, in this order.
struct corpus_report {
  index_t read = 0;
  index_t empty = 0;       ///< dropped: one side has no token
  index_t too_long = 0;    ///< dropped: one side is longer than max_length
  index_t unbalanced = 0;  ///< dropped: one side is more than max_ratio times as long as the other

  index_t dropped() const { return empty + too_long + unbalanced; }
  index_t kept() const { return read - dropped(); }

  /// One printable sentence, without a full stop.
  std::string sentence() const {
    std::string out = text("kept ", kept(), " of ", read, " pairs");
    if (dropped() == 0) return out;
    const char* link = "; dropped ";
    const auto add = [&](index_t count, const char* reason) {
      if (count == 0) return;
      out += text(link, count, " ", reason);
      link = ", ";
    };
    add(empty, "with an empty side");
    add(too_long, "too long");
    add(unbalanced, "of unequal length");
    return out;
  }
};

/// A number that tells rows of numbers apart, also those of other lengths or in another order.
struct row_hash {
  std::uint64_t value = 0x9E3779B97F4A7C15;

  void add(std::uint64_t number) {
    value = (std::rotl(value, 5) ^ number) * 0xD6E8FEB86659FD93;
    value ^= value >> 32;
  }
};

/// Pairs of sentences as ids, in two flat arrays with 64-bit offsets; sentence i of a side is the tokens
/// [start[i], start[i + 1]). Stored without `<s>` and `</s>`: batches add them.
/// Cost: 4 bytes a token and 16 a pair
struct parallel_corpus {
  std::vector<token_t> source, target;
  std::vector<index_t> source_start{0}, target_start{0};
  corpus_report report;

  index_t size() const { return source_sequences().count; }
  sequences source_sequences() const { return sequences_of(source_start); }
  sequences target_sequences() const { return sequences_of(target_start); }

  /// Requires: 0 <= i < size() (unchecked)
  std::span<const token_t> source_sentence(index_t i) const { return sentence(source, source_start, i); }
  std::span<const token_t> target_sentence(index_t i) const { return sentence(target, target_start, i); }

  void add(std::span<const token_t> source_tokens, std::span<const token_t> target_tokens) {
    source.insert(source.end(), source_tokens.begin(), source_tokens.end());
    target.insert(target.end(), target_tokens.begin(), target_tokens.end());
    source_start.push_back(index_t(source.size()));
    target_start.push_back(index_t(target.size()));
    ++report.read;
  }

  /// A number that changes when the ids or the lengths change.
  /// Cost: one pass over the corpus
  std::uint64_t fingerprint() const {
    row_hash hash;
    hash.add(std::uint64_t(size()));
    for (const auto* start : {&source_start, &target_start})
      for (const index_t offset : *start) hash.add(std::uint64_t(offset));
    for (const auto* tokens : {&source, &target})
      for (const token_t token : *tokens) hash.add(std::uint64_t(token));
    return hash.value;
  }

  /// Error: arrays that were filled by hand and do not fit together: sides of different numbers of sentences,
  /// starts that do not rise from 0 to the number of tokens.
  void validate() const;

  /// Drops pairs as `options` say and counts them in `report`; the others keep their order.
  /// Requires: something is left (checked: the error says which lengths there are)
  void filter(const corpus_options& options);

 private:
  static sequences sequences_of(const std::vector<index_t>& start) {
    return {start.data(), (std::max)(index_t(start.size()) - 1, index_t{0})};  // moved from: no starts at all
  }
  static std::span<const token_t> sentence(const std::vector<token_t>& tokens,
                                           const std::vector<index_t>& start, index_t i) {
    return {tokens.data() + start[std::size_t(i)], tokens.data() + start[std::size_t(i) + 1]};
  }
};

namespace detail {

/// Copies the sentences of one side that `keep` names to the front, in place.
inline void keep_sentences(std::vector<token_t>& tokens, std::vector<index_t>& start,
                           const std::vector<bool>& keep) {
  index_t end = 0, count = 0, from = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const index_t to = start[i + 1];
    if (keep[i]) {
      std::copy(tokens.begin() + from, tokens.begin() + to, tokens.begin() + end);
      end += to - from;
      start[std::size_t(++count)] = end;
    }
    from = to;
  }
  tokens.resize(std::size_t(end));
  start.resize(std::size_t(count) + 1);
}

/// A histogram of few words: the shortest, middle and longest pair and how many pairs several limits would
/// keep. The length of a pair is that of its longer side with the end mark.
inline std::string describe_lengths(const parallel_corpus& corpus) {
  std::vector<index_t> lengths(static_cast<std::size_t>(corpus.size()));
  for (index_t i = 0; i < corpus.size(); ++i) {
    lengths[std::size_t(i)] =
        (std::max)(corpus.source_sequences().length(i), corpus.target_sequences().length(i)) + 1;
  }
  std::sort(lengths.begin(), lengths.end());
  std::string out =
      text("the pairs have ", lengths.front(), " to ", lengths.back(), " tokens, half of them at most ",
           lengths[(lengths.size() - 1) / 2], "; max_length ");
  index_t limit = 1;
  for (; limit < lengths.front(); limit *= 2) {
  }
  for (int line = 0; line < 3; ++line, limit *= 2) {
    const auto kept = std::upper_bound(lengths.begin(), lengths.end(), limit) - lengths.begin();
    out += text(line ? ", " : "", limit, " would keep ", kept);
    if (limit >= lengths.back()) break;
  }
  return out;
}

}  // namespace detail

inline void parallel_corpus::validate() const {
  const auto check = [](const char* side, const std::vector<token_t>& tokens, const sequences& rows) {
    bool good = rows.count == 0 || (rows.begin(0) == 0 && rows.rows() == index_t(tokens.size()));
    for (index_t i = 0; i < rows.count; ++i) good = good && rows.length(i) >= 0;
    if (!good)
      fail("corpus: the ", side, " starts do not rise from 0 to ", tokens.size(), ", the number of tokens");
  };
  if (size() != target_sequences().count)
    fail("corpus: ", size(), " source sentences, but ", target_sequences().count, " target sentences");
  check("source", source, source_sequences());
  check("target", target, target_sequences());
}

inline void parallel_corpus::filter(const corpus_options& options) {
  options.validate();
  std::vector<bool> keep(static_cast<std::size_t>(size()));
  corpus_report counted{.read = size()};
  validate();
  for (index_t i = 0; i < size(); ++i) {
    const index_t s = source_sequences().length(i), t = target_sequences().length(i);
    const index_t longer = (std::max)(s, t) + 1, shorter = (std::min)(s, t) + 1;
    if (options.drop_empty && shorter == 1) {
      ++counted.empty;
    } else if (options.max_length > 0 && longer > options.max_length) {
      ++counted.too_long;
    } else if (options.max_ratio > 0 && double(longer) > options.max_ratio * double(shorter)) {
      ++counted.unbalanced;
    } else {
      keep[std::size_t(i)] = true;
    }
  }
  if (counted.kept() == 0) {
    if (size() == 0) fail("corpus: there are no sentence pairs");
    fail("corpus: every pair was dropped (", counted.sentence(), " with max_length ", options.max_length,
         " and max_ratio ", options.max_ratio, "); ", detail::describe_lengths(*this));
  }
  report = counted;
  if (counted.dropped() == 0) return;
  detail::keep_sentences(source, source_start, keep);
  detail::keep_sentences(target, target_start, keep);
}

}  // namespace formwork

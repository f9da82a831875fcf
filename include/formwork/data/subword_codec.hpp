#pragma once
#include <formwork/core/folder.hpp>
#include <formwork/data/bpe.hpp>
#include <formwork/data/bpe_learn.hpp>
#include <formwork/data/sentence_pair.hpp>
#include <formwork/data/token_counts.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace formwork {

/// How text becomes tokens and tokens become text again, as one object: byte-pair codes, if there are any,
/// and one vocabulary for both languages. Without codes the tokens are what stands between white space, and
/// "@@ " joins in decoded text are undone all the same, so text that is segmented already works as it is.
/// Usable as a line encoder of `read_parallel_corpus` through std::ref: it remembers the words it has seen.
class subword_codec {
 public:
  /// Tokens are the white-space separated words of the text.
  explicit subword_codec(formwork::vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  subword_codec(formwork::vocabulary vocabulary, bpe_codes codes)
      : vocabulary_(std::move(vocabulary)), codes_(std::move(codes)), bpe_(std::in_place, *codes_) {}

  /// Learns a joint byte-pair encoding of at most `size` vocabulary entries. `each_line(f)` must call f(line)
  /// for every line of both languages; it is called twice.
  /// Requires: room for the special entries and every character, inside and at the end of words (checked)
  template <class EachLine>
  static subword_codec learn_from_lines(EachLine each_line, index_t size) {
    bpe_learner learner;
    std::set<std::string, std::less<>> characters;
    each_line([&](std::string_view line) {
      const std::string plain = with_plain_gaps(line);
      learner.add(plain);
      for_each_token(plain, [&](std::string_view word) { collect_characters(word, characters); });
    });
    const index_t merges = size - special_tokens - index_t(characters.size());
    if (merges < 1) {
      fail("subword codec: a vocabulary of ", size, " is too small; the text has ", characters.size(),
           " characters and word ends, and there are ", special_tokens, " special entries");
    }
    bpe_codes codes = learner.learn(merges);
    bpe segment(codes);
    token_counts counts;
    each_line([&](std::string_view line) { counts.add_line(segment.apply(with_plain_gaps(line))); });
    return {counts.build({.size_limit = size}), std::move(codes)};
  }

  /// The same from both sides of pairs in memory.
  static subword_codec learn(std::span<const sentence_pair> pairs, index_t size) {
    return learn_from_lines(
        [&](auto f) {
          for (const sentence_pair& pair : pairs) f(pair.source), f(pair.target);
        },
        size);
  }

  /// The same from text files, plain or gzip. Error: names file and line of what is not UTF-8.
  static subword_codec learn_from_files(std::span<const std::string> paths, index_t size) {
    return learn_from_lines(
        [&](auto f) {
          for (const std::string& path : paths) {
            for_each_line(path, [&](std::string_view line, index_t number) {
              if (const index_t bad = first_invalid_utf8(line); bad >= 0)
                fail_at(path, number, "byte ", bad + 1, " of the line is not valid UTF-8");
              f(line);
            });
          }
        },
        size);
  }

  index_t size() const { return vocabulary_.size(); }
  const formwork::vocabulary& vocabulary() const { return vocabulary_; }
  bool has_codes() const { return codes_.has_value(); }

  /// Appends the tokens of a line, without begin and end marks. Tabs and line ends count as spaces.
  void operator()(std::string_view line, std::vector<token_t>& tokens) {
    if (bpe_)
      vocabulary_.encode(bpe_->apply(with_plain_gaps(line)), tokens);
    else
      vocabulary_.encode(line, tokens);
  }
  std::vector<token_t> encode(std::string_view line) {
    std::vector<token_t> tokens;
    (*this)(line, tokens);
    return tokens;
  }
  /// The text of tokens; stops before the end mark.
  std::string decode(std::span<const token_t> tokens) const { return remove_bpe(vocabulary_.decode(tokens)); }

  /// Writes vocabulary.txt and, if there are codes, codes.bpe into a folder that exists; without codes, an old
  /// codes.bpe is removed.
  void save(const std::string& folder) const {
    const std::string codes = folder + "/codes.bpe";
    if (codes_)
      write_bpe_codes(codes, *codes_);
    else if (path_exists(codes) && std::remove(codes.c_str()) != 0)
      fail(codes, ": cannot be deleted: ", std::generic_category().message(errno));
    vocabulary_.write(folder + "/vocabulary.txt");
  }
  /// Reads what `save` wrote.
  static subword_codec load(const std::string& folder) {
    const std::string codes = folder + "/codes.bpe";
    formwork::vocabulary vocabulary = read_vocabulary(folder + "/vocabulary.txt");
    if (path_exists(codes)) return {std::move(vocabulary), read_bpe_codes(codes)};
    return subword_codec(std::move(vocabulary));
  }

 private:
  /// Byte-pair encoding takes the plain space alone for a gap between words, a vocabulary all of token_gap.
  static std::string with_plain_gaps(std::string_view line) {
    std::string plain(line);
    std::replace_if(
        plain.begin(), plain.end(), [](char c) { return token_gap.find(c) != token_gap.npos; }, ' ');
    return plain;
  }

  /// The symbols that byte-pair encoding starts from: characters, apart from those that end a word.
  static void collect_characters(std::string_view word, std::set<std::string, std::less<>>& characters) {
    while (!word.empty()) {
      const auto bytes = std::size_t(decode_utf8(word, 0).bytes);
      std::string symbol(word.substr(0, bytes));
      word.remove_prefix(bytes);
      if (!word.empty()) symbol += "@@";
      characters.insert(std::move(symbol));
    }
  }

  formwork::vocabulary vocabulary_;
  std::optional<bpe_codes> codes_;
  std::optional<bpe> bpe_;
};

}  // namespace formwork

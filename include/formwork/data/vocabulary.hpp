#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/utf8.hpp>
#include <formwork/data/lines.hpp>
#include <formwork/data/special_tokens.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace formwork {

namespace detail {

/// Lets a map with string keys be asked for a string_view without building a string.
struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
};

template <class Value>
using text_map = std::unordered_map<std::string, Value, text_hash, std::equal_to<>>;

}  // namespace detail

/// What stands between two tokens: the white space that separates words, and line ends, which no token can
/// hold in a file of a token a line.
inline constexpr std::string_view token_gap = " \t\r\n";

/// Calls `f(token)` for each token of a line: the longest runs without a character of token_gap. Every other
/// byte belongs to a token, also Unicode spaces (U+00A0, U+3000, U+2028) and NUL, so nothing is normalised
/// unseen.
template <class F>
void for_each_token(std::string_view line, F f) {
  for (std::size_t begin = line.find_first_not_of(token_gap); begin != line.npos;) {
    const std::size_t end = (std::min)(line.find_first_of(token_gap, begin), line.size());
    f(line.substr(begin, end - begin));
    begin = line.find_first_not_of(token_gap, end);
  }
}

/// Two-way table of tokens (words or pieces of words) and ids. Ids 0, 1, 2 are `<unk>`, `<s>`, `</s>`.
class vocabulary {
 public:
  /// The special entries only.
  vocabulary() {
    for (const std::string_view entry : special_entries) insert(std::string(entry));
  }

  /// The special entries, then `entries` in their order.
  /// Requires: no entry is empty, twice, special, not UTF-8, or holds white space (checked)
  explicit vocabulary(std::span<const std::string> entries) : vocabulary() {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (const std::string fault = add(entries[i]); !fault.empty())
        fail("vocabulary: entry ", i + 1, " ", fault);
    }
  }

  index_t size() const { return index_t(entries_.size()); }

  /// The id of a token; `unknown_token` if it is not in the table. Allocates nothing.
  token_t find(std::string_view token) const {
    const auto found = ids_.find(token);
    return found == ids_.end() ? unknown_token : token_t(found->second);
  }
  bool contains(std::string_view token) const { return ids_.contains(token); }

  /// The text of an id.
  /// Requires: 0 <= id < size() (checked)
  const std::string& entry(token_t id) const {
    if (id < 0 || id >= size()) fail("vocabulary: token ", id, " of a vocabulary with ", size(), " entries");
    return entries_[std::size_t(id)];
  }

  /// Appends the ids of the line's tokens, without `<s>` or `</s>`. Where the text itself spells one of these
  /// two, the id is `unknown_token`: no text can end a sentence early.
  void encode(std::string_view line, std::vector<token_t>& ids) const {
    for_each_token(line, [&](std::string_view token) {
      const token_t id = find(token);
      ids.push_back(id == begin_token || id == end_token ? unknown_token : id);
    });
  }
  std::vector<token_t> encode(std::string_view line) const {
    std::vector<token_t> ids;
    encode(line, ids);
    return ids;
  }

  /// The entries joined by single spaces; stops before the first `</s>` and leaves out `<s>`.
  /// Requires: ids of this vocabulary (checked)
  std::string decode(std::span<const token_t> ids) const {
    std::string line;
    for (const token_t id : ids) {
      if (id == end_token) break;
      if (id == begin_token) continue;
      if (!line.empty()) line += ' ';
      line += entry(id);
    }
    return line;
  }

  /// Writes one entry a line in the order of ids, so that line number = id + 1; read_vocabulary gives the same
  /// table again, whatever the entries are.
  void write(const std::string& path) const {
    std::string lines;
    for (const std::string& entry : entries_) lines.append(entry).append("\n");
    detail::write_text(path, lines);
  }

 private:
  friend vocabulary read_vocabulary(const std::string& path);

  /// Appends an entry; or says what is wrong with it and changes nothing.
  std::string add(std::string_view entry) {
    if (entry.empty()) return "is empty; every entry has a text";
    if (entry.find_first_of(token_gap) != entry.npos) {
      return text("('", entry, "') holds white space, so that no token of a line could be equal to it");
    }
    if (first_invalid_utf8(entry) >= 0) return "is not valid UTF-8";
    if (const auto found = ids_.find(entry); found != ids_.end()) {
      return text("('", entry, "') is already there with id ", found->second);
    }
    if (size() > INT32_MAX) return "is one too many: ids have 32 bits";
    insert(std::string(entry));
    return {};
  }

  void insert(std::string entry) {
    ids_.emplace(entry, size());
    entries_.push_back(std::move(entry));
  }

  std::vector<std::string> entries_;
  detail::text_map<index_t> ids_;
};

/// Reads a vocabulary file: one entry a line, or `entry TAB anything` (a count, a score), lines ending in LF
/// or CRLF. The first three lines are `<unk>`, `<s>`, `</s>`; where none of the three is in the file, they
/// are put in front.
/// Requires: no blank line, no entry twice, no space in an entry, UTF-8
///           (checked: `error` names file and line)
inline vocabulary read_vocabulary(const std::string& path) {
  vocabulary table;
  bool with_specials = false;
  const index_t lines = for_each_line(path, [&](std::string_view line, index_t number) {
    const std::string_view entry = line.substr(0, (std::min)(line.find('\t'), line.size()));
    if (number == 1) with_specials = entry == special_entries[0];
    if (with_specials && number <= special_tokens) {
      const std::string_view expected = special_entries[number - 1];
      if (entry != expected) fail_at(path, number, "found '", entry, "' where '", expected, "' is expected");
      return;
    }
    const std::string fault = table.add(entry);
    if (!fault.empty()) fail_at(path, number, "the vocabulary entry ", fault);
  });
  if (lines == 0) fail(path, ": the vocabulary file is empty");
  if (with_specials && lines < special_tokens) fail(path, ": ends before the third special entry, </s>");
  return table;
}

}  // namespace formwork

#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/utf8.hpp>
#include <formwork/data/lines.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace formwork {

/// Two symbols that byte-pair encoding joins. "</w>" at the end of a symbol marks the end of a word.
struct bpe_merge {
  std::string left, right;

  friend bool operator==(const bpe_merge&, const bpe_merge&) = default;
};

/// The merges of a byte-pair encoding in the order in which they were learnt,
/// which is the order of application.
struct bpe_codes {
  std::vector<bpe_merge> merges{};
  int version = 2;  ///< of subword-nmt's format: 1 for 0.1 ("</w>" is a symbol of its own), 2 for 0.2
};

/// Reads a codes file of subword-nmt, plain or gzip: an optional line "#version: 0.2" and one merge a line.
/// Only the first `most` merges, where `most` isn't negative.
/// Requires: version 0.1 or 0.2, two symbols on each line, valid UTF-8 (checked: `error` names file and
///           line)
inline bpe_codes read_bpe_codes(const std::string& path, index_t most = -1) {
  constexpr std::string_view header = "#version:", blank = "\r\n ";
  bpe_codes codes{.version = 1};
  index_t empty_line = 0;
  for_each_line(path, [&](std::string_view line, index_t number) {
    line.remove_prefix((std::min)(line.find_first_not_of(blank), line.size()));
    line = line.substr(0, line.find_last_not_of(blank) + 1);
    if (number == 1 && line.starts_with(header)) {
      line.remove_prefix(header.size());
      line.remove_prefix((std::min)(line.find_first_not_of(' '), line.size()));
      if (line != "0.1" && line != "0.2") {
        fail_at(path, number, "version '", line, "' of byte-pair codes, expected 0.1 or 0.2");
      }
      codes.version = line == "0.1" ? 1 : 2;
      return;
    }
    if (most >= 0 && static_cast<index_t>(codes.merges.size()) >= most) return;
    if (empty_line == 0 && line.empty()) empty_line = number;
    if (line.empty()) return;  // allowed at the end of the file only
    if (empty_line > 0) fail_at(path, empty_line, "an empty line, expected two symbols");
    if (first_invalid_utf8(line) >= 0) fail_at(path, number, "the line is not valid UTF-8");
    const std::size_t space = line.find(' ');
    if (space == line.npos || line.find(' ', space + 1) != line.npos) {
      fail_at(path, number, "'", line, "', expected two symbols with one space between them");
    }
    codes.merges.push_back({std::string(line.substr(0, space)), std::string(line.substr(space + 1))});
  });
  return codes;
}

/// The text of a codes file, as subword-nmt writes it.
/// Requires: a file that reads back equal: version 1 or 2; symbols that are not empty, are valid UTF-8 and
///           hold no space or line feed; no carriage return at either end of a line (checked: `error` names
///           the merge, counted from 1)
inline std::string text_of(const bpe_codes& codes) {
  if (codes.version != 1 && codes.version != 2)
    fail("byte-pair codes: version ", codes.version, ", expected 1 or 2");
  const auto readable = [](const std::string& symbol) {
    return !symbol.empty() && symbol.find_first_of(" \n") == symbol.npos && first_invalid_utf8(symbol) < 0;
  };
  for (std::size_t i = 0; i < codes.merges.size(); ++i) {
    const auto& [left, right] = codes.merges[i];
    if (!readable(left) || !readable(right) || left.starts_with('\r') || right.ends_with('\r'))
      fail("byte-pair codes: merge ", i + 1, " of '", left, "' and '", right,
           "' cannot be written as a line of two symbols with a space between them");
  }
  std::string written = codes.version == 1 ? "#version: 0.1\n" : "#version: 0.2\n";
  for (const auto& [left, right] : codes.merges) written += text(left, " ", right, "\n");
  return written;
}

/// Writes a codes file that subword-nmt and read_bpe_codes can read.
/// Requires: as for text_of; a path that can be written (checked: `error` names it)
inline void write_bpe_codes(const std::string& path, const bpe_codes& codes) {
  detail::write_text(path, text_of(codes));
}

}  // namespace formwork

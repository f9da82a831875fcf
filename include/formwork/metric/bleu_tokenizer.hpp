#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/utf8.hpp>
#include <formwork/metric/unicode.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace formwork {

/// How BLEU finds the words of a segment. A score means nothing without this choice:
/// it is part of the signature.
enum class bleu_tokenizer {
  v13a,  ///< "13a": the tokenisation of mteval-v13a, for plain text in Western languages; the usual choice
  none,  ///< "none": words are what stands between white space; for text that is tokenised already
  character,  ///< "char": every character is a word
  intl        ///< "intl": the tokenisation of mteval-v14, by Unicode punctuation and symbols
};

/// The name of a tokeniser as signatures and command lines spell it.
constexpr std::string_view name_of(bleu_tokenizer tokenizer) {
  switch (tokenizer) {
    case bleu_tokenizer::none:
      return "none";
    case bleu_tokenizer::character:
      return "char";
    case bleu_tokenizer::intl:
      return "intl";
    default:
      return "13a";
  }
}

/// The tokeniser of a name.
/// Requires: one of 13a, none, char, intl (checked)
inline bleu_tokenizer bleu_tokenizer_named(std::string_view name) {
  using enum bleu_tokenizer;
  for (const auto tokenizer : {v13a, none, character, intl}) {
    if (name == name_of(tokenizer)) return tokenizer;
  }
  fail("BLEU tokeniser '", name, "' is unknown, expected 13a, none, char or intl");
}

namespace detail {

inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

inline std::string join_words(std::string_view line) {
  std::string joined;
  for (const std::string_view word : split_words(line)) {
    if (!joined.empty()) joined += ' ';
    joined += word;
  }
  return joined;
}

/// Sets spaces around each pair of neighbours that `matches`, as a regular expression with two groups
/// replaces them: from left to right, a matched pair is used up. `before`, `between` and `after` say where.
template <class Text, class Matches>
Text space_pairs(const Text& line, bool before, bool after, Matches matches) {
  Text spaced;
  spaced.reserve(2 * line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (i + 1 == line.size() || !matches(line[i], line[i + 1])) {
      spaced.push_back(line[i]);
      continue;
    }
    if (before) spaced.push_back(' ');
    spaced.push_back(line[i]);
    spaced.push_back(' ');
    spaced.push_back(line[++i]);
    if (after) spaced.push_back(' ');
  }
  return spaced;
}

/// Sets spaces around each single element that `matches`.
template <class Text, class Matches>
Text space_around(const Text& line, Matches matches) {
  Text spaced;
  spaced.reserve(2 * line.size());
  for (const auto c : line) {
    const bool apart = matches(c);
    if (apart) spaced.push_back(' ');
    spaced.push_back(c);
    if (apart) spaced.push_back(' ');
  }
  return spaced;
}

/// All rules look at ASCII characters only, so it works on bytes.
inline std::string tokenize_13a(std::string_view segment) {
  std::string line(segment);
  replace_all(line, "<skipped>", "");
  replace_all(line, "-\n", "");
  replace_all(line, "\n", " ");
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");
  line = " " + line + " ";
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto point = [](char c) { return c == '.' || c == ','; };
  const auto mark = [](char c) {
    return c > ' ' && c <= '~' && c != '\'' && c != ',' && c != '-' && c != '.' && !(c >= '0' && c <= '9') &&
           !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z');
  };
  line = space_around(line, mark);
  line = space_pairs(line, false, true, [&](char a, char b) { return !digit(a) && point(b); });
  line = space_pairs(line, true, false, [&](char a, char b) { return point(a) && !digit(b); });
  line = space_pairs(line, false, true, [&](char a, char b) { return digit(a) && b == '-'; });
  return join_words(line);
}

inline std::string tokenize_intl(std::string_view segment) {
  using points = std::vector<char32_t>;
  points line = code_points(segment);
  const auto is = [](char32_t c, char category) { return unicode_category(c) == category; };
  line = space_pairs(line, false, true, [&](char32_t a, char32_t b) { return !is(a, 'N') && is(b, 'P'); });
  line = space_pairs(line, true, false, [&](char32_t a, char32_t b) { return is(a, 'P') && !is(b, 'N'); });
  line = space_around(line, [&](char32_t c) { return is(c, 'S'); });
  std::string bytes;
  for (const char32_t c : line) append_utf8(bytes, c);
  return join_words(bytes);
}

}  // namespace detail

/// The words of a segment, set apart by spaces.
/// Requires: valid UTF-8 (checked as in code_points)
/// Source:   mteval-v13a.pl and mteval-v14.pl (NIST), as sacrebleu (Post 2018) defines them
inline std::string tokenize(std::string_view segment, bleu_tokenizer tokenizer) {
  switch (tokenizer) {
    case bleu_tokenizer::none:
      return std::string(segment);
    case bleu_tokenizer::intl:
      return detail::tokenize_intl(segment);
    case bleu_tokenizer::v13a:
      return detail::tokenize_13a(segment);
    default:
      break;
  }
  std::string spaced;
  for (const char32_t c : code_points(segment)) {
    if (!spaced.empty()) spaced += ' ';
    append_utf8(spaced, c);
  }
  return spaced;
}

}  // namespace formwork

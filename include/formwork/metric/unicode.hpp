#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/utf8.hpp>
#include <formwork/metric/unicode_categories.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace formwork {

namespace detail {

constexpr char kind_in(std::span<const unicode_range> ranges, char32_t c) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                      [](char32_t value, const unicode_range& r) { return value < r.first; });
  if (after == ranges.begin()) return 0;
  const unicode_range& range = *std::prev(after);
  return c - range.first < static_cast<char32_t>(range.count) ? range.kind : char{0};
}

constexpr char32_t simple_lowercase(char32_t c) {
  // Ranges of stride 2 interleave ("A a B b"), so the last range that starts at or before c may miss it while
  // the one before it holds it; no code point is further back than that.
  const std::span<const lowercase_range> ranges(lowercase_ranges);
  auto range = std::upper_bound(ranges.begin(), ranges.end(), c,
                                [](char32_t value, const lowercase_range& r) { return value < r.first; });
  for (int back = 0; back < 2 && range != ranges.begin(); ++back) {
    --range;
    const auto offset = static_cast<int>(c - range->first);
    if (offset % range->stride == 0 && offset / range->stride < range->count) {
      return static_cast<char32_t>(static_cast<int>(c) + range->distance);
    }
  }
  return c;
}

}  // namespace detail

/// The group of general categories a code point belongs to: 'P' punctuation, 'S' symbol, 'N' number, 0 for
/// any other. Code points assigned after the Unicode version of metric/unicode_categories.hpp are "other".
constexpr char unicode_category(char32_t c) { return detail::kind_in(detail::unicode_categories, c); }

/// Whether Python's str.split() separates words at this code point.
constexpr bool is_unicode_space(char32_t c) {
  return (c >= 0x9 && c <= 0xD) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

/// The code points of a text.
/// Requires: valid UTF-8 (checked: `error` names the offset of the first invalid byte)
inline std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> points;
  points.reserve(text.size());
  for (index_t at = 0; at < static_cast<index_t>(text.size());) {
    const auto [point, bytes] = decode_utf8(text, at);
    if (bytes == 0) fail("the text is not valid UTF-8 at byte ", at, " (counted from 0)");
    points.push_back(point);
    at += bytes;
  }
  return points;
}

/// The words of a text: what lies between runs of white space, as Python's str.split() gives it.
/// Requires: valid UTF-8 (checked as in code_points)
inline std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  index_t at = 0, start = 0;
  const auto end_word = [&] {
    if (at > start)
      words.push_back(text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(at - start)));
  };
  for (const char32_t point : code_points(text)) {
    const index_t bytes = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (is_unicode_space(point)) {
      end_word();
      start = at + bytes;
    }
    at += bytes;
  }
  end_word();
  return words;
}

/// The text without the white space at its end.
/// Requires: valid UTF-8 (unchecked)
constexpr std::string_view strip_right(std::string_view text) {
  while (!text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
    if (!is_unicode_space(decode_utf8(text, static_cast<index_t>(start)).code_point)) break;
    text = text.substr(0, start);
  }
  return text;
}

/// The lower-case form of a text, equal to Python's str.lower(): simple mappings of every script, and the
/// two special cases: U+0130 (I with dot) becomes "i" and a combining dot, and a capital sigma at the end
/// of a word becomes the final form.
/// Requires: valid UTF-8 (checked as in code_points)
/// Source:   The Unicode Standard, section 3.13 (Final_Sigma)
inline std::string to_lowercase(std::string_view text) {
  const std::vector<char32_t> points = code_points(text);
  const auto count = static_cast<index_t>(points.size());
  // Whether the next character in a direction that is not case-ignorable is a cased one.
  const auto cased = [&](index_t i, index_t step) {
    for (i += step; i >= 0 && i < count; i += step) {
      const char kind = detail::kind_in(detail::sigma_contexts, points[static_cast<std::size_t>(i)]);
      if (kind != 'I') return kind == 'C';
    }
    return false;
  };
  std::string lower;
  lower.reserve(text.size());
  for (index_t i = 0; i < count; ++i) {
    const char32_t point = points[static_cast<std::size_t>(i)];
    if (point == 0x3A3) {
      append_utf8(lower, cased(i, -1) && !cased(i, 1) ? 0x3C2 : 0x3C3);
    } else if (point == 0x130) {
      append_utf8(lower, U'i');
      append_utf8(lower, 0x307);
    } else {
      append_utf8(lower, detail::simple_lowercase(point));
    }
  }
  return lower;
}

}  // namespace formwork

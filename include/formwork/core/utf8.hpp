#pragma once
#include <formwork/core/types.hpp>

#include <string>
#include <string_view>

namespace formwork {

/// One step of reading UTF-8: the code point and the bytes it took.
/// `bytes` is 0 where no valid sequence starts.
struct decoded_utf8 {
  char32_t code_point = 0;
  int bytes = 0;
};

/// Reads the code point that starts at byte `at`. Strict: overlong forms, surrogates, values above U+10FFFF,
/// stray continuation bytes and sequences cut off by the end of the text are all invalid (`bytes` is then 0).
/// Requires: 0 <= at < text.size() (unchecked)
/// Source:   The Unicode Standard, table 3-7 (well-formed UTF-8 byte sequences)
constexpr decoded_utf8 decode_utf8(std::string_view text, index_t at) {
  const auto left = static_cast<index_t>(text.size()) - at;
  const auto byte = [&](index_t i) {
    return static_cast<unsigned char>(text[static_cast<std::size_t>(at + i)]);
  };
  const auto continues = [&](index_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {static_cast<char32_t>(lead), 1};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const int bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (left < bytes) return {};
  auto value = static_cast<char32_t>(lead & (0xFFu >> (bytes + 1)));
  for (int i = 1; i < bytes; ++i) {
    if (!continues(i)) return {};
    value = (value << 6) | (byte(i) & 0x3Fu);
  }
  // A lead byte below 0xC2 is the only overlong form of two bytes; longer ones show in the value.
  const bool overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, bytes};
}

/// Appends the UTF-8 form of a code point.
/// Requires: a scalar value, that is at most U+10FFFF and no surrogate (unchecked)
inline void append_utf8(std::string& text, char32_t code_point) {
  const auto add = [&text](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code_point < 0x80) {
    add(code_point);
  } else if (code_point < 0x800) {
    add(0xC0 | (code_point >> 6));
    add(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    add(0xE0 | (code_point >> 12));
    add(0x80 | ((code_point >> 6) & 0x3F));
    add(0x80 | (code_point & 0x3F));
  } else {
    add(0xF0 | (code_point >> 18));
    add(0x80 | ((code_point >> 12) & 0x3F));
    add(0x80 | ((code_point >> 6) & 0x3F));
    add(0x80 | (code_point & 0x3F));
  }
}

/// Byte offset of the first place that is not valid UTF-8, or -1 where the whole text is valid.
constexpr index_t first_invalid_utf8(std::string_view text) {
  const auto size = static_cast<index_t>(text.size());
  for (index_t at = 0; at < size;) {
    const int bytes = decode_utf8(text, at).bytes;
    if (bytes == 0) return at;
    at += bytes;
  }
  return -1;
}

/// Number of code points.
/// Requires: valid UTF-8 (unchecked; it counts the bytes that start a sequence)
constexpr index_t count_code_points(std::string_view text) {
  index_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

}  // namespace formwork

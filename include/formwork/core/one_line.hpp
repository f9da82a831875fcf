#pragma once
#include <formwork/core/utf8.hpp>

#include <string>
#include <string_view>

namespace formwork {

/// The text in a form that a terminal or a log shows on one line, whatever a file, a path or a user has put
/// into it: line feed, carriage return and tab become \n, \r and \t; the bytes of other control characters,
/// of the Unicode line and paragraph separators, and those that are not valid UTF-8 become \x and two digits.
/// A text without these stays as it is, so nothing changes where a sentence becomes part of another one.
inline std::string one_line(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (index_t at = 0; at < index_t(text.size());) {
    const auto [c, bytes] = decode_utf8(text, at);
    const std::string_view part = text.substr(std::size_t(at), std::size_t(bytes ? bytes : 1));
    at += index_t(part.size());
    if (c == '\n' || c == '\r' || c == '\t') {
      out += {'\\', c == '\n' ? 'n' : c == '\r' ? 'r' : 't'};
    } else if (bytes == 0 || c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029) {
      for (const char byte : part)
        out += {'\\', 'x', digits[static_cast<unsigned char>(byte) >> 4], digits[byte & 15]};
    } else {
      out += part;
    }
  }
  return out;
}

}  // namespace formwork

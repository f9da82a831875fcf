#pragma once
#include <formwork/core/utf8.hpp>

#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

namespace formwork {

/// Appends a text as a JSON string with its quotes. Bytes that are not valid UTF-8 become U+FFFD.
inline void append_json_string(std::string& out, std::string_view value) {
  constexpr char digits[] = "0123456789abcdef";
  out += '"';
  for (index_t at = 0; at < index_t(value.size());) {
    const int bytes = decode_utf8(value, at).bytes;
    const auto c = static_cast<unsigned char>(value[std::size_t(at)]);
    if (bytes == 0) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += {'\\', char(c)};
    } else if (c < 0x20) {
      out += {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
    } else {
      out += value.substr(std::size_t(at), std::size_t(bytes));
    }
    at += bytes ? bytes : 1;
  }
  out += '"';
}

/// Appends a number in the shortest form that reads back to the same value. JSON has no infinities and no
/// NaN: they become the strings "inf", "-inf" and "nan".
template <class T>
requires(std::integral<T> || std::floating_point<T>) void append_json_number(std::string& out, T value) {
  if constexpr (std::floating_point<T>) {
    if (std::isnan(value)) return append_json_string(out, "nan");
    if (std::isinf(value)) return append_json_string(out, value > 0 ? "inf" : "-inf");
  }
  char digits[64];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace formwork

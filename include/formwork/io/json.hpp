#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/utf8.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace formwork {

/// Reads one JSON text (RFC 8259) from front to back; the caller asks for what it expects. Strict: names
/// given twice in an object, wrong UTF-8, half surrogate pairs and numbers beyond a double are errors, and so
/// are values inside more than 32 others. Builds no tree, so a hostile text costs no more memory than its
/// names. Our own, because the library reads JSON only in the headers of safetensors files, and a general
/// JSON library would take 1.2 s to compile of the 3 s that a program may pay for all of Formwork.
class json_reader {
 public:
  /// `where` opens the sentence of every error, for example "model.safetensors: header". `source` must
  /// outlive the reader.
  json_reader(std::string_view source, std::string where) : source_(source), where_(std::move(where)) {
    if (const index_t at = first_invalid_utf8(source); at >= 0) {
      fail(where_, ": byte ", at, " is not valid UTF-8");
    }
  }

  /// How the next value begins: one of { [ " t f n, and 0 for every number.
  char next() {
    skip_space();
    const char c = here();
    return is_digit(c) || c == '-' ? '0' : c;
  }

  /// Reads an object; `member(name)` must read the value of each name.
  template <class Member>
  void object(Member member) {
    std::set<std::string> names;
    list('{', '}', [&] {
      skip_space();
      auto [name, is_first] = names.insert(string());
      if (!is_first) fail(where_, ": the name \"", *name, "\" is given twice");
      skip_space();
      expect(':');
      member(*name);
    });
  }

  /// Reads an array; `element()` must read each of its values.
  template <class Element>
  void array(Element element) {
    list('[', ']', element);
  }

  std::string string() {
    begin_value();
    expect('"');
    std::string out;
    while (here() != '"') {
      if (static_cast<unsigned char>(here()) < 0x20) invalid();
      if (here() == '\\') {
        ++at_;
        append_utf8(out, escape());
      } else {
        out += source_[at_++];
      }
    }
    ++at_;
    return out;
  }

  /// Reads a number and returns it as written.
  std::string_view number() {
    begin_value();
    const std::size_t begin = at_;
    if (here() == '-') ++at_;
    const std::size_t whole = at_;
    if (here() == '0')
      ++at_;
    else
      digits();
    index_t magnitude = source_[whole] == '0' ? 0 : index_t(at_ - whole);
    if (more('.')) {
      const std::size_t fraction = at_;
      digits();
      if (magnitude == 0)
        magnitude = -index_t(source_.substr(fraction, at_ - fraction).find_first_not_of('0'));
    }
    constexpr index_t most = index_t{1} << 40;  // longer than any text: its sum with the magnitude fits
    index_t exponent = 0;
    if (more('e') || more('E')) {
      const bool negative = more('-');
      if (!negative) more('+');
      const std::size_t power = at_;
      digits();
      const bool fits = std::from_chars(&source_[power], source_.data() + at_, exponent).ec == std::errc{};
      exponent = fits ? (std::min)(exponent, most) : most;
      if (negative) exponent = -exponent;
    }
    const std::string_view out = source_.substr(begin, at_ - begin);
    double value = 0;
    // from_chars finds too small out of range as well: that is a zero, and no error
    const std::errc fault = std::from_chars(out.data(), out.data() + out.size(), value).ec;
    if (fault == std::errc::result_out_of_range && magnitude + exponent > 0)
      fail(where_, ": a number is too large");
    return out;
  }

  /// Reads whatever value comes and returns it as written.
  std::string_view skip() {
    const char kind = next();
    const std::size_t begin = at_;
    if (kind == '{')
      object([this](const std::string&) { skip(); });
    else if (kind == '[')
      array([this] { skip(); });
    else if (kind == '"')
      string();
    else if (kind == '0')
      number();
    else
      word(kind == 't' ? "true" : kind == 'f' ? "false" : "null");
    return source_.substr(begin, at_ - begin);
  }

  /// Requires: only white space is left (checked)
  void end() {
    skip_space();
    if (at_ != source_.size()) invalid();
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  [[noreturn]] void invalid() const { fail(where_, ": invalid JSON at byte ", at_ + 1); }

  char here() const {
    if (at_ == source_.size()) invalid();
    return source_[at_];
  }
  void expect(char c) {
    if (here() != c) invalid();
    ++at_;
  }
  bool more(char c) {
    const bool found = at_ < source_.size() && source_[at_] == c;
    at_ += found;
    return found;
  }
  void skip_space() { at_ = (std::min)(source_.find_first_not_of(" \t\n\r", at_), source_.size()); }
  void begin_value() {
    skip_space();
    if (depth_ > 32) fail(where_, ": JSON nested deeper than 32 levels");
  }

  template <class Item>
  void list(char open, char close, Item item) {
    begin_value();
    expect(open);
    ++depth_;
    skip_space();
    if (!more(close)) {
      do {
        item();
        skip_space();
      } while (more(','));
      expect(close);
    }
    --depth_;
  }

  void digits() {
    do {
      if (!is_digit(here())) invalid();
      ++at_;
    } while (at_ < source_.size() && is_digit(source_[at_]));
  }

  void word(std::string_view expected) {
    begin_value();
    for (const char c : expected) expect(c);
  }

  // What stands behind a backslash; surrogates come in pairs.
  char32_t escape() {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    const std::size_t letter = letters.find(here());
    if (letter != letters.npos) return ++at_, char32_t(meanings[letter]);
    expect('u');
    const char32_t first = four_hex_digits();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first > 0xDBFF) invalid();
    expect('\\');
    expect('u');
    const char32_t second = four_hex_digits();
    if (second < 0xDC00 || second > 0xDFFF) invalid();
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  char32_t four_hex_digits() {
    char32_t out = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = here(), lower = char(c | 0x20);
      if (!is_digit(c) && !(lower >= 'a' && lower <= 'f')) invalid();
      out = out * 16 + char32_t(is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return out;
  }

  std::string_view source_;
  std::string where_;
  std::size_t at_ = 0;
  int depth_ = 0;  // objects and arrays that are open
};

}  // namespace formwork

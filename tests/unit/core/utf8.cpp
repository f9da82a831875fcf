#include <formwork/core/utf8.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace formwork;

static_assert(decode_utf8("A", 0).code_point == U'A');
static_assert(first_invalid_utf8("") == -1);
static_assert(count_code_points("") == 0);

TEST_CASE("utf8: every scalar value survives encoding and decoding") {
  index_t wrong = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(bytes, c);
    const auto read = decode_utf8(bytes, 0);
    const int expected = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    wrong += read.code_point != c || read.bytes != expected || read.bytes != static_cast<int>(bytes.size());
  }
  CHECK(wrong == 0);
}

TEST_CASE("utf8: the offset of the first invalid byte is found") {
  const auto at = [](std::string_view bytes) {
    return first_invalid_utf8(std::string("a\xC3\xA4") + std::string(bytes));
  };
  CHECK(at("z") == -1);
  CHECK(at("\xF0\x9F\x98\x80") == -1);  // U+1F600
  CHECK(at("\xF4\x8F\xBF\xBF") == -1);  // U+10FFFF, the last
  CHECK(at("\xED\x9F\xBF") == -1);      // U+D7FF, before the surrogates
  CHECK(at("\xEE\x80\x80") == -1);      // U+E000, after them
  CHECK(at("\x80") == 3);               // continuation without a lead
  CHECK(at("\xC3") == 3);               // cut off
  CHECK(at("\xE2\x82") == 3);           // cut off
  CHECK(at("\xE2\x28\xA1") == 3);       // second byte wrong
  CHECK(at("\xC0\xAF") == 3);           // overlong '/'
  CHECK(at("\xC1\xBF") == 3);           // overlong
  CHECK(at("\xE0\x9F\xBF") == 3);       // overlong U+07FF
  CHECK(at("\xF0\x8F\xBF\xBF") == 3);   // overlong U+FFFF
  CHECK(at("\xED\xA0\x80") == 3);       // surrogate U+D800
  CHECK(at("\xF4\x90\x80\x80") == 3);   // U+110000
  CHECK(at("\xF5\x80\x80\x80") == 3);   // lead byte that never occurs
  CHECK(at("\xFF") == 3);
  CHECK(at("bc\xFE") == 5);
}

TEST_CASE("utf8: code points are counted, not bytes") {
  CHECK(count_code_points("Stra\xC3\x9F"
                          "e") == 6);
  CHECK(count_code_points("s\xCC\x87") == 2);  // a combining mark is a code point of its own
  CHECK(count_code_points("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E") == 3);
}

TEST_CASE("utf8: a zero byte is a character like any other") {
  const std::string_view text("a\0b", 3);
  CHECK(first_invalid_utf8(text) == -1);
  CHECK(count_code_points(text) == 3);
  CHECK(decode_utf8(text, 1).bytes == 1);
}

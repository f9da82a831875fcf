#include <formwork/core/one_line.hpp>

#include <doctest/doctest.h>

using formwork::one_line;
using namespace std::string_literals;

TEST_CASE("one_line: text without control characters stays as it is") {
  for (const std::string& text : {""s, "a b"s, "gr\u00F6\u00DFer \u00A0\u3000 \U0001F600"s, "C:\\n \\x41"s})
    CHECK(one_line(text) == text);
}

TEST_CASE("one_line: control characters, line separators and wrong bytes are spelt out") {
  CHECK(one_line("a\nb\r\n\tc") == "a\\nb\\r\\n\\tc");
  CHECK(one_line("a\0b\x1b[K\x7f"s) == "a\\x00b\\x1b[K\\x7f");
  CHECK(one_line("\u0080\u009F\u0085") == "\\xc2\\x80\\xc2\\x9f\\xc2\\x85");
  CHECK(one_line("\u2027\u2028\u2029\u202A") == "\u2027\\xe2\\x80\\xa8\\xe2\\x80\\xa9\u202A");
  CHECK(one_line("\xff"
                 "a\xc3") == "\\xffa\\xc3");
}

TEST_CASE("one_line: what it made once it leaves alone") {
  const std::string once = one_line("a\nb\0c\xff"s);
  CHECK(one_line(once) == once);
}

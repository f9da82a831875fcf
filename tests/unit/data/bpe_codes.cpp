#include <formwork/data/bpe_codes.hpp>

#include "../../support/scratch_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>

using namespace formwork;
using formwork_test::scratch_file;
using namespace std::string_literals;

namespace {

/// The error for a codes file of these bytes, without the path in front.
std::string failure(std::string_view bytes) {
  const scratch_file file("codes", bytes);
  const std::string what = formwork_test::failure_of<error>([&] { read_bpe_codes(file.path); });
  REQUIRE(what.starts_with(file.path + ":"));
  return what.substr(file.path.size() + 1);
}

}  // namespace

TEST_CASE("bpe codes: both versions are read, with any line ends") {
  const scratch_file second("codes", "#version: 0.2\na b\r\nab c</w>\n\n"), first("codes", "a b\nab </w>");
  const bpe_codes two = read_bpe_codes(second.path), one = read_bpe_codes(first.path);
  CHECK(two.version == 2);
  CHECK(two.merges == std::vector<bpe_merge>{{"a", "b"}, {"ab", "c</w>"}});
  CHECK(one.version == 1);
  CHECK(one.merges == std::vector<bpe_merge>{{"a", "b"}, {"ab", "</w>"}});
}

TEST_CASE("bpe codes: fewer merges on request; what comes after them is not looked at") {
  const scratch_file file("codes", "#version: 0.2\na b\nc d\nbroken\n");
  CHECK(read_bpe_codes(file.path, 2).merges.size() == 2);
  CHECK(read_bpe_codes(file.path, 0).merges.empty());
}

TEST_CASE("bpe codes: a symbol may hold white space other than the plain space") {
  const scratch_file file("codes", "#version: 0.2\na \xC2\xA0\n");
  CHECK(read_bpe_codes(file.path).merges[0].right == "\xC2\xA0");
}

TEST_CASE("bpe codes: errors name the line") {
  CHECK(failure("#version: 0.2\na b\nabc\n") == "3: 'abc', expected two symbols with one space between them");
  CHECK(failure("a b c\n") == "1: 'a b c', expected two symbols with one space between them");
  CHECK(failure("#version: 0.3\n") == "1: version '0.3' of byte-pair codes, expected 0.1 or 0.2");
  CHECK(failure("#version: 0.2 byte\n") == "1: version '0.2 byte' of byte-pair codes, expected 0.1 or 0.2");
  CHECK(failure("a b\n\nc d\n") == "2: an empty line, expected two symbols");
  CHECK(failure("a b\nc \xFF\n") == "2: the line is not valid UTF-8");
}

TEST_CASE("bpe codes: what is written is read again") {
  const std::string path = formwork_test::scratch_path("codes");
  const bpe_codes codes{.merges = {{"a", "b"}, {"ab", "c</w>"}}};
  write_bpe_codes(path, codes);
  CHECK(formwork_test::bytes_of(path) == "#version: 0.2\na b\nab c</w>\n");
  CHECK(read_bpe_codes(path).merges == codes.merges);
  std::filesystem::remove(path);
  CHECK_THROWS_WITH_AS(write_bpe_codes("/nowhere/codes", codes),
                       "/nowhere/codes: cannot be opened for writing: No such file or directory", error);
}

TEST_CASE("bpe codes: what is written is read again as it was, or is refused by a sentence with the merge") {
  const std::string pieces[] = {"a",  "\r",     "\ra",    "a\r",    "a\rb",      "\0"s,   "a\0"s,
                                "\t", "\n",     "a\nb",   " ",      "a ",        "",      "\xFF",
                                "\v", "\u0085", "\u00A0", "\u2028", "#version:", "\uFEFF"};
  const std::string path = formwork_test::scratch_path("codes");
  index_t refused = 0;
  for (const int version : {1, 2})
    for (const std::string& left : pieces)
      for (const std::string& right : pieces)
        for (const char* end : {"", "</w>"}) {
          const bpe_codes codes{.merges = {{left, right + end}, {"x", "y"}}, .version = version};
          const std::string fault = formwork_test::failure_of<error>([&] { write_bpe_codes(path, codes); });
          CAPTURE(fault);
          if (fault.empty()) {
            const bpe_codes again = read_bpe_codes(path);
            CHECK(again.merges == codes.merges);
            CHECK(again.version == version);
          } else {
            ++refused;
            CHECK(fault.starts_with("byte-pair codes: merge 1 of '"));
          }
        }
  CHECK(refused > 0);
  CHECK(text_of({.merges = {{"a\rb", "c"}}}) == "#version: 0.2\na\rb c\n");  // as in subword-nmt
  CHECK_THROWS_WITH_AS(text_of({.merges = {{"a", "b"}, {"\r", "b"}}}),
                       doctest::Contains("merge 2 of '\\r' and 'b' cannot be written"), error);
  CHECK_THROWS_WITH_AS(text_of({.merges = {}, .version = 3}), doctest::Contains("version 3"), error);
  std::filesystem::remove(path);
}

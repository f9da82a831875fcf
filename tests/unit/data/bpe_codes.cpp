#include <formwork/data/bpe_codes.hpp>

#include "../../support/scratch_file.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>

using namespace formwork;
using formwork_test::scratch_file;

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
  CHECK_THROWS_AS(write_bpe_codes("/nowhere/codes", codes), error);
}

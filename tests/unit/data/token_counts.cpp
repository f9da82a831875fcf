#include <formwork/data/token_counts.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include "../../support/scratch_file.hpp"

using namespace formwork;
using formwork_test::scratch_file;

namespace {

std::vector<std::string> entries(const vocabulary& table) {
  std::vector<std::string> out;
  for (token_t id = special_tokens; id < table.size(); ++id) out.push_back(table.entry(id));
  return out;
}

using list = std::vector<std::string>;

static_assert(
    std::is_same_v<decltype(token_counts().count("")), std::int64_t>);  // no text is too long for it

}  // namespace

TEST_CASE("token counts: entries are ordered by count, then by their bytes") {
  token_counts counts;
  counts.add_line("b a c a Z ä");
  counts.add_line("c a");
  CHECK(counts.distinct() == 5);
  CHECK(counts.count("a") == 3);
  CHECK(counts.count("x") == 0);
  CHECK(entries(counts.build()) == list{"a", "c", "Z", "b", "ä"});
}

TEST_CASE("token counts: the size limit includes the special entries") {
  token_counts counts;
  counts.add_line("a a a b b c");
  CHECK(counts.build({.size_limit = 5}).size() == 5);
  CHECK(entries(counts.build({.size_limit = 5})) == list{"a", "b"});
  CHECK(counts.build({.size_limit = 1000}).size() == 6);
  CHECK_THROWS_AS(counts.build({.size_limit = 3}), error);
}

TEST_CASE("token counts: rare tokens are left out") {
  token_counts counts;
  counts.add_line("a a a b b c");
  CHECK(entries(counts.build({.min_count = 2})) == list{"a", "b"});
  CHECK_THROWS_WITH_AS(counts.build({.min_count = 4}), doctest::Contains("no token occurs 4 times"), error);
}

TEST_CASE("token counts: text that spells special entries is not counted twice") {
  token_counts counts;
  counts.add_line("<s> a </s> <unk>");
  CHECK(entries(counts.build()) == list{"a"});
}

TEST_CASE("token counts: several files give one joint vocabulary, line ends do not matter") {
  const scratch_file german("de", "das Haus\r\ndas\r\n"), english("en", "the house\nthe the\n");
  const std::vector<std::string> paths{german.path, english.path};
  CHECK(entries(build_vocabulary(paths)) == list{"the", "das", "Haus", "house"});
}

TEST_CASE("token counts: an empty text and a text of blank lines are errors") {
  const scratch_file empty("empty", ""), blank("blank", "\n \n\t\n");
  const std::vector<std::string> first{empty.path}, second{blank.path};
  CHECK_THROWS_WITH_AS(build_vocabulary(first), doctest::Contains("empty or has only blank lines"), error);
  CHECK_THROWS_WITH_AS(build_vocabulary(second), doctest::Contains("empty or has only blank lines"), error);
}

TEST_CASE("token counts: text that is not UTF-8 is an error with file, line and byte") {
  const scratch_file file("latin1", "gut\nsch\xF6n\n");
  const std::vector<std::string> paths{file.path};
  CHECK_THROWS_WITH_AS(build_vocabulary(paths),
                       doctest::Contains(":2: byte 4 of the line is not valid UTF-8"), error);
}

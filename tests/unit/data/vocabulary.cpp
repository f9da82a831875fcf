#include <formwork/data/vocabulary.hpp>

#include <formwork/data/token_counts.hpp>

#include <doctest/doctest.h>

#include "../../support/scratch_file.hpp"

using namespace formwork;
using formwork_test::scratch_file;
using namespace std::string_literals;

namespace {

vocabulary of(std::vector<std::string> entries) { return vocabulary(entries); }

std::string failure_of_file(std::string_view bytes) {
  const scratch_file file("vocabulary.txt", bytes);
  const std::string what = formwork_test::failure_of<error>([&] { read_vocabulary(file.path); });
  return what.starts_with(file.path) ? what.substr(file.path.size()) : what;
}

}  // namespace

TEST_CASE("vocabulary: an empty one holds the special entries") {
  const vocabulary table;
  CHECK(table.size() == special_tokens);
  CHECK(table.entry(end_token) == "</s>");
  CHECK(table.find("word") == unknown_token);
}

TEST_CASE("vocabulary: encode and decode are inverse on known tokens separated by single spaces") {
  const vocabulary table = of({"das", "Haus", "ä", "."});
  const std::string line = "das Haus . ä das";
  CHECK(table.encode(line) == std::vector<token_t>{3, 4, 6, 5, 3});
  CHECK(table.decode(table.encode(line)) == line);
}

TEST_CASE("vocabulary: unknown tokens become <unk>, runs of white space are one gap") {
  const vocabulary table = of({"a", "b"});
  CHECK(table.encode("  a\t b   zzz ") == std::vector<token_t>{3, 4, unknown_token});
  CHECK(table.encode("").empty());
  CHECK(table.encode(" \t ").empty());
  CHECK(table.encode("\ra\r\rb\r\na\r") == std::vector<token_t>{3, 4, 3});
  CHECK(table.encode("\r").empty());
}

TEST_CASE("vocabulary: encode appends") {
  const vocabulary table = of({"a"});
  std::vector<token_t> ids{7};
  table.encode("a a", ids);
  CHECK(ids == std::vector<token_t>{7, 3, 3});
}

TEST_CASE("vocabulary: Unicode spaces belong to tokens and survive the round trip") {
  const std::string no_break = "10\u00A0km", ideographic = "a\u3000b", next_line = "x\u0085y", nul("n\0l", 3);
  const std::string separator = "\u2028";
  const vocabulary table = of({no_break, ideographic, next_line, nul, separator});
  const std::string line = no_break + " " + ideographic + " " + next_line + " " + nul + " " + separator;
  CHECK(table.encode(line) == std::vector<token_t>{3, 4, 5, 6, 7});
  CHECK(table.decode(table.encode(line)) == line);
}

TEST_CASE("vocabulary: a text that spells an end mark cannot end a sentence") {
  const vocabulary table = of({"a"});
  CHECK(table.encode("a </s> <s> a") == std::vector<token_t>{3, unknown_token, unknown_token, 3});
}

TEST_CASE("vocabulary: decode stops at </s> and skips <s>") {
  const vocabulary table = of({"a", "b"});
  CHECK(table.decode(std::vector<token_t>{begin_token, 3, 4, end_token, 3}) == "a b");
  CHECK(table.decode(std::vector<token_t>{end_token}).empty());
  CHECK(table.decode(std::vector<token_t>{unknown_token, 3}) == "<unk> a");
}

TEST_CASE("vocabulary: a token outside the table is an error") {
  const vocabulary table = of({"a"});
  CHECK_THROWS_WITH_AS(table.decode(std::vector<token_t>{4}),
                       doctest::Contains("token 4 of a vocabulary with 4"), error);
  CHECK_THROWS_AS(table.entry(-1), error);
}

TEST_CASE("vocabulary: entries that could never be found are refused") {
  CHECK_THROWS_WITH_AS(of({"a", ""}), doctest::Contains("entry 2 is empty"), error);
  CHECK_THROWS_WITH_AS(of({"a", "b", "a"}), doctest::Contains("entry 3 ('a') is already there with id 3"),
                       error);
  CHECK_THROWS_AS(of({"<unk>"}), error);
  for (const char* entry : {"a b", "a\t", "a\nb", "a\r", "\r", "a\rb"})
    CHECK_THROWS_WITH_AS(of({entry}), doctest::Contains("holds white space"), error);
  CHECK_THROWS_AS(of({"\xff"}), error);
}

TEST_CASE("vocabulary: write and read give the same table, byte for byte") {
  const vocabulary table = of({"größer", "a\u00A0b", "\xF0\x9F\x98\x80"});
  const scratch_file first("v1", ""), second("v2", "");
  table.write(first.path);
  const vocabulary again = read_vocabulary(first.path);
  again.write(second.path);
  CHECK(formwork_test::bytes_of(first.path) == formwork_test::bytes_of(second.path));
  CHECK(again.find("größer") == 3);
  CHECK(again.size() == 6);
}

TEST_CASE(
    "vocabulary: whatever the tokens of a text are, the table that is written is the table that is read") {
  const scratch_file file("hostile", "");
  for (const std::string& text : {"a\r"s, "\r"s, "a\rb"s, "a\0b"s, "\0"s, "\u2028"s, "a\u2028"s, "\u00A0"s,
                                  "\u0085"s, "\v"s, "\f"s, "\uFEFF"s, "a\t"s, "a\n"s, "</s>"s, "#"s}) {
    token_counts counts;
    for (const std::string& line : {text, "x " + text, text + " x " + text}) counts.add_line(line);
    const vocabulary table = counts.build();
    table.write(file.path);
    const vocabulary again = read_vocabulary(file.path);
    CAPTURE(text);
    REQUIRE(again.size() == table.size());
    for (token_t id = 0; id < table.size(); ++id) CHECK(again.entry(id) == table.entry(id));
    CHECK(again.encode(text) == table.encode(text));
  }
}

TEST_CASE("vocabulary: a copy works after the original is gone") {
  auto table = std::make_unique<vocabulary>(of({"a", "b"}));
  const vocabulary copy = *table;
  table.reset();
  CHECK(copy.find("b") == 4);
}

TEST_CASE("vocabulary: a file with CRLF ends gives the ids of the file with LF ends") {
  const scratch_file lf("lf", "<unk>\n<s>\n</s>\ndas\t17\nHaus\t3\n"),
      crlf("crlf", "<unk>\r\n<s>\r\n</s>\r\ndas\t17\r\nHaus\t3\r\n");
  const vocabulary a = read_vocabulary(lf.path), b = read_vocabulary(crlf.path);
  CHECK(a.size() == 5);
  CHECK(b.size() == 5);
  for (token_t id = 0; id < 5; ++id) CHECK(a.entry(id) == b.entry(id));
  CHECK(b.encode("das Haus") == std::vector<token_t>{3, 4});
}

TEST_CASE("vocabulary: a file without special entries gets them in front") {
  const scratch_file file("plain", "das\nHaus");
  CHECK(read_vocabulary(file.path).encode("Haus das") == std::vector<token_t>{4, 3});
}

TEST_CASE("vocabulary: a blank or repeated line is an error with its number") {
  CHECK(failure_of_file("a\n\nb\n").starts_with(":2: the vocabulary entry is empty"));
  CHECK(failure_of_file("a\nb\nc\nb\n").starts_with(":4: the vocabulary entry ('b') is already there"));
  CHECK(failure_of_file("a\r\n\r\n").starts_with(":2: "));
  CHECK(failure_of_file("a\n\t7\n").starts_with(":2: "));
  CHECK(failure_of_file("a 7\n").starts_with(":1: "));
  CHECK(failure_of_file("a\n\xC3\n").starts_with(":2: "));
}

TEST_CASE("vocabulary: special entries at another place are an error") {
  CHECK(failure_of_file("a\n<s>\n").starts_with(":2: "));
  CHECK(failure_of_file("<unk>\n</s>\n<s>\n").starts_with(":2: found '</s>' where '<s>'"));
  CHECK_FALSE(failure_of_file("<unk>\n<s>\n").empty());
  CHECK(failure_of_file("").find("is empty") != std::string::npos);
}

TEST_CASE("vocabulary: a file that cannot be written is an error") {
  CHECK_THROWS_WITH_AS(vocabulary().write("/nonexistent/folder/v"),
                       doctest::Contains("cannot be opened for writing: No such file"), error);
}

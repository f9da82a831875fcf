#include <formwork/data/read_corpus.hpp>

#include <formwork/data/token_counts.hpp>

#include <doctest/doctest.h>

#include <clocale>
#include <locale>

#include "../../support/scratch_file.hpp"

using namespace formwork;
using formwork_test::failure_of;
using formwork_test::scratch_file;

namespace {

using ids = std::vector<token_t>;

/// One token a byte, ids from 3, so that lengths and contents are easy to check.
void bytes(std::string_view line, ids& out) {
  for (const char c : line) out.push_back(3 + token_t(static_cast<unsigned char>(c)));
}

ids bytes_of_line(std::string_view line) {
  ids out;
  bytes(line, out);
  return out;
}

parallel_corpus read(std::string_view source, std::string_view target, const corpus_options& options = {}) {
  const scratch_file a("a.de", source), b("b.en", target);
  return read_parallel_corpus(a.path, b.path, bytes, bytes, options);
}

ids copy(std::span<const token_t> tokens) { return {tokens.begin(), tokens.end()}; }

}  // namespace

TEST_CASE(
    "read corpus: unequal line counts are found before anything is encoded, with both counts and files") {
  std::string longer, shorter;
  for (int i = 0; i < 1000; ++i) longer += "a\n";
  for (int i = 0; i < 999; ++i) shorter += "b\n";
  const scratch_file a("a.de", longer), b("b.en", shorter);
  int encoded = 0;
  const auto count = [&](std::string_view, ids&) { ++encoded; };
  const std::string what = failure_of<error>([&] { read_parallel_corpus(a.path, b.path, count, count); });
  CHECK(what.find(a.path + " has 1000 lines") != what.npos);
  CHECK(what.find(b.path + " has 999") != what.npos);
  CHECK(encoded == 0);
}

TEST_CASE("read corpus: a NUL inside a line changes neither the line count nor the text") {
  const parallel_corpus corpus = read(std::string_view("a\0b\nc\n", 6), "x\ny\n");
  CHECK(corpus.size() == 2);
  CHECK(copy(corpus.source_sentence(0)) == bytes_of_line(std::string_view("a\0b", 3)));
  CHECK(copy(corpus.target_sentence(1)) == bytes_of_line("y"));
}

TEST_CASE("read corpus: CRLF and LF files give the same ids") {
  const parallel_corpus crlf = read("ab\r\ncd\r\n", "x\ny\n"), lf = read("ab\ncd\n", "x\r\ny\r\n");
  CHECK(crlf.source == lf.source);
  CHECK(crlf.target == lf.target);
}

TEST_CASE("read corpus: text that is not UTF-8 is an error with file, line and byte") {
  const scratch_file a("a.de", "gut\n"), b("b.en", "na\xEFve\n");
  const std::string what = failure_of<error>([&] { read_parallel_corpus(a.path, b.path, bytes, bytes); });
  CHECK(what == b.path + ":1: byte 3 of the line is not valid UTF-8");
}

TEST_CASE("read corpus: the result does not depend on the locale") {
  const std::string text = "größer \u00A0 cafè że s\u0307\n";
  for (const char* locale : {"C.UTF-8", "", "C"}) {
    std::setlocale(LC_ALL, locale);
    CHECK(copy(read(text, text).source_sentence(0)) ==
          bytes_of_line(std::string_view(text).substr(0, text.size() - 1)));
  }
}

TEST_CASE("read corpus: empty and overlong pairs are dropped as pairs and counted") {
  const parallel_corpus corpus = read("aa\n\nbbbbb\ncc\n", "A\nB\nC\nD\n", {.max_length = 5});
  CHECK(corpus.report.sentence() == "kept 2 of 4 pairs; dropped 1 with an empty side, 1 too long");
  CHECK(copy(corpus.source_sentence(1)) == bytes_of_line("cc"));
  CHECK(copy(corpus.target_sentence(1)) == bytes_of_line("D"));
}

TEST_CASE("read corpus: runs of empty lines in both files are legal") {
  CHECK(read("a\n\n\n\nb\n", "x\n\n\n\ny\n").size() == 2);
}

TEST_CASE("read corpus: a limit shorter than every sentence is an error at once") {
  CHECK_THROWS_WITH_AS(read("aaa\nbbb\n", "x\ny\n", {.max_length = 2}),
                       doctest::Contains("max_length 4 would keep 2"), error);
}

TEST_CASE("read corpus: empty files are an error") {
  CHECK_THROWS_WITH_AS(read("", ""), doctest::Contains("have no lines"), error);
  CHECK_THROWS_WITH_AS(read("\n\n", "\n\n"), doctest::Contains("every pair was dropped"), error);
}

TEST_CASE("read corpus: encoders may return their ids or append them") {
  const scratch_file a("a.de", "ab\n"), b("b.en", "c\n");
  const parallel_corpus corpus = read_parallel_corpus(a.path, b.path, bytes_of_line, bytes);
  CHECK(copy(corpus.source_sentence(0)) == bytes_of_line("ab"));
  static_assert(line_encoder<decltype(bytes)>);
  static_assert(line_encoder<decltype(bytes_of_line)>);
  static_assert(!line_encoder<int>);
}

TEST_CASE("read corpus: an encoder that adds the end mark itself is an error") {
  const std::vector<sentence_pair> pairs{{"a", "b"}, {"c", "d"}};
  const auto with_end = [](std::string_view) { return ids{5, end_token}; };
  CHECK_THROWS_WITH_AS(encode_parallel_corpus(pairs, bytes, with_end),
                       doctest::Contains("target:1: the encoder gave token 2"), error);
}

TEST_CASE("read corpus: pairs in memory and in files give the same corpus") {
  const std::vector<sentence_pair> pairs{{"das Haus", "the house"}, {"das Buch", "the book"}};
  token_counts counts;
  for (const auto& [source, target] : pairs) {
    counts.add_line(source);
    counts.add_line(target);
  }
  const vocabulary table = counts.build();
  const auto encode = [&](std::string_view line, ids& out) { table.encode(line, out); };
  const parallel_corpus memory = encode_parallel_corpus(pairs, encode, encode);
  const scratch_file a("a.de", "das Haus\ndas Buch\n"), b("b.en", "the house\nthe book\n");
  const parallel_corpus files = read_parallel_corpus(a.path, b.path, encode, encode);
  CHECK(memory.source == files.source);
  CHECK(memory.target == files.target);
  CHECK(table.decode(memory.target_sentence(1)) == "the book");
}

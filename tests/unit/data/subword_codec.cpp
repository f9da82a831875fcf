#include <formwork/data/subword_codec.hpp>

#include <doctest/doctest.h>

#include <formwork/data/embedded_corpus.hpp>

#include "../../support/scratch_folder.hpp"

using formwork::sentence_pair;
using formwork::subword_codec;
using namespace std::string_literals;

TEST_CASE("subword codec: text comes back, in few tokens and with none unknown") {
  const formwork::embedded_corpus corpus({.train = 500, .valid = 0, .test = 0});
  subword_codec codec = subword_codec::learn(corpus.train, 300);
  CHECK(codec.size() <= 300);
  CHECK(codec.size() > 250);
  for (const sentence_pair& pair : corpus.train)
    for (const std::string& line : {pair.source, pair.target}) {
      const auto tokens = codec.encode(line);
      CHECK(tokens.size() < line.size());
      CHECK(std::count(tokens.begin(), tokens.end(), formwork::unknown_token) == 0);
      CHECK(codec.decode(tokens) == line);
    }
}

TEST_CASE("subword codec: of any text nothing is lost but how wide its gaps are") {
  const std::string units[] = {"a",      "b",      "Z",      "\u017C",     "e\u0300", "s\u0307", "\u00A0",
                               "\u3000", "\u2028", "\u0085", "\U0001F600", "\0"s,     "@",       " ",
                               "  ",     "\t",     "\r",     "\n",         "\n\n"};
  const formwork::random_stream random{3};
  std::uint64_t draws = 0;
  std::vector<sentence_pair> pairs{{"a\n\n\tb  c ", "caf\u00E8  \u017Ce\u00A0."}};
  for (int i = 0; i < 200; ++i) {
    std::string line;
    for (int k = 0; k < 12; ++k) line += units[random.below(draws++, std::size(units))];
    pairs.push_back({line, line + "ab"});
  }
  subword_codec codec = subword_codec::learn(pairs, 120);
  CHECK(codec.size() > 60);  // there are merges to undo
  for (const sentence_pair& pair : pairs)
    for (const std::string& line : {pair.source, pair.target}) {
      if (line.find("@@") != line.npos) continue;  // the mark of a piece cannot be told from the text's own
      std::string joined;
      formwork::for_each_token(line, [&](std::string_view word) {
        if (!joined.empty()) joined += ' ';
        joined += word;
      });
      CHECK(codec.decode(codec.encode(line)) == joined);
    }
}

TEST_CASE("subword codec: a size beyond what the text has gives all it has, and no text is an error") {
  const std::vector<sentence_pair> few{{"a b c d", "a b c"}}, none{{"", "\n"}, {" \t", "\r\n"}};
  subword_codec codec = subword_codec::learn(few, 1000);
  CHECK(codec.size() == 7);
  CHECK(codec.decode(codec.encode("d a")) == "d a");
  CHECK_THROWS_WITH_AS(subword_codec::learn(none, 1000), doctest::Contains("the text is empty"),
                       formwork::error);
}

TEST_CASE("subword codec: saved and loaded it is the same") {
  const formwork_test::scratch_folder folder;
  const std::vector<sentence_pair> pairs{{"aab aab", "ab abb"}, {"b a", "aab"}};
  subword_codec codec = subword_codec::learn(pairs, 9);
  codec.save(folder.path());
  subword_codec loaded = subword_codec::load(folder.path());
  CHECK(loaded.size() == codec.size());
  CHECK(loaded.has_codes());
  CHECK(loaded.encode("aab abb b") == codec.encode("aab abb b"));
}

TEST_CASE(
    "subword codec: white space of any kind in a text learns codes and entries that can be read again") {
  const formwork_test::scratch_folder folder;
  const std::vector<sentence_pair> pairs{{"aab\raab \r\r aab\r", "\rab\nab ab\n"},
                                         {"x\r\nx \rx x\r", "a\0b a\0b"s},
                                         {"a\u2028b a\u2028b", "a\u00A0b \u00A0 a\u00A0b \u0085x \u0085x"},
                                         {"", "\t\tab\t \v \v"}};
  subword_codec codec = subword_codec::learn(pairs, 40);
  codec.save(folder.path());
  subword_codec loaded = subword_codec::load(folder.path());
  REQUIRE(loaded.size() == codec.size());
  for (formwork::token_t id = 0; id < codec.size(); ++id)
    CHECK(loaded.vocabulary().entry(id) == codec.vocabulary().entry(id));
  for (const sentence_pair& pair : pairs)
    for (const std::string& line : {pair.source, pair.target}) {
      CHECK(loaded.encode(line) == codec.encode(line));
      for (const formwork::token_t token : codec.encode(line)) CHECK(token != formwork::unknown_token);
    }
  CHECK(codec.decode(codec.encode("aab\rx\r\n")) == "aab x");
}

TEST_CASE("subword codec: one without codes replaces one with codes in the same folder") {
  const formwork_test::scratch_folder folder;
  const std::vector<sentence_pair> pairs{{"aab aab", "ab abb"}};
  subword_codec::learn(pairs, 9).save(folder.path());
  const std::vector<std::string> entries{"aab"};
  subword_codec(formwork::vocabulary(entries)).save(folder.path());
  CHECK_FALSE(subword_codec::load(folder.path()).has_codes());
}

TEST_CASE("subword codec: files and pairs in memory teach the same") {
  const formwork_test::scratch_folder folder;
  const std::vector<std::string> paths{folder.write("a", "aab aab\nb a\n"),
                                       folder.write("b", "ab abb\r\naab")};
  const std::vector<sentence_pair> pairs{{"aab aab", "ab abb"}, {"b a", "aab"}};
  subword_codec from_files = subword_codec::learn_from_files(paths, 9),
                from_pairs = subword_codec::learn(pairs, 9);
  CHECK(from_files.encode("aab abb b") == from_pairs.encode("aab abb b"));
  const std::vector<std::string> broken{folder.write("c", "ab\n\xff\n")};
  CHECK_THROWS_WITH_AS(subword_codec::learn_from_files(broken, 9), doctest::Contains("c:2: byte 1"),
                       formwork::error);
}

TEST_CASE("subword codec: without codes the tokens are words, and pieces are joined in the text") {
  const std::vector<std::string> entries{"vi@@", "el", "und"};
  subword_codec codec{formwork::vocabulary(entries)};
  CHECK_FALSE(codec.has_codes());
  CHECK(codec.encode("vi@@ el und mehr") == std::vector<formwork::token_t>{3, 4, 5, 0});
  CHECK(codec.decode(codec.encode("vi@@ el und")) == "viel und");
}

TEST_CASE(
    "subword codec: tabs and line ends are spaces, and too small a vocabulary is an error with the numbers") {
  const std::vector<sentence_pair> pairs{{"ab", "ab"}};
  subword_codec codec = subword_codec::learn(pairs, 8);
  for (const char* line : {"ab\tab", "ab\rab", "\rab\r\nab\r"})
    CHECK(codec.encode(line) == codec.encode("ab ab"));
  CHECK_THROWS_WITH_AS(subword_codec::learn(pairs, 5), doctest::Contains("of 5 is too small; the text has 2"),
                       formwork::error);
}

#include <formwork/data/bpe.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace formwork;

namespace {

const bpe_codes codes{.merges = {{"l", "o"}, {"lo", "w"}, {"e", "r</w>"}, {"lo", "w</w>"}}};

}  // namespace

TEST_CASE("bpe: merges are carried out in their order, the end of a word apart from its inside") {
  bpe encoder(codes);
  CHECK(encoder.apply("lower") == "low@@ er");
  CHECK(encoder.apply("low") == "low");
  CHECK(encoder.apply("lowlow") == "low@@ low");
  CHECK(encoder.apply("er erer") == "er e@@ r@@ er");
  CHECK(encoder.apply("xyz") == "x@@ y@@ z");
  CHECK(encoder.apply("lower lower") == "low@@ er low@@ er");  // the second one from the store
}

TEST_CASE("bpe: overlapping pairs are merged from the left") {
  bpe encoder({.merges = {{"x", "x"}}});
  CHECK(encoder.apply("xxxxy") == "xx@@ xx@@ y");
  CHECK(encoder.apply("xxxy") == "xx@@ x@@ y");
  CHECK(encoder.apply("xxx") == "xx@@ x");  // the last one is x</w>
}

TEST_CASE("bpe: of a merge listed twice the first place counts") {
  bpe encoder({.merges = {{"a", "b"}, {"b", "c"}, {"a", "b"}}});
  CHECK(encoder.apply("abcd") == "ab@@ c@@ d");
}

TEST_CASE("bpe: version 0.1 has the end of a word as a symbol of its own") {
  bpe encoder({.merges = {{"e", "r"}, {"er", "</w>"}, {"lo", "w"}, {"l", "o"}}, .version = 1});
  CHECK(encoder.apply("er her") == "er h@@ er");
  CHECK(encoder.apply("low") == "low");  // version 0.2 would need w</w>
  CHECK(encoder.apply("r") == "r");
}

TEST_CASE("bpe: spaces and line ends outside stay, runs of spaces inside become one") {
  bpe encoder(codes);
  CHECK(encoder.apply("  low   lower \r\n") == "  low low@@ er \r\n");
  CHECK(encoder.apply("") == "");
  CHECK(encoder.apply(" \n") == " \n");
}

TEST_CASE("bpe: other white space and combining marks are characters") {
  bpe encoder(codes);
  CHECK(encoder.apply("a\xC2\xA0z") == "a@@ \xC2\xA0@@ z");
  CHECK(encoder.apply("a\tz") == "a@@ \t@@ z");
  CHECK(encoder.apply("\xE3\x80\x80") == "\xE3\x80\x80");
  CHECK(encoder.apply("s\xCC\x87o") == "s@@ \xCC\x87@@ o");
  for (const std::string text :
       {"a\xC2\xA0z low", "\xE3\x80\x80\xE6\x97\xA5\xE6\x9C\xAC lower", "s\xCC\x87 o\r\n"}) {
    CHECK(first_invalid_utf8(encoder.apply(text)) == -1);
    CHECK(remove_bpe(encoder.apply(text)) == text);
  }
}

TEST_CASE("bpe: glossaries are neither split nor merged") {
  bpe encoder(codes, {.glossaries = {"lower", "wer"}});
  CHECK(encoder.apply("lower") ==
        "l@@ o@@ wer");  // the second one cuts the first; the rest is a word of its own
  bpe one(codes, {.glossaries = {"USA"}});
  CHECK(one.apply("USA lowUSAerUSA") == "USA low@@ USA@@ er@@ USA");
}

TEST_CASE("bpe: the separator is free") {
  bpe encoder(codes, {.separator = "_@"});
  CHECK(encoder.apply("lower") == "low_@ er");
  CHECK(remove_bpe("low_@ er", "_@") == "lower");
}

TEST_CASE("bpe: joining removes separators, one at the end too") {
  CHECK(remove_bpe("low@@ er and l@@ o@@ w") == "lower and low");
  CHECK(remove_bpe("low@@") == "low");
  CHECK(remove_bpe("a @@b") == "a @@b");
  CHECK(remove_bpe("") == "");
}

TEST_CASE("bpe: broken text is named by its offset") {
  bpe encoder(codes);
  CHECK_THROWS_WITH_AS(encoder.apply("lo\xFFw"),
                       "byte-pair encoding: the line is not valid UTF-8 at byte 2 (counted from 0)", error);
}

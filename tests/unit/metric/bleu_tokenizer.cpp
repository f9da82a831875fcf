#include <formwork/metric/bleu_tokenizer.hpp>

#include "../../support/scratch_file.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace formwork;

namespace {

std::string v13a(std::string_view text) { return tokenize(text, bleu_tokenizer::v13a); }
std::string intl(std::string_view text) { return tokenize(text, bleu_tokenizer::intl); }

}  // namespace

TEST_CASE("13a: punctuation is set apart, but not inside numbers and not apostrophes or hyphens") {
  CHECK(v13a("Hello, world.") == "Hello , world .");
  CHECK(v13a("It's 1,234.56 (about 3.).") == "It's 1,234.56 ( about 3 . ) .");
  CHECK(v13a("a-b 1-2 3.a .5") == "a-b 1 - 2 3 . a . 5");
  CHECK(v13a("50%/year") == "50 % / year");
  CHECK(v13a("2017.") == "2017 .");
}

TEST_CASE("13a: a pair of characters is used up, so three points in a row make two tokens") {
  CHECK(v13a("a...b") == "a . . . b");
  CHECK(v13a("1,,2") == "1 , , 2");
  CHECK(v13a("1..2") == "1 . . 2");
}

TEST_CASE("13a: entities, skipped segments and line ends are undone") {
  CHECK(v13a("&quot;a&quot; &lt;b&gt; &amp;lt;") == "\" a \" < b > <");
  CHECK(v13a("a<skipped>b") == "ab");
  CHECK(v13a("exam-\nple of\nlines") == "example of lines");
}

TEST_CASE("13a: what is not ASCII is left alone, save white space") {
  CHECK(v13a("\xE2\x80\x9Eja\xE2\x80\x9C\xC2\xA0nein") == "\xE2\x80\x9Eja\xE2\x80\x9C nein");
  CHECK(v13a("\xC3\xBC.\xC3\xA4") == "\xC3\xBC . \xC3\xA4");
  CHECK(v13a("").empty());
}

TEST_CASE("intl: punctuation and symbols of any script are set apart") {
  CHECK(intl("\xE2\x80\x9Eja\xE2\x80\x9C") == "\xE2\x80\x9E ja \xE2\x80\x9C");
  CHECK(intl("5\xE2\x82\xAC") == "5 \xE2\x82\xAC");
  CHECK(intl("1,5 a,b x\xC2\xB2,5") == "1,5 a , b x\xC2\xB2,5");  // a superscript is a number
  CHECK(intl("it's") == "it ' s");
}

TEST_CASE("intl: a point after a number at the end stays, as in mteval-v14") {
  CHECK(intl("in 2017.") == "in 2017.");
  CHECK(intl("in 2017. And") == "in 2017 . And");
}

TEST_CASE("char and none: characters, and nothing at all") {
  CHECK(tokenize("a\xC3\xA4 b", bleu_tokenizer::character) == "a \xC3\xA4   b");
  CHECK(tokenize(" a.  b", bleu_tokenizer::none) == " a.  b");
}

TEST_CASE("bleu tokenizer: names go both ways and an unknown one is an error") {
  for (const std::string_view name : {"13a", "none", "char", "intl"}) {
    CHECK(name_of(bleu_tokenizer_named(name)) == name);
  }
  CHECK(formwork_test::failure_of<error>([] { bleu_tokenizer_named("zh"); }) ==
        "BLEU tokeniser 'zh' is unknown, expected 13a, none, char or intl");
}

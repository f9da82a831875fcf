#include <formwork/metric/unicode.hpp>

#include "../../support/scratch_file.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace formwork;

static_assert(unicode_category(U'!') == 'P');
static_assert(unicode_category(U'7') == 'N');
static_assert(unicode_category(U'+') == 'S');
static_assert(unicode_category(U'a') == 0);
static_assert(unicode_category(0x20AC) == 'S');   // euro sign
static_assert(unicode_category(0x2019) == 'P');   // right single quotation mark
static_assert(unicode_category(0xBD) == 'N');     // one half
static_assert(unicode_category(0x1F600) == 'S');  // grinning face
static_assert(unicode_category(0x10FFFF) == 0);
static_assert(is_unicode_space(0x3000) && is_unicode_space(0xA0) && is_unicode_space(0x85));
static_assert(!is_unicode_space(0x200B));  // zero width space separates no words

TEST_CASE("unicode: words are split at every kind of white space") {
  const std::vector<std::string_view> expected{"a", "\xC3\xA4", "b\xE2\x80\x8B"};
  CHECK(split_words(" a\xC2\xA0\xC3\xA4\t\n\xE3\x80\x80"
                    "b\xE2\x80\x8B ") == expected);
  CHECK(split_words("").empty());
  CHECK(split_words(" \xE2\x80\xA8\x1F").empty());
}

TEST_CASE("unicode: white space at the end goes, at the start it stays") {
  CHECK(strip_right(" a \xC2\xA0\r\n") == " a");
  CHECK(strip_right("\xC3\xA4") == "\xC3\xA4");
  CHECK(strip_right(" \n").empty());
}

TEST_CASE("unicode: lower-casing covers the scripts that have case") {
  CHECK(to_lowercase("STRA\xE1\xBA\x9E"
                     "E 12") ==
        "stra\xC3\x9F"
        "e 12");                                                                  // capital sharp s
  CHECK(to_lowercase("\xC3\x84\xC4\x80\xC4\x82") == "\xC3\xA4\xC4\x81\xC4\x83");  // every second one
  CHECK(to_lowercase("\xC4\x81\xC4\x83") == "\xC4\x81\xC4\x83");                  // already lower
  CHECK(to_lowercase("\xD0\x96\xD4\xB1\xF0\x90\x90\x80") ==
        "\xD0\xB6\xD5\xA1\xF0\x90\x90\xA8");       // Cyrillic, Armenian, Deseret
  CHECK(to_lowercase("\xE2\x84\xAA") == "k");      // Kelvin sign
  CHECK(to_lowercase("\xC4\xB0") == "i\xCC\x87");  // I with dot: two code points
}

TEST_CASE("unicode: a capital sigma takes its final form at the end of a word only") {
  const std::string sigma = "\xCE\xA3", small = "\xCF\x83", last = "\xCF\x82";
  CHECK(to_lowercase("A" + sigma) == "a" + last);
  CHECK(to_lowercase("A" + sigma + " B") == "a" + last + " b");
  CHECK(to_lowercase("A" + sigma + "B") == "a" + small + "b");
  CHECK(to_lowercase(sigma) == small);               // nothing before it
  CHECK(to_lowercase("1" + sigma) == "1" + small);   // no letter before it
  CHECK(to_lowercase("A." + sigma) == "a." + last);  // a full stop is looked through
}

TEST_CASE("unicode: invalid UTF-8 is named by its offset") {
  CHECK(formwork_test::failure_of<error>([] { code_points("ab\xFF"); }) ==
        "the text is not valid UTF-8 at byte 2 (counted from 0)");
  CHECK_THROWS_AS(to_lowercase("\xC3"), error);
  CHECK_THROWS_AS(split_words("\xED\xA0\x80"), error);
}

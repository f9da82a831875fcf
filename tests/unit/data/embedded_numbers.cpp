#include <formwork/data/embedded_numbers.hpp>

#include <doctest/doctest.h>

#include <set>
#include <tuple>
#include <utility>

using namespace formwork;
using namespace formwork::embedded;

TEST_CASE("embedded numbers: German compounds") {
  const std::pair<index_t, const char*> cases[] = {
      {0, "null"},
      {1, "eins"},
      {12, "zwölf"},
      {16, "sechzehn"},
      {17, "siebzehn"},
      {21, "einundzwanzig"},
      {30, "dreißig"},
      {70, "siebzig"},
      {101, "einhunderteins"},
      {321, "dreihunderteinundzwanzig"},
      {1000, "eintausend"},
      {1001, "eintausendeins"},
      {21021, "einundzwanzigtausendeinundzwanzig"},
      {101001, "einhunderteintausendeins"},
      {1000000, "eine Million"},
      {2300001, "zwei Millionen dreihunderttausendeins"},
      {99999999,
       "neunundneunzig Millionen "
       "neunhundertneunundneunzigtausendneunhundertneunundneunzig"}};
  for (const auto& [n, words] : cases) CHECK(german_number(n) == words);
}

TEST_CASE("embedded numbers: English words") {
  const std::pair<index_t, const char*> cases[] = {{0, "zero"},
                                                   {15, "fifteen"},
                                                   {40, "forty"},
                                                   {99, "ninety-nine"},
                                                   {100, "one hundred"},
                                                   {321, "three hundred and twenty-one"},
                                                   {1001, "one thousand and one"},
                                                   {1234, "one thousand two hundred and thirty-four"},
                                                   {101000, "one hundred and one thousand"},
                                                   {1000100, "one million one hundred"},
                                                   {2300001, "two million three hundred thousand and one"}};
  for (const auto& [n, words] : cases) CHECK(english_number(n) == words);
}

TEST_CASE("embedded numbers: every number has its own words in both languages") {
  std::set<std::string> german, english;
  for (index_t n = 0; n < 20000; ++n) {
    german.insert(german_number(n));
    english.insert(english_number(n));
  }
  CHECK(german.size() == 20000);
  CHECK(english.size() == 20000);
}

TEST_CASE("embedded numbers: ordinals") {
  const std::tuple<index_t, const char*, const char*> cases[] = {{1, "erste", "first"},
                                                                 {2, "zweite", "second"},
                                                                 {3, "dritte", "third"},
                                                                 {4, "vierte", "fourth"},
                                                                 {5, "fünfte", "fifth"},
                                                                 {7, "siebte", "seventh"},
                                                                 {8, "achte", "eighth"},
                                                                 {9, "neunte", "ninth"},
                                                                 {12, "zwölfte", "twelfth"},
                                                                 {13, "dreizehnte", "thirteenth"},
                                                                 {19, "neunzehnte", "nineteenth"},
                                                                 {20, "zwanzigste", "twentieth"},
                                                                 {21, "einundzwanzigste", "twenty-first"},
                                                                 {30, "dreißigste", "thirtieth"},
                                                                 {31, "einunddreißigste", "thirty-first"}};
  for (const auto& [n, german, english] : cases) {
    CHECK(german_ordinal(n) == german);
    CHECK(english_ordinal(n) == english);
  }
}

TEST_CASE("embedded numbers: years are read in hundreds up to 1999") {
  const std::tuple<index_t, const char*, const char*> cases[] = {
      {1984, "neunzehnhundertvierundachtzig", "nineteen eighty-four"},
      {1900, "neunzehnhundert", "nineteen hundred"},
      {1905, "neunzehnhundertfünf", "nineteen oh five"},
      {1711, "siebzehnhundertelf", "seventeen eleven"},
      {2000, "zweitausend", "two thousand"},
      {2005, "zweitausendfünf", "two thousand and five"},
      {2015, "zweitausendfünfzehn", "twenty fifteen"}};
  for (const auto& [n, german, english] : cases) {
    CHECK(german_year(n) == german);
    CHECK(english_year(n) == english);
  }
}

TEST_CASE("embedded numbers: numbers without words are errors") {
  CHECK_THROWS_AS(german_number(-1), error);
  CHECK_THROWS_AS(english_number(100'000'000), error);
  CHECK_THROWS_AS(german_ordinal(32), error);
  CHECK_THROWS_AS(english_ordinal(0), error);
  CHECK_THROWS_AS(german_year(1099), error);
  CHECK_THROWS_WITH_AS(english_year(2100), doctest::Contains("expected 1100 to 2099"), error);
}

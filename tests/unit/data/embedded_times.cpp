#include <formwork/data/embedded_times.hpp>

#include <doctest/doctest.h>

#include <map>

using namespace formwork::embedded;

namespace {

template <class Make>
std::map<std::string, std::string> draw(int count, Make make) {
  std::map<std::string, std::string> seen;
  for (int i = 0; i < count; ++i) {
    dice d(1, i);
    const phrase p = make(d);
    const auto [place, fresh] = seen.emplace(p.german, p.english);
    if (!fresh) REQUIRE(place->second == p.english);
  }
  return seen;
}

}  // namespace

TEST_CASE("embedded times: German half hours count to the next hour, English from the last") {
  auto times = draw(60000, clock_time);
  CHECK(times.at("halb drei") == "half past two");
  CHECK(times.at("halb eins") == "half past twelve");
  CHECK(times.at("Viertel vor acht") == "a quarter to eight");
  CHECK(times.at("Viertel nach zwölf") == "a quarter past twelve");
  CHECK(times.at("zehn nach sechs") == "ten past six");
  CHECK(times.at("zwanzig vor eins") == "twenty to one");
  CHECK(times.at("fünf vor halb drei") == "twenty-five past two");
  CHECK(times.at("fünf nach halb drei") == "twenty-five to three");
  CHECK(times.at("ein Uhr") == "one o'clock");
  CHECK(times.at("acht Uhr fünf") == "eight oh five");
  CHECK(times.at("17.30 Uhr") == "17:30");
}

TEST_CASE("embedded times: calendar days in words and digits") {
  auto days = draw(300000, [](dice& d) { return calendar_day(d); });
  CHECK(days.at("dritten Mai") == "the third of May");
  CHECK(days.at("3. Mai") == "3 May");
  auto subjects = draw(20000, [](dice& d) { return calendar_day(d, true); });
  CHECK(subjects.at("dritte Mai") == "the third of May");
  int words = 0, digits = 0;
  for (const auto& [german, english] : days) {
    if (german.ends_with(" Mai neunzehnhundertvierundachtzig")) {
      ++words;
      CHECK(english.ends_with(" of May nineteen eighty-four"));
    }
    if (german.ends_with(". Mai 1984")) {
      ++digits;
      CHECK(english.ends_with(" May 1984"));
    }
  }
  CHECK(words > 0);
  CHECK(digits > 0);
}

TEST_CASE("embedded times: day and clock change places in English") {
  const auto times = draw(100000, [](dice& d) { return time_of(d, false); });
  CHECK(times.at("am Montag") == "on Monday");
  CHECK(times.at("am Montagmorgen") == "on Monday morning");
  CHECK(times.at("am Montag um halb drei") == "at half past two on Monday");
  CHECK(times.at("jeden Freitag") == "every Friday");
  CHECK(times.at("morgen") == "tomorrow");
  CHECK_FALSE(times.contains("gestern"));
}

TEST_CASE("embedded times: only past clauses look back") {
  const auto times = draw(100000, [](dice& d) { return time_of(d, true); });
  CHECK(times.at("gestern") == "yesterday");
  CHECK(times.at("vor drei Tagen") == "three days ago");
  CHECK_FALSE(times.contains("morgen"));
}

TEST_CASE("embedded times: prices") {
  const auto prices = draw(100000, price);
  CHECK(prices.at("zwei Euro fünfzig") == "two euros fifty");
  CHECK(prices.at("ein Euro fünfzig") == "one euro fifty");
  CHECK(prices.at("2,50 Euro") == "2.50 euros");
  CHECK(prices.at("achtzig Cent") == "eighty cents");
  CHECK(prices.at("zweihundertfünfzig Euro") == "two hundred and fifty euros");
}

#include <formwork/data/embedded_sentences.hpp>

#include <formwork/core/utf8.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <unordered_map>

using namespace formwork;

TEST_CASE("embedded sentences: a sentence depends on seed and index only") {
  for (const index_t i : {0, 5, 1000000}) CHECK(embedded::sentence(7, i) == embedded::sentence(7, i));
  CHECK_FALSE(embedded::sentence(7, 1) == embedded::sentence(8, 1));
  CHECK(embedded::sentence(1, 2) ==
        sentence_pair{"warum darf unser Student ein Ei essen ?", "why may our student eat an egg ?"});
}

TEST_CASE("embedded sentences: the same German never has two translations") {
  std::unordered_map<std::string, std::string> seen;
  index_t contradictions = 0;
  for (index_t i = 0; i < 100'000; ++i) {
    sentence_pair p = embedded::sentence(3, i);
    const auto [place, fresh] = seen.emplace(std::move(p.source), p.target);
    contradictions += !fresh && place->second != p.target;
  }
  CHECK(contradictions == 0);
  CHECK(seen.size() > 90'000);
}

TEST_CASE("embedded sentences: they are tidy UTF-8 of moderate length") {
  index_t german = 0, english = 0;
  bool tidy = true;
  for (index_t i = 0; i < 5000; ++i) {
    const sentence_pair p = embedded::sentence(4, i);
    for (const std::string* line : {&p.source, &p.target}) {
      tidy = tidy && first_invalid_utf8(*line) < 0 && !line->empty() && line->find("  ") == line->npos &&
             line->front() != ' ' && line->back() != ' ';
    }
    german += 1 + std::ranges::count(p.source, ' ');
    english += 1 + std::ranges::count(p.target, ' ');
  }
  CHECK(tidy);
  CHECK(german / 5000 >= 8);
  CHECK(german / 5000 <= 11);
  CHECK(english / 5000 >= 8);
  CHECK(english / 5000 <= 11);
}

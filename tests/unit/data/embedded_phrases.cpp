#include <formwork/data/embedded_phrases.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace formwork::embedded;

namespace {

const noun& find(std::string_view name) {
  for (const noun& n : persons) {
    if (n.nominative == name) return n;
  }
  return *std::ranges::find(things, name, &noun::nominative);
}

noun_phrase with(std::string_view name, determiner in_front, bool plural = false) {
  noun_phrase p;
  p.head = &find(name);
  p.in_front = in_front;
  p.plural = plural;
  p.quality = &adjectives[0];
  p.owner = "mein";
  p.owner_english = "my";
  p.count = 12;
  return p;
}

}  // namespace

TEST_CASE("embedded phrases: articles and adjectives agree in gender, number and case") {
  using enum determiner;
  CHECK(german(with("Brief", definite), false) == "der alte Brief");
  CHECK(german(with("Brief", definite), true) == "den alten Brief");
  CHECK(german(with("Brief", indefinite), false) == "ein alter Brief");
  CHECK(german(with("Brief", indefinite), true) == "einen alten Brief");
  CHECK(german(with("Brief", demonstrative), true) == "diesen alten Brief");
  CHECK(german(with("Tür", definite), true) == "die alte Tür");
  CHECK(german(with("Tür", negative), true) == "keine alte Tür");
  CHECK(german(with("Buch", indefinite), true) == "ein altes Buch");
  CHECK(german(with("Buch", demonstrative), false) == "dieses alte Buch");
  CHECK(german(with("Buch", possessive, true), false) == "meine alten Bücher");
  CHECK(german(with("Buch", definite, true), true) == "die alten Bücher");
  CHECK(german(with("Buch", bare, true), true) == "alte Bücher");
  CHECK(german(with("Buch", number, true), true) == "zwölf alte Bücher");
}

TEST_CASE("embedded phrases: weak nouns change in the accusative") {
  CHECK(german(with("Kunde", determiner::definite), true) == "den alten Kunden");
  CHECK(german(with("Kunde", determiner::definite), false) == "der alte Kunde");
}

TEST_CASE("embedded phrases: English articles follow the sound of the next word") {
  noun_phrase apple = with("Apfel", determiner::indefinite);
  CHECK(english(apple) == "an old apple");
  apple.quality = &adjectives[1];
  CHECK(english(apple) == "a new apple");
  apple.quality = nullptr;
  CHECK(english(apple) == "an apple");
}

TEST_CASE("embedded phrases: the negative article is a, an or any") {
  CHECK(english(with("Brief", determiner::negative)) == "an old letter");
  CHECK(english(with("Brief", determiner::negative, true)) == "any old letters");
  CHECK(english(with("Messer", determiner::number, true)) == "twelve old knives");
  CHECK(english(with("Messer", determiner::demonstrative, true)) == "these old knives");
}

TEST_CASE("embedded phrases: nouns and adjectives are of the kind asked for") {
  for (int i = 0; i < 500; ++i) {
    dice d(1, i);
    CHECK((pick_noun(d, edible).kind & edible) != 0);
    CHECK((pick_adjective(d, person).goes_with & person) != 0);
    CHECK(pick_count(d) % 100 != 1);
  }
}

TEST_CASE("embedded phrases: a subject knows its verb form and its possessive") {
  bool girl = false, they = false;
  for (int i = 0; i < 5000; ++i) {
    dice d(1, i);
    const subject s = pick_subject(d);
    CHECK_FALSE(s.german.empty());
    if (s.english == "the girl") girl = s.owner == "sein" && s.owner_english == "her" && s.third();
    if (s.english == "they") they = s.owner == "ihr" && s.owner_english == "their" && !s.third();
    CHECK(s.german.find("ihr ") == std::string::npos);
  }
  CHECK(girl);
  CHECK(they);
}

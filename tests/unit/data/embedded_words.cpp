#include <formwork/data/embedded_words.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace formwork::embedded;

TEST_CASE("embedded words: the plural of no feminine noun looks like its singular") {
  // "die Frau" and "die Frauen" share their article, so only the noun tells the number.
  for (const noun& n : persons) CHECK((n.g != gender::feminine || n.plural != n.nominative));
  for (const noun& n : things) CHECK((n.g != gender::feminine || n.plural != n.nominative));
}

TEST_CASE("embedded words: no noun stands in the lists twice") {
  std::set<std::string> seen;
  for (const noun& n : persons) CHECK(seen.insert(std::string(n.nominative)).second);
  for (const noun& n : things) CHECK(seen.insert(std::string(n.nominative)).second);
}

TEST_CASE("embedded words: singular and plural of a verb differ, so that 'sie' is she or they") {
  for (const verb& v : transitive_verbs) CHECK(v.er != v.plural);
  for (const verb& v : intransitive_verbs) CHECK(v.er != v.plural);
}

TEST_CASE("embedded words: a verb is known by its infinitive") {
  std::set<std::string> seen;
  for (const verb& v : transitive_verbs)
    CHECK(seen.insert(std::string(v.particle) + std::string(v.plural)).second);
  for (const verb& v : intransitive_verbs)
    CHECK(seen.insert(std::string(v.particle) + std::string(v.plural)).second);
}

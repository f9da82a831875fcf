#include <formwork/data/embedded_clauses.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace formwork::embedded;

namespace {

const verb& find(std::string_view particle, std::string_view plural) {
  return *std::ranges::find_if(transitive_verbs,
                               [&](const verb& v) { return v.particle == particle && v.plural == plural; });
}

clause call() {
  clause c;
  c.who = {"sie", "she", verb_form::er, person, "ihr", "her"};
  c.does = &find("an", "rufen");
  c.object = {"den Lehrer", "the teacher"};
  c.time = {"um halb drei", "at half past two"};
  return c;
}

}  // namespace

TEST_CASE("embedded clauses: the particle of a verb closes the clause, or joins the verb at its end") {
  const clause c = call();
  CHECK(german_verb_second(c) == "sie ruft den Lehrer um halb drei an");
  CHECK(german_verb_second(c, leader::time) == "um halb drei ruft sie den Lehrer an");
  CHECK(german_verb_second(c, leader::object) == "den Lehrer ruft sie um halb drei an");
  CHECK(german_verb_first(c) == "ruft sie den Lehrer um halb drei an");
  CHECK(german_verb_last(c) == "sie den Lehrer um halb drei anruft");
  CHECK(english_statement(c) == "she calls the teacher at half past two");
  CHECK(english_statement(c, leader::time) == "at half past two she calls the teacher");
  CHECK(english_statement(c, leader::object) == english_statement(c));
  CHECK(english_question(c) == "does she call the teacher at half past two");
}

TEST_CASE("embedded clauses: the German perfect is the English past") {
  clause c = call();
  c.past = true;
  CHECK(german_verb_second(c) == "sie hat den Lehrer um halb drei angerufen");
  CHECK(german_verb_last(c) == "sie den Lehrer um halb drei angerufen hat");
  CHECK(english_statement(c) == "she called the teacher at half past two");
  CHECK(english_question(c) == "did she call the teacher at half past two");
  c.negated = true;
  CHECK(german_verb_second(c) == "sie hat den Lehrer um halb drei nicht angerufen");
  CHECK(english_statement(c) == "she did not call the teacher at half past two");
}

TEST_CASE("embedded clauses: modal verbs send the infinitive to the end") {
  clause c = call();
  c.time = {};
  c.mood = &modals[2];
  CHECK(german_verb_second(c) == "sie will den Lehrer anrufen");
  CHECK(german_verb_last(c) == "sie den Lehrer anrufen will");
  CHECK(english_statement(c) == "she wants to call the teacher");
  CHECK(english_question(c) == "does she want to call the teacher");
  c.negated = true;
  CHECK(english_statement(c) == "she does not want to call the teacher");
  c.mood = &modals[5];
  c.negated = false;
  CHECK(english_question(c) == "would she like to call the teacher");
}

TEST_CASE("embedded clauses: pronouns go before the time, 'nicht' before the place") {
  clause c = call();
  c.object = {"ihn", "him"};
  c.object_is_pronoun = c.time_first = true;
  CHECK(german_verb_second(c) == "sie ruft ihn um halb drei an");
  c.object_is_pronoun = false;
  c.object = {"den Lehrer", "the teacher"};
  CHECK(german_verb_second(c) == "sie ruft um halb drei den Lehrer an");
  clause d;
  d.who = {"wir", "we", verb_form::plural, person, "unser", "our"};
  d.does = &*std::ranges::find(intransitive_verbs, "fahren", &verb::plural);
  d.past = d.negated = true;
  d.place = {"nach Wien", "to Vienna"};
  d.time = {"am Montag", "on Monday"};
  CHECK(german_verb_second(d) == "wir sind am Montag nicht nach Wien gefahren");
  CHECK(english_statement(d) == "we did not drive to Vienna on Monday");
}

TEST_CASE("embedded clauses: a number never follows a time, which could read on") {
  std::set<std::string> numbers;
  for (formwork::index_t n = 2; n < 1000; ++n) numbers.insert(german_number(n));
  int with_number = 0, after_time = 0;
  for (int i = 0; i < 20000; ++i) {
    dice d(2, i);
    const clause c = pick_clause(d, 100);
    if (!numbers.contains(c.object.german.substr(0, c.object.german.find(' ')))) continue;
    ++with_number;
    after_time += c.time_first;
  }
  CHECK(with_number > 500);
  CHECK(after_time == 0);
}

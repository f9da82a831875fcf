#pragma once
#include <formwork/data/embedded_clauses.hpp>
#include <formwork/data/sentence_pair.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace formwork::embedded {

namespace detail {

inline constexpr word subordinators[] = {
    {"weil", "because"}, {"obwohl", "although"}, {"wenn", "if"}, {"bevor", "before"}, {"während", "while"}};
inline constexpr word coordinators[] = {{"und", "and"}, {"aber", "but"}, {"oder", "or"}, {"denn", "for"}};
inline constexpr word question_words[] = {
    {"wann", "when"}, {"warum", "why"}, {"wo", "where"}, {"wie oft", "how often"}};

/// Verbs of saying and thinking: ich, du, er, plural, English, English third person.
inline constexpr std::string_view opinions[][6] = {
    {"sage", "sagst", "sagt", "sagen", "say", "says"},
    {"glaube", "glaubst", "glaubt", "glauben", "believe", "believes"},
    {"hoffe", "hoffst", "hofft", "hoffen", "hope", "hopes"},
    {"weiß", "weißt", "weiß", "wissen", "know", "knows"}};

inline leader pick_leader(dice& d, const clause& c) {
  if (!c.time.german.empty() && d.percent(40)) return leader::time;
  return c.object_may_lead && d.percent(15) ? leader::object : leader::subject;
}

/// A main clause in one of its orders.
inline phrase main_clause(dice& d, index_t time_chance) {
  const clause c = pick_clause(d, time_chance);
  const leader first = pick_leader(d, c);
  return {german_verb_second(c, first), english_statement(c, first)};
}

inline phrase statement(dice& d) {
  const phrase p = main_clause(d, 65);
  return {p.german + " .", p.english + " ."};
}

inline phrase question(dice& d) {
  clause c = pick_clause(d, 40);
  if (c.negated || c.object_negated) return statement(d);
  if (d.percent(50)) return {german_verb_first(c) + " ?", english_question(c) + " ?"};
  const auto& [asks, asks_en] = d.pick(question_words);
  c.time = {};
  if (asks == "wo") c.place = {};
  return {text(asks, " ", german_verb_first(c), " ?"), text(asks_en, " ", english_question(c), " ?")};
}

/// Main and subordinate clause in either order;
/// after a subordinate clause the main clause begins with its verb.
inline phrase with_subordinate(dice& d) {
  const auto& [link, link_en] = d.pick(subordinators);
  const clause side = pick_clause(d, 25);
  const std::string side_de = text(link, " ", german_verb_last(side));
  const std::string side_en = text(link_en, " ", english_statement(side));
  if (d.percent(30)) {
    const clause c = pick_clause(d, 15);
    return {text(side_de, " , ", german_verb_first(c), " ."),
            text(side_en, " , ", english_statement(c), " .")};
  }
  const phrase p = main_clause(d, 25);
  return {text(p.german, " , ", side_de, " ."), text(p.english, " ", side_en, " .")};
}

inline phrase with_opinion(dice& d) {
  const subject who = pick_subject(d);
  const auto& v = d.pick(opinions);
  const clause c = pick_clause(d, 50);
  return {
      text(who.german, " ", form_of(who.form, v[0], v[1], v[2], v[3]), " , dass ", german_verb_last(c), " ."),
      text(who.english, " ", who.third() ? v[5] : v[4], " that ", english_statement(c), " .")};
}

inline phrase coordination(dice& d) {
  const auto& [link, link_en] = d.pick(coordinators);
  const phrase a = main_clause(d, 20), b = main_clause(d, 20);
  const std::string_view comma = link == "aber" || link == "denn" ? " , " : " ";
  return {text(a.german, comma, link, " ", b.german, " ."),
          text(a.english, " ", link_en, " ", b.english, " .")};
}

/// "das rote Auto ist sehr teuer".
inline phrase predicate(dice& d) {
  subject who = pick_subject(d);
  if (d.percent(60)) {
    noun_phrase p{.head = &pick_noun(d, thing), .plural = d.percent(30)};
    if (d.percent(25)) p.in_front = determiner::demonstrative;
    if (d.percent(25)) p.quality = &pick_adjective(d, p.head->kind);
    who = {german(p, false), english(p), p.plural ? verb_form::plural : verb_form::er, p.head->kind, "", ""};
  }
  const adjective& a = pick_adjective(d, who.kind);
  const bool past = d.percent(40), very = d.percent(20), negated = d.percent(25);
  const std::string_view is = past ? form_of(who.form, "war", "warst", "war", "waren")
                                   : form_of(who.form, "bin", "bist", "ist", "sind");
  const std::string_view is_en =
      past ? form_of(who.form, "was", "were", "was", "were") : form_of(who.form, "am", "are", "is", "are");
  return {join(who.german, is, negated ? "nicht" : "", very ? "sehr" : "", a.predicate, "."),
          join(who.english, is_en, negated ? "not" : "", very ? "very" : "", a.english, ".")};
}

inline phrase price_of(dice& d) {
  const phrase amount = price(d);
  noun_phrase p{.head = &pick_noun(d, thing)};
  if (d.percent(30)) p.quality = &pick_adjective(d, p.head->kind);
  if (d.percent(30)) {
    const subject who = pick_subject(d);
    return {text(who.german, " ", form_of(who.form, "bezahle", "bezahlst", "bezahlt", "bezahlen"), " ",
                 amount.german, " für ", german(p, true), " ."),
            text(who.english, who.third() ? " pays " : " pay ", amount.english, " for ", english(p), " .")};
  }
  p.plural = d.percent(25);
  if (d.percent(40))
    p.in_front = p.plural || d.percent(50) ? determiner::demonstrative : determiner::indefinite;
  if (d.percent(30)) {
    return {text(german(p, false), p.plural ? " haben " : " hat ", amount.german, " gekostet ."),
            text(english(p), " cost ", amount.english, " .")};
  }
  return {text(german(p, false), p.plural ? " kosten " : " kostet ", amount.german, " ."),
          text(english(p), p.plural ? " cost " : " costs ", amount.english, " .")};
}

/// A number by the count of its digits, so that short ones are not rare.
inline index_t pick_number(dice& d, index_t digits) {
  index_t high = 10;
  for (index_t i = d.below(digits); i > 0; --i) high *= 10;
  return d.between(high == 10 ? 0 : high / 10, high - 1);
}

inline phrase number(dice& d) {
  const index_t choice = d.below(100);
  if (choice < 45) {
    const index_t n = pick_number(d, 6);
    return {german_number(n), english_number(n)};
  }
  if (choice < 50) {
    const index_t millions = pick_number(d, 2), thousands = pick_number(d, 3);
    const index_t n = millions * 1'000'000 + thousands * 1000;
    return {german_number(n), english_number(n)};
  }
  const city& where = d.pick(cities);
  if (choice < 75) {
    const index_t n = d.between(2, 999) * 1000;
    const std::string n_de = german_number(n), n_en = english_number(n);
    if (d.percent(50))
      return {text("in ", where.german, " wohnen ", n_de, " Menschen ."),
              text(n_en, " people live in ", where.english, " .")};
    return {text(n_de, " Menschen wohnen in ", where.german, " ."),
            text(n_en, " people live in ", where.english, " .")};
  }
  const index_t a = pick_number(d, 2), b = pick_number(d, 2);
  return {text(german_number(a), " plus ", german_number(b), " ist ", german_number(a + b), " ."),
          text(english_number(a), " plus ", english_number(b), " is ", english_number(a + b), " .")};
}

inline phrase date(dice& d) {
  if (d.percent(45)) {
    const phrase day = calendar_day(d, true);
    if (d.percent(50))
      return {text("heute ist der ", day.german, " ."), text("today is ", day.english, " .")};
    const word& weekday = d.pick(weekdays);
    return {text("heute ist ", weekday.german, " , der ", day.german, " ."),
            text("today is ", weekday.english, " , ", day.english, " .")};
  }
  const subject who = pick_subject(d);
  const phrase day = calendar_day(d);
  return {text(who.german, " ", form_of(who.form, "wurde", "wurdest", "wurde", "wurden"), " am ", day.german,
               " geboren ."),
          text(who.english, " ", form_of(who.form, "was", "were", "was", "were"), " born on ", day.english,
               " .")};
}

inline phrase timetable(dice& d) {
  constexpr word vehicles[] = {
      {"der Zug", "the train"}, {"der Bus", "the bus"}, {"das Schiff", "the ship"}, {"der Film", "the film"}};
  const phrase at = clock_time(d);
  if (d.percent(15)) return {text("es ist ", at.german, " ."), text("it is ", at.english, " .")};
  const auto& [what, what_en] = d.pick(vehicles);
  if (what == "der Film")
    return {text("der Film fängt um ", at.german, " an ."), text("the film starts at ", at.english, " .")};
  const city& where = d.pick(cities);
  const bool leaves = d.percent(50);
  return {text(what, leaves ? " nach " : " aus ", where.german, leaves ? " fährt" : " kommt", " um ",
               at.german, leaves ? " ab ." : " an ."),
          text(what_en, leaves ? " to " : " from ", where.english, leaves ? " leaves at " : " arrives at ",
               at.english, " .")};
}

}  // namespace detail

/// Sentence `index` of the endless row of the seed: German and its one English translation, tokens separated
/// by single spaces, capitals as inside a sentence. A pure function of its arguments.
inline sentence_pair sentence(std::uint64_t seed, index_t index) {
  using make = phrase (*)(dice&);
  struct share {
    index_t percent;
    make kind;
  };
  constexpr share shares[] = {{30, detail::statement}, {16, detail::with_subordinate},
                              {10, detail::question},  {8, detail::predicate},
                              {8, detail::price_of},   {7, detail::with_opinion},
                              {6, detail::number},     {5, detail::coordination},
                              {5, detail::date},       {5, detail::timetable}};
  dice d(seed, index);
  index_t left = d.below(100);
  const share* chosen = shares;
  while (left >= chosen->percent) left -= (chosen++)->percent;
  phrase p = chosen->kind(d);
  return {std::move(p.german), std::move(p.english)};
}

}  // namespace formwork::embedded

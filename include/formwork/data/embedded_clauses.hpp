#pragma once
#include <formwork/data/embedded_phrases.hpp>
#include <formwork/data/embedded_times.hpp>

#include <string>
#include <string_view>

namespace formwork::embedded {

/// A modal verb. Its English has parts for each kind of sentence,
/// the second form of a pair for "he" and "she".
struct modal {
  std::string_view ich, du, er, plural;
  std::string_view positive[2], negative[2], question[2];
  std::string_view question_rest;  ///< what stands between the subject and the infinitive of a question
};

/// All modal verbs.
inline constexpr modal modals[] = {
    {"kann", "kannst", "kann", "können", {"can", "can"}, {"cannot", "cannot"}, {"can", "can"}, ""},
    {"muss",
     "musst",
     "muss",
     "müssen",
     {"must", "must"},
     {"do not have to", "does not have to"},
     {"must", "must"},
     ""},
    {"will",
     "willst",
     "will",
     "wollen",
     {"want to", "wants to"},
     {"do not want to", "does not want to"},
     {"do", "does"},
     "want to "},
    {"soll",
     "sollst",
     "soll",
     "sollen",
     {"should", "should"},
     {"should not", "should not"},
     {"should", "should"},
     ""},
    {"darf", "darfst", "darf", "dürfen", {"may", "may"}, {"must not", "must not"}, {"may", "may"}, ""},
    {"möchte",
     "möchtest",
     "möchte",
     "möchten",
     {"would like to", "would like to"},
     {"would not like to", "would not like to"},
     {"would", "would"},
     "like to "},
};

/// A clause before its words are put in order. German orders it in three ways: verb second, first and last.
struct clause {
  subject who;
  const verb* does = nullptr;
  const modal* mood = nullptr;
  bool past = false;     ///< German perfect, English past
  bool negated = false;  ///< by "nicht"; an object with "kein" negates as well
  bool object_negated = false, object_is_pronoun = false, object_may_lead = false, time_first = false;
  phrase object, place, time;
};

namespace detail {

inline std::string_view form_of(verb_form form, std::string_view ich, std::string_view du,
                                std::string_view er, std::string_view plural) {
  switch (form) {
    case verb_form::ich:
      return ich;
    case verb_form::du:
      return du;
    case verb_form::er:
      return er;
    default:
      return plural;
  }
}

/// The conjugated word of the clause.
inline std::string_view finite(const clause& c) {
  const verb& v = *c.does;
  if (c.mood) return form_of(c.who.form, c.mood->ich, c.mood->du, c.mood->er, c.mood->plural);
  if (!c.past) return form_of(c.who.form, v.ich, v.du, v.er, v.plural);
  if (v.with_sein) return form_of(c.who.form, "bin", "bist", "ist", "sind");
  return form_of(c.who.form, "habe", "hast", "hat", "haben");
}

/// What closes a clause whose finite verb stands first or second: particle, participle or infinitive.
inline std::string closing(const clause& c) {
  if (c.mood) return text(c.does->particle, c.does->plural);
  return std::string(c.past ? c.does->participle : c.does->particle);
}

/// Joins the parts that are not empty by spaces.
template <class... Parts>
std::string join(const Parts&... parts) {
  std::string out;
  const auto add = [&out](std::string_view part) {
    if (part.empty()) return;
    if (!out.empty()) out += ' ';
    out += part;
  };
  (add(parts), ...);
  return out;
}

/// Everything between subject and closing. A pronoun goes before the time; "nicht" goes before the place.
inline std::string middle(const clause& c, bool with_object, bool with_time) {
  const std::string_view object = with_object ? std::string_view(c.object.german) : "";
  const std::string_view time = with_time ? std::string_view(c.time.german) : "";
  const bool time_first = c.time_first && !c.object_is_pronoun;
  return join(time_first ? time : object, time_first ? object : time, c.negated ? "nicht" : "",
              c.place.german);
}

inline std::string english_rest(const clause& c, bool with_time) {
  return join(c.object.english, c.place.english, with_time ? std::string_view(c.time.english) : "");
}

}  // namespace detail

/// What stands in front of the verb of a main clause.
enum class leader : std::uint8_t { subject, time, object };

/// "sie ruft den Lehrer um halb drei an", "heute ruft sie den Lehrer an", "den Lehrer ruft sie heute an".
inline std::string german_verb_second(const clause& c, leader first = leader::subject) {
  if (first == leader::time)
    return detail::join(c.time.german, detail::finite(c), c.who.german, detail::middle(c, true, false),
                        detail::closing(c));
  if (first == leader::object)
    return detail::join(c.object.german, detail::finite(c), c.who.german, detail::middle(c, false, true),
                        detail::closing(c));
  return detail::join(c.who.german, detail::finite(c), detail::middle(c, true, true), detail::closing(c));
}

/// "ruft sie den Lehrer heute an": questions, and main clauses after a subordinate one.
inline std::string german_verb_first(const clause& c) {
  return detail::join(detail::finite(c), c.who.german, detail::middle(c, true, true), detail::closing(c));
}

/// "sie den Lehrer heute anruft", "sie den Lehrer gestern angerufen hat": subordinate clauses.
inline std::string german_verb_last(const clause& c) {
  const std::string verbs = c.mood || c.past ? text(detail::closing(c), " ", detail::finite(c))
                                             : text(c.does->particle, detail::finite(c));
  return detail::join(c.who.german, detail::middle(c, true, true), verbs);
}

/// "she calls the teacher at half past two", "today she does not call the teacher".
inline std::string english_statement(const clause& c, leader first = leader::subject) {
  const bool negated = c.negated || c.object_negated, third = c.who.third();
  std::string verbs;
  if (c.mood) {
    verbs = text(negated ? c.mood->negative[third] : c.mood->positive[third], " ", c.does->english);
  } else if (negated) {
    verbs = text(c.past ? "did" : third ? "does" : "do", " not ", c.does->english);
  } else {
    verbs = std::string(c.past ? c.does->english_past : third ? c.does->english_third : c.does->english);
  }
  const bool lead = first == leader::time;
  return detail::join(lead ? std::string_view(c.time.english) : "", c.who.english, verbs,
                      detail::english_rest(c, !lead));
}

/// "does she call the teacher today", "did he sleep", "would you like to buy the house".
inline std::string english_question(const clause& c) {
  const bool third = c.who.third();
  const std::string_view asks = c.mood ? c.mood->question[third] : c.past ? "did" : third ? "does" : "do";
  const std::string verbs = text(c.mood ? c.mood->question_rest : "", c.does->english);
  return detail::join(asks, c.who.english, verbs, detail::english_rest(c, true));
}

namespace detail {

/// The object of a clause. Numbers never follow a time: "um zwei Uhr zwölf Bücher" would have two meanings.
inline void pick_object(dice& d, clause& c) {
  static const phrase pronouns[] = {{"mich", "me"}, {"dich", "you"}, {"ihn", "him"}};
  if ((c.does->object & person) && d.percent(20)) {
    c.object = d.pick(pronouns);
    const bool self = c.object.english == (c.who.form == verb_form::du ? "you" : "me");
    if (self && (c.who.form == verb_form::du || c.who.owner == "mein" || c.who.owner == "unser"))
      c.object = pronouns[2];
    c.object_is_pronoun = true;
    return;
  }
  noun_phrase p{.head = &pick_noun(d, c.does->object), .plural = d.percent(30)};
  if (d.percent(30)) p.quality = &pick_adjective(d, p.head->kind);
  const index_t choice = d.below(100);
  const bool numbered = p.plural && choice < 45;
  if (choice < 20) {
    p.in_front = p.plural ? determiner::number : determiner::indefinite;
  } else if (choice < 35) {
    p.in_front = p.plural ? determiner::number : determiner::demonstrative;
  } else if (choice < 45) {
    p.in_front = p.plural ? determiner::number : determiner::indefinite;
  } else if (choice < 60) {
    p.in_front = determiner::possessive;
    p.owner = c.who.owner;
    p.owner_english = c.who.owner_english;
  } else if (choice < 70 && p.plural && !(p.head->kind & person)) {
    p.in_front = determiner::bare;
  }
  if (numbered) p.count = pick_count(d);
  const bool definite = p.in_front == determiner::definite || p.in_front == determiner::demonstrative ||
                        p.in_front == determiner::possessive;
  if (c.negated && !definite) {
    p.in_front = determiner::negative;
    c.negated = false;
    c.object_negated = true;
  }
  c.time_first = d.percent(50) && p.in_front != determiner::number;
  c.object_may_lead = definite && !p.plural && p.head->g == gender::masculine;
  c.object = {german(p, true), english(p)};
}

}  // namespace detail

/// Draws a clause. `time_chance`: how many of a hundred say when.
inline clause pick_clause(dice& d, index_t time_chance) {
  clause c;
  c.who = pick_subject(d);
  c.does = d.percent(75) ? &d.pick(transitive_verbs) : &d.pick(intransitive_verbs);
  if (const index_t choice = d.below(100); choice < 25) {
    c.mood = &d.pick(modals);
  } else {
    c.past = choice < 55;
  }
  c.negated = d.percent(18);
  if (c.does->object) detail::pick_object(d, c);
  if (!c.does->place.empty() && d.percent(75)) {
    const city& where = d.pick(cities);
    const bool to = c.does->place == "nach";
    c.place = {text(c.does->place, " ", where.german), text(to ? "to " : "in ", where.english)};
  }
  if (d.percent(time_chance)) c.time = time_of(d, c.past);
  return c;
}

}  // namespace formwork::embedded

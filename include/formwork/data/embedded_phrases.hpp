#pragma once
#include <formwork/data/embedded_dice.hpp>
#include <formwork/data/embedded_numbers.hpp>
#include <formwork/data/embedded_words.hpp>

#include <array>
#include <iterator>
#include <string>
#include <string_view>

namespace formwork::embedded {

/// The word in front of a noun. `bare` and `number` go with plurals, `indefinite` with singulars.
enum class determiner : std::uint8_t {
  definite,
  demonstrative,
  indefinite,
  possessive,
  negative,
  bare,
  number
};

/// A noun with all that goes in front of it.
struct noun_phrase {
  const noun* head = nullptr;
  bool plural = false;
  determiner in_front = determiner::definite;
  const adjective* quality = nullptr;
  std::string_view owner = {}, owner_english = {};  ///< of a possessive: "mein", "my"
  index_t count = 0;                                ///< of a number
};

/// Which form of a verb a subject takes.
enum class verb_form : std::uint8_t { ich, du, er, plural };

/// Who acts. The owner is the possessive that points back to the subject: "er liest sein Buch".
struct subject {
  std::string german, english;
  verb_form form = verb_form::er;
  kinds kind = person;
  std::string_view owner, owner_english;

  bool third() const { return form == verb_form::er; }
};

namespace detail {

inline std::string german_determiner(const noun_phrase& p, bool accusative) {
  const bool masculine = p.head->g == gender::masculine, neuter = p.head->g == gender::neuter;
  const auto with = [&](std::string_view stem, std::string_view der, std::string_view den,
                        std::string_view das, std::string_view die) {
    if (p.plural || p.head->g == gender::feminine) return text(stem, die, " ");
    return text(stem, neuter ? das : masculine && accusative ? den : der, " ");
  };
  switch (p.in_front) {
    case determiner::definite:
      return with("", "der", "den", "das", "die");
    case determiner::demonstrative:
      return with("dies", "er", "en", "es", "e");
    case determiner::indefinite:
      return with("ein", "", "en", "", "e");
    case determiner::negative:
      return with("kein", "", "en", "", "e");
    case determiner::possessive:
      return with(p.owner, "", "en", "", "e");
    case determiner::number:
      return german_number(p.count) + " ";
    default:
      return "";
  }
}

inline std::string_view adjective_ending(const noun_phrase& p, bool accusative) {
  if (p.in_front == determiner::bare || p.in_front == determiner::number) return "e";
  if (p.plural) return "en";
  if (p.head->g == gender::masculine && accusative) return "en";
  if (p.head->g == gender::feminine || p.in_front == determiner::definite ||
      p.in_front == determiner::demonstrative) {
    return "e";
  }
  return p.head->g == gender::masculine ? "er" : "es";
}

inline std::string english_determiner(const noun_phrase& p, std::string_view next_word) {
  const bool vowel = std::string_view("aeiou").find(next_word.front()) != std::string_view::npos;
  switch (p.in_front) {
    case determiner::definite:
      return "the ";
    case determiner::demonstrative:
      return p.plural ? "these " : "this ";
    case determiner::negative:
      if (p.plural) return "any ";
      [[fallthrough]];
    case determiner::indefinite:
      return vowel ? "an " : "a ";
    case determiner::possessive:
      return text(p.owner_english, " ");
    case determiner::number:
      return english_number(p.count) + " ";
    default:
      return "";
  }
}

}  // namespace detail

/// "den neuen Schlüssel", "keine roten Äpfel", "zwölf alte Bücher".
inline std::string german(const noun_phrase& p, bool accusative) {
  std::string out = detail::german_determiner(p, accusative);
  if (p.quality) out += text(p.quality->stem, detail::adjective_ending(p, accusative), " ");
  return text(out, p.plural ? p.head->plural : accusative ? p.head->accusative : p.head->nominative);
}

/// "the new key", "any red apples" (after a negated verb), "twelve old books".
inline std::string english(const noun_phrase& p) {
  const std::string_view name = p.plural ? p.head->english_plural : p.head->english;
  const std::string rest = p.quality ? text(p.quality->english, " ", name) : std::string(name);
  return detail::english_determiner(p, rest) + rest;
}

/// A noun of one of the wanted kinds, all equally likely.
inline const noun& pick_noun(dice& d, kinds wanted) {
  const auto at = [](std::size_t i) -> const noun& {
    return i < std::size(persons) ? persons[i] : things[i - std::size(persons)];
  };
  constexpr std::size_t all = std::size(persons) + std::size(things);
  index_t matching = 0;
  for (std::size_t i = 0; i < all; ++i) matching += (at(i).kind & wanted) != 0;
  index_t chosen = d.below(matching);
  for (std::size_t i = 0;; ++i) {
    if ((at(i).kind & wanted) != 0 && chosen-- == 0) return at(i);
  }
}

/// An adjective that goes with the kind of noun.
inline const adjective& pick_adjective(dice& d, kinds kind) {
  for (;;) {
    const adjective& a = d.pick(adjectives);
    if (a.goes_with & kind) return a;
  }
}

/// A number that may stand before a plural: small ones often, none that ends in 01.
inline index_t pick_count(dice& d) {
  if (d.percent(60)) return d.between(2, 20);
  const index_t n = d.percent(50) ? d.between(21, 99) : d.between(102, 999);
  return n % 100 == 1 ? n + 1 : n;
}

/// The subject of a clause: a pronoun or a person.
/// "ihr Bruder" is left out, since it may be her brother or theirs.
inline subject pick_subject(dice& d) {
  static const subject pronouns[] = {{"ich", "I", verb_form::ich, person, "mein", "my"},
                                     {"du", "you", verb_form::du, person, "dein", "your"},
                                     {"er", "he", verb_form::er, person, "sein", "his"},
                                     {"sie", "she", verb_form::er, person, "ihr", "her"},
                                     {"wir", "we", verb_form::plural, person, "unser", "our"},
                                     {"sie", "they", verb_form::plural, person, "ihr", "their"}};
  if (d.percent(40)) return d.pick(pronouns);
  noun_phrase p{.head = &pick_noun(d, person), .plural = d.percent(25)};
  if (const index_t choice = d.below(100); choice < 25) {
    const subject& owner = pronouns[std::array{0, 1, 4}[std::size_t(d.below(3))]];
    p.in_front = determiner::possessive;
    p.owner = owner.owner;
    p.owner_english = owner.owner_english;
  } else if (choice < 35) {
    p.in_front = determiner::demonstrative;
  } else if (choice < 45 && p.plural) {
    p.in_front = determiner::number;
    p.count = d.between(2, 20);
  } else if (choice < 45) {
    p.in_front = determiner::indefinite;
  }
  if (d.percent(20)) p.quality = &pick_adjective(d, person);
  subject out{german(p, false), english(p), p.plural ? verb_form::plural : verb_form::er,
              person,           "sein",     "his"};
  const bool girl = p.head->english == "girl";
  if (p.plural || p.head->g == gender::feminine) out.owner = "ihr";
  if (p.plural) {
    out.owner_english = "their";
  } else if (p.head->g == gender::feminine || girl) {
    out.owner_english = "her";
  } else if (p.head->g == gender::neuter) {
    out.owner_english = "its";
  }
  return out;
}

}  // namespace formwork::embedded

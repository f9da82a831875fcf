#pragma once
#include <formwork/data/embedded_dice.hpp>
#include <formwork/data/embedded_numbers.hpp>

#include <string>
#include <string_view>

namespace formwork::embedded {

namespace detail {

struct word {
  std::string_view german, english;
};

inline constexpr word months[12] = {
    {"Januar", "January"},  {"Februar", "February"},  {"März", "March"},
    {"April", "April"},     {"Mai", "May"},           {"Juni", "June"},
    {"Juli", "July"},       {"August", "August"},     {"September", "September"},
    {"Oktober", "October"}, {"November", "November"}, {"Dezember", "December"}};
inline constexpr word weekdays[7] = {
    {"Montag", "Monday"},  {"Dienstag", "Tuesday"}, {"Mittwoch", "Wednesday"}, {"Donnerstag", "Thursday"},
    {"Freitag", "Friday"}, {"Samstag", "Saturday"}, {"Sonntag", "Sunday"}};
inline constexpr word day_parts[3] = {
    {"Morgen", "morning"}, {"Nachmittag", "afternoon"}, {"Abend", "evening"}};
inline constexpr word seasons[4] = {
    {"Frühling", "spring"}, {"Sommer", "summer"}, {"Herbst", "autumn"}, {"Winter", "winter"}};
/// As they stand after "vor" and a number.
inline constexpr word spans[4] = {
    {"Tagen", "days"}, {"Wochen", "weeks"}, {"Monaten", "months"}, {"Jahren", "years"}};
inline constexpr word any_adverbs[6] = {
    {"heute", "today"},           {"heute Morgen", "this morning"}, {"heute Abend", "this evening"},
    {"diese Woche", "this week"}, {"diesen Monat", "this month"},   {"dieses Jahr", "this year"}};

inline std::string lower_first(std::string_view text) {
  std::string out(text);
  out[0] = char(out[0] | 0x20);
  return out;
}

inline std::string german_clock_hour(index_t hour) { return german_number((hour + 11) % 12 + 1); }
inline std::string english_clock_hour(index_t hour) { return english_number((hour + 11) % 12 + 1); }

}  // namespace detail

/// The time of day as a clock reads, without "um" and "at": "halb drei", "half past two"; "acht Uhr zwölf",
/// "eight twelve"; "17.30 Uhr", "17:30".
inline phrase clock_time(dice& d) {
  using detail::english_clock_hour, detail::german_clock_hour;
  const index_t hour = d.between(1, 12);
  const std::string here = german_clock_hour(hour), next = german_clock_hour(hour + 1);
  const std::string here_en = english_clock_hour(hour), next_en = english_clock_hour(hour + 1);
  constexpr index_t steps[3] = {5, 10, 20};
  switch (const index_t minutes = d.pick(steps); d.below(10)) {
    case 0:
      return {hour == 1 ? "ein Uhr" : here + " Uhr", here_en + " o'clock"};
    case 1:
    case 2:
      return {"halb " + next, "half past " + here_en};
    case 3:
      return {"Viertel nach " + here, "a quarter past " + here_en};
    case 4:
      return {"Viertel vor " + next, "a quarter to " + next_en};
    case 5:
      return {german_number(minutes) + " nach " + here, english_number(minutes) + " past " + here_en};
    case 6:
      return {german_number(minutes) + " vor " + next, english_number(minutes) + " to " + next_en};
    case 7:
      if (minutes == 5) return {"fünf vor halb " + next, "twenty-five past " + here_en};
      return {"fünf nach halb " + next, "twenty-five to " + next_en};
    case 8: {
      const index_t h = d.between(2, 23), m = d.between(1, 59);
      return {text(german_number(h), " Uhr ", german_number(m)),
              text(english_number(h), m < 10 ? " oh " : " ", english_number(m))};
    }
    default: {
      const std::string h = std::to_string(d.between(0, 23)), m = std::to_string(d.between(10, 59));
      return {text(h, ".", m, " Uhr"), text(h, ":", m)};
    }
  }
}

/// A day of the calendar after "am" and "on": "dritten Mai", "the third of May"; "3. Mai 1984", "3 May 1984".
inline phrase calendar_day(dice& d, bool nominative = false) {
  const index_t day = d.between(1, 31), year = d.between(1700, 2040);
  const detail::word& month = d.pick(detail::months);
  const bool with_year = d.percent(40);
  if (d.percent(35)) {
    phrase out{text(day, ". ", month.german), text(day, " ", month.english)};
    if (with_year) out = {text(out.german, " ", year), text(out.english, " ", year)};
    return out;
  }
  phrase out{text(german_ordinal(day), nominative ? " " : "n ", month.german),
             text("the ", english_ordinal(day), " of ", month.english)};
  if (with_year) out = {text(out.german, " ", german_year(year)), text(out.english, " ", english_year(year))};
  return out;
}

/// When something happens. A past one goes with past clauses only; the others with all.
inline phrase time_of(dice& d, bool past) {
  const auto& [day, day_en] = d.pick(detail::weekdays);
  const auto& [part, part_en] = d.pick(detail::day_parts);
  switch (d.below(past ? 14 : 12)) {
    case 0:
      return {text("am ", day), text("on ", day_en)};
    case 1:
      return {text("am ", day, detail::lower_first(part)), text("on ", day_en, " ", part_en)};
    case 2:
      return {text("am ", part), text("in the ", part_en)};
    case 3:
    case 4: {
      const phrase at = clock_time(d);
      return {"um " + at.german, "at " + at.english};
    }
    case 5: {
      const phrase at = clock_time(d);
      return {text("am ", day, " um ", at.german), text("at ", at.english, " on ", day_en)};
    }
    case 6: {
      const phrase on = calendar_day(d);
      return {"am " + on.german, "on " + on.english};
    }
    case 7: {
      const auto& [season, season_en] = d.pick(detail::seasons);
      return {text("im ", season), text("in ", season_en)};
    }
    case 8:
      return {text("jeden ", day), text("every ", day_en)};
    case 9: {
      const auto& [month, month_en] = d.pick(detail::months);
      return {text("im ", month), text("in ", month_en)};
    }
    case 10: {
      const auto& [adverb, english] = d.pick(detail::any_adverbs);
      if (d.percent(30)) return past ? phrase{"gestern", "yesterday"} : phrase{"morgen", "tomorrow"};
      return {std::string(adverb), std::string(english)};
    }
    case 11:
      return {past ? "letzte Woche" : "nächste Woche", past ? "last week" : "next week"};
    default: {
      const auto& [span, span_en] = d.pick(detail::spans);
      const index_t n = d.between(2, 99);
      return {text("vor ", german_number(n), " ", span), text(english_number(n), " ", span_en, " ago")};
    }
  }
}

/// "zwei Euro fünfzig", "two euros fifty"; "2,50 Euro", "2.50 euros"; "250.000 Euro", "250,000 euros".
inline phrase price(dice& d) {
  const index_t style = d.below(10), euros = d.between(1, 99), cents = d.between(10, 99);
  const std::string_view currency = euros == 1 ? " euro" : " euros";
  const std::string words = euros == 1 ? "ein" : german_number(euros);
  if (style < 4)
    return {text(words, " Euro ", german_number(cents)),
            text(english_number(euros), currency, " ", english_number(cents))};
  if (style < 6) return {text(euros, ",", cents, " Euro"), text(euros, ".", cents, " euros")};
  if (style < 7) return {text(german_number(cents), " Cent"), text(english_number(cents), " cents")};
  if (style < 8) {
    const std::string thousands = std::to_string(d.between(1, 999)),
                      rest = std::to_string(d.between(100, 999));
    return {text(thousands, ".", rest, " Euro"), text(thousands, ",", rest, " euros")};
  }
  // "hunderteins Euro" and its like are doubtful German: numbers before nouns do not end in 01.
  const index_t step = d.percent(50) ? 100 : 1000, steps = d.between(2, 9),
                amount = steps * step + d.between(2, 99);
  return {german_number(amount) + " Euro", english_number(amount) + " euros"};
}

}  // namespace formwork::embedded

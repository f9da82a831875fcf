#pragma once
#include <formwork/core/error.hpp>

#include <string>
#include <string_view>

/// The grammar behind `embedded_corpus`: German phrases together with their one English translation.
namespace formwork::embedded {

/// Largest number that has words here.
inline constexpr index_t largest_number = 99'999'999;

namespace detail {

inline constexpr std::string_view german_units[20] = {
    "null",     "eins",     "zwei",     "drei",     "vier",     "fünf",    "sechs",
    "sieben",   "acht",     "neun",     "zehn",     "elf",      "zwölf",   "dreizehn",
    "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"};
inline constexpr std::string_view german_tens[10] = {"",        "zehn",    "zwanzig", "dreißig", "vierzig",
                                                     "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"};
inline constexpr std::string_view english_units[20] = {
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
inline constexpr std::string_view english_tens[10] = {"",      "ten",   "twenty",  "thirty", "forty",
                                                      "fifty", "sixty", "seventy", "eighty", "ninety"};

/// 1 to 999. A final one is "eins" where the number ends and "ein" where a word follows in the same compound.
inline std::string german_group(index_t n, bool ends) {
  std::string out;
  if (n >= 100) out += text(n / 100 == 1 ? "ein" : german_units[n / 100], "hundert");
  n %= 100;
  const auto unit = [&](index_t i, bool full) {
    return i == 1 && !full ? std::string_view("ein") : german_units[i];
  };
  if (n == 0) return out;
  if (n < 20) return out + std::string(unit(n, ends));
  if (n % 10) out += text(unit(n % 10, false), "und");
  return out + std::string(german_tens[n / 10]);
}

/// 1 to 999; `after` says that larger groups stand before, so that a rest below a hundred needs "and".
inline std::string english_group(index_t n, bool after) {
  std::string out;
  if (n >= 100) out += text(english_units[n / 100], " hundred");
  const bool link = n >= 100 || after;
  n %= 100;
  if (n == 0) return out;
  if (link) out += out.empty() ? "and " : " and ";
  if (n < 20) return out + std::string(english_units[n]);
  out += english_tens[n / 10];
  return n % 10 ? text(out, "-", english_units[n % 10]) : out;
}

inline void check_range(index_t n, index_t low, index_t high) {
  if (n < low || n > high) fail("embedded corpus: ", n, " has no words; expected ", low, " to ", high);
}

}  // namespace detail

/// "dreihunderteinundzwanzig", "zwei Millionen eintausendeins".
/// Requires: 0 <= n <= largest_number (checked)
inline std::string german_number(index_t n) {
  detail::check_range(n, 0, largest_number);
  if (n == 0) return "null";
  std::string out;
  if (const index_t millions = n / 1'000'000; millions == 1) {
    out = "eine Million";
  } else if (millions > 1) {
    out = detail::german_group(millions, true) + " Millionen";
  }
  const index_t thousands = n / 1000 % 1000, rest = n % 1000;
  if (!out.empty() && (thousands || rest)) out += ' ';
  if (thousands) out += detail::german_group(thousands, false) + "tausend";
  return rest ? out + detail::german_group(rest, true) : out;
}

/// "three hundred and twenty-one", "two million one thousand and one".
/// Requires: 0 <= n <= largest_number (checked)
inline std::string english_number(index_t n) {
  detail::check_range(n, 0, largest_number);
  if (n == 0) return "zero";
  std::string out;
  const auto add = [&out](const std::string& words) { out += out.empty() ? words : " " + words; };
  if (n >= 1'000'000) add(detail::english_group(n / 1'000'000, false) + " million");
  if (const index_t thousands = n / 1000 % 1000) add(detail::english_group(thousands, false) + " thousand");
  if (const index_t rest = n % 1000) add(detail::english_group(rest, !out.empty()));
  return out;
}

/// "dritte", "einundzwanzigste"; the forms after "am" add an n.
/// Requires: 1 <= n <= 31 (checked)
inline std::string german_ordinal(index_t n) {
  detail::check_range(n, 1, 31);
  if (n == 1) return "erste";
  if (n == 3) return "dritte";
  if (n == 7) return "siebte";
  if (n == 8) return "achte";
  return detail::german_group(n, true) + (n < 20 ? "te" : "ste");
}

/// "third", "twenty-first".
/// Requires: 1 <= n <= 31 (checked)
inline std::string english_ordinal(index_t n) {
  constexpr std::string_view irregular[13] = {"", "first",  "second", "third", "", "fifth",  "",
                                              "", "eighth", "ninth",  "",      "", "twelfth"};
  detail::check_range(n, 1, 31);
  if (n > 20 && n % 10) return text(detail::english_tens[n / 10], "-", english_ordinal(n % 10));
  if (n <= 12 && !irregular[n].empty()) return std::string(irregular[n]);
  if (n % 10 == 0 && n >= 20) return n == 20 ? "twentieth" : "thirtieth";
  return detail::english_group(n, false) + "th";
}

/// How a year is read: "neunzehnhundertvierundachtzig", "zweitausendfünf".
/// Requires: 1100 <= year <= 2099 (checked)
inline std::string german_year(index_t year) {
  detail::check_range(year, 1100, 2099);
  const index_t rest = year % 100;
  if (year >= 2000) return "zweitausend" + (rest ? detail::german_group(rest, true) : "");
  return detail::german_group(year / 100, true) + "hundert" + (rest ? detail::german_group(rest, true) : "");
}

/// How a year is read: "nineteen eighty-four", "nineteen oh five", "two thousand and five", "twenty fifteen".
/// Requires: 1100 <= year <= 2099 (checked)
inline std::string english_year(index_t year) {
  detail::check_range(year, 1100, 2099);
  if (year >= 2000 && year < 2010) return english_number(year);
  const std::string century = detail::english_group(year / 100, false);
  const index_t rest = year % 100;
  if (rest == 0) return century + " hundred";
  return text(century, rest < 10 ? " oh " : " ", detail::english_group(rest, false));
}

}  // namespace formwork::embedded

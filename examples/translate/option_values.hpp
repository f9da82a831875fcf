#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/core/utf8.hpp>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "suggestion.hpp"

namespace examples {

using formwork::fail;
using formwork::index_t;
using formwork::step_t;
using formwork::text;

/// The numbers that an option may have.
template <class T>
struct range {
  T least{};
  T most = (std::numeric_limits<T>::max)();
  bool without_least = false, without_most = false;

  bool contains(T x) const {
    return (without_least ? x > least : x >= least) && (without_most ? x < most : x <= most);
  }
  /// What to expect, as part of a sentence.
  std::string words() const {
    if constexpr (std::integral<T>) return text("a whole number from ", least, " to ", most);
    if (without_most) return text("a number in [", least, ", ", most, ")");
    if (most < (std::numeric_limits<T>::max)())
      return without_least ? text("a number above ", least, ", at most ", most)
                           : text("a number from ", least, " to ", most);
    return without_least ? text("a finite number above ", least)
                         : text("a finite number, ", least, " or more");
  }
};

inline constexpr range<index_t> counts{0, 1'000'000'000'000};
inline constexpr range<index_t> positive_counts{1, 1'000'000'000'000};
inline constexpr range<index_t> vocabulary_sizes{1, 100'000'000};
inline constexpr range<int> thread_counts{0, 1024};
inline constexpr range<double> above_zero{.without_least = true};
inline constexpr range<double> zero_or_more{};
inline constexpr range<double> below_one{.most = 1, .without_most = true};
inline constexpr range<std::uint64_t> seeds{};

/// The number that a word is: decimal digits whatever they begin with, for fractions with a point and an
/// exponent if need be. Nothing if the word is another thing, is not finite or does not fit.
template <class T>
std::optional<T> number_of(std::string_view word) {
  T value{};
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  if constexpr (std::floating_point<T>)
    if (!formwork::is_finite(value)) return std::nullopt;
  return value;
}

/// Declares an option with a value. `check(word)` returns what was expected instead of the word, or nothing
/// after it has given the word the form in which configurations have it; `take(words)` keeps it.
template <class Check, class Take>
CLI::Option* add_value(CLI::App& app, const std::string& names, const std::string& type,
                       const std::string& what, Check check, Take take) {
  const CLI::callback_t keep = [take](const CLI::results_t& words) {
    take(words);
    return true;
  };
  return app.add_option(names, keep, what)->transform(CLI::Validator(check, ""))->type_name(type);
}

template <class T>
void add_number(CLI::App& app, const std::string& names, T& to, const range<T>& in, const std::string& what) {
  const auto check = [in](std::string& word) {
    const std::optional<T> value = number_of<T>(word);
    if (!value || !in.contains(*value)) return in.words();
    word = text(*value + T{});  // no -0
    return std::string();
  };
  const auto take = [&to](const CLI::results_t& words) { to = *number_of<T>(words.back()); };
  add_value(app, names, std::integral<T> ? "INT" : "FLOAT", what, check, take)->default_str(text(to));
}

/// An option that is one of some words.
inline void add_choice(CLI::App& app, const std::string& names, std::string& to,
                       const std::vector<std::string>& choices, const std::string& what) {
  const auto check = [choices](std::string& word) {
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return std::string();
    std::string all = choices[0];
    for (std::size_t i = 1; i < choices.size(); ++i)
      all += text(i + 1 < choices.size() ? ", " : " or ", choices[i]);
    return all + suggestion(word, choices, "");
  };
  const auto take = [&to](const CLI::results_t& words) { to = words.back(); };
  add_value(app, names, "NAME", what, check, take)->default_str(to);
}

/// What was expected of a text that a line `key = value` cannot hold, or that cannot be meant.
inline std::string expected_text(const std::string& value) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (formwork::first_invalid_utf8(value) >= 0 || std::any_of(value.begin(), value.end(), is_control))
    return "UTF-8 without control characters";
  if (value.starts_with(' ') || value.ends_with(' ')) return "no blank at either end";
  if (value.size() > 1 && value.front() == value.back() && (value[0] == '"' || value[0] == '\''))
    return "no quotation marks around it";
  return "";
}

/// An option that names something, a file mostly; --help shows what as `type`.
inline void add_text(CLI::App& app, const std::string& names, std::string& to, const std::string& type,
                     const std::string& what) {
  const auto take = [&to](const CLI::results_t& words) { to = words.back(); };
  add_value(app, names, type, what, expected_text, take)->default_str(to);
}

/// The same for an option that may be given several times.
inline CLI::Option* add_texts(CLI::App& app, const std::string& names, std::vector<std::string>& to,
                              const std::string& type, const std::string& what) {
  const auto take = [&to](const CLI::results_t& words) { to = words; };
  return add_value(app, names, type, what, expected_text, take)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace examples

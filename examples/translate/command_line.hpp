#pragma once
#include <formwork/data/lines.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lines_io.hpp"
#include "option_values.hpp"

namespace examples {

using formwork::fail_at;

/// A name that is no option of the command; the program knows whether another command has it.
struct unknown_option : formwork::error {
  unknown_option(const std::string& start, std::string option, std::string_view similar)
      : error(text(start, similar)), begin(formwork::one_line(start)), name(std::move(option)) {}

  std::string begin;  ///< the sentence without what it may suggest
  std::string name;   ///< with its dashes
};

/// An option as it was given: `place` is the command or "file:line".
struct given_option {
  CLI::Option* option = nullptr;
  std::string place, name, value;
};

inline bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

inline std::vector<std::string> option_names(const CLI::App& app, std::string_view dashes) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(text(dashes, name));
  return names;
}

/// Checks an option's value and adds the option to those before.
/// Error: no value, a wrong one, or an option that is there already and may be given once only
inline void add_given(std::vector<given_option>& all, given_option one) {
  const auto wrong = [&](const std::string& expected) {
    if (!expected.empty()) fail(one.place, ": ", one.name, " is '", one.value, "', expected ", expected);
  };
  if (one.value.find_first_not_of(' ') == one.value.npos) fail(one.place, ": ", one.name, " has no value");
  if (!is_flag(*one.option))
    wrong((*one.option->get_validator(0))(one.value));
  else if (one.value != "true" && one.value != "false")
    wrong("true or false");
  if (one.option->get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll)
    for (const given_option& before : all)
      if (before.option == one.option) fail(one.place, ": ", one.name, " is given a second time");
  all.push_back(std::move(one));
}

/// The options of a command line: --name=value, --name value, or --name alone for a flag.
inline std::vector<given_option> options_of_words(CLI::App& app, const std::vector<std::string>& words) {
  std::vector<given_option> all;
  const std::string place = app.get_name();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t sign = words[i].find('=');
    const std::string name = words[i].substr(0, sign);
    if (!name.starts_with('-')) fail(place, ": '", words[i], "' belongs to no option");
    CLI::Option* option = app.get_option_no_throw(name);
    if (!option)
      throw unknown_option(text(place, ": there is no option ", name), name,
                           suggestion(name, option_names(app, "--")));
    std::string value;
    if (sign != name.npos)
      value = words[i].substr(sign + 1);
    else if (is_flag(*option))
      value = "true";
    else if (i + 1 < words.size() && words[i + 1].starts_with("--"))
      fail(place, ": ", name, " has no value, the next word is ", words[i + 1]);
    else if (i + 1 < words.size())
      value = words[++i];
    add_given(all, {option, place, name, value});
  }
  return all;
}

/// The options of a file of lines key = value. Lines that are empty or begin with # say nothing.
inline std::vector<given_option> options_of_file(CLI::App& app, const std::string& path) {
  const auto trimmed = [](std::string_view s) {
    s.remove_prefix((std::min)(s.find_first_not_of(" \t"), s.size()));
    return std::string(s.substr(0, s.find_last_not_of(" \t") + 1));
  };
  std::vector<given_option> all;
  formwork::for_each_line(path, [&](std::string_view raw, index_t number) {
    check_text(path, raw, number);
    const std::string line = trimmed(raw), place = text(path, ":", number);
    if (line.empty() || line[0] == '#') return;
    const std::size_t sign = line.find('=');
    if (sign == line.npos || sign == 0) fail(place, ": '", line, "', expected key = value");
    const std::string key = trimmed(line.substr(0, sign));
    std::string name = "--" + key;
    std::replace(name.begin(), name.end(), '_', '-');
    CLI::Option* option = app.get_option_no_throw(name);
    if (!option || option == app.get_help_ptr())
      throw unknown_option(text(place, ": there is no option ", key), name,
                           suggestion(name.substr(2), option_names(app, "")));
    if (name == "--config") fail(place, ": a configuration cannot name another one");
    add_given(all, {option, place, key, trimmed(line.substr(sign + 1))});
  });
  return all;
}

/// Adds the options that every command has, and says how --help looks.
inline void add_common_options(CLI::App& app) {
  app.get_formatter()->column_width(36);
  add_value(app, "--config", "FILE", "read options from lines key = value; the command line overrides them",
            expected_text, [](const CLI::results_t&) {});
}

/// Parses the words of a command and the configuration that they name. Every option that is no flag has been
/// added by one of the functions of option_values.hpp. False: help was asked for and printed.
/// Error: one sentence that names the option and, for a configuration, the file and the line
inline bool parse(CLI::App& app, const std::vector<std::string>& words) {
  if (std::any_of(words.begin(), words.end(), [](const auto& w) { return w == "--help" || w == "-h"; })) {
    std::fputs(app.help().c_str(), stdout);
    return false;
  }
  std::vector<given_option> given = options_of_words(app, words);
  const auto find = [&](const CLI::Option* option) {
    return std::find_if(given.begin(), given.end(), [&](const auto& one) { return one.option == option; });
  };
  if (const auto config = find(app.get_option_no_throw("--config")); config != given.end()) {
    std::vector<given_option> lines = options_of_file(app, config->value);
    std::erase_if(lines, [&](const given_option& line) { return find(line.option) != given.end(); });
    given.insert(given.end(), lines.begin(), lines.end());
  }
  std::vector<std::string> all;
  for (const given_option& one : given)
    if (!is_flag(*one.option) || one.value == "true")
      all.push_back(text("--", one.option->get_lnames().front(), "=", one.value));
  std::reverse(all.begin(), all.end());  // the order in which CLI11 takes a vector
  app.parse(all);
  return true;
}

/// Error: an option that must be there is not.
inline void require(const CLI::App& app, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (app.get_option(name)->empty()) fail(app.get_name(), ": ", name, " is missing; see --help");
}

/// All options of a command and their values, in the form that --config reads.
inline std::string written_options(const CLI::App& app, const std::vector<std::string>& leave_out) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    if (std::find(leave_out.begin(), leave_out.end(), name) != leave_out.end()) continue;
    const std::string value = option->count() ? option->results().back() : option->get_default_str();
    if (!value.empty()) out += text(name, " = ", value, "\n");
  }
  return out;
}

}  // namespace examples

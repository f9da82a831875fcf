#pragma once
#include <formwork/core/error.hpp>
#include <formwork/data/lines.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace examples {

using formwork::fail;
using formwork::fail_at;
using formwork::index_t;
using formwork::step_t;
using formwork::text;

/// Number of letters that have to be inserted, deleted or replaced to make one word of the other.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// "; did you mean NAME?" with the most similar of the names, or nothing where none is similar.
inline std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::string* best = nullptr;
  std::size_t least = (std::max)(std::size_t{2}, word.size() / 3) + 1;
  for (const std::string& name : names) {
    const bool begins = word.size() >= 3 && name.starts_with(word);
    const std::size_t distance = begins ? 1 : edit_distance(word, name);
    if (distance < least) best = &name, least = distance;
  }
  return best ? text("; did you mean ", *best, "?") : text("; see --help");
}

inline std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// The lines `key = value` of a file as arguments. Lines that are empty or begin with # say nothing.
inline std::vector<std::string> arguments_of_file(const CLI::App& app, const std::string& path) {
  constexpr std::string_view blank = " \t";
  const auto trimmed = [blank](std::string_view s) {
    s.remove_prefix((std::min)(s.find_first_not_of(blank), s.size()));
    return s.substr(0, s.find_last_not_of(blank) + 1);
  };
  std::vector<std::string> arguments;
  formwork::for_each_line(path, [&](std::string_view line, index_t number) {
    line = trimmed(line);
    if (line.empty() || line[0] == '#') return;
    const std::size_t sign = line.find('=');
    if (sign == line.npos) fail_at(path, number, "'", line, "', expected key = value");
    std::string name = "--" + std::string(trimmed(line.substr(0, sign)));
    std::replace(name.begin(), name.end(), '_', '-');
    if (name == "--config" || name == "--help" || !app.get_option_no_throw(name))
      fail_at(path, number, "unknown key '", name.substr(2), "'", suggestion(name, option_names(app)));
    arguments.push_back(text(name, "=", trimmed(line.substr(sign + 1))));
  });
  return arguments;
}

/// Adds the options that every command has.
inline void add_common_options(CLI::App& app) {
  app.option_defaults()->always_capture_default()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option("--config", "read options from a file of lines key = value; the command line comes after it")
      ->type_name("FILE");
}

/// Parses the arguments of a command, those of a configuration file first. False: help was asked for and
/// printed.
/// Error: one sentence, with the nearest name for one that does not exist
inline bool parse(CLI::App& app, std::vector<std::string> arguments) {
  std::string config;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].starts_with("--config=")) config = arguments[i].substr(9);
    if (arguments[i] == "--config" && i + 1 < arguments.size()) config = arguments[i + 1];
  }
  if (!config.empty()) {
    const std::vector<std::string> first = arguments_of_file(app, config);
    arguments.insert(arguments.begin(), first.begin(), first.end());
  }
  app.allow_extras();
  std::reverse(arguments.begin(), arguments.end());  // the order in which CLI11 takes a vector
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return false;
  } catch (const CLI::ParseError& e) {
    std::string sentence = e.what();
    sentence = sentence.substr(0, sentence.find('\n'));
    fail(app.get_name(), ": ", sentence);
  }
  for (const std::string& word : app.remaining()) {
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with("-"))
      fail(app.get_name(), ": there is no option ", name, suggestion(name, option_names(app)));
    fail(app.get_name(), ": '", word, "' belongs to no option");
  }
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

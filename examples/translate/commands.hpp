#pragma once
#include "score.hpp"
#include "summary.hpp"
#include "train.hpp"

namespace examples {

/// "; it belongs to translate NAME" with a command that has this option, or nothing.
inline std::string owner_of(const std::string& option) {
  const auto has = [&](auto options, auto add) {
    CLI::App app;
    add(app, options);
    const CLI::Option* found = app.get_option_no_throw(option);
    return found && found != app.get_help_ptr();
  };
  const char* name = has(train_options{}, add_train_options)               ? "train"
                     : has(translation_options{}, add_run_command_options) ? "run"
                     : has(score_options{}, add_score_options)             ? "score"
                     : has(summary_options{}, add_summary_options)         ? "summary"
                                                                           : nullptr;
  return name ? text("; it belongs to translate ", name) : "";
}

}  // namespace examples

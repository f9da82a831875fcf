#pragma once
#include <algorithm>

#include "../translate/command_line.hpp"
#include "../translate/lines_io.hpp"
#include "curves.hpp"

namespace examples {

/// The options of the program.
struct plot_options : curve_options {
  std::string folder = ".";
  std::string only;
};

inline const char* plot_lesson =
    "A schedule says how large each update is. Most rise in a warm-up, because the first gradients\n"
    "of a model are misleading, and fall later, because small updates settle where large ones jump:\n"
    "  the end is known       linear, polynomial, cosine, one_cycle; wsd, if it may still change\n"
    "  it is open             inverse_sqrt, noam, power_law; cooldown ends them\n"
    "  without warm-up        tfixup_inverse_sqrt, epoch_decay, or --warmup 0\n"
    "  built around others    warmup, then, scaled, cooldown\n"
    "docs/policies.md has the formulas and says when to use which. Examples:\n"
    "  formwork_plot_schedule --out figures\n"
    "    every schedule\n"
    "  formwork_plot_schedule --only inverse_sqrt,fairseq_inverse_sqrt --warmup 1\n"
    "    why \"no warm-up\" must not mean a small rate\n"
    "  formwork_plot_schedule --only epoch_decay --epoch 125\n"
    "    the rate falls at the begin of the 8th epoch\n"
    "schedules.csv has a line for each update and a column for each schedule; schedules.svg is drawn\n"
    "if gnuplot is installed.\n"
    "Exit status: 0 done; 2 a sentence on standard error says what is wrong.";

/// Reads the command line. False: help was asked for and printed. Error: a sentence.
inline bool parse_plot_options(std::vector<std::string> arguments, plot_options& o) {
  CLI::App app("Draws the learning rate of every update under the shipped schedules.",
               "formwork_plot_schedule");
  add_common_options(app);
  add_text(app, "--out", o.folder, "FOLDER", "folder of schedules.csv and schedules.svg; made if need be");
  add_number(app, "--steps", o.steps, {1, 200'000}, "updates of the run, at most 200,000");
  add_number(app, "--warmup", o.warmup, counts, "updates of warm-up, 0 to --steps");
  add_number(app, "--decay-from", o.decay_from, positive_counts,
             "last update without decay of the schedules without end");
  add_number(app, "--epoch", o.epoch, {1, 1'000'000'000},
             "updates of an epoch, for epoch_decay and staircase");
  add_number(app, "--lr", o.lr, {.most = 1e9, .without_least = true}, "highest rate");
  add_text(app, "--only", o.only, "NAMES", "schedules to plot, with commas between them; otherwise all");
  app.footer(plot_lesson);
  if (!parse(app, std::move(arguments))) return false;
  if (o.warmup > o.steps) fail("--warmup is ", o.warmup, ", expected 0 to --steps, which is ", o.steps);
  return true;
}

/// The curves that --only names, in that order, or all.
inline std::vector<curve> chosen_curves(const plot_options& o) {
  const std::vector<curve> all = all_curves(o);
  if (o.only.empty()) return all;
  std::vector<std::string> names;
  for (const curve& c : all) names.push_back(c.name);
  std::vector<curve> out;
  for (std::size_t begin = 0, end = 0; end != o.only.npos; begin = end + 1) {
    end = o.only.find(',', begin);
    const std::string name = o.only.substr(begin, end - begin);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail("there is no schedule '", name, "'", suggestion(name, names));
    out.push_back(all[std::size_t(found - names.begin())]);
  }
  return out;
}

}  // namespace examples

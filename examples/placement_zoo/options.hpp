#pragma once
#include <formwork/core/type_name.hpp>

#include "../translate/command_line.hpp"
#include "recipe.hpp"

namespace examples {

/// The options of the program.
struct zoo_options {
  std::string folder = ".", only;
  step_t updates = 600;
  double lr = 3e-3;
  std::uint64_t seed = 1;
  int threads = 0;
  std::vector<std::string> placements;  ///< what `only` names
};

inline const char* zoo_lesson =
    "The task: sentences of 6 to 10 symbols are translated into their reversal. A translator that has\n"
    "learned nothing has a loss of 3.6 nats a token, a perfect one about 0.1. Every placement is trained\n"
    "with the same recipe twice, with a warm-up of 300 updates and without. What to look at:\n"
    "  nll without warm-up     3.6: it never leaves the start. Post-norm needs the warm-up, pre-norm\n"
    "                          does not; which of the others do?\n"
    "  first_, last_gradient   of the decoder's second feed-forward matrices, before training: where\n"
    "                          the last is large, the first updates at a high rate do harm\n"
    "  hidden_norm             mean square of the last layer's result: 1 behind a norm; in pre-norm it\n"
    "                          grows with the depth\n"
    "Examples:\n"
    "  placement_zoo --out zoo\n"
    "    every placement; some ten seconds a run\n"
    "  placement_zoo --out zoo --only post_norm,pre_norm,b2t\n"
    "    three of them\n"
    "  placement_zoo --out low --lr 3e-4\n"
    "    at a small rate post-norm learns without warm-up\n"
    "runs.csv has a line for each run; stopped and started again, the program goes on behind the last one.\n"
    "zoo.csv and zoo.md have a line for each placement; zoo.svg is drawn if gnuplot is installed.\n"
    "Exit status: 0 done; 2 a sentence on standard error says what is wrong.";

/// The names between the commas. Error: one that is none of `all`
inline std::vector<std::string> chosen_names(const std::string& list, const std::vector<std::string>& all) {
  std::vector<std::string> out;
  for (std::size_t begin = 0, end = 0; !list.empty() && end != list.npos; begin = end + 1) {
    end = list.find(',', begin);
    out.push_back(list.substr(begin, end - begin));
    if (std::find(all.begin(), all.end(), out.back()) == all.end())
      fail("there is no placement '", out.back(), "'", suggestion(out.back(), all));
  }
  return out;
}

/// Reads the command line. False: help was asked for and printed. Error: a sentence
template <class Placements>
bool parse_zoo_options(const std::vector<std::string>& arguments, zoo_options& o) {
  CLI::App app("Trains a small translator with every norm placement, with and without warm-up.",
               "placement_zoo");
  add_common_options(app);
  add_text(app, "--out", o.folder, "FOLDER", "folder of the tables and the picture; made if need be");
  add_text(app, "--only", o.only, "NAMES", "placements to train, with commas between them; otherwise all");
  add_number(app, "--updates", o.updates, {6, 1'000'000}, "updates of a run");
  add_number(app, "--lr", o.lr, {.most = 1e3, .without_least = true}, "highest rate");
  add_number(app, "--seed", o.seed, seeds, "of the initial parameters and the sentences");
  add_number(app, "--threads", o.threads, thread_counts, "threads; 0: as many as there are processors");
  app.footer(zoo_lesson);
  if (!parse(app, arguments)) return false;
  std::vector<std::string> all;
  Placements::each([&]<class P>(std::type_identity<P>) { all.emplace_back(formwork::type_name<P>()); });
  o.placements = chosen_names(o.only, all);
  return true;
}

}  // namespace examples

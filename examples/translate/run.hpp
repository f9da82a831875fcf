#pragma once
#include <formwork/decode/translator.hpp>

#include <csignal>

#include "decode_options.hpp"
#include "lines_io.hpp"
#include "messages.hpp"

namespace examples {

inline const char* run_examples =
    "Examples:\n"
    "  translate run --model runs/first < german.txt > english.txt\n"
    "  echo 'um halb drei' | translate run --model runs/first --beam 1\n"
    "  translate run --model runs/first --nbest 5 < german.txt       (number ||| translation ||| score)\n"
    "One line of output for each line of input, an empty one for an empty one.";

/// Counts what had to be cut.
struct translation_counts {
  index_t sentences = 0, truncated = 0;

  void report() const {
    if (truncated > 0)
      say(truncated, " of ", sentences, " translations reached the maximum length and were cut there");
  }
};

/// All hypotheses of some lines; the first one is the line `first` of the text `name`.
/// Error: names the line that has more tokens than the options or the model's positions allow
template <class Translator>
std::vector<std::vector<formwork::hypothesis>> translate_lines(Translator& translator, text_codec& codec,
                                                               const std::vector<std::string>& lines,
                                                               std::string_view name, index_t first,
                                                               translation_counts& counts) {
  const index_t longest = translator.longest_source(), wanted = translator.options().max_source_length;
  std::vector<std::vector<formwork::token_t>> sources(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    codec(lines[i], sources[i]);
    if (index_t(sources[i].size()) > longest)
      fail_at(name, first + index_t(i), "the line has ", sources[i].size(), " tokens, expected at most ",
              longest,
              longest == wanted ? "; --max-source-length allows more, time grows with the square of them"
                                : ", for which the model has positions");
    sources[i].push_back(formwork::end_token);
  }
  auto results = translator.translate(sources);
  counts.sentences += index_t(results.size());
  for (const auto& result : results) counts.truncated += result.front().truncated;
  return results;
}

inline void add_run_command_options(CLI::App& app, translation_options& o) {
  add_common_options(app);
  add_translation_options(app, o);
  app.option_defaults()->group("Search");
  add_number(app, "--nbest", o.decode.nbest, {1, 1'000'000},
             "translations of a line; above 1 with number and score");
}

/// The command `run`: translates the standard input.
template <class Config>
int run(const std::vector<std::string>& arguments) {
  CLI::App app("Translates the standard input, line by line.", "translate run");
  translation_options o;
  add_run_command_options(app, o);
  app.footer(run_examples);
  if (!parse(app, arguments)) return 0;
  require(app, {"--model"});
  o.complete();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has had enough is no fault
  loaded_model<Config> loaded(o);
  formwork::translator translator(loaded.model, loaded.cpu, o.decode);
  standard_input input;
  translation_counts counts;
  index_t number = 0;
  for (std::vector<std::string> lines; !(lines = input.next(1000)).empty();) {
    // The random numbers of a line are those of its number among the lines that are translated together.
    for (std::vector<std::string> more; o.decode.sample && !(more = input.next(1000)).empty();)
      lines.insert(lines.end(), more.begin(), more.end());
    std::string out;
    for (const auto& result :
         translate_lines(translator, loaded.codec, lines, "standard input", number + 1, counts)) {
      for (const formwork::hypothesis& h : result)
        out += o.decode.nbest == 1
                   ? text(loaded.codec.decode(h.tokens), "\n")
                   : text(number, " ||| ", loaded.codec.decode(h.tokens), " ||| ", h.score, "\n");
      ++number;
    }
    if (!write_standard_output(out)) break;
  }
  counts.report();
  return 0;
}

}  // namespace examples

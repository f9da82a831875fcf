#pragma once
#include <formwork/core/folder.hpp>
#include <formwork/graph/dot.hpp>
#include <formwork/io/atomic_file.hpp>
#include <formwork/model/summary.hpp>

#include "command_line.hpp"

namespace examples {

inline const char* summary_examples =
    "Examples:\n"
    "  translate summary --vocab-size 9713 --max-tokens 8192\n"
    "  translate summary --dot pictures && dot -Tsvg pictures/encoder_layer.dot > encoder_layer.svg";

/// Writes each layer, as it was written and as it is run, as a Graphviz file.
template <class Config>
void write_pictures(const std::string& folder) {
  using model = formwork::encoder_decoder<Config>;
  formwork::make_folders(folder);
  const auto write = [&](const std::string& name, const formwork::graph& g) {
    const std::string picture = formwork::dot_of(g, name);
    formwork::write_atomically(folder + "/" + name + ".dot",
                               [&](formwork::file_writer& to) { to.write(picture.data(), picture.size()); });
  };
  write("encoder_layer", formwork::encoder_layer<Config>::graph);
  write("encoder_layer_fused", model::encoder_tower::lower_layer::graph);
  write("decoder_layer", formwork::decoder_layer<Config>::graph);
  write("decoder_layer_fused", model::decoder_tower::lower_layer::graph);
}

struct summary_options {
  index_t vocabulary = 8000, max_tokens = 4096;
  double length = 20;
  std::string pictures;
};

inline void add_summary_options(CLI::App& app, summary_options& o) {
  add_common_options(app);
  add_number(app, "--vocab-size", o.vocabulary, vocabulary_sizes,
             "entries of the vocabulary, which is not compiled");
  add_number(app, "--max-tokens", o.max_tokens, {1, 1'000'000'000},
             "tokens of a batch on either side, for the memory plan");
  add_number(app, "--length", o.length, {1, 1e9}, "tokens of an average sentence, for the operations");
  add_text(app, "--dot", o.pictures, "FOLDER", "write Graphviz pictures of the layers into this folder");
}

/// The command `summary`: what was compiled.
template <class Config, class Optimizer>
int summary(const std::vector<std::string>& arguments) {
  CLI::App app("Describes the compiled model: equations, parameters, operations, memory.",
               "translate summary");
  summary_options o;
  add_summary_options(app, o);
  app.footer(summary_examples);
  if (!parse(app, arguments)) return 0;
  const formwork::encoder_decoder<Config> model({o.vocabulary, o.vocabulary},
                                                [](const auto&, const auto&, auto) { return 0.0; });
  if (!o.pictures.empty()) write_pictures<Config>(o.pictures);  // first: a fault prints a sentence alone
  static_assert(formwork::explain_optimizer<Optimizer>());
  constexpr bool alike = formwork::elementwise_optimizer<Optimizer> && !formwork::detail::has_rest<Optimizer>;
  int moments = 0;
  if constexpr (alike) moments = Optimizer::moments;
  std::fputs(formwork::summary_of(model, {.source_length = o.length,
                                          .target_length = o.length,
                                          .source_tokens = o.max_tokens,
                                          .target_tokens = o.max_tokens,
                                          .moments = moments})
                 .c_str(),
             stdout);
  if (!alike)
    std::printf(
        "  moments are not counted: how many numbers the optimizer keeps depends on a parameter's shape and "
        "role\n");
  return 0;
}

}  // namespace examples

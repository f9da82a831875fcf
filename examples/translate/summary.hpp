#pragma once
#include <formwork/graph/dot.hpp>
#include <formwork/io/atomic_file.hpp>
#include <formwork/model/summary.hpp>

#include <filesystem>

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
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) fail(folder, ": the folder cannot be made: ", failed.message());
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

/// The command `summary`: what was compiled.
template <class Config, int Moments>
int summary(std::vector<std::string> arguments) {
  CLI::App app("Describes the compiled model: equations, parameters, operations, memory.",
               "translate summary");
  index_t vocabulary = 8000, max_tokens = 4096;
  double length = 20;
  std::string pictures;
  add_common_options(app);
  app.add_option("--vocab-size", vocabulary, "entries of the vocabulary, which is not compiled");
  app.add_option("--max-tokens", max_tokens, "tokens of a batch on either side, for the memory plan");
  app.add_option("--length", length, "tokens of an average sentence, for the operations");
  app.add_option("--dot", pictures, "write Graphviz pictures of the layers into this folder");
  app.footer(summary_examples);
  if (!parse(app, std::move(arguments))) return 0;
  if (vocabulary < 1 || vocabulary > 100'000'000)
    fail("--vocab-size is ", vocabulary, ", expected 1 to 100,000,000");
  if (max_tokens < 1 || max_tokens > 1'000'000'000)
    fail("--max-tokens is ", max_tokens, ", expected at least 1");
  if (!(length >= 1 && length < 1e9)) fail("--length is ", length, ", expected at least 1");
  const formwork::encoder_decoder<Config> model({vocabulary, vocabulary},
                                                [](const auto&, const auto&, auto) { return 0.0; });
  std::fputs(formwork::summary_of(model, {.source_length = length,
                                          .target_length = length,
                                          .source_tokens = max_tokens,
                                          .target_tokens = max_tokens,
                                          .moments = Moments})
                 .c_str(),
             stdout);
  if (!pictures.empty()) write_pictures<Config>(pictures);
  return 0;
}

}  // namespace examples

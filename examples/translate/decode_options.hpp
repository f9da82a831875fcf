#pragma once
#include <formwork/core/thread_team.hpp>
#include <formwork/decode/options.hpp>
#include <formwork/kernels/cpu/backend.hpp>
#include <formwork/train/model_file.hpp>

#include "codec.hpp"
#include "command_line.hpp"

namespace examples {

/// Which model to use, and how.
struct translation_options {
  std::string folder, checkpoint, penalty = "average";
  formwork::decode_options decode;
  int threads = 0;

  void complete() {
    if (penalty == "gnmt") decode.penalty = formwork::length_penalty::gnmt;
    if (decode.sample) decode.beam = 1;
    decode.validate();
  }
};

inline void add_translation_options(CLI::App& app, translation_options& o) {
  app.option_defaults()->group("Model");
  add_text(app, "--model", o.folder, "FOLDER", "folder of a training run");
  add_text(app, "--checkpoint", o.checkpoint, "FILE",
           "use this file instead of the folder's model.safetensors");
  add_number(app, "--threads", o.threads, thread_counts,
             "of this program; 0: as many as there are processors; changes no result");
  add_number(app, "--max-source-length", o.decode.max_source_length, counts,
             "most tokens of a line; time grows with the square of them; 0: no limit");
  add_number(app, "--batch-tokens", o.decode.batch_tokens, {1, 1'000'000'000},
             "source tokens translated together; changes no result");
  app.option_defaults()->group("Search");
  add_number(app, "--beam", o.decode.beam, {1, 1'000'000},
             "hypotheses of a sentence that live on; 1: greedy");
  add_number(app, "--lenpen", o.decode.alpha, {0, 20}, "strength of the length penalty; 0: none");
  add_choice(app, "--penalty", o.penalty, {"average", "gnmt"},
             "log-probability / length^lenpen, gnmt: / ((5 + length) / 6)^lenpen");
  add_number(app, "--max-length-factor", o.decode.max_length_factor, {0, 1000},
             "longest translation in source lengths");
  add_number(app, "--max-length-extra", o.decode.max_length_extra, {0, 1'000'000}, "and so many tokens more");
  add_number(app, "--min-length", o.decode.min_length, {0, 1'000'000}, "tokens before the end mark may come");
  app.option_defaults()->group("Sampling");
  app.add_flag("--sample", o.decode.sample, "draw one translation at random instead of searching the best");
  add_number(app, "--temperature", o.decode.temperature, above_zero, "above 1 wilder, below 1 tamer");
  add_number(app, "--top-k", o.decode.top_k, {0, 1'000'000'000}, "only the likeliest tokens; 0: all");
  add_number(app, "--seed", o.decode.seed, seeds, "another seed draws other translations");
}

/// A trained model with its codec, ready to translate.
template <class Config>
struct loaded_model {
  formwork::cpu_backend cpu;
  text_codec codec;
  formwork::encoder_decoder<Config> model;

  explicit loaded_model(const translation_options& o)
      : cpu(o.threads ? o.threads : formwork::available_threads()),
        codec(text_codec::load(o.folder)),
        model({codec.size(), codec.size()}, [](const auto&, const auto&, auto) { return 0.0; }) {
    const std::string usual = o.folder + "/model.safetensors";
    if (o.checkpoint.empty() && !formwork::path_exists(usual))
      fail(usual, ": is not there; the run is not finished, --checkpoint FILE takes one of its checkpoints");
    formwork::load_model(model, o.checkpoint.empty() ? usual : o.checkpoint);
  }
};

}  // namespace examples

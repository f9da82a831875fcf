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
    if (penalty == "gnmt")
      decode.penalty = formwork::length_penalty::gnmt;
    else if (penalty != "average")
      fail("--penalty is ", penalty, ", expected average or gnmt", suggestion(penalty, {"average", "gnmt"}));
    if (threads < 0 || threads > 1024) fail("--threads is ", threads, ", expected 0 to 1024");
    if (decode.sample) decode.beam = 1;
    decode.validate();
  }
};

inline void add_translation_options(CLI::App& app, translation_options& o) {
  app.add_option("--model", o.folder, "folder of a training run");
  app.add_option("--checkpoint", o.checkpoint, "use this file instead of the folder's model.safetensors");
  app.add_option("--beam", o.decode.beam, "hypotheses of a sentence that live on; 1: greedy");
  app.add_option("--lenpen", o.decode.alpha, "strength of the length penalty; 0: none");
  app.add_option("--penalty", o.penalty,
                 "average: log-probability / length^lenpen; gnmt: / ((5 + length) / 6)^lenpen");
  app.add_option("--batch-tokens", o.decode.batch_tokens,
                 "source tokens translated together; changes no result");
  app.add_option("--max-length-factor", o.decode.max_length_factor, "longest translation in source lengths");
  app.add_option("--max-length-extra", o.decode.max_length_extra, "and so many tokens more");
  app.add_option("--min-length", o.decode.min_length, "tokens before the end mark may come");
  app.add_flag("--sample", o.decode.sample, "draw one translation at random instead of searching the best");
  app.add_option("--temperature", o.decode.temperature, "sampling: above 1 wilder, below 1 tamer");
  app.add_option("--top-k", o.decode.top_k, "sampling: only the likeliest tokens; 0: all");
  app.add_option("--seed", o.decode.seed, "sampling");
  app.add_option("--threads", o.threads, "0: as many as there are processors; changes no result");
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
    if (o.checkpoint.empty() && !std::filesystem::exists(usual))
      fail(usual, ": is not there; the run is not finished, --checkpoint FILE takes one of its checkpoints");
    formwork::load_model(model, o.checkpoint.empty() ? usual : o.checkpoint);
  }
};

}  // namespace examples

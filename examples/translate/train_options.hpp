#pragma once
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/policy/schedule/cosine.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>
#include <formwork/policy/schedule/linear.hpp>
#include <formwork/policy/validate.hpp>
#include <formwork/train/options.hpp>

#include "command_line.hpp"

namespace examples {

/// Everything about a training run that is not compiled.
struct train_options {
  std::string train_source, train_target, valid_source, valid_target, folder;
  bool embedded = false;
  index_t embedded_pairs = 40'000;
  index_t vocabulary_size = 8'000;
  bool pre_segmented = false, sentencepiece = false;
  index_t max_length = 0, max_tokens = 4096, pool = 8192;
  std::string schedule = "inverse_sqrt";
  double lr = 1e-3, initial_lr = 0, final_lr = 0;
  step_t warmup = 0, decay_from = 0;
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-8, weight_decay = 0, momentum = 0.9;
  double dropout = 0.1, attention_dropout = 0, activation_dropout = 0, label_smoothing = 0.1;
  bool fairseq_gains = false;
  std::uint64_t seed = 1;
  int threads = 0;
  bool resume = false, restart = false;
  index_t average = 0;
  formwork::training_options run{.patience = 10};
};

inline const char* train_examples =
    "Examples:\n"
    "  translate train --embedded --vocab-size 1000 --lr 2e-3 --steps 1000 --out runs/first\n"
    "  translate train --train-src train.de --train-tgt train.en --valid-src val.de.gz --valid-tgt val.en.gz "
    "\\\n"
    "                  --vocab-size 8000 --out runs/de-en\n"
    "  translate train --config runs/de-en/config.txt --epochs 30     (goes on with that run)\n"
    "A run that was killed, or ended by SIGTERM (exit status 75), goes on where it was when the same command "
    "is given\n"
    "again. A finished run is left as it is. The folder gets config.txt, the vocabulary, checkpoints/, "
    "metrics.jsonl\n"
    "and, at the end, model.safetensors.";

inline void add_data_options(CLI::App& app, train_options& o) {
  app.add_option("--train-src", o.train_source,
                 "training text, source side: a sentence a line, plain or .gz");
  app.add_option("--train-tgt", o.train_target, "its translation, line by line");
  app.add_option("--valid-src", o.valid_source, "validation text, source side");
  app.add_option("--valid-tgt", o.valid_target, "its translation");
  app.add_option("--out", o.folder, "folder of the run; made if need be");
  app.add_flag("--embedded", o.embedded, "use the embedded German-English corpus; it is written to OUT/data");
  app.add_option("--embedded-pairs", o.embedded_pairs, "training pairs of the embedded corpus");
  app.add_option("--vocab-size", o.vocabulary_size,
                 "entries of the joint vocabulary, learned from the training text");
  app.add_flag("--pre-segmented", o.pre_segmented,
               "tokens are what stands between spaces, '@@ ' joins pieces; --vocab-size does not apply");
  app.add_flag("--sentencepiece", o.sentencepiece, "learn the vocabulary with SentencePiece");
  app.add_option("--max-length", o.max_length, "drop pairs with more tokens on a side; 0: as --max-tokens");
  app.add_option("--max-tokens", o.max_tokens, "most tokens of a batch on either side");
  app.add_option("--pool", o.pool, "pairs that are sorted by length together; 0: all");
}

inline void add_policy_options(CLI::App& app, train_options& o) {
  app.add_option("--schedule", o.schedule, "constant, inverse_sqrt, linear or cosine");
  app.add_option("--lr,--learning-rate", o.lr, "highest learning rate");
  app.add_option("--warmup", o.warmup, "updates of linear warm-up; 0: none");
  app.add_option(
      "--decay-from", o.decay_from,
      "inverse_sqrt: update from which the rate falls; 0: the end of warm-up, without warm-up 4000");
  app.add_option("--initial-lr", o.initial_lr, "inverse_sqrt: rate from which warm-up starts");
  app.add_option("--final-lr", o.final_lr, "linear, cosine: rate at the last update, which is --steps");
  app.add_option("--beta1", o.beta1, "Adam: weight of the past in the mean gradient");
  app.add_option("--beta2", o.beta2, "Adam: weight of the past in the mean square");
  app.add_option("--epsilon", o.epsilon, "Adam: added to the root of the mean square");
  app.add_option("--weight-decay", o.weight_decay, "decay of matrices, as the optimizer defines it");
  app.add_option("--momentum", o.momentum, "SGD: weight of the past");
  app.add_flag("--fairseq-gains", o.fairseq_gains, "initialise queries, keys and values as fairseq does");
}

inline void add_run_options(CLI::App& app, train_options& o) {
  app.add_option("--dropout", o.dropout, "of embeddings and of every branch");
  app.add_option("--attention-dropout", o.attention_dropout, "of attention weights");
  app.add_option("--activation-dropout", o.activation_dropout, "inside the feed-forward blocks");
  app.add_option("--label-smoothing", o.label_smoothing, "probability taken from the reference");
  app.add_option("--clip-norm", o.run.clip_norm, "largest gradient norm; 0: no clipping");
  app.add_option("--accumulate", o.run.accumulate, "batches of one update");
  app.add_option("--steps", o.run.steps, "stop after so many updates; 0: no limit");
  app.add_option("--epochs", o.run.epochs, "stop after so many passes over the data; 0: no limit");
  app.add_option("--patience", o.run.patience,
                 "stop after so many evaluations without a lower loss; 0: never");
  app.add_option("--evaluate-every", o.run.evaluate_every, "updates between evaluations; 0: each epoch");
  app.add_option("--log-every", o.run.log_every, "updates between two reports");
  app.add_option("--keep", o.run.keep, "latest checkpoints that stay; at least as many as --average");
  app.add_option("--average", o.average,
                 "last checkpoints whose mean becomes the model; 0: 10, with --ema 1");
  app.add_option("--ema", o.run.ema_decay, "decay of a moving average that becomes the model; 0: none");
  app.add_option("--seed", o.seed, "of initial values, data order and dropout");
  app.add_option("--threads", o.threads, "0: as many as there are processors; changes no result");
  app.add_flag("--resume", o.resume, "go on with the run in the folder (what happens anyway)");
  app.add_flag("--restart", o.restart, "throw the run in the folder away first");
}

/// The schedule that --schedule names; the default of formwork_add_trainer.
struct named_schedule {
  std::string name = "inverse_sqrt";
  double lr = 1e-3, initial = 0, end = 0;
  step_t warmup = 0, decay_from = 4000, total = 0;

  double operator()(step_t step) const {
    if (name == "constant") return formwork::constant{lr}(step)*formwork::detail::warmup_share(step, warmup);
    if (name == "linear") return formwork::linear{lr, warmup, total, end}(step);
    if (name == "cosine") return formwork::cosine{lr, warmup, total, end}(step);
    return formwork::inverse_sqrt{lr, warmup, decay_from, initial}(step);
  }
  void validate() const {
    if (name == "constant")
      formwork::inverse_sqrt{lr, warmup, 1, 0}.validate();
    else if (name == "inverse_sqrt")
      formwork::inverse_sqrt{lr, warmup, decay_from, initial}.validate();
    else if (name != "linear" && name != "cosine")
      fail("there is no schedule '", name, "'",
           suggestion(name, {"constant", "inverse_sqrt", "linear", "cosine"}));
    else if (total < 1)
      fail("the schedule ", name, " needs --steps, where it ends");
    else if (name == "linear")
      formwork::linear{lr, warmup, total, end}.validate();
    else
      formwork::cosine{lr, warmup, total, end}.validate();
  }
};

/// Error: an option was given, other than with its default, that the compiled policies have no use for.
inline void refuse(const CLI::App& app, const char* name) {
  const CLI::Option* option = app.get_option(name);
  if (option->count() && option->results().back() != option->get_default_str())
    fail(app.get_name(), ": the optimizer and schedule of this program have no use for ", name);
}

/// The compiled schedule, its members set from the options of their names.
template <class Schedule>
Schedule make_schedule(const CLI::App& app, const train_options& o, index_t d_model) {
  Schedule s;
  if constexpr (requires { s.name = o.schedule; })
    s.name = o.schedule;
  else
    refuse(app, "--schedule");
  if constexpr (requires { s.lr = o.lr; })
    s.lr = o.lr;
  else
    refuse(app, "--lr");
  if constexpr (requires { s.warmup = o.warmup; })
    s.warmup = o.warmup;
  else
    refuse(app, "--warmup");
  if constexpr (requires { s.decay_from = o.decay_from; })
    s.decay_from = o.decay_from ? o.decay_from : o.warmup > 1 ? o.warmup : 4000;
  else
    refuse(app, "--decay-from");
  if constexpr (requires { s.initial = o.initial_lr; })
    s.initial = o.initial_lr;
  else
    refuse(app, "--initial-lr");
  if constexpr (requires { s.end = o.final_lr; })
    s.end = o.final_lr;
  else
    refuse(app, "--final-lr");
  if constexpr (requires { s.total = o.run.steps; }) s.total = o.run.steps;
  if constexpr (requires { s.d_model = d_model; }) s.d_model = d_model;
  formwork::validate(s);
  return s;
}

/// The compiled optimizer, its members set from the options of their names.
template <class Optimizer>
Optimizer make_optimizer(const CLI::App& app, const train_options& o) {
  Optimizer p;
  if constexpr (requires { p.beta1 = o.beta1; })
    p.beta1 = o.beta1;
  else
    refuse(app, "--beta1");
  if constexpr (requires { p.beta2 = o.beta2; })
    p.beta2 = o.beta2;
  else
    refuse(app, "--beta2");
  if constexpr (requires { p.epsilon = o.epsilon; })
    p.epsilon = o.epsilon;
  else
    refuse(app, "--epsilon");
  if constexpr (requires { p.weight_decay = o.weight_decay; })
    p.weight_decay = o.weight_decay;
  else if constexpr (requires { p.l2 = o.weight_decay; })
    p.l2 = o.weight_decay;
  else
    refuse(app, "--weight-decay");
  if constexpr (requires { p.momentum = o.momentum; })
    p.momentum = o.momentum;
  else
    refuse(app, "--momentum");
  formwork::validate(p);
  return p;
}

}  // namespace examples

#pragma once
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/policy/schedule/cosine.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>
#include <formwork/policy/schedule/linear.hpp>
#include <formwork/policy/validate.hpp>
#include <formwork/train/options.hpp>

#include <type_traits>

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

/// The schedule that --schedule names; the default of formwork_add_trainer.
struct named_schedule {
  std::string name = "inverse_sqrt";
  double lr = 1e-3, initial = 0, end = 0;
  step_t warmup = 0, decay_from = 4000, total = 0;

  static std::vector<std::string> names() { return {"constant", "inverse_sqrt", "linear", "cosine"}; }

  /// The options that a schedule of this name has no use for.
  static std::vector<const char*> unused(const std::string& name) {
    if (name == "constant") return {"--initial-lr", "--final-lr", "--decay-from"};
    if (name == "inverse_sqrt") return {"--final-lr"};
    return {"--decay-from"};
  }

  double operator()(step_t step) const {
    if (name == "constant") return formwork::constant{lr}(step)*formwork::detail::warmup_share(step, warmup);
    if (name == "linear") return formwork::linear{lr, warmup, total, end, initial}(step);
    if (name == "cosine") return formwork::cosine{lr, warmup, total, end, initial}(step);
    return formwork::inverse_sqrt{lr, warmup, decay_from, initial}(step);
  }
  void validate() const {
    if (name == "constant")
      formwork::inverse_sqrt{lr, warmup, 1, 0}.validate();
    else if (name == "inverse_sqrt")
      formwork::inverse_sqrt{lr, warmup, decay_from, initial}.validate();
    else if (total < 1)
      fail("the schedule ", name, " needs --steps, where it ends");
    else if (name == "linear")
      formwork::linear{lr, warmup, total, end, initial}.validate();
    else
      formwork::cosine{lr, warmup, total, end, initial}.validate();
  }
};

inline const char* train_examples =
    "Examples:\n"
    "  translate train --embedded --vocab-size 1000 --lr 2e-3 --steps 1000 --out runs/first\n"
    "  translate train --train-src train.de --train-tgt train.en --valid-src val.de.gz \\\n"
    "                  --valid-tgt val.en.gz --vocab-size 8000 --out runs/de-en\n"
    "  translate train --config runs/de-en/config.txt --epochs 30     (goes on with that run)\n"
    "Needed are --out and either --embedded or four files. INT=8000: without the option it is 8000.\n"
    "A run that was killed, or ended by SIGTERM (exit status 75), goes on where it was when the same\n"
    "command is given again. A finished run is left as it is. The folder gets config.txt, the\n"
    "vocabulary, checkpoints/, metrics.jsonl and, at the end, model.safetensors.";

inline void add_data_options(CLI::App& app, train_options& o) {
  app.option_defaults()->group("Text");
  add_text(app, "--train-src", o.train_source, "FILE",
           "training text, source side: a sentence a line, plain or .gz");
  add_text(app, "--train-tgt", o.train_target, "FILE", "its translation, line by line");
  add_text(app, "--valid-src", o.valid_source, "FILE", "validation text, source side");
  add_text(app, "--valid-tgt", o.valid_target, "FILE", "its translation");
  app.add_flag("--embedded", o.embedded, "use the embedded German-English corpus; it is written to OUT/data");
  add_number(app, "--embedded-pairs", o.embedded_pairs, {1, 10'000'000},
             "sentence pairs to train on of the embedded corpus");
  add_number(app, "--vocab-size", o.vocabulary_size, vocabulary_sizes,
             "entries of the joint vocabulary, learned from the training text");
  app.add_flag("--pre-segmented", o.pre_segmented,
               "tokens stand between spaces, '@@ ' joins pieces; no use for --vocab-size");
  app.add_flag("--sentencepiece", o.sentencepiece, "learn the vocabulary with SentencePiece");
  add_number(app, "--max-length", o.max_length, counts,
             "drop pairs with more tokens on a side; 0: as --max-tokens");
  app.option_defaults()->group("Batches");
  add_number(app, "--max-tokens", o.max_tokens, {2, 1'000'000'000}, "most tokens of a batch on either side");
  add_number(app, "--pool", o.pool, counts, "sentence pairs that are sorted by length together; 0: all");
  add_number(app, "--accumulate", o.run.accumulate, {1, 1'000'000}, "batches of one update");
}

inline void add_policy_options(CLI::App& app, train_options& o) {
  app.option_defaults()->group("Learning rate");
  add_choice(app, "--schedule", o.schedule, named_schedule::names(),
             "constant, inverse_sqrt, linear or cosine");
  add_number(app, "--lr,--learning-rate", o.lr, above_zero, "highest learning rate");
  add_number(app, "--warmup", o.warmup, counts, "updates of linear warm-up; 0: none");
  add_number(app, "--decay-from", o.decay_from, counts,
             "inverse_sqrt: update from which the rate falls; 0: end of warm-up, or 4000");
  add_number(app, "--initial-lr", o.initial_lr, zero_or_more,
             "all but constant: rate from which warm-up starts");
  add_number(app, "--final-lr", o.final_lr, zero_or_more,
             "linear, cosine: rate at the last update, which is --steps");
  app.option_defaults()->group("Optimizer");
  add_number(app, "--beta1", o.beta1, below_one, "Adam: weight of the past in the mean gradient, in [0, 1)");
  add_number(app, "--beta2", o.beta2, below_one, "Adam: weight of the past in the mean square, in [0, 1)");
  add_number(app, "--epsilon", o.epsilon, {.least = 1e-30}, "Adam: added to the root of the mean square");
  add_number(app, "--weight-decay", o.weight_decay, zero_or_more,
             "decay of matrices, as the optimizer defines it");
  add_number(app, "--momentum", o.momentum, below_one, "SGD: weight of the past, in [0, 1)");
  add_number(app, "--clip-norm", o.run.clip_norm, zero_or_more, "largest gradient norm; 0: no clipping");
  app.option_defaults()->group("Regularisation (shares, in [0, 1))");
  add_number(app, "--dropout", o.dropout, below_one, "of embeddings and of every branch");
  add_number(app, "--attention-dropout", o.attention_dropout, below_one, "of attention weights");
  add_number(app, "--activation-dropout", o.activation_dropout, below_one, "inside the feed-forward blocks");
  add_number(app, "--label-smoothing", o.label_smoothing, below_one, "probability taken from the reference");
}

inline void add_run_options(CLI::App& app, train_options& o) {
  app.option_defaults()->group("Run");
  add_text(app, "--out", o.folder, "FOLDER", "folder of the run; made if need be");
  add_number(app, "--steps", o.run.steps, counts, "stop after so many updates; 0: no limit");
  add_number(app, "--epochs", o.run.epochs, counts, "stop after so many passes over the data; 0: no limit");
  add_number(app, "--patience", o.run.patience, counts,
             "stop after so many evaluations without a lower loss; 0: never");
  add_number(app, "--evaluate-every", o.run.evaluate_every, counts,
             "updates between evaluations; 0: at the end of each epoch");
  add_number(app, "--log-every", o.run.log_every, positive_counts, "updates between two reports");
  add_number(app, "--keep", o.run.keep, positive_counts,
             "latest checkpoints that stay; at least as many as --average");
  add_number(app, "--average", o.average, counts,
             "last checkpoints whose mean becomes the model; 0: 10, with --ema 1");
  add_number(app, "--ema", o.run.ema_decay, below_one,
             "decay of a moving average that becomes the model, in [0, 1); 0: none");
  app.add_flag("--fairseq-gains", o.fairseq_gains, "initialise queries, keys and values as fairseq does");
  add_number(app, "--seed", o.seed, seeds, "of initial values, data order and dropout");
  add_number(app, "--threads", o.threads, thread_counts,
             "of this program; 0: as many as there are processors; changes no result");
  app.add_flag("--resume", o.resume, "go on with the run in the folder; an error if there is none");
  app.add_flag("--restart", o.restart, "throw the run in the folder away first");
}

inline void add_train_options(CLI::App& app, train_options& o) {
  add_common_options(app);
  add_data_options(app, o);
  add_policy_options(app, o);
  add_run_options(app, o);
}

/// Puts the defaults of the compiled policies in place of the program's own, where a policy has a member of
/// the option's name: what no option changes stays as the policy has it, and --help and config.txt say so.
/// The shipped policies, named_schedule and adamw, take the program's.
template <class Optimizer, class Schedule>
void take_defaults(train_options& o) {
  if constexpr (!std::is_same_v<Schedule, named_schedule>) {
    const Schedule s{};
    if constexpr (requires { o.lr = s.lr; }) o.lr = s.lr;
    if constexpr (requires { o.warmup = s.warmup; }) o.warmup = s.warmup;
    if constexpr (requires { o.decay_from = s.decay_from; }) o.decay_from = s.decay_from;
    if constexpr (requires { o.initial_lr = s.initial; }) o.initial_lr = s.initial;
    if constexpr (requires { o.final_lr = s.end; }) o.final_lr = s.end;
  }
  if constexpr (!std::is_same_v<Optimizer, formwork::adamw>) {
    const Optimizer p{};
    if constexpr (requires { o.beta1 = p.beta1; }) o.beta1 = p.beta1;
    if constexpr (requires { o.beta2 = p.beta2; }) o.beta2 = p.beta2;
    if constexpr (requires { o.epsilon = p.epsilon; }) o.epsilon = p.epsilon;
    if constexpr (requires { o.weight_decay = p.weight_decay; })
      o.weight_decay = p.weight_decay;
    else if constexpr (requires { o.weight_decay = p.l2; })
      o.weight_decay = p.l2;
    if constexpr (requires { o.momentum = p.momentum; }) o.momentum = p.momentum;
  }
}

/// Error: an option was given, other than with its default, that `who`, "the ... has", has no use for.
inline void refuse(const CLI::App& app, const char* name,
                   const std::string& who = "the optimizer and schedule of this program have") {
  const CLI::Option* option = app.get_option(name);
  if (option->count() && option->results().back() != option->get_default_str())
    fail(app.get_name(), ": ", who, " no use for ", name);
}

/// The compiled schedule, its members set from the options of their names, which have its defaults.
template <class Schedule>
Schedule make_schedule(const CLI::App& app, const train_options& o, index_t d_model) {
  Schedule s;
  if constexpr (std::is_same_v<Schedule, named_schedule>)
    for (const char* name : named_schedule::unused(o.schedule))
      refuse(app, name, text("the schedule ", o.schedule, " has"));
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
  if constexpr (requires { s.total = o.run.steps; })
    if (o.run.steps > 0) s.total = o.run.steps;
  if constexpr (requires { s.d_model = d_model; }) s.d_model = d_model;
  formwork::validate(s);
  return s;
}

/// The compiled optimizer, its members set from the options of their names, which have its defaults.
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

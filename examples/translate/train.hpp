#pragma once
#include <formwork/data/batch_source.hpp>
#include <formwork/data/embedded_corpus.hpp>
#include <formwork/data/read_corpus.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <formwork/train/metrics_log.hpp>
#include <formwork/train/progress.hpp>
#include <formwork/train/trainer.hpp>

#include "codec.hpp"
#include "final_model.hpp"
#include "run_folder.hpp"
#include "train_options.hpp"

namespace examples {

/// What is trained on.
struct training_data {
  text_codec codec;
  formwork::parallel_corpus train, valid;
};

/// The folder has a run already, which this command goes on with.
inline bool goes_on(const train_options& o, const run_folder& folder) {
  return !o.restart && (folder.has_state() || folder.has_model());
}

inline text_codec make_codec(const train_options& o, const run_folder& folder) {
  if (goes_on(o, folder)) return text_codec::load(folder.path());
  const std::vector<std::string> files{o.train_source, o.train_target};
  if (o.pre_segmented) return text_codec::of_words(files, 0);
  if (o.sentencepiece) return text_codec::of_sentencepiece(files, o.vocabulary_size);
  return text_codec::of_byte_pairs(files, o.vocabulary_size);
}

inline training_data read_data(train_options& o, run_folder& folder) {
  if (o.embedded) {
    const std::string data = folder.write_embedded_corpus(o.embedded_pairs);
    o.train_source = data + "/train.de", o.train_target = data + "/train.en";
    o.valid_source = data + "/valid.de", o.valid_target = data + "/valid.en";
  }
  for (const auto& [a, b] : {std::pair{o.train_source, o.train_target}, {o.valid_source, o.valid_target}}) {
    const index_t lines[] = {formwork::detail::count_lines(a), formwork::detail::count_lines(b)};
    if (lines[0] != lines[1]) fail("corpus: ", a, " has ", lines[0], " lines, but ", b, " has ", lines[1]);
    if (lines[0] == 0) fail("corpus: ", a, " and ", b, " have no lines");
  }
  text_codec codec = make_codec(o, folder);
  const auto read = [&](const std::string& source, const std::string& target) {
    return formwork::read_parallel_corpus(source, target, std::ref(codec), std::ref(codec),
                                          {.max_length = o.max_length ? o.max_length : o.max_tokens});
  };
  auto train = read(o.train_source, o.train_target), valid = read(o.valid_source, o.valid_target);
  return {std::move(codec), std::move(train), std::move(valid)};
}

/// Checks what the options mean together and fills in what depends on others.
inline void complete(const CLI::App& app, train_options& o) {
  require(app, {"--out"});
  if (!o.embedded) require(app, {"--train-src", "--train-tgt", "--valid-src", "--valid-tgt"});
  if (o.embedded && !(o.train_source + o.train_target + o.valid_source + o.valid_target).empty())
    fail(app.get_name(), ": --embedded brings its own text; leave out --train-src and the like");
  if (o.resume && o.restart) fail(app.get_name(), ": --resume and --restart exclude each other");
  if (o.pre_segmented && o.sentencepiece)
    fail(app.get_name(), ": --pre-segmented and --sentencepiece exclude each other");
  if (o.sentencepiece && !with_sentencepiece)
    fail("--sentencepiece: this program was built without the SentencePiece library");
  if (o.max_length > o.max_tokens)
    fail("--max-length is ", o.max_length, ", expected 0 to --max-tokens, which is ", o.max_tokens);
  if (!o.embedded && o.embedded_pairs != train_options{}.embedded_pairs)
    fail("--embedded-pairs needs --embedded");
  if (o.average == 0) o.average = o.run.ema_decay > 0 ? 1 : 10;
  o.run.keep = (std::max)(o.run.keep, o.average);
  o.run.seed = o.seed;
  o.run.dropout = {.embedding = o.dropout,
                   .attention = o.attention_dropout,
                   .activation = o.activation_dropout,
                   .residual = o.dropout};
  o.run.validate();
}

/// The command `train` for one compiled configuration. Returns the exit status: 0, or 75 after a signal.
template <class Config, class Optimizer, class Schedule>
int train(const std::vector<std::string>& arguments) {
  using model_type = formwork::encoder_decoder<Config>;
  CLI::App app("Trains a translation model and writes it into a folder.", "translate train");
  train_options o;
  take_defaults<Optimizer, Schedule>(o);
  add_train_options(app, o);
  app.footer(train_examples);
  if (!parse(app, arguments)) return 0;
  complete(app, o);
  const Schedule schedule = make_schedule<Schedule>(app, o, Config::size.d_model);
  const Optimizer optimizer = make_optimizer<Optimizer>(app, o);
  const formwork::smoothed_cross_entropy loss{.epsilon = o.label_smoothing};
  loss.validate();
  formwork::catch_stop_signals();

  run_folder folder(o.folder, written_options(app, {"help", "config", "resume", "restart"}));
  if (o.resume && !goes_on(o, folder))
    fail(folder.path(), ": has no run to resume; without --resume one begins");
  if (goes_on(o, folder))
    folder.require_same({"embedded", "embedded-pairs", "vocab-size", "pre-segmented", "sentencepiece"});
  training_data data = read_data(o, folder);
  formwork::batch_source batches(data.train, {.max_tokens = o.max_tokens, .seed = o.seed, .pool = o.pool});
  formwork::cpu_backend cpu(o.threads ? o.threads : formwork::available_threads());
  model_type model({data.codec.size(), data.codec.size()},
                   formwork::xavier_uniform{.fairseq_gains = o.fairseq_gains}, o.seed);
  formwork::trainer trainer(cpu, model, optimizer, schedule, loss);
  if (o.restart) folder.clear();
  const bool has_state = folder.has_state();
  if (!has_state && !folder.has_model()) folder.save(data.codec);
  o.run.folder = folder.checkpoints();
  o.run.fingerprint = folder.codec_fingerprint();
  const final_model result(folder, o, trainer.fingerprint(batches, data.valid, o.run));
  if (result.is_there()) {
    say(folder.path(), ": the run is finished; nothing was changed");
    return 0;
  }
  if (!has_state && folder.has_model())
    fail(folder.model(), ": has no checkpoints to go on from; choose another --out or say --restart");
  say("training: ", data.train.report.sentence());
  say("validation: ", data.valid.report.sentence());
  say("vocabulary ", data.codec.size(), ", parameters ", model.parameters().size(),
      ", batches of an epoch about ", batches.batches_in_epoch(), ", threads ", cpu.threads());
  const auto follow = [&]<class Report>(const Report& report) {
    folder.keep();
    if constexpr (std::is_same_v<Report, formwork::run_note>)
      if (report.resumed >= 0)
        folder.write_config();  // not before: a run of another kind is refused unchanged
  };
  if (!has_state) folder.write_config();
  const formwork::run_end end = trainer.run(batches, data.valid, o.run, formwork::progress(),
                                            formwork::metrics_log(folder.metrics()), follow);
  folder.keep();
  if (end == formwork::run_end::interrupted) return 75;
  result.write(model, trainer.counters());
  return 0;
}

}  // namespace examples

#include <formwork/train/trainer.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>

#include <cstring>
#include <fstream>

#include "../../support/reversal_task.hpp"
#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::reversal_corpus;

namespace {

using model_type = encoder_decoder<formwork_test::small_config<>>;
const vocabulary_sizes vocabulary = formwork_test::reversal_vocabulary;

/// A run with everything it needs; each starts from the same weights.
struct run {
  parallel_corpus corpus = reversal_corpus(200, 1);
  parallel_corpus valid = reversal_corpus(20, 2);
  cpu_backend backend;
  model_type model{vocabulary, xavier_uniform{}, 5};
  trainer<model_type, adam, inverse_sqrt> job{backend, model, adam{}, inverse_sqrt{.lr = 3e-3, .warmup = 5}};
  batch_source source;

  explicit run(int threads = 1, index_t max_tokens = 64)
      : backend(threads), source(corpus, {.max_tokens = max_tokens}) {}
  std::vector<float> weights() const {
    return {model.parameters().values(), model.parameters().values() + model.parameters().size()};
  }
};

const training_options dropout_run{.steps = 50, .dropout = {0.1, 0.1, 0.1, 0.1}};

std::vector<float> train(const training_options& options, int threads = 1) {
  run r(threads);
  r.job.run(r.source, r.valid, options);
  return r.weights();
}

}  // namespace

TEST_CASE("trainer: 1, 2 and 3 threads give the same bits after 50 updates") {
  const std::vector<float> one = train(dropout_run, 1);
  CHECK(train(dropout_run, 2) == one);
  CHECK(train(dropout_run, 3) == one);
}

TEST_CASE("trainer: the seed of the dropout masks changes the result, the same seed repeats it") {
  training_options other = dropout_run;
  other.seed = 2;
  const std::vector<float> first = train(dropout_run);
  CHECK(train(dropout_run) == first);
  CHECK(train(other) != first);
}

TEST_CASE("trainer: resumed twice, a run gives the same bits and rates as an uninterrupted one") {
  formwork_test::scratch_folder folder;
  training_options options = dropout_run;
  options.ema_decay = 0.9;
  std::vector<double> rates, resumed_rates;
  run whole;
  options.log_every = 1;
  whole.job.run(whole.source, whole.valid, options,
                [&](const update_report& r) { rates.push_back(r.learning_rate); });
  options.folder = folder.path();
  for (const step_t steps : {17, 31, 50}) {
    run part;
    options.steps = steps;
    part.job.run(part.source, part.valid, options,
                 [&](const update_report& r) { resumed_rates.push_back(r.learning_rate); });
    if (steps < 50) continue;
    CHECK(part.weights() == whole.weights());
    CHECK(std::memcmp(part.job.ema(), whole.job.ema(), part.weights().size() * sizeof(float)) == 0);
    CHECK(part.job.counters().best_loss == whole.job.counters().best_loss);
  }
  CHECK(resumed_rates == rates);
}

TEST_CASE("trainer: a state saved between two updates by hand goes on with the batches behind them") {
  formwork_test::scratch_folder folder;
  const training_options options{.steps = 1, .accumulate = 2};
  run whole, part, rest;
  for (int i = 0; i < 5; ++i) {
    if (i == 3) part.job.save_state(folder / "state", part.source, part.valid, options);
    whole.job.update(whole.source, options);
    part.job.update(part.source, options);
  }
  CHECK(part.job.counters().batch == part.source.position().batch);
  rest.job.load_state(checkpoint_reader(folder / "state"), rest.source, rest.valid, options);
  CHECK(rest.source.position().batch == 6);
  for (int i = 3; i < 5; ++i) rest.job.update(rest.source, options);
  CHECK(rest.weights() == whole.weights());
}

TEST_CASE("trainer: a finished run that is started again changes nothing") {
  formwork_test::scratch_folder folder;
  training_options options{.steps = 6, .folder = folder.path()};
  run first;
  first.job.run(first.source, first.valid, options);
  const auto before = rotation{.folder = folder.path()}.files();
  run again;
  int updates = 0;
  CHECK(again.job.run(again.source, again.valid, options, [&](const update_report&) { ++updates; }) ==
        run_end::finished);
  CHECK(updates == 0);
  CHECK(rotation{.folder = folder.path()}.files().size() == before.size());
  CHECK(again.weights() == first.weights());
}

TEST_CASE("trainer: resuming with another batch size or another model is refused with the difference") {
  formwork_test::scratch_folder folder;
  training_options options{.steps = 4, .folder = folder.path()};
  run first;
  first.job.run(first.source, first.valid, options);
  run half(1, 32);
  try {
    half.job.run(half.source, half.valid, options);
    FAIL("not refused");
  } catch (const error& e) {
    CHECK(std::string(e.what()).find("\"max_tokens\" is 64 in the file and 32 here") != std::string::npos);
  }
  using other_model = encoder_decoder<formwork_test::small_config<post_norm>>;
  other_model post(vocabulary, xavier_uniform{}, 5);
  trainer job(first.backend, post, adam{}, constant{1e-3});
  try {
    job.run(first.source, first.valid, options);
    FAIL("not refused");
  } catch (const error& e) {
    CHECK(std::string(e.what()).find("written under another configuration") != std::string::npos);
  }
}

TEST_CASE("trainer: whatever decides the result and differs on resume is refused by its name") {
  formwork_test::scratch_folder folder;
  const training_options options{.steps = 4, .folder = folder.path(), .fingerprint = "vocabulary=a\n"};
  run first;
  first.job.run(first.source, first.valid, options);
  const auto refused = [&](const char* name, parallel_corpus corpus, const parallel_corpus& valid,
                           batching_options batching, const training_options& changed) {
    run again;
    batch_source source(corpus, batching);
    const std::vector<float> before = again.weights();
    CHECK_THROWS_WITH_AS(again.job.run(source, valid, changed),
                         doctest::Contains(("configuration: \"" + std::string(name) + "\" is").c_str()),
                         error);
    CHECK(again.weights() == before);
  };
  const auto corpus = reversal_corpus(200, 1), valid = reversal_corpus(20, 2);
  refused("training text", reversal_corpus(200, 3), valid, {.max_tokens = 64}, options);
  refused("validation text", corpus, reversal_corpus(20, 3), {.max_tokens = 64}, options);
  refused("validation text", corpus, {}, {.max_tokens = 64}, options);
  refused("seed of the batches", corpus, valid, {.max_tokens = 64, .seed = 2}, options);
  refused("pool", corpus, valid, {.max_tokens = 64, .pool = 50}, options);
  training_options other = options;
  other.fingerprint = "vocabulary=b\n";
  refused("vocabulary", corpus, valid, {.max_tokens = 64}, other);
  other = options;
  other.ema_decay = 0.9;
  refused("ema", corpus, valid, {.max_tokens = 64}, other);
  other = options;
  other.accumulate = 2;
  refused("accumulate", corpus, valid, {.max_tokens = 64}, other);
  other = options;
  other.seed = 2;
  refused("seed of the dropout", corpus, valid, {.max_tokens = 64}, other);
}

TEST_CASE("trainer: a second run in the same folder is refused while the first one goes on") {
  formwork_test::scratch_folder folder;
  training_options options{.steps = 3, .log_every = 1, .folder = folder.path()};
  run first;
  int refused = 0;
  first.job.run(first.source, first.valid, options, [&](const update_report& u) {
    if (u.step != 2) return;
    run second;
    CHECK_THROWS_WITH_AS(second.job.run(second.source, second.valid, options),
                         doctest::Contains("another run is using this folder"), error);
    ++refused;
  });
  CHECK(refused == 1);
  options.steps = 4;
  run third;
  CHECK(third.job.run(third.source, third.valid, options) == run_end::finished);
}

TEST_CASE("trainer: patience ends a run, also when it is counted across a resume") {
  formwork_test::scratch_folder folder;
  training_options options{.steps = 1000, .patience = 5, .evaluate_every = 1, .folder = folder.path()};
  // A rate that moves no weight: nothing improves after the first evaluation.
  const auto stalled = [&](run& r) {
    trainer job(r.backend, r.model, adam{}, constant{1e-30});
    const run_end end = job.run(r.source, r.valid, options);
    return std::pair(end, job.counters().step);
  };
  run first;
  options.steps = 4;
  CHECK(stalled(first) == std::pair(run_end::finished, step_t{4}));
  run second;
  options.steps = 1000;
  CHECK(stalled(second) == std::pair(run_end::out_of_patience, step_t{6}));
}

TEST_CASE("trainer: a stop signal saves the state and returns") {
  formwork_test::scratch_folder folder;
  const training_options options{.steps = 50, .log_every = 1, .folder = folder.path()};
  run r;
  CHECK(r.job.run(r.source, r.valid, options, [](const update_report& u) {
    if (u.step == 9) stop_requested() = true;
  }) == run_end::interrupted);
  stop_requested() = false;
  CHECK(read_counters(checkpoint_reader(folder / "interrupted.safetensors")).step == 9);
  run again, whole;
  step_t first = 0;
  again.job.run(again.source, again.valid, options,
                [&](const update_report& u) { first = first ? first : u.step; });
  whole.job.run(whole.source, whole.valid, {.steps = 50});
  CHECK(first == 10);
  CHECK(again.weights() == whole.weights());
}

TEST_CASE("trainer: a run that is stopped in an evaluation makes it first when it goes on") {
  // Updates 10: an evaluation is due. 25: the last update, where one is due anyway.
  for (const step_t stopped : {10, 25}) {
    CAPTURE(stopped);
    formwork_test::scratch_folder folder, other_folder;
    training_options options{.steps = 25, .log_every = 1, .evaluate_every = 10, .folder = folder.path()};
    std::vector<std::pair<step_t, double>> parts, whole;
    const auto note = [](auto& to) {
      return [&to](const evaluation_report& e) { to.emplace_back(e.step, e.loss); };
    };
    run r, again, alone;
    CHECK(r.job.run(r.source, r.valid, options, note(parts), [&](const update_report& u) {
      if (u.step == stopped) stop_requested() = true;
    }) == run_end::interrupted);
    CHECK(parts.size() == (stopped == 10 ? 0 : 2));
    CHECK(read_counters(checkpoint_reader(folder / "interrupted.safetensors")).step == stopped);
    // Stopped again before it has done anything: the state stays as it is.
    run nothing;
    CHECK(nothing.job.run(nothing.source, nothing.valid, options) == run_end::interrupted);
    CHECK(read_counters(checkpoint_reader(folder / "interrupted.safetensors")).step == stopped);
    stop_requested() = false;
    CHECK(again.job.run(again.source, again.valid, options, note(parts)) == run_end::finished);
    options.folder = other_folder.path();
    alone.job.run(alone.source, alone.valid, options, note(whole));
    CHECK(parts == whole);
    CHECK(again.weights() == alone.weights());
    CHECK(again.job.counters().evaluations == alone.job.counters().evaluations);
    CHECK(again.job.counters().saved == std::vector<step_t>{10, 20, 25});
    CHECK_FALSE(std::filesystem::exists(folder / "interrupted.safetensors"));
    for (const step_t step : {10, 20, 25}) {
      const auto bytes = [&](const std::string& path) {
        return formwork_test::bytes_of(rotation{.folder = path}.path(step));
      };
      CHECK(bytes(folder.path()) == bytes(other_folder.path()));
    }
  }
}

TEST_CASE("trainer: an evaluation asks before each batch whether to stop") {
  run r;
  int asked = 0;
  REQUIRE(r.job.evaluate(r.valid, 16, [&] { return ++asked < 0; }));
  const int batches = asked;
  CHECK(batches > 3);
  asked = 0;
  CHECK_FALSE(r.job.evaluate(r.valid, 16, [&] { return ++asked == 3; }));
  CHECK(asked == 3);
}

TEST_CASE("trainer: a signal before the first update ends a run that has nothing to save") {
  formwork_test::scratch_folder folder;
  run r;
  stop_requested() = true;
  const run_end end = r.job.run(r.source, r.valid, {.steps = 5, .folder = folder.path()});
  stop_requested() = false;
  CHECK(end == run_end::interrupted);
  CHECK(r.job.counters().step == 0);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("trainer: evaluation has no dropout and changes nothing") {
  run r;
  r.job.run(r.source, r.valid, {.steps = 3, .dropout = dropout_rates::usual(0.9)});
  const std::vector<float> weights = r.weights();
  const double first = r.job.evaluate(r.valid, 64).loss;
  CHECK(r.job.evaluate(r.valid, 64).loss == first);
  CHECK(r.weights() == weights);
  // Batches of another size: the same sentences, so the same sum up to rounding.
  CHECK(r.job.evaluate(r.valid, 16).loss == doctest::Approx(first).epsilon(1e-6));
}

TEST_CASE("trainer: the time left is that of average updates, whatever the last one was") {
  run r;
  training_options options{.steps = 16, .log_every = 4};
  REQUIRE(r.source.batches_in_epoch() > 16);
  std::vector<index_t> tokens;
  for (batch_source again(r.corpus, {.max_tokens = 64}); tokens.size() < 16;)
    tokens.push_back(index_t(again.next().target_out.size()));
  r.job.run(r.source, {}, options, [&](const update_report& report) {
    if (report.step == 16) return;
    double mean = 0;
    for (step_t t = report.step - 3; t <= report.step; ++t) mean += double(tokens[std::size_t(t - 1)]) / 4;
    const double left = double(16 - report.step) * mean;
    CHECK(report.seconds_left * report.tokens_per_second == doctest::Approx(left).epsilon(1e-9));
  });
}

TEST_CASE("trainer: options that make no sense are refused") {
  run r;
  const auto refused = [&](training_options options, const char* sentence) {
    CHECK_THROWS_WITH_AS(r.job.run(r.source, r.valid, options), sentence, error);
  };
  refused({}, "training: nothing ends the run; set steps, epochs or patience");
  refused({.steps = 1, .accumulate = 0}, "training: accumulate is 0, expected at least 1");
  refused({.steps = 1, .dropout = {.residual = 1}},
          "training: a dropout rate is 1, expected a number in [0, 1)");
  refused({.steps = 1, .clip_norm = std::nan("")},
          "training: clip_norm is nan, expected a finite number, 0 or more");
  refused({.steps = 1, .keep = 0}, "training: keep is 0, expected at least 1");
  refused({.steps = 1, .ema_decay = 1}, "training: ema_decay is 1, expected a number in [0, 1)");
}

TEST_CASE("trainer: settings that differ on resume are named") {
  formwork_test::scratch_folder folder;
  training_options options{.steps = 4, .dropout = dropout_rates::usual(0.1), .folder = folder.path()};
  run first;
  first.job.run(first.source, first.valid, options);
  options.steps = 6;
  options.clip_norm = 0.5;
  options.dropout.residual = 0.2;
  std::vector<std::string> notes;
  run second;
  trainer job(second.backend, second.model, adam{.beta2 = 0.9}, inverse_sqrt{.lr = 1e-3, .warmup = 5});
  job.run(second.source, second.valid, options, [&](const run_note& n) { notes.emplace_back(n.sentence); });
  const auto told = [&](std::string_view text) {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& n) { return n.starts_with(text); });
  };
  CHECK(told("clip_norm is 0.5, was 0"));
  CHECK(told("dropout of residuals is 0.2, was 0.1"));
  CHECK(told("learning rate of the last update is"));
  CHECK(told("moves of the optimizer is"));
  CHECK(notes.size() == 6);  // the resume itself, five settings
}

TEST_CASE("trainer: a run that must start anew is refused a folder that holds another run") {
  formwork_test::scratch_folder folder;
  training_options options{.steps = 2, .folder = folder.path()};
  run first;
  first.job.run(first.source, first.valid, options);
  options.resume = false;
  run again;
  CHECK_THROWS_AS(again.job.run(again.source, again.valid, options), error);
  CHECK(rotation{.folder = folder.path()}.files().size() == 1);
}

TEST_CASE("trainer: a state that has diverged is never written") {
  formwork_test::scratch_folder folder;
  const training_options options{.steps = 3, .evaluate_every = 1, .folder = folder.path()};
  run r;
  trainer job(r.backend, r.model, adam{}, constant{1e30});
  CHECK_THROWS_AS(job.run(r.source, r.valid, options), non_finite_error);
  CHECK(rotation{.folder = folder.path()}.files().empty());
  run s;
  trainer nan_rate(s.backend, s.model, adam{}, [](step_t) { return std::nan(""); });
  CHECK_THROWS_WITH_AS(nan_rate.run(s.source, s.valid, {.steps = 3}),
                       "schedule: the rate of update 1 is nan, expected 0 or more", error);
}

TEST_CASE("trainer: a validation sentence that no batch can hold is found before the first update") {
  run r;
  const parallel_corpus long_ones = reversal_corpus(3, 1, 100, 120);
  int updates = 0;
  CHECK_THROWS_AS(
      r.job.run(r.source, long_ones, {.steps = 3, .log_every = 1}, [&](const update_report&) { ++updates; }),
      error);
  CHECK(updates == 0);
  CHECK_THROWS_WITH_AS(r.job.run(r.source, {}, {.patience = 3}),
                       "training: patience needs a validation set to look at", error);
}

TEST_CASE("trainer: the rate follows updates, not batches, and one batch can be learnt by heart") {
  const parallel_corpus one = reversal_corpus(4, 1);
  for (const int accumulate : {1, 2}) {
    cpu_backend backend(1);
    model_type model(vocabulary, xavier_uniform{});
    trainer job(backend, model, adam{}, inverse_sqrt{.lr = 1e-2, .warmup = 10}, {.epsilon = 0});
    batch_source source(one, {.max_tokens = 64});
    update_report last;
    for (int i = 0; i < 300; ++i) {
      last = job.update(source, {.steps = 1, .accumulate = accumulate});
      REQUIRE(last.learning_rate == inverse_sqrt{.lr = 1e-2, .warmup = 10}(i + 1));
    }
    CHECK(last.loss < 0.05);
  }
}

TEST_CASE("trainer: an average of parameters that do not change is those parameters") {
  run r;
  trainer job(r.backend, r.model, adam{}, constant{1e-30});
  const std::vector<float> before = r.weights();
  job.run(r.source, {}, {.steps = 200, .ema_decay = 0.999});
  for (std::size_t i = 0; i < before.size(); ++i) REQUIRE(std::abs(job.ema()[i] - before[i]) < 1e-25f);
}

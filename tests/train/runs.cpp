// Whole runs of a trainer: what it counts, what it keeps, and how it ends.
#include <formwork/train/trainer.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/schedule/constant.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "../support/reversal_task.hpp"
#include "../support/scratch_folder.hpp"

using namespace formwork;

namespace {

using model_type = encoder_decoder<formwork_test::small_config<>>;

/// A model that notes when it trains. The first pass, which is the rehearsal, and evaluations are slow.
struct watched_model : model_type {
  using model_type::model_type;
  using clock = std::chrono::steady_clock;

  loss_sums train(cpu_backend& on, const sequence_pairs& batch, const smoothed_cross_entropy& loss,
                  const pass_options& options) {
    if (tokens == 0) begun = clock::now();
    const loss_sums sums = model_type::train(on, batch, loss, options);
    if (passes++ == 0) return rest(), sums;
    tokens += sums.tokens;
    all_tokens += sums.tokens;
    ended = clock::now();
    return sums;
  }
  loss_sums evaluate(cpu_backend& on, const sequence_pairs& batch, const smoothed_cross_entropy& loss) {
    const loss_sums sums = model_type::evaluate(on, batch, loss);
    rest();
    return sums;
  }
  void rest() {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    rested = clock::now();
    tokens = 0;
  }

  clock::time_point begun, ended, rested;  // training since the last report or rest, and the last rest
  index_t passes = 0, tokens = 0, all_tokens = 0;
};

struct task {
  parallel_corpus corpus = formwork_test::reversal_corpus(200, 1),
                  valid = formwork_test::reversal_corpus(20, 2);
  batch_source source{corpus, {.max_tokens = 64}};
  cpu_backend backend{1};
};

/// A run of its own data from the same start; the weights it ends with.
std::vector<float> train(const training_options& options, double lr) {
  task t;
  model_type model(formwork_test::reversal_vocabulary, xavier_uniform{}, 5);
  trainer job(t.backend, model, adam{}, constant{lr});
  job.run(t.source, t.valid, options);
  return {model.parameters().values(), model.parameters().values() + model.parameters().size()};
}

}  // namespace

TEST_CASE("runs: the rate of tokens is that of training alone, and an epoch is every token once") {
  task t;
  watched_model model(formwork_test::reversal_vocabulary, xavier_uniform{}, 5);
  trainer job(t.backend, model, adam{}, constant{1e-3});
  const auto seconds = [](watched_model::clock::duration d) {
    return std::chrono::duration<double>(d).count();
  };
  int reports = 0;
  job.run(t.source, t.valid, {.epochs = 2, .log_every = 4}, [&](const update_report& report) {
    // However slow the machine is: from the first pass to the last, and no rehearsal or evaluation.
    const double counted = double(model.tokens) / report.tokens_per_second;
    CHECK(counted > 0.9999 * seconds(model.ended - model.begun));
    CHECK(counted < 1.0001 * seconds(watched_model::clock::now() - model.rested));
    model.rested = model.ended;
    model.tokens = 0;
    ++reports;
  });
  CHECK(reports > 8);
  CHECK(model.all_tokens == 2 * (index_t(t.corpus.target.size()) + t.corpus.size()));
  CHECK(job.counters().step == model.passes - 1);
  CHECK(job.counters().epoch == 2);
}

TEST_CASE("runs: one that diverges names a parameter and leaves its last checkpoint to go on from") {
  formwork_test::scratch_folder folder;
  training_options options{.steps = 4, .evaluate_every = 2, .folder = folder.path()};
  train(options, 1e-3);
  const auto files = [&] {
    std::map<std::string, std::string> bytes;
    for (const auto& file : std::filesystem::directory_iterator(folder.path()))
      if (file.path().extension() == ".safetensors")
        bytes[file.path()] = formwork_test::bytes_of(file.path());
    return bytes;
  };
  const auto before = files();
  CHECK(before.size() == 2);
  options.steps = 6;
  const std::string sentence = formwork_test::failure_of<non_finite_error>([&] { train(options, 1e30); });
  CAPTURE(sentence);
  CHECK((sentence.starts_with("update 5: ") || sentence.starts_with("update 6: ")));
  const model_type model(formwork_test::reversal_vocabulary, xavier_uniform{});
  const auto& all = model.parameters().entries();
  CHECK(std::any_of(all.begin(), all.end(), [&](const parameter_entry& e) {
    return sentence.find(" " + e.name + " ") != sentence.npos;
  }));
  CHECK(files() == before);
  const std::vector<float> resumed = train(options, 1e-3);
  options.folder.clear();
  CHECK(resumed == train(options, 1e-3));
}

TEST_CASE("runs: the best checkpoint stays, however many come after it") {
  formwork_test::scratch_folder folder;
  train({.steps = 5, .evaluate_every = 1, .folder = folder.path(), .keep = 1},
        1e-30);  // the first is the best
  const auto kept = rotation{.folder = folder.path()}.files();
  REQUIRE(kept.size() == 2);
  CHECK((kept[0].step == 1 && kept[1].step == 5));
}

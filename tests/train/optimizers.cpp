// Every form of optimizer through the trainer: the same bits with any number of threads and after a resume,
// weights to evaluate where they differ from those that are trained.
#include <formwork/train/average.hpp>
#include <formwork/train/model_file.hpp>
#include <formwork/train/trainer.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adafactor.hpp>
#include <formwork/policy/optimizer/bf16_moments.hpp>
#include <formwork/policy/optimizer/cautious.hpp>
#include <formwork/policy/optimizer/lamb.hpp>
#include <formwork/policy/optimizer/lookahead.hpp>
#include <formwork/policy/optimizer/muon.hpp>
#include <formwork/policy/optimizer/prodigy.hpp>
#include <formwork/policy/optimizer/schedule_free.hpp>
#include <formwork/policy/optimizer/sgd.hpp>
#include <formwork/policy/optimizer/shampoo.hpp>
#include <formwork/policy/optimizer/soap.hpp>
#include <formwork/policy/optimizer/sophia.hpp>
#include <formwork/policy/schedule/constant.hpp>

#include "../support/reversal_task.hpp"
#include "../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::reversal_corpus;

namespace {

using model_type = encoder_decoder<formwork_test::small_config<>>;

template <class O>
struct run {
  parallel_corpus corpus = reversal_corpus(60, 1);
  parallel_corpus valid = reversal_corpus(10, 2);
  cpu_backend backend;
  model_type model{formwork_test::reversal_vocabulary, xavier_uniform{}, 5};
  trainer<model_type, O, constant> job;
  batch_source source{corpus, {.max_tokens = 64}};

  run(const O& policy, double lr, int threads = 1)
      : backend(threads), job(backend, model, policy, constant{lr}) {}
  std::vector<float> weights() const {
    return {model.parameters().values(), model.parameters().values() + model.parameters().size()};
  }
  /// Weights after so many updates.
  std::vector<float> after(step_t steps, training_options options = {}) {
    options.steps = steps;
    options.dropout = {0.1, 0.1, 0.1, 0.1};
    job.run(source, valid, options);
    return weights();
  }
};

/// 13 updates: alone, with two threads, with evaluations in between, and resumed after 7.
template <class O>
void same_bits(const O& policy, double lr) {
  CAPTURE(label(O::name).view());
  const formwork_test::scratch_folder folder, evaluated;
  const std::vector<float> once = run<O>(policy, lr).after(13);
  CHECK(std::all_of(once.begin(), once.end(), [](float x) { return std::isfinite(x); }));
  CHECK(run<O>(policy, lr, 2).after(13) == once);
  CHECK(run<O>(policy, lr).after(13, {.evaluate_every = 2, .folder = evaluated.path()}) == once);
  run<O>(policy, lr).after(7, {.folder = folder.path()});
  CHECK(run<O>(policy, lr).after(13, {.folder = folder.path()}) == once);
}

}  // namespace

TEST_CASE("optimizers: threads, evaluations and a resume change no bit, whatever an optimizer keeps") {
  same_bits(bf16_moments{adamw{}}, 0.01);
  same_bits(lamb{}, 0.01);  // sums of a parameter
  same_bits(cautious<adamw>{}, 0.01);
  same_bits(prodigy{}, 1);                 // numbers of the run
  same_bits(sophia_g{.every = 3}, 1e-3);   // sampled labels
  same_bits(schedule_free_adamw{}, 0.01);  // two views
  same_bits(lookahead<sgd>{.inner = {.momentum = 0.9}, .every = 4}, 0.05);
  same_bits(adafactor{}, 0.01);                          // whole matrices
  same_bits(muon{.rest = {.weight_decay = 0.1}}, 0.01);  // two optimizers
  same_bits(shampoo{.every = 3}, 0.01);
  same_bits(soap{.every = 3}, 0.01);
}

TEST_CASE("optimizers: every form learns the reversal of short sentences") {
  const auto loss = [](auto policy, double lr) {
    run<decltype(policy)> r(policy, lr);
    const double before = r.job.evaluate(r.valid, 64).loss;
    r.after(60);
    return r.job.evaluate(r.valid, 64).loss / before;
  };
  CHECK(loss(prodigy{}, 1) < 0.95);
  CHECK(loss(sophia_g{}, 3e-3) < 0.9);
  CHECK(loss(schedule_free_adamw{}, 0.02) < 0.9);
  CHECK(loss(muon{}, 0.02) < 0.9);
  CHECK(loss(adafactor{}, 0.05) < 0.9);
  CHECK(loss(shampoo{}, 0.02) < 0.9);
  CHECK(loss(soap{}, 0.02) < 0.9);
}

TEST_CASE("optimizers: a run ends with the weights to evaluate, which are also what is saved and averaged") {
  const formwork_test::scratch_folder folder;
  const schedule_free_sgd policy;
  run<schedule_free_sgd> r(policy, 0.1);
  const std::vector<float> evaluated = r.after(6, {.evaluate_every = 3, .folder = folder.path()});
  const double loss = r.job.evaluate(r.valid, 64).loss;
  CHECK(r.weights() == evaluated);
  // The file's parameters are these weights; a model that reads them evaluates alike.
  model_type other(formwork_test::reversal_vocabulary, xavier_uniform{}, 1);
  load_model(other, folder / "checkpoint-000006.safetensors");
  CHECK(std::equal(evaluated.begin(), evaluated.end(), other.parameters().values()));
  const checkpoint_reader file(folder / "checkpoint-000006.safetensors");
  std::vector<float> training(16);
  file.tensors().read_into("training.encoder.norm.gain", std::span<float>(training));
  const auto at = other.parameters().value("encoder.norm.gain");
  CHECK_FALSE(std::equal(training.begin(), training.end(), at.data));
  // An update goes on with the weights of training, and an evaluation shows the others again.
  r.job.update(r.source, {.steps = 1});
  CHECK(r.weights() != evaluated);
  CHECK(r.job.evaluate(r.valid, 64).loss != loss);
}

TEST_CASE("optimizers: the moving average is one of the weights to evaluate") {
  const lookahead<plain_sgd> policy{.every = 1000};  // the slow weights stay what they were
  run<lookahead<plain_sgd>> r(policy, 0.1);
  const std::vector<float> first = r.weights();
  r.after(5, {.ema_decay = 0.9});
  CHECK(std::equal(first.begin(), first.end(), r.job.ema()));
  CHECK(r.weights() == first);
}

TEST_CASE("optimizers: a run does not go on with what another optimizer has kept") {
  const formwork_test::scratch_folder folder;
  run<muon>(muon{}, 0.01).after(3, {.folder = folder.path()});
  run<adamw> other(adamw{}, 0.01);
  CHECK_THROWS_AS(other.after(6, {.folder = folder.path()}), error);
}

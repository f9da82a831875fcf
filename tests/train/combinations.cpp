#include <formwork/train/model_file.hpp>
#include <formwork/train/trainer.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/sgd.hpp>
#include <formwork/policy/schedule/constant.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include "../support/reversal_task.hpp"
#include "../support/scratch_folder.hpp"

using namespace formwork;

namespace {

using tied_model = encoder_decoder<formwork_test::small_config<post_norm>>;
struct untied_config : formwork_test::small_config<> {
  static constexpr tying ties = tying::none;
  static constexpr bool output_bias = true;
  using position = learned<9>;
};
using untied_model = encoder_decoder<untied_config>;

template <class Model>
std::vector<float> weights_of(const Model& model) {
  return {model.parameters().values(), model.parameters().values() + model.parameters().size()};
}

/// Three updates with some of the trainer's features on, each a bit of `features`; the losses.
template <class Model>
std::vector<double> train(unsigned features) {
  const parallel_corpus corpus = formwork_test::reversal_corpus(60, 1);
  cpu_backend backend(2);
  Model model(formwork_test::reversal_vocabulary, xavier_uniform{});
  trainer job(backend, model, adamw{}, constant{1e-3});
  batch_source source(corpus, {.max_tokens = 64});
  training_options options{.steps = 3};
  if (features & 1) options.accumulate = 3;
  if (features & 2) options.dropout = {0.1, 0.1, 0.1, 0.1};
  if (features & 4) options.clip_norm = 0.1;
  if (features & 8) options.ema_decay = 0.9;
  std::vector<double> losses;
  for (int i = 0; i < 3; ++i) losses.push_back(job.update(source, options).loss);
  const auto* w = model.parameters().values();
  CHECK(std::all_of(w, w + model.parameters().size(), [](float x) { return std::isfinite(x); }));
  return losses;
}

}  // namespace

TEST_CASE("combinations: any two features of a trainer work together, with tied tables and without") {
  const std::vector<double> plain[] = {train<tied_model>(0), train<untied_model>(0)};
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < a; ++b) {
      const unsigned features = 1u << a | 1u << b;
      CAPTURE(features);
      const std::vector<double> losses[] = {train<tied_model>(features), train<untied_model>(features)};
      for (int model = 0; model < 2; ++model)
        for (std::size_t i = 0; i < 3; ++i)
          CHECK(losses[model][i] ==
                doctest::Approx(plain[model][i]).epsilon(0.2));  // finite and of the same size
    }
}

TEST_CASE("combinations: a tied model that was written, read and trained on still has one table") {
  const formwork_test::scratch_folder folder;
  const parallel_corpus corpus = formwork_test::reversal_corpus(60, 1);
  cpu_backend backend(1);
  tied_model first(formwork_test::reversal_vocabulary, xavier_uniform{}, 1),
      second(formwork_test::reversal_vocabulary, xavier_uniform{}, 2);
  save_model(first, folder / "model.safetensors");
  load_model(second, folder / "model.safetensors");
  const index_t tables =
      std::count_if(second.parameters().entries().begin(), second.parameters().entries().end(),
                    [](const parameter_entry& e) { return e.info.role == role::embedding; });
  CHECK(tables == 1);
  for (tied_model* model : {&first, &second}) {
    trainer job(backend, *model, adam{}, constant{1e-3});
    batch_source source(corpus, {.max_tokens = 64});
    job.update(source, {.steps = 1});
  }
  CHECK(std::equal(first.parameters().values(), first.parameters().values() + first.parameters().size(),
                   second.parameters().values()));
  CHECK(second.output_head().weight.data == second.parameters().value("embedding.weight").data);
}

TEST_CASE("combinations: one batch an update or eight, the same weights, clipped or not") {
  parallel_corpus corpus;  // of 8 to 57 target tokens; no two share a batch of 60 source tokens
  for (int i = 0; i < 8; ++i) {
    const parallel_corpus pair = formwork_test::reversal_corpus(1, std::uint64_t(i), 59, 59);
    corpus.add(pair.source_sentence(0), pair.target_sentence(0).first(std::size_t(8 + 7 * i)));
  }
  for (const double clip : {0.0, 1.0, 0.1}) {
    std::vector<float> result[2];
    std::vector<update_report> reports[2];
    for (const int accumulate : {1, 8}) {
      cpu_backend backend(1);
      tied_model model(formwork_test::reversal_vocabulary, xavier_uniform{});
      trainer job(backend, model, plain_sgd{}, constant{0.1});
      batch_source source(corpus, {.max_tokens = accumulate == 1 ? 1000 : 60});
      REQUIRE(source.batches_in_epoch() == 9 - (accumulate == 1 ? 8 : 1));
      for (int update = 0; update < 3; ++update)
        reports[accumulate == 8].push_back(job.update(source, {.accumulate = accumulate, .clip_norm = clip}));
      result[accumulate == 8] = weights_of(model);
    }
    const std::vector<float> start =
        weights_of(tied_model(formwork_test::reversal_vocabulary, xavier_uniform{}));
    double moved = 0, apart = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
      moved += std::pow(double(result[0][i]) - start[i], 2);
      apart += std::pow(double(result[0][i]) - result[1][i], 2);
    }
    CAPTURE(clip);
    CHECK(std::sqrt(apart) < 1e-5 * std::sqrt(moved));
    for (std::size_t i = 0; i < 3; ++i) {
      const update_report &one = reports[0][i], &eight = reports[1][i];
      CHECK(one.loss == doctest::Approx(eight.loss).epsilon(1e-5));
      CHECK(one.gradient_norm == doctest::Approx(eight.gradient_norm).epsilon(1e-4));
      CHECK(one.gradient_norm > clip);
      CHECK(eight.clipped_norm == doctest::Approx(clip > 0 ? clip : eight.gradient_norm).epsilon(1e-4));
      CHECK(one.target_tokens == eight.target_tokens);
    }
  }
}

TEST_CASE("combinations: what decays is exactly the matrices, with untied tables and learned positions too") {
  cpu_backend backend(1);
  untied_model model(formwork_test::reversal_vocabulary, xavier_uniform{});
  std::fill_n(model.parameters().values(), model.parameters().size(), 1.0f);
  updater<float, adamw, cpu_backend> job(model.parameters(), adamw{.weight_decay = 0.5});
  job.update(backend, {.loss = 1, .nll = 1, .tokens = 1}, 1, 0.1,
             0);  // the gradient is zero: decay alone moves
  std::set<std::string> matrices{"head.weight"};
  for (const char* block :
       {"encoder.0.self_attention", "decoder.0.self_attention", "decoder.0.cross_attention"})
    for (const char* matrix : {"query", "key", "value", "output"})
      matrices.insert(text(block, ".", matrix, ".weight"));
  for (const char* block : {"encoder.0.ffn", "decoder.0.ffn"})
    for (const char* matrix : {"up", "down"}) matrices.insert(text(block, ".", matrix, ".weight"));
  for (const parameter_entry& e : model.parameters().entries()) {
    CAPTURE(e.name);
    const float expected = matrices.erase(e.name) ? 0.95f : 1.0f,
                *values = model.parameters().values() + e.offset;
    CHECK(std::all_of(values, values + e.info.size(), [&](float w) { return w == expected; }));
  }
  CHECK(matrices.empty());
}

TEST_CASE("combinations: a sentence longer than the position table is found before the first update") {
  cpu_backend backend(1);
  untied_model model(formwork_test::reversal_vocabulary, xavier_uniform{});
  trainer job(backend, model, adam{}, constant{1e-3});
  parallel_corpus corpus = formwork_test::reversal_corpus(20, 1);
  const parallel_corpus exact = formwork_test::reversal_corpus(1, 2, 8, 8),  // 9 with the end mark
      over = formwork_test::reversal_corpus(1, 2, 9, 9);
  corpus.add(exact.source_sentence(0), exact.target_sentence(0));
  const parallel_corpus good = corpus;
  corpus.add(exact.source_sentence(0), over.target_sentence(0));
  const std::vector<float> before = weights_of(model);
  int updates = 0;
  const auto count = [&](const update_report&) { ++updates; };
  batch_source bad_source(corpus, {.max_tokens = 64}), source(good, {.max_tokens = 64});
  const training_options options{.steps = 2, .log_every = 1};
  CHECK_THROWS_WITH_AS(job.run(bad_source, {}, options, count), doctest::Contains("10"), error);
  CHECK_THROWS_WITH_AS(job.run(source, over, options, count), doctest::Contains("10"), error);
  CHECK(updates == 0);
  CHECK(weights_of(model) == before);
  CHECK(job.run(source, good, options, count) == run_end::finished);
  CHECK(updates == 2);
}

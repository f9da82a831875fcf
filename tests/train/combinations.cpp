#include <formwork/train/model_file.hpp>
#include <formwork/train/trainer.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/schedule/constant.hpp>

#include <algorithm>
#include <cmath>

#include "../support/reversal_task.hpp"
#include "../support/scratch_folder.hpp"

using namespace formwork;

namespace {

using tied_model = encoder_decoder<formwork_test::small_config<post_norm>>;
struct untied_config : formwork_test::small_config<> {
  static constexpr tying ties = tying::none;
};

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
  const std::vector<double> plain[] = {train<tied_model>(0), train<encoder_decoder<untied_config>>(0)};
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < a; ++b) {
      const unsigned features = 1u << a | 1u << b;
      CAPTURE(features);
      const std::vector<double> losses[] = {train<tied_model>(features),
                                            train<encoder_decoder<untied_config>>(features)};
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

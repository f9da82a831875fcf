#include <formwork/train/experiment_recipe.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>

#include "../../support/reversal_task.hpp"
#include "../../support/scratch_folder.hpp"

using namespace formwork;

TEST_CASE("corpus_recipe: the same run has the same figures, another seed, rate or placement has others") {
  const formwork_test::scratch_folder folder;
  const parallel_corpus train = formwork_test::reversal_corpus(40, 1),
                        valid = formwork_test::reversal_corpus(9, 2);
  using recipe = corpus_recipe<xavier_uniform>;
  const recipe job{.train = train,
                   .valid = valid,
                   .vocabulary = formwork_test::reversal_vocabulary,
                   .batches = {.max_tokens = 64},
                   .training = {.steps = 6, .evaluate_every = 2},
                   .threads = 1};
  const experiment<placements<post_norm, pre_norm>, optimizers<adam>, schedules<inverse_sqrt>,
                   models<formwork_test::small_config<>>>
      study{.name = "reversal, 6 updates",
            .figures = recipe::figures(),
            .grid = {.lr = {1e-3, 2e-3}, .seed = {1, 2}}};
  const auto rows = study.run(folder / "a.csv", job), again = study.run(folder / "b.csv", job);
  REQUIRE(rows.size() == 8);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].figures[0] == again[i].figures[0]);
    CHECK(rows[i].figures[0] > 0);
    CHECK(rows[i].figures[1] <= rows[i].figures[0]);
    CHECK(rows[i].figures[3] > 0);
    for (std::size_t j = 0; j < i; ++j) CHECK(rows[i].figures[0] != rows[j].figures[0]);
  }
  // Pre-LN has a norm behind each of its two stacks.
  CHECK(rows[4].figures[2] == rows[0].figures[2] + 2 * 2 * 16);
}

TEST_CASE("corpus_recipe: a run without end is an error") {
  const formwork_test::scratch_folder folder;
  const parallel_corpus corpus = formwork_test::reversal_corpus(4, 1);
  const corpus_recipe<xavier_uniform> job{
      .train = corpus, .valid = corpus, .vocabulary = formwork_test::reversal_vocabulary};
  const experiment<placements<post_norm>, optimizers<adam>, schedules<inverse_sqrt>,
                   models<formwork_test::small_config<>>>
      study{.figures = job.figures()};
  CHECK_THROWS_WITH_AS(study.run(folder / "a.csv", job),
                       "experiment: training.steps is 0, expected 1 or more", error);
}

TEST_CASE(
    "corpus_recipe: options that make no sense end the study, a loss that is not finite is a failed run") {
  const formwork_test::scratch_folder folder;
  const parallel_corpus corpus = formwork_test::reversal_corpus(4, 1);
  corpus_recipe<xavier_uniform> job{.train = corpus,
                                    .valid = corpus,
                                    .vocabulary = formwork_test::reversal_vocabulary,
                                    .training = {.steps = 1, .clip_norm = -1}};
  const experiment<placements<pre_norm>, optimizers<adam>, schedules<inverse_sqrt>,
                   models<formwork_test::small_config<>>>
      study{.figures = job.figures(), .grid = {.lr = {1e38}, .warmup = {1}}};
  CHECK_THROWS_WITH_AS(study.run(folder / "a.csv", job),
                       "training: clip_norm is -1, expected a finite number, 0 or more", error);
  job.training.clip_norm = 0;
  const auto rows = study.run(folder / "b.csv", job);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].figures.empty());
  CHECK(rows[0].note.starts_with("update 1: the validation loss is "));
}

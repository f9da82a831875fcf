#include <formwork/train/updater.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/schedule_free.hpp>
#include <formwork/policy/optimizer/sgd.hpp>
#include <formwork/policy/optimizer/sophia.hpp>
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/train/trainer.hpp>

#include <limits>
#include <numeric>

#include "../../support/reversal_task.hpp"

using namespace formwork;
using formwork_test::reversal_corpus;

namespace {

using model_type = encoder_decoder<formwork_test::small_config<pre_norm, fp64>>;
const vocabulary_sizes vocabulary = formwork_test::reversal_vocabulary;

batch batch_of(const parallel_corpus& corpus, std::vector<index_t> sentences) {
  batch b;
  b.fill(corpus, sentences);
  return b;
}

}  // namespace

TEST_CASE("updater: micro-batches of very different size give the gradient of one large batch") {
  const parallel_corpus corpus = reversal_corpus(40, 3);
  cpu_backend backend(1);
  model_type split(vocabulary, xavier_uniform{}), whole(vocabulary, xavier_uniform{});
  const smoothed_cross_entropy loss;
  std::vector<index_t> all(40), rest(39);
  std::iota(all.begin(), all.end(), index_t{0});
  std::iota(rest.begin(), rest.end(), index_t{1});
  loss_sums a = split.train(backend, view_of(batch_of(corpus, {0})), loss, {});
  a += split.train(backend, view_of(batch_of(corpus, rest)), loss, {});
  const loss_sums b = whole.train(backend, view_of(batch_of(corpus, all)), loss, {});
  CHECK(a.tokens == b.tokens);
  CHECK(a.loss == doctest::Approx(b.loss).epsilon(1e-12));
  // Clipping acts on the mean gradient of the whole update, so both weights move alike.
  updater<double, plain_sgd, cpu_backend> of_split(split.parameters(), {}), of_whole(whole.parameters(), {});
  const gradient_norms na = of_split.update(backend, a, 1, 0.1, 0.01),
                       nb = of_whole.update(backend, b, 1, 0.1, 0.01);
  CHECK(na.before == doctest::Approx(nb.before).epsilon(1e-10));
  CHECK(na.after == doctest::Approx(0.01).epsilon(1e-4));
  for (index_t i = 0; i < split.parameters().size(); ++i)
    REQUIRE(split.parameters().values()[i] == doctest::Approx(whole.parameters().values()[i]).epsilon(1e-10));
}

TEST_CASE("updater: a gradient that is not finite stops the run, names the parameter and changes nothing") {
  const parallel_corpus corpus = reversal_corpus(5, 3);
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  updater<double, adam, cpu_backend> job(model.parameters(), adam{});
  const loss_sums sums = model.train(backend, view_of(batch_of(corpus, {0, 1})), {}, {});
  model.parameters().gradient("encoder.0.ffn.up.weight").data[3] = std::numeric_limits<double>::infinity();
  const std::vector<double> before(model.parameters().values(),
                                   model.parameters().values() + model.parameters().size());
  try {
    job.update(backend, sums, 7, 1e-3, 1.0);
    FAIL("not noticed");
  } catch (const non_finite_error& e) {
    CHECK(std::string(e.what()).starts_with(
        "update 7: the gradient of encoder.0.ffn.up.weight is not finite (element 3)"));
  }
  for (std::size_t i = 0; i < before.size(); ++i)
    REQUIRE(model.parameters().values()[index_t(i)] == before[i]);
  // The gradient is clear again: the next update works.
  const loss_sums again = model.train(backend, view_of(batch_of(corpus, {0, 1})), {}, {});
  CHECK(std::isfinite(job.update(backend, again, 7, 1e-3, 1.0).before));
}

TEST_CASE("updater: large gradients are no fault, and those that cannot be squared are not called infinite") {
  const parallel_corpus corpus = reversal_corpus(5, 3);
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  updater<double, adam, cpu_backend> job(model.parameters(), adam{});
  const auto update = [&](double size) {
    const loss_sums sums = model.train(backend, view_of(batch_of(corpus, {0, 1})), {}, {});
    for (index_t i = 0; i < model.parameters().size(); ++i) model.parameters().gradients()[i] = size;
    return job.update(backend, sums, 1, 1e-3, 1.0);
  };
  const gradient_norms large = update(1e120);  // their sum of squares is far beyond single precision
  CHECK(large.before > 1e120);
  CHECK(large.after == doctest::Approx(1));
  job.require_finite(backend, 1);
  CHECK_THROWS_WITH_AS(update(1e200), "update 1: the gradients are finite but too large to square",
                       non_finite_error);
}

TEST_CASE("updater: a parameter that is not finite is named, not the gradients it spoils") {
  const parallel_corpus corpus = reversal_corpus(5, 3);
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  updater<double, adam, cpu_backend> job(model.parameters(), adam{});
  model.parameters().value("decoder.0.ffn.down.weight").data[5] = std::numeric_limits<double>::quiet_NaN();
  const loss_sums sums = model.train(backend, view_of(batch_of(corpus, {0, 1})), {}, {});
  CHECK_THROWS_WITH_AS(job.update(backend, sums, 3, 1e-3, 0),
                       "update 3: parameter decoder.0.ffn.down.weight is not finite (element 5)",
                       non_finite_error);
}

TEST_CASE("updater: weight decay reaches the matrices of layers and nothing else") {
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  for (index_t i = 0; i < model.parameters().size(); ++i) model.parameters().values()[i] = 1;
  updater<double, adamw, cpu_backend> job(model.parameters(), adamw{.weight_decay = 0.5});
  // The gradient is zero: only decay moves.
  job.update(backend, {.loss = 1, .nll = 1, .tokens = 1}, 1, 0.1, 0);
  for (const parameter_entry& e : model.parameters().entries()) {
    CAPTURE(e.name);
    const bool matrix = e.name.ends_with("weight") && e.name != "embedding.weight";
    CHECK(model.parameters().values()[e.offset] == (matrix ? 0.95 : 1.0));
  }
}

TEST_CASE("updater: every parameter moves in the first update") {
  const parallel_corpus corpus = reversal_corpus(200, 3);
  cpu_backend backend(2);
  for (const auto& options : {training_options{.steps = 1}, training_options{.steps = 1, .accumulate = 4}}) {
    encoder_decoder<formwork_test::small_config<post_norm>> model(vocabulary, xavier_uniform{});
    const std::vector<float> before(model.parameters().values(),
                                    model.parameters().values() + model.parameters().size());
    trainer job(backend, model, adam{}, constant{1e-2});
    batch_source source(corpus, {.max_tokens = 300});
    job.update(source, options);
    for (const parameter_entry& e : model.parameters().entries()) {
      CAPTURE(e.name);
      index_t moved = 0;
      for (index_t i = e.offset; i < e.offset + e.info.size(); ++i)
        moved += model.parameters().values()[i] != before[std::size_t(i)];
      // The bias of a key shifts all scores of a query alike:
      // the softmax does not see it, its gradient is rounding.
      if (!e.name.ends_with("key.bias")) CHECK(moved >= e.info.size() * 9 / 10);
    }
  }
}

TEST_CASE("updater: an update without target tokens changes nothing and is counted") {
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  trainer job(backend, model, adam{}, constant{1e-2});
  const double before = model.parameters().values()[0];
  const update_report report = job.apply({}, 0, {.steps = 1});
  CHECK(report.skipped_updates == 1);
  CHECK(job.counters().step == 0);
  CHECK(model.parameters().values()[0] == before);
}

TEST_CASE(
    "updater: a gradient of sampled labels is divided by the root of their number, looked at and cleared") {
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  const std::vector<double> before(model.parameters().values(),
                                   model.parameters().values() + model.parameters().size());
  updater<double, sophia_g, cpu_backend> job(model.parameters(), sophia_g{.beta2 = 0});
  CHECK(job.samples_labels(1));
  CHECK_FALSE(job.samples_labels(2));
  std::fill_n(model.parameters().gradients(), model.parameters().size(), 3.0);
  job.observe(backend, 16, 1, 0.1);
  CHECK(std::equal(before.begin(), before.end(), model.parameters().values()));
  CHECK(model.parameters().gradients()[5] == 0);
  job.state().each_kept([&](const std::string& prefix, const auto&, const double* data, index_t n) {
    for (index_t i = 0; i < n; ++i) REQUIRE(data[i] == (prefix == "moment1." ? 9.0 / 16 : 0.0));
  });
}

TEST_CASE("updater: before the first update there is one view of the weights, then there are two") {
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  updater<double, schedule_free_sgd, cpu_backend> job(model.parameters(), schedule_free_sgd{});
  const auto weights = [&] {
    return std::vector<double>(model.parameters().values(),
                               model.parameters().values() + model.parameters().size());
  };
  const auto start = weights();
  job.show_evaluated(backend);
  CHECK(weights() == start);
  for (step_t step : {1, 2, 3}) {
    std::fill_n(model.parameters().gradients(), model.parameters().size(), 3.0);
    job.update(backend, {.loss = 1, .nll = 1, .tokens = 1}, step, 0.1, 0);
  }
  const auto trained = weights();
  job.show_evaluated(backend);
  const auto evaluated = weights();
  CHECK(evaluated != trained);
  job.show_evaluated(backend);
  CHECK(weights() == evaluated);
  CHECK(std::equal(trained.begin(), trained.end(), job.training_values()));
  job.show_training();
  job.show_training();
  CHECK(weights() == trained);
}

// What a trainer is like after something has failed: as usable as before.
#include <formwork/train/trainer.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/sophia.hpp>
#include <formwork/policy/schedule/constant.hpp>

#include <stdexcept>

#include "../../support/reversal_task.hpp"
#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::reversal_corpus;

namespace {

using model_type = encoder_decoder<formwork_test::small_config<>>;
const vocabulary_sizes vocabulary = formwork_test::reversal_vocabulary;

/// A schedule that can be told to fail.
struct fickle {
  bool* fails = nullptr;
  double wrong = 0;
  double operator()(step_t) const {
    if (*fails && wrong == 0) throw std::runtime_error("no rate today");
    return *fails ? wrong : 1e-3;
  }
};

/// The simplest optimizer that evaluates other weights than those it trains: half of each.
struct halves {
  static constexpr label name = "halves";
  static constexpr int moments = 1;
  double prepare(const update_info& u) const { return u.lr; }
  template <class V>
  void update(V& w, V g, std::array<V, 1>&, double lr) const {
    w = w - V(lr) * g;
  }
  template <class V>
  V evaluated(V w, const std::array<V, 1>&) const {
    return V(0.5) * w;
  }
};
static_assert(optimizer_with_views<halves>);
static_assert(!std::is_move_constructible_v<trainer<model_type, adam, constant>>);

bool no_gradient(const model_type& model) {
  const float* g = model.parameters().gradients();
  return std::all_of(g, g + model.parameters().size(), [](float x) { return x == 0; });
}
std::vector<float> weights_of(const model_type& model) {
  return {model.parameters().values(), model.parameters().values() + model.parameters().size()};
}

}  // namespace

TEST_CASE("trainer: what a schedule breaks leaves no gradient for the next update") {
  const parallel_corpus corpus = reversal_corpus(40, 1);
  for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    cpu_backend backend(2);
    model_type model(vocabulary, xavier_uniform{}), twin(vocabulary, xavier_uniform{});
    bool fails = true, never = false;
    trainer job(backend, model, adam{}, fickle{&fails, wrong}), sound(backend, twin, adam{}, fickle{&never});
    batch_source source(corpus, {.max_tokens = 64}), same(corpus, {.max_tokens = 64});
    const training_options options{.steps = 1};
    CHECK_THROWS(job.update(source, options));
    CHECK(no_gradient(model));
    CHECK(job.counters().step == 0);
    fails = false;
    job.update(source, options);
    same.next();  // the batch that was lost
    sound.update(same, options);
    CHECK(weights_of(model) == weights_of(twin));
  }
}

TEST_CASE("trainer: a batch that cannot be trained on takes those before it along") {
  parallel_corpus corpus = reversal_corpus(40, 1);
  corpus.target.back() = 99;  // not in the vocabulary
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  trainer job(backend, model, adam{}, constant{1e-3});
  batch_source source(corpus, {.max_tokens = 16});
  const training_options options{.steps = 1, .accumulate = 1000};
  CHECK_THROWS_WITH_AS(job.update(source, options), doctest::Contains("id 99"), error);
  CHECK(no_gradient(model));
  CHECK_THROWS_AS(job.update(source, {.accumulate = 0}), error);
}

TEST_CASE("trainer: an observer that throws ends the run, which can be continued") {
  const parallel_corpus corpus = reversal_corpus(40, 1), valid = reversal_corpus(10, 2);
  cpu_backend backend(2);
  model_type model(vocabulary, xavier_uniform{}), twin(vocabulary, xavier_uniform{});
  trainer job(backend, model, adam{}, constant{1e-3}), sound(backend, twin, adam{}, constant{1e-3});
  batch_source source(corpus, {.max_tokens = 64}), same(corpus, {.max_tokens = 64});
  const training_options options{.steps = 8, .log_every = 1};
  sound.run(same, valid, options);
  const auto grumble = [](const update_report& r) {
    if (r.step == 3) throw std::runtime_error("enough");
  };
  CHECK_THROWS_WITH_AS(job.run(source, valid, options, grumble), "enough", std::runtime_error);
  CHECK(job.counters().step == 3);
  CHECK(job.run(source, valid, options) == run_end::finished);
  CHECK(weights_of(model) == weights_of(twin));
}

TEST_CASE("trainer: the loss of no corpus and of one that does not fit together is an error") {
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  trainer job(backend, model, adam{}, constant{1e-3});
  CHECK_THROWS_WITH_AS(job.evaluate({}, 100), "evaluation: the corpus is empty", error);
  parallel_corpus broken = reversal_corpus(10, 2);
  broken.source.pop_back();
  CHECK_THROWS_AS(job.evaluate(broken, 100), error);
}

TEST_CASE("trainer: an evaluation between two updates does not change the second one") {
  const parallel_corpus corpus = reversal_corpus(40, 1), valid = reversal_corpus(10, 2);
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{}), twin(vocabulary, xavier_uniform{});
  trainer job(backend, model, halves{}, constant{1e-1}), sound(backend, twin, halves{}, constant{1e-1});
  batch_source source(corpus, {.max_tokens = 64}), same(corpus, {.max_tokens = 64});
  const training_options options{.steps = 1};
  for (int i = 0; i < 3; ++i) {
    job.update(source, options);
    job.evaluate(valid, 100);
    sound.update(same, options);
  }
  job.update(source, options);
  sound.update(same, options);
  CHECK(weights_of(model) == weights_of(twin));
}

TEST_CASE("trainer: a loop by hand trains the weights of training, also with an average and saved states") {
  const formwork_test::scratch_folder folder;
  const parallel_corpus corpus = reversal_corpus(40, 1), valid = reversal_corpus(10, 2);
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{}), twin(vocabulary, xavier_uniform{});
  trainer job(backend, model, halves{}, constant{1e-1}), sound(backend, twin, halves{}, constant{1e-1});
  batch_source source(corpus, {.max_tokens = 64}), same(corpus, {.max_tokens = 64});
  const training_options averaged{.steps = 1, .ema_decay = 0.5}, plain{.steps = 1};
  const auto gradient = [&] { return model.train(backend, view_of(source.next()), {}, {}); };
  for (int i = 0; i < 3; ++i) {
    job.apply(gradient(), 0, averaged);
    sound.update(same, plain);
    REQUIRE(weights_of(model) == weights_of(twin));
    job.save_state(folder / "state", source, valid, averaged);
    REQUIRE(weights_of(model) == weights_of(twin));
  }
  job.evaluate(valid, 100);
  CHECK(weights_of(model) != weights_of(twin));
  job.show_training();
  CHECK(weights_of(model) == weights_of(twin));
}

TEST_CASE("trainer: the gradient of weights to evaluate is refused") {
  const parallel_corpus corpus = reversal_corpus(40, 1);
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  trainer job(backend, model, halves{}, constant{1e-1});
  batch_source source(corpus, {.max_tokens = 64});
  const training_options options{.steps = 1};
  const auto gradient = [&] { return model.train(backend, view_of(source.next()), {}, {}); };
  job.evaluate(corpus, 100);
  CHECK_THROWS_WITH_AS(job.apply(gradient(), 0, options), doctest::Contains("call show_training() before"),
                       error);
  CHECK(no_gradient(model));
  job.show_training();
  CHECK(job.apply(gradient(), 0, options).step == 1);
  job.run(source, {}, {.steps = 2});
  CHECK_THROWS_AS(job.apply(gradient(), 0, options), error);
}

TEST_CASE("trainer: an optimizer that looks at sampled labels is refused where nobody shows it any") {
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  trainer job(backend, model, sophia_g{}, constant{1e-3});
  CHECK_THROWS_WITH_AS(job.apply({.loss = 1, .nll = 1, .tokens = 1}, 0, {.steps = 1}),
                       doctest::Contains("the optimizer sophia_g looks at sampled labels"), error);
}

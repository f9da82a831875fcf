#pragma once
#include <formwork/train/experiment.hpp>
#include <formwork/train/trainer.hpp>

#include <algorithm>
#include <chrono>
#include <limits>

namespace formwork {

/// How an experiment trains a translation model on a corpus; its figures are `corpus_recipe::figures()`.
/// The seed of a run chooses the initial parameters, the batches and the dropout masks. `valid` is evaluated
/// at the end and, if `evaluate_every` is given, in between: one evaluation at a high rate says little.
/// Requires: corpora that outlive it. The optimizers of the list have their defaults; for others derive:
///   struct adam_98 : adam { static constexpr label name = "adam_98"; adam_98() { beta2 = 0.98; } };
template <class Initialiser>
struct corpus_recipe {
  const parallel_corpus& train;
  const parallel_corpus& valid;
  vocabulary_sizes vocabulary{};
  Initialiser initialiser{};
  smoothed_cross_entropy loss{};
  batching_options batches{};
  training_options training{};  ///< of it steps, accumulate, clip_norm, dropout, evaluate_every and ema_decay
  int threads = available_threads();

  /// nll: of the last evaluation, in nats for each target token; best_nll: of the best one.
  static std::vector<std::string> figures() { return {"nll", "best_nll", "parameters", "tokens_per_second"}; }

  template <class Types>
  std::vector<double> operator()(Types, const grid_point& at) const {
    if (training.steps < 1) fail("experiment: training.steps is ", training.steps, ", expected 1 or more");
    training.validate();
    cpu_backend backend(threads);
    encoder_decoder<typename Types::configuration> model(vocabulary, initialiser, at.seed);
    trainer job(backend, model, typename Types::optimizer{},
                at.schedule<typename Types::schedule>(training.steps), loss);
    batching_options order = batches;
    training_options options = training;
    order.seed = options.seed = at.seed;
    batch_source source(train, order);
    double last = 0, best = std::numeric_limits<double>::infinity(), seconds = 0;
    index_t tokens = 0;
    while (job.counters().step < options.steps) {
      const auto begin = std::chrono::steady_clock::now();
      const update_report done = job.update(source, options);
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      tokens += done.target_tokens;
      if (done.step != options.steps &&
          (options.evaluate_every == 0 || done.step % options.evaluate_every != 0))
        continue;
      last = job.evaluate(valid, order.max_tokens).nll;
      if (!std::isfinite(last))
        throw non_finite_error(text("update ", done.step, ": the validation loss is ", last));
      best = std::min(best, last);
    }
    return {last, best, double(model.parameters().size()), double(tokens) / seconds};
  }
};

}  // namespace formwork

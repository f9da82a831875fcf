#pragma once
#include <formwork/model/encoder_decoder.hpp>
#include <formwork/model/profile_admin.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/norm_placement/fixup.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>
#include <formwork/train/experiment.hpp>
#include <formwork/train/rehearsal.hpp>

#include <chrono>

#include "reversal.hpp"

namespace examples {

using formwork::index_t;
using formwork::step_t;

/// Six and six layers of width 64.
struct zoo_model : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 64, .d_ff = 128, .heads = 4, .encoder_layers = 6, .decoder_layers = 6};
};

/// Adam as Transformers have it.
struct zoo_adam : formwork::adam {
  static constexpr formwork::label name = "adam";
  zoo_adam() { beta2 = 0.98; }
};

/// Without warm-up the rate must not be a smaller one: the decay begins at update 300 in any case.
struct zoo_schedule : formwork::inverse_sqrt {
  static constexpr formwork::label name = "inverse_sqrt";
  zoo_schedule() { decay_from = 300; }
};

/// Trains one run on the reversal task: 32 sentences an update, label smoothing 0.1, no dropout.
struct zoo_recipe {
  step_t updates = 600;
  int threads = formwork::available_threads();

  /// first_gradient and last_gradient: norm of the mean gradient of the second feed-forward matrix in the first
  /// and the last layer of the decoder, before training; hidden_norm: mean square of what the last layer hands
  /// on; nll: the best of the evaluations after 4, 5 and 6 sixths of the updates.
  static std::vector<std::string> figures() {
    return {"first_gradient", "last_gradient", "hidden_norm", "nll", "parameters", "tokens_per_second"};
  }

  template <class Types>
  std::vector<double> operator()(Types, const formwork::grid_point& at) const {
    using clock = std::chrono::steady_clock;
    using model_type = formwork::encoder_decoder<typename Types::configuration>;
    formwork::cpu_backend backend(threads);
    // T-Fixup has its own factors for the matrices that fairseq treats specially.
    const formwork::xavier_uniform initialiser{
        .fairseq_gains = !std::is_same_v<typename Types::placement, formwork::t_fixup>};
    model_type model({reversal_task::vocabulary, reversal_task::vocabulary}, initialiser, at.seed);
    std::vector<double> out = at_start(model, backend, at.seed);
    formwork::updater<float, typename Types::optimizer, formwork::cpu_backend> step(
        model.parameters(), typename Types::optimizer{});
    const auto rate = at.schedule<typename Types::schedule>(updates);
    double best = 1e9, seconds = 0;
    index_t tokens = 0;
    reversal_task task;
    formwork::batch batch, valid;
    task.fill(valid, 128, at.seed, 1'000'000'000);
    for (step_t t = 1; t <= updates; ++t) {
      task.fill(batch, 32, at.seed, std::uint64_t(t));
      const auto begin = clock::now();
      const formwork::loss_sums sums = model.train(backend, formwork::view_of(batch), loss, {});
      step.update(backend, sums, t, rate(t), 0);
      seconds += std::chrono::duration<double>(clock::now() - begin).count();
      tokens += sums.tokens;
      if (t != updates && t != updates * 4 / 6 && t != updates * 5 / 6) continue;
      const formwork::loss_sums found = model.evaluate(backend, formwork::view_of(valid), loss);
      best = std::min(best, found.nll / double(found.tokens));
    }
    out.insert(out.end(), {best, double(model.parameters().size()), double(tokens) / seconds});
    return out;
  }

 private:
  static constexpr formwork::smoothed_cross_entropy loss{.epsilon = 0.1};

  template <class Model>
  static std::vector<double> at_start(Model& model, formwork::cpu_backend& backend, std::uint64_t seed) {
    using formwork::stack_kind;
    constexpr int last = Model::configuration::size.decoder_layers - 1;
    reversal_task task;
    formwork::batch batch;
    task.fill(batch, 128, seed, 0);
    if constexpr (std::is_same_v<typename Model::configuration::placement, formwork::admin>)
      formwork::profile_admin(model, backend, formwork::view_of(batch));
    double square = 0;
    model.observe(backend, formwork::view_of(batch), {},
                  [&](stack_kind stack, int layer, int stream, auto x) {
                    if (stack != stack_kind::decoder || layer != last || stream != 0) return;
                    for (index_t r = 0; r < x.rows; ++r)
                      for (index_t c = 0; c < x.width; ++c)
                        square += double(x.row(r)[c]) * double(x.row(r)[c]);
                    square /= double(x.rows * x.width);
                  });
    model.parameters().zero_gradients();
    const formwork::loss_sums sums = model.train(backend, formwork::view_of(batch), loss, {});
    const auto norm = [&](int layer) {
      const auto g = model.parameters().gradient(formwork::text("decoder.", layer, ".ffn.down.weight"));
      double sum = 0;
      for (index_t i = 0; i < g.rows * g.width; ++i) sum += double(g.data[i]) * double(g.data[i]);
      return std::sqrt(sum) / double(sums.tokens);
    };
    const std::vector<double> out{norm(0), norm(last), square};
    model.parameters().zero_gradients();
    return out;
  }
};

}  // namespace examples

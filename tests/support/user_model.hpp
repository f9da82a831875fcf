#pragma once
#include <doctest/doctest.h>

#include <formwork/decode/translator.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/train/updater.hpp>

#include "gradient.hpp"
#include "ragged_batch.hpp"

namespace formwork_test {

/// A model of a user's configuration learns a few pairs by heart and gives them back; beam search and a whole
/// pass agree on the probabilities.
template <class C>
void learns_by_heart() {
  using namespace formwork;
  encoder_decoder<C> model({12, 12}, xavier_uniform{}, 3);
  CHECK(model.parameters().size() == encoder_decoder<C>::parameter_count({12, 12}));
  cpu_backend backend(1);
  updater<typename C::precision::scalar, adam, cpu_backend> updates(model.parameters(), adam{.beta2 = 0.98});
  const std::vector<std::pair<sentence, sentence>> pairs{
      {{3, 4, 5, 2}, {5, 4, 3}}, {{8, 6, 2}, {6, 8, 6, 9}}, {{7, 2}, {10, 11}}};
  const ragged_batch batch(pairs);
  loss_sums last;
  for (step_t t = 1; t <= 120; ++t) {
    last = model.train(backend, batch.pairs(), {.epsilon = 0}, {});
    updates.update(backend, last, t, 5e-3, 1);
  }
  CHECK(last.loss / double(last.tokens) < 0.1);
  std::vector<sentence> sources;
  for (const auto& pair : pairs) sources.push_back(pair.first);
  const auto greedy = translator<encoder_decoder<C>>(model, backend, {.beam = 1}).translate(sources);
  const auto beams =
      translator<encoder_decoder<C>>(model, backend, {.beam = 3, .nbest = 3}).translate(sources);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    CHECK(greedy[i][0].tokens == pairs[i].second);
    for (const hypothesis& h : beams[i]) {  // steps with a cache say what one whole pass says
      const auto p = log_probabilities(model, backend, ragged_batch({{sources[i], h.tokens}}));
      double sum = 0;
      for (std::size_t t = 0; t <= h.tokens.size(); ++t)
        sum += double(p[t * 12 + std::size_t(t < h.tokens.size() ? h.tokens[t] : end_token)]);
      CHECK(h.log_probability == doctest::Approx(sum).epsilon(1e-12));
    }
  }
}

}  // namespace formwork_test

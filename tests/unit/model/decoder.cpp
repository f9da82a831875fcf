#include <formwork/model/decoder.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/train/updater.hpp>

#include "../../support/ragged_batch.hpp"

using namespace formwork;
using formwork_test::ragged_batch;
using formwork_test::sentence;

namespace {

struct tiny : config {
  static constexpr dims size{.d_model = 16, .d_ff = 24, .heads = 2, .decoder_layers = 3};
};
struct untied : tiny {
  static constexpr tying ties = tying::none;
  static constexpr bool output_bias = true;
};
using model_type = decoder<tiny>;

/// Log-probabilities [N, 11] of sentences that have no source.
std::vector<float> log_probabilities(model_type& model, const std::vector<sentence>& sentences) {
  std::vector<std::pair<sentence, sentence>> pairs;
  for (const sentence& s : sentences) pairs.push_back({{}, s});
  const ragged_batch batch(pairs);
  cpu_backend backend(1);
  std::vector<float> out(std::size_t(batch.target_rows() * 11));
  model.log_probabilities(backend, batch.pairs(), {out.data(), batch.target_rows(), 11});
  return out;
}

}  // namespace

TEST_CASE("decoder: parameters are those of its layers and one table, or two") {
  // A layer: four D x D products and a feed-forward block with their biases, two norms.
  const index_t layer = 4 * (16 * 16 + 16) + (16 * 24 + 24) + (24 * 16 + 16) + 2 * 32;
  CHECK(model_type::parameter_count(11) == 11 * 16 + 3 * layer + 32);
  CHECK(decoder<untied>::parameter_count(11) == 2 * 11 * 16 + 11 + 3 * layer + 32);
  CHECK(model_type(11, xavier_uniform{}).parameters().size() == model_type::parameter_count(11));
  const decoder<untied> two(11, xavier_uniform{});
  CHECK(two.parameters().size() == decoder<untied>::parameter_count(11));
  CHECK(two.parameters().find("head.weight") > two.parameters().find("target_embedding.weight"));
}

TEST_CASE("decoder: a position sees itself and what stands before it, and no other sentence") {
  model_type model(11, xavier_uniform{}, 5);
  const auto whole = log_probabilities(model, {{3, 4, 5, 6, 7}});
  const auto other = log_probabilities(model, {{8, 9}, {3, 4, 5, 9, 10}});
  for (std::size_t t = 0; t < 6; ++t)
    for (std::size_t v = 0; v < 11; ++v) {
      const float a = whole[t * 11 + v], b = other[(t + 3) * 11 + v];
      if (t < 4) CHECK(a == b);
    }
  CHECK(whole[4 * 11 + 5] != other[7 * 11 + 5]);
}

TEST_CASE("decoder: learns sentences by heart") {
  model_type model(11, xavier_uniform{}, 2);
  cpu_backend backend(1);
  updater<float, adam, cpu_backend> updates(model.parameters(), adam{.beta2 = 0.98});
  const ragged_batch batch({{{}, {5, 4, 3, 8, 8, 9}}, {{}, {6, 8, 6, 9}}, {{}, {10, 4}}});
  loss_sums last;
  for (step_t t = 1; t <= 120; ++t) {
    last = model.train(backend, batch.pairs(), {.epsilon = 0}, {});
    updates.update(backend, last, t, 5e-3, 1);
  }
  // Nothing but the first token of each sentence is left to guess: ln 3 for each of three sentences.
  CHECK(last.tokens == 15);
  CHECK(last.loss == doctest::Approx(3 * std::log(3.0)).epsilon(0.05));
  const loss_sums same = model.evaluate(backend, batch.pairs(), {.epsilon = 0});
  CHECK(same.loss < last.loss + 0.1);
}

TEST_CASE("decoder: no vocabulary is an error") {
  CHECK_THROWS_WITH(model_type(0, xavier_uniform{}),
                    "decoder: a vocabulary of 0 entries, expected 1 to 2147483647");
}

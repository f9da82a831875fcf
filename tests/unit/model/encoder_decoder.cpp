#include <formwork/model/encoder_decoder.hpp>

#include <doctest/doctest.h>

#include <cstring>

#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/train/updater.hpp>

#include "../../support/ragged_batch.hpp"

using namespace formwork;
using formwork_test::ragged_batch;
using formwork_test::sentence;

namespace {

struct tiny : config {
  static constexpr dims size{.d_model = 12, .d_ff = 20, .heads = 3, .encoder_layers = 2, .decoder_layers = 3};
};
/// pre_norm whose feed-forward blocks start larger from layer to layer.
struct growing : pre_norm {
  static constexpr label name = "growing";
  static double gain(const parameter_info& p) { return p.role == role::down ? p.layer + 2 : 1; }
};
template <tying Ties, bool Bias, class Placement>
struct variant : tiny {
  static constexpr tying ties = Ties;
  static constexpr bool output_bias = Bias;
  using placement = Placement;
};
using model_type = encoder_decoder<variant<tying::none, true, pre_norm>>;

constexpr vocabulary_sizes vocabulary{11, 13};
const std::vector<std::pair<sentence, sentence>> pairs{
    {{3, 4, 5, 2}, {6, 7}}, {{8, 2}, {9, 10, 11, 12, 3}}, {{5, 6, 7, 8, 9, 10, 2}, {}}, {{3, 2}, {4}}};

model_type make_model() { return {vocabulary, xavier_uniform{}, 5}; }

template <tying Ties, bool Bias, class Placement>
void check_count(vocabulary_sizes v) {
  using M = encoder_decoder<variant<Ties, Bias, Placement>>;
  CHECK(M(v, xavier_uniform{}).parameters().size() == M::parameter_count(v));
}

std::vector<float> gradients_of(model_type& model, cpu_backend& backend, const ragged_batch& batch,
                                const pass_options& options = {}) {
  model.parameters().zero_gradients();
  model.train(backend, batch.pairs(), {}, options);
  return {model.parameters().gradients(), model.parameters().gradients() + model.parameters().size()};
}

}  // namespace

TEST_CASE("encoder_decoder: the number of parameters is known to the compiler, for every tying") {
  constexpr vocabulary_sizes same{11, 11};
  check_count<tying::all, false, pre_norm>(same);
  check_count<tying::all, true, post_norm>(same);
  check_count<tying::output, false, pre_norm>(vocabulary);
  check_count<tying::output, true, pre_norm>(vocabulary);
  check_count<tying::none, false, post_norm>(vocabulary);
  check_count<tying::none, true, pre_norm>(vocabulary);
  // By hand: attention 4 (D^2 + D), feed-forward 2 D F + F + D,
  // a norm 2 D for each sub-layer and behind each stack.
  constexpr index_t D = 12, F = 20, attention = 4 * (D * D + D), ffn = 2 * D * F + F + D, norm = 2 * D;
  static_assert(encoder_decoder<variant<tying::output, true, pre_norm>>::parameter_count({11, 13}) ==
                2 * (attention + ffn + 2 * norm) + 3 * (2 * attention + ffn + 3 * norm) + 2 * norm + 24 * D +
                    13);
}

TEST_CASE(
    "encoder_decoder: initial values may depend on the role, stack, layer and depths of every parameter") {
  const auto digits = [](role r, stack_kind stack, int layer) {
    return double(int(r) * 10000 + int(stack) * 1000 + layer * 100 +
                  23);  // 2 encoder layers, 3 of the decoder
  };
  const model_type model(vocabulary, [&](const parameter_info& p, const random_stream&, std::uint64_t) {
    return digits(p.role, p.stack, p.layer) + p.encoder_layers * 10 + p.decoder_layers - 23;
  });
  for (const parameter_entry& e : model.parameters().entries()) {
    CAPTURE(e.name);
    const bool encoder = e.name.starts_with("encoder."), decoder = e.name.starts_with("decoder.");
    const stack_kind stack = encoder ? stack_kind::encoder : decoder ? stack_kind::decoder : stack_kind::none;
    const char digit = encoder || decoder ? e.name[8] : '0';  // "encoder.1."; not in "encoder.norm."
    const int top = encoder ? 1 : decoder ? 2 : 0;  // where the norm behind the layers stands
    const int layer = digit >= '0' && digit <= '9' ? digit - '0' : top;
    for (const auto& [part, r] : {std::pair{"ffn.up.weight", role::up}, {"ffn.down.weight", role::down}})
      if (e.name.ends_with(part)) CHECK(e.info.role == r);
    CHECK(model.parameters().values()[e.offset] == digits(e.info.role, stack, layer));
  }
}

TEST_CASE("encoder_decoder: the gain of a placement acts on the parameters that it names, in every layer") {
  const model_type plain = make_model();
  const encoder_decoder<variant<tying::none, true, growing>> model(vocabulary, xavier_uniform{}, 5);
  for (const parameter_entry& e : plain.parameters().entries()) {
    CAPTURE(e.name);
    const float gain = e.name.ends_with("ffn.down.weight") ? float(e.name[8] - '0' + 2) : 1;
    CHECK(model.parameters().values()[e.offset] ==
          doctest::Approx(gain * plain.parameters().values()[e.offset]).epsilon(1e-6));
  }
}

TEST_CASE("encoder_decoder: permuting the sentences of a batch permutes the results, bit by bit") {
  model_type model = make_model();
  cpu_backend backend(2);
  const ragged_batch batch(pairs), turned({pairs[2], pairs[0], pairs[3], pairs[1]});
  const auto straight = log_probabilities(model, backend, batch),
             other = log_probabilities(model, backend, turned);
  const std::size_t place[4] = {1, 3, 0, 2};
  for (std::size_t b = 0; b < 4; ++b) {
    const index_t rows = batch.target_start[b + 1] - batch.target_start[b];
    CHECK(std::memcmp(straight.data() + batch.target_start[b] * 13,
                      other.data() + turned.target_start[place[b]] * 13,
                      std::size_t(rows) * 13 * sizeof(float)) == 0);
  }
}

TEST_CASE("encoder_decoder: a sentence's result does not depend on its batch, nor on the threads") {
  model_type model = make_model();
  cpu_backend one(1), three(3);
  const ragged_batch batch(pairs);
  const auto together = log_probabilities(model, one, batch);
  CHECK(together == log_probabilities(model, three, batch));
  for (std::size_t b = 0; b < 4; ++b) {
    const auto alone = log_probabilities(model, three, ragged_batch({pairs[b]}));
    CHECK(std::memcmp(alone.data(), together.data() + batch.target_start[b] * 13,
                      alone.size() * sizeof(float)) == 0);
  }
}

TEST_CASE("encoder_decoder: gradients are the same bits for any number of threads, with dropout too") {
  model_type model = make_model();
  cpu_backend one(1), three(3);
  const ragged_batch batch(pairs);
  const pass_options options{
      .dropout = {.embedding = 0.1, .attention = 0.1, .activation = 0.1, .residual = 0.1}, .step = 4};
  CHECK(gradients_of(model, one, batch, options) == gradients_of(model, three, batch, options));
}

TEST_CASE("encoder_decoder: an empty source gives finite results and gradients") {
  model_type model = make_model();
  cpu_backend backend(1);
  for (const auto& batch : {ragged_batch({{{}, {3, 4}}}), ragged_batch({pairs[0], {{}, {5}}, pairs[1]})}) {
    for (const float p : log_probabilities(model, backend, batch)) CHECK(std::isfinite(p));
    for (const float g : gradients_of(model, backend, batch)) CHECK(std::isfinite(g));
  }
  const ragged_batch nothing(std::vector<std::pair<sentence, sentence>>{});
  CHECK(model.train(backend, nothing.pairs(), {}, {}).tokens == 0);
}

TEST_CASE("encoder_decoder: a batch larger or longer than reserved makes room") {
  model_type small = make_model(), large = make_model();
  cpu_backend backend(1);
  small.reserve(2, 2, 2);
  large.reserve(600, 600, 400);
  CHECK(log_probabilities(small, backend, ragged_batch({pairs[3]})) ==
        log_probabilities(large, backend, ragged_batch({pairs[3]})));
  const ragged_batch longer({{sentence(300, 4), sentence(200, 5)}, pairs[0]});
  CHECK(log_probabilities(small, backend, longer) == log_probabilities(large, backend, longer));
  CHECK(gradients_of(small, backend, longer) == gradients_of(large, backend, longer));
}

TEST_CASE("encoder_decoder: every parameter moves in one update") {
  model_type model = make_model();
  cpu_backend backend(1);
  updater<float, adam, cpu_backend> updates(model.parameters(), adam{});
  const std::vector<float> before(model.parameters().values(),
                                  model.parameters().values() + model.parameters().size());
  const loss_sums sums = model.train(backend, ragged_batch(pairs).pairs(), {}, {});
  for (std::size_t i = 0; i < model.parameters().entries().size(); ++i) {
    const auto g = model.parameters().gradient(i);
    double largest = 0;
    for (index_t k = 0; k < g.rows * g.width; ++k) largest = std::max(largest, std::abs(double(g.data[k])));
    CAPTURE(model.parameters().entries()[i].name);
    // A shift of all keys shifts all scores of a query alike:
    // the gradient of a key's bias is 0 but for rounding.
    CHECK((model.parameters().entries()[i].name.ends_with("key.bias") ? largest < 1e-5 : largest > 1e-4));
  }
  updates.update(backend, sums, 1, 1e-2, 0);
  for (const parameter_entry& e : model.parameters().entries()) {
    CAPTURE(e.name);
    CHECK(std::memcmp(before.data() + e.offset, model.parameters().values() + e.offset,
                      std::size_t(e.info.size()) * sizeof(float)) != 0);
  }
}

TEST_CASE("encoder_decoder: dropout acts in training only, with other masks for each batch number") {
  model_type model = make_model();
  cpu_backend backend(1);
  const ragged_batch batch(pairs);
  const auto loss = [&] { return model.evaluate(backend, batch.pairs(), {}).loss; };
  const auto trained = [&](std::uint32_t step, double rate) {
    return model.train(backend, batch.pairs(), {}, {.dropout = dropout_rates::usual(rate), .step = step})
        .loss;
  };
  const double plain = loss();
  const double first = trained(0, 0.9);
  CHECK(first != plain);
  CHECK(loss() == plain);
  CHECK(trained(0, 0.9) == first);
  CHECK(trained(1, 0.9) != first);
  CHECK(trained(0, 0) == plain);
}

TEST_CASE("encoder_decoder: the loss is that of the log-probabilities, and gradients of batches add up") {
  model_type model = make_model();
  cpu_backend backend(1);
  const ragged_batch batch(pairs), head({pairs[0], pairs[1]}), tail({pairs[2], pairs[3]});
  const auto p = log_probabilities(model, backend, batch);
  double nll = 0, smoothed = 0;
  for (index_t r = 0; r < batch.target_rows(); ++r) {
    nll -= p[std::size_t(r * 13 + batch.target_out[std::size_t(r)])];
    for (index_t v = 0; v < 13; ++v) smoothed -= double(p[std::size_t(r * 13 + v)]) / 13;
  }
  const loss_sums sums = model.evaluate(backend, batch.pairs(), {.epsilon = 0.1});
  CHECK(sums.nll == doctest::Approx(nll).epsilon(1e-5));
  CHECK(sums.loss == doctest::Approx(0.9 * nll + 0.1 * smoothed).epsilon(1e-5));
  const auto together = gradients_of(model, backend, batch);
  gradients_of(model, backend, head);
  model.train(backend, tail.pairs(), {}, {});
  for (std::size_t i = 0; i < together.size(); ++i)
    CHECK(std::abs(model.parameters().gradients()[i] - together[i]) < 2e-5);
}

TEST_CASE("encoder_decoder: what cannot be is an error in a sentence") {
  model_type model = make_model();
  cpu_backend backend(1);
  ragged_batch batch(pairs);
  batch.target_out[4] = 13;
  CHECK_THROWS_WITH_AS(model.evaluate(backend, batch.pairs(), {}), doctest::Contains("13"), error);
  CHECK_THROWS_WITH_AS(model.evaluate(backend, batch.pairs(), {}), doctest::Contains("4"), error);
  batch = ragged_batch(pairs);
  batch.source[2] = -1;
  CHECK_THROWS_WITH_AS(model.evaluate(backend, batch.pairs(), {}), doctest::Contains("-1"), error);
  CHECK_THROWS_AS(model_type({0, 5}, xavier_uniform{}), error);
  CHECK_THROWS_WITH_AS((encoder_decoder<tiny>({5, 6}, xavier_uniform{})),
                       doctest::Contains("tied embeddings need one vocabulary"), error);
}

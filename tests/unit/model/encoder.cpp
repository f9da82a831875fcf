#include <formwork/model/encoder.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/init/xavier.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/train/updater.hpp>

#include <cmath>

using namespace formwork;

namespace {

/// BERT in small.
struct tiny : config {
  static constexpr dims size{.d_model = 16, .d_ff = 24, .heads = 2, .encoder_layers = 2};
  using placement = post_norm;
  using activation = gelu;
  using position = learned<12>;
  static constexpr bool scaled_embedding = false;
  static constexpr bool embedding_norm = true;
  static constexpr bool output_bias = true;
  static constexpr index_t segments = 2;
};
struct exact : tiny {
  using precision = fp64;
};
using model_type = encoder<tiny>;

struct masked_batch {
  std::vector<token_t> tokens, segments, positions, labels;
  std::vector<index_t> starts{0};

  void add(const std::vector<token_t>& sentence, token_t second_half) {
    for (std::size_t i = 0; i < sentence.size(); ++i) {
      tokens.push_back(sentence[i]);
      segments.push_back(i < std::size_t(second_half) ? 0 : 1);
    }
    starts.push_back(index_t(tokens.size()));
  }
  masked_tokens view() const {
    return {tokens.data(),    segments.data(), {starts.data(), index_t(starts.size()) - 1},
            positions.data(), labels.data(),   index_t(labels.size())};
  }
};

masked_batch example() {
  masked_batch b;
  b.add({3, 4, 2, 6, 7}, 3);
  b.add({8, 2, 5}, 1);
  b.positions = {2, 6};
  b.labels = {5, 9};
  return b;
}

}  // namespace

TEST_CASE("encoder: parameters are those of embeddings, layers, head and one table") {
  const index_t layer = 4 * (16 * 16 + 16) + (16 * 24 + 24) + (24 * 16 + 16) + 2 * 32;
  CHECK(model_type::parameter_count(11) == (11 + 12 + 2) * 16 + 32 + 2 * layer + (16 * 16 + 16) + 32 + 11);
  const model_type model(11, xavier_uniform{});
  CHECK(model.parameters().size() == model_type::parameter_count(11));
  for (const char* name : {"source.segment.weight", "source.norm.gain", "source.position.weight",
                           "encoder.1.ffn.up.weight", "head.transform.weight", "head.norm.gain", "head.bias"})
    CHECK(model.parameters().entries()[model.parameters().find(name)].info.size() > 0);
}

namespace {
template <tying Ties>
struct tied : tiny {
  static constexpr tying ties = Ties;
};
struct with_gates : tiny {
  using activation = swiglu;
};
}  // namespace

TEST_CASE("encoder: the count is right for every tying, and with gates") {
  const auto counted = []<class C> {
    CHECK(encoder<C>(11, xavier_uniform{}).parameters().size() == encoder<C>::parameter_count(11));
    return encoder<C>::parameter_count(11);
  };
  CHECK(counted.template operator()<tied<tying::output>>() ==
        counted.template operator()<tied<tying::all>>());
  CHECK(counted.template operator()<tied<tying::none>>() ==
        counted.template operator()<tied<tying::all>>() + 11 * 16);
  counted.template operator()<with_gates>();
}

TEST_CASE("encoder: the head is a product, its activation and a norm, of the picked rows only") {
  encoder<exact> model(11, xavier_uniform{}, 4);
  cpu_backend backend(1);
  const masked_batch b = example();
  std::vector<double> found(2 * 11);
  model.log_probabilities(backend, b.view(), {found.data(), 2, 11});
  const matrix_view<double> x = model.encode(backend, b.view());
  auto& p = model.parameters();
  const auto table = p.value("embedding.weight"), weight = p.value("head.transform.weight");
  for (std::size_t m = 0; m < 2; ++m) {
    const double* row = x.row(b.positions[m]);
    std::vector<double> h(16), logit(11);
    double mean = 0, square = 0, sum = 0;
    for (index_t r = 0; r < 16; ++r) {
      for (index_t c = 0; c < 16; ++c) h[std::size_t(r)] += weight.row(r)[c] * row[c];
      h[std::size_t(r)] = gelu{}(h[std::size_t(r)] + p.value("head.transform.bias").data[r]);
      mean += h[std::size_t(r)] / 16;
    }
    for (const double a : h) square += (a - mean) * (a - mean) / 16;
    for (index_t v = 0; v < 11; ++v) {
      logit[std::size_t(v)] = p.value("head.bias").data[v];
      for (index_t c = 0; c < 16; ++c)
        logit[std::size_t(v)] += table.row(v)[c] * (h[std::size_t(c)] - mean) / std::sqrt(square + 1e-5);
      sum += std::exp(logit[std::size_t(v)]);
    }
    for (std::size_t v = 0; v < 11; ++v)
      CHECK(found[m * 11 + v] == doctest::Approx(logit[v] - std::log(sum)).epsilon(1e-12));
  }
}

TEST_CASE(
    "encoder: a prediction depends on both sides of its sentence, on segments, and on no other sentence") {
  model_type model(11, xavier_uniform{}, 4);
  cpu_backend backend(1);
  const auto predictions = [&](const masked_batch& b) {
    std::vector<float> out(std::size_t(11 * b.labels.size()));
    model.log_probabilities(backend, b.view(), {out.data(), index_t(b.labels.size()), 11});
    return out;
  };
  const std::vector<float> all = predictions(example());
  masked_batch alone;
  alone.add({8, 2, 5}, 1);
  alone.positions = {1};
  alone.labels = {9};
  CHECK(predictions(alone) == std::vector<float>(all.begin() + 11, all.end()));
  for (const std::size_t neighbour : {0, 2}) {
    masked_batch changed = alone;
    changed.tokens[neighbour] = 10;
    CHECK(predictions(changed) != predictions(alone));
  }
  masked_batch flat = alone;
  flat.segments.assign(3, 0);
  const std::vector<float> of_first = predictions(flat);
  CHECK(of_first != predictions(alone));
  masked_tokens view = flat.view();
  view.segments = nullptr;
  std::vector<float> out(11);
  model.log_probabilities(backend, view, {out.data(), 1, 11});
  CHECK(out == of_first);
}

TEST_CASE("encoder: learns to fill gaps") {
  model_type model(11, xavier_uniform{}, 4);
  cpu_backend backend(1);
  updater<float, adam, cpu_backend> updates(model.parameters(), adam{.beta2 = 0.98});
  const masked_batch b = example();
  loss_sums last;
  for (step_t t = 1; t <= 80; ++t) {
    last = model.train(backend, b.view(), {.epsilon = 0}, {});
    updates.update(backend, last, t, 3e-3, 1);
  }
  CHECK(last.tokens == 2);
  CHECK(last.loss < 0.1);
}

TEST_CASE("encoder: a batch that predicts nothing has a loss of 0 and no gradient") {
  model_type model(11, xavier_uniform{}, 4);
  cpu_backend backend(1);
  masked_batch b = example();
  b.positions.clear(), b.labels.clear();
  const loss_sums sums = model.train(backend, b.view(), {}, {});
  CHECK(sums.tokens == 0);
  CHECK(sums.loss == 0);
  for (index_t i = 0; i < model.parameters().size(); ++i) REQUIRE(model.parameters().gradients()[i] == 0);
}

TEST_CASE("encoder: a position that is not in the batch is an error") {
  model_type model(11, xavier_uniform{}, 4);
  cpu_backend backend(1);
  masked_batch b = example();
  b.positions[1] = 8;
  CHECK_THROWS_AS(model.evaluate(backend, b.view(), {}), error);
}

TEST_CASE("encoder: the result of the layers may be the first thing that is asked for") {
  model_type model(11, xavier_uniform{}, 4), other(11, xavier_uniform{}, 4);
  cpu_backend backend(1);
  const masked_batch b = example();
  other.evaluate(backend, b.view(), {});
  const matrix_view<float> x = model.encode(backend, b.view()), y = other.encode(backend, b.view());
  for (index_t i = 0; i < x.rows * x.width; ++i) REQUIRE(x.data[i] == y.data[i]);
}

TEST_CASE("encoder: a batch of which nothing is predicted, and one of nothing, are legal") {
  model_type model(11, xavier_uniform{}, 4);
  cpu_backend backend(1);
  masked_batch b = example();
  b.positions.clear();
  b.labels.clear();
  for (const masked_tokens& batch : {masked_tokens{}, b.view()})
    CHECK(model.train(backend, batch, {}, {}).tokens == 0);
  masked_tokens wrong = b.view();
  wrong.predicted = -3;
  CHECK_THROWS_WITH_AS(model.train(backend, wrong, {}, {}),
                       "encoder: -3 tokens to be predicted, expected 0 or more", error);
}

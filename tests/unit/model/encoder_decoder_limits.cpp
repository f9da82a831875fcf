#include <formwork/model/encoder_decoder.hpp>

#include <doctest/doctest.h>

#include <formwork/model/fingerprint.hpp>
#include <formwork/policy/init/xavier.hpp>

#include <cmath>

#include "../../support/ragged_batch.hpp"

using namespace formwork;
using formwork_test::ragged_batch;

namespace {

struct small : config {
  static constexpr dims size{.d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
};
using model_type = encoder_decoder<small>;
constexpr vocabulary_sizes vocabulary{11, 11};
const ragged_batch batch({{{3, 4, 2}, {5}}, {{6, 2}, {7, 8}}});

/// A batch of the same arrays with other boundaries.
sequence_pairs with_source_rows(const std::vector<index_t>& start) {
  sequence_pairs pairs = batch.pairs();
  pairs.source_rows = {start.data(), index_t(start.size()) - 1};
  return pairs;
}

/// A code for eight positions.
struct eight {
  static constexpr index_t longest = 8;
  static inline index_t furthest = 0;
  static double code(index_t position, index_t, index_t) {
    furthest = std::max(furthest, position);
    return 0.1 * double(position);
  }
};
struct with_eight : small {
  using position = eight;
};

}  // namespace

TEST_CASE("encoder_decoder: vocabularies that tokens cannot number are refused") {
  const index_t most = std::numeric_limits<token_t>::max();
  for (const index_t entries : {index_t{0}, most + 1, index_t{1} << 61})
    CHECK_THROWS_WITH_AS((model_type{{entries, entries}, xavier_uniform{}}),
                         doctest::Contains("expected 1 to 2147483647"), error);
  CHECK_NOTHROW(model_type({1, 1}, xavier_uniform{}));
}

TEST_CASE("encoder_decoder: an initialiser's value that is no number is named by its place") {
  for (const double wrong : {std::nan(""), HUGE_VAL, 1e39}) {
    const auto initialise = [=](const parameter_info& p, const random_stream&, std::uint64_t i) {
      return p.role == role::up && i == 3 ? wrong : 0.5;
    };
    CHECK_THROWS_WITH_AS(model_type(vocabulary, initialise),
                         doctest::Contains("initialiser: element 3 of encoder.0.ffn.up.weight"), error);
  }
}

TEST_CASE("encoder_decoder: a model that was moved from says so, the other one goes on") {
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  const loss_sums before = model.train(backend, batch.pairs(), {}, {});
  model_type other = std::move(model);
  CHECK(other.train(backend, batch.pairs(), {}, {}).loss == before.loss);
  CHECK_THROWS_WITH_AS(model.train(backend, batch.pairs(), {}, {}),
                       "parameters: the model has been moved to another one", error);
  CHECK_THROWS_AS(model.evaluate(backend, batch.pairs(), {}), error);
  CHECK_THROWS_AS(model.encode(backend, batch.source.data(), batch.pairs().source_rows), error);
}

TEST_CASE("encoder_decoder: a batch of nothing is legal, at the start too") {
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  for (int round = 0; round < 2; ++round) {
    for (const sequence_pairs& nothing : {sequence_pairs{}, ragged_batch({}).pairs()}) {
      const loss_sums sums = model.train(backend, nothing, {}, {});
      CHECK(sums.tokens == 0);
      CHECK(sums.loss == 0);
      CHECK(model.evaluate(backend, nothing, {}).tokens == 0);
    }
    for (index_t i = 0; round == 0 && i < model.parameters().size(); ++i)
      REQUIRE(model.parameters().gradients()[i] == 0);
    model.train(backend, batch.pairs(), {}, {});
  }
}

TEST_CASE("encoder_decoder: boundaries and ids that cannot be are errors in a sentence") {
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  for (const std::vector<index_t>& start :
       {std::vector<index_t>{1, 3, 5}, std::vector<index_t>{0, 4, 3}, std::vector<index_t>{0, -1, 5}})
    CHECK_THROWS_WITH_AS(model.train(backend, with_source_rows(start), {}, {}),
                         doctest::Contains("expected sequences one after the other from 0 on"), error);
  const std::vector<index_t> one{0, 5};
  CHECK_THROWS_WITH_AS(model.train(backend, with_source_rows(one), {}, {}),
                       doctest::Contains("expected equal counts"), error);
  sequence_pairs pairs = batch.pairs();
  pairs.target_out = nullptr;
  CHECK_THROWS_WITH_AS(model.train(backend, pairs, {}, {}),
                       "cross_entropy: target: 5 ids expected, none given", error);
  pairs.source = nullptr;
  CHECK_THROWS_WITH_AS(model.evaluate(backend, pairs, {}), "gather: 5 ids expected, none given", error);
  CHECK_NOTHROW(model.train(backend, batch.pairs(), {}, {}));
}

TEST_CASE("encoder_decoder: more room than anything can have is refused, and smaller batches still run") {
  cpu_backend backend(1);
  model_type model(vocabulary, xavier_uniform{});
  const double before = model.evaluate(backend, batch.pairs(), {}).loss;
  for (const index_t many : {(index_t{1} << 36) + 1, std::numeric_limits<index_t>::max()}) {
    CHECK_THROWS_WITH_AS(model.reserve(many, 5, 5), doctest::Contains("expected at most 68719476736"), error);
    CHECK_THROWS_WITH_AS(model.reserve(5, 5, many), doctest::Contains("expected at most 68719476736"), error);
  }
  CHECK(model.evaluate(backend, batch.pairs(), {}).loss == before);
}

TEST_CASE("encoder_decoder: a code that knows only so many positions is asked for no others") {
  cpu_backend backend(1);
  encoder_decoder<with_eight> model(vocabulary, xavier_uniform{});
  eight::furthest = 0;
  const ragged_batch full({{{3, 4, 5, 6, 7, 8, 9, 2}, {5}}}), longer({{{3, 4, 5, 6, 7, 8, 9, 9, 2}, {5}}});
  const double before = model.evaluate(backend, full.pairs(), {}).loss;
  CHECK_THROWS_WITH_AS(model.evaluate(backend, longer.pairs(), {}),
                       "position: sequence 0 has 9 tokens, the position table has 8 rows", error);
  CHECK(model.evaluate(backend, full.pairs(), {}).loss == before);
  CHECK(fingerprint_of(model).find("position_code=") != std::string::npos);
  CHECK(eight::furthest == 7);
}

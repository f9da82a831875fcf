#include <formwork/model/incremental_decoder.hpp>

#include <doctest/doctest.h>

#include <cstring>

#include <formwork/policy/init/xavier.hpp>

#include "../../support/ragged_batch.hpp"

using namespace formwork;
using formwork_test::ragged_batch;
using formwork_test::sentence;

namespace {

struct tiny : config {
  static constexpr dims size{.d_model = 12, .d_ff = 20, .heads = 3, .encoder_layers = 1, .decoder_layers = 3};
};
struct tiny_post : tiny {
  using placement = post_norm;
  using activation = gelu;
  using position = learned<40>;
  static constexpr tying ties = tying::none;
  static constexpr bool output_bias = true;
};

/// A hypothesis of the test: which sentence it belongs to and all its tokens. Its parent is the hypothesis of
/// the previous step with the same beginning.
struct path {
  std::size_t sentence;
  std::vector<token_t> tokens;
};

/// The live hypotheses of each step: they branch, die, and end at different times.
const std::vector<std::vector<path>> steps{
    {{0, {}}, {1, {}}, {2, {}}},
    {{0, {5}}, {0, {7}}, {1, {3}}, {2, {4}}, {2, {8}}, {2, {9}}},
    {{0, {7, 4}}, {0, {7, 6}}, {0, {5, 4}}, {2, {9, 3}}, {2, {4, 3}}},
    {{0, {5, 4, 4}}, {0, {7, 6, 9}}, {0, {7, 6, 3}}, {2, {9, 3, 10}}},
    {{2, {9, 3, 10, 10}}, {2, {9, 3, 10, 4}}},
};

const std::vector<sentence> sources{{3, 4, 5, 2}, {8, 2}, {5, 6, 7, 8, 9, 10, 2}};

}  // namespace

TEST_CASE_TEMPLATE("incremental_decoder: steps give the bits of the teacher-forced pass, whatever the past",
                   C, tiny, tiny_post) {
  using model_type = encoder_decoder<C>;
  model_type model({11, 11}, xavier_uniform{}, 3);
  cpu_backend backend(2);
  incremental_decoder<model_type> decoder(model, backend);
  std::vector<token_t> packed;
  std::vector<index_t> starts{0};
  for (const sentence& s : sources) {
    packed.insert(packed.end(), s.begin(), s.end());
    starts.push_back(index_t(packed.size()));
  }
  decoder.begin(packed.data(), {starts.data(), 3}, 6, 5);
  std::vector<std::vector<float>> found;
  for (std::size_t t = 0; t < steps.size(); ++t) {
    std::vector<token_t> tokens;
    std::vector<index_t> live{0, 0, 0, 0}, parents;
    for (const path& p : steps[t]) {
      tokens.push_back(t == 0 ? begin_token : p.tokens.back());
      for (std::size_t b = p.sentence + 1; b < 4; ++b) ++live[b];
      for (std::size_t r = 0; t > 0 && r < steps[t - 1].size(); ++r)
        if (steps[t - 1][r].sentence == p.sentence &&
            std::equal(steps[t - 1][r].tokens.begin(), steps[t - 1][r].tokens.end(), p.tokens.begin()))
          parents.push_back(index_t(r));
    }
    REQUIRE(parents.size() == (t == 0 ? 0 : tokens.size()));
    const matrix_view<float> result = decoder.step(tokens.data(), {live.data(), 3}, parents.data());
    found.emplace_back(std::size_t(result.rows * 11));
    decoder.project(result, {found.back().data(), result.rows, 11});
  }
  for (std::size_t t = 0; t < steps.size(); ++t)
    for (std::size_t r = 0; r < steps[t].size(); ++r) {
      const path& p = steps[t][r];
      const ragged_batch batch({{sources[p.sentence], p.tokens}});
      const auto forced = log_probabilities(model, backend, batch);
      CAPTURE(t);
      CAPTURE(r);
      CHECK(std::memcmp(found[t].data() + r * 11, forced.data() + t * 11, 11 * sizeof(float)) == 0);
    }
}

TEST_CASE("incremental_decoder: more hypotheses or steps than announced is an error") {
  using model_type = encoder_decoder<tiny>;
  model_type model({11, 11}, xavier_uniform{}, 3);
  cpu_backend backend(1);
  incremental_decoder<model_type> decoder(model, backend);
  const index_t starts[2] = {0, 4}, one[2] = {0, 1}, two[2] = {0, 2}, parents[2] = {0, 0};
  const token_t tokens[2] = {begin_token, begin_token};
  decoder.begin(sources[0].data(), {starts, 1}, 1, 2);
  CHECK_THROWS_AS(decoder.step(tokens, {two, 1}, parents), error);
  decoder.step(tokens, {one, 1}, parents);
  decoder.step(tokens, {one, 1}, parents);
  CHECK_THROWS_WITH_AS(
      decoder.step(tokens, {one, 1}, parents),
      "incremental_decoder: step 3 with 1 hypotheses, but begin() was told 2 steps and 1 hypotheses", error);
  CHECK_THROWS_WITH_AS(decoder.begin(sources[0].data(), {starts, 1}, 5, index_t{1} << 62),
                       "incremental_decoder: 5 hypotheses times 4611686018427387904 steps, expected 1 to "
                       "1099511627776",
                       error);
  decoder.begin(sources[0].data(), {starts, 1}, 1, 2);  // and may begin again
  decoder.step(tokens, {one, 1}, parents);
  for (const index_t parent : {index_t{1}, index_t{-1}})
    CHECK_THROWS_WITH_AS(decoder.step(tokens, {one, 1}, &parent),
                         doctest::Contains("of a step with 1 rows"), error);
  decoder.begin(sources[0].data(), {starts, 1}, 1, 1);
  CHECK_NOTHROW(decoder.step(tokens, {one, 1}, parents));
}
